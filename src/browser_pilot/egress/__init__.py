"""Egress proxy: the filtering proxy on loopback that managed browsers must use, with an access policy per session.

Managed browsers are launched so that they know no other route (``chromium_flags``). Each context has its own
credentials at the proxy (``engines.proxy_session``). The gateway registers each allowed navigation
(``Session.allow_navigation``). The reason for a failed connection replaces the browser's own error page text
(``page.observe.proxy_errors``).

It decides by host, and by the resolved address at connect time. It sees hosts and not pages: it cannot tell a
navigation from a subresource, so it allows what either may connect to. What the agent may see and do is decided by
``policy.decide``.
"""

from .access_policy import AccessPolicy, ConnectionRequest, SessionAccessPolicy
from .chromium_flags import PROXY_BYPASS_LIST, PROXY_LOGIN_URL, browser_arguments, proxy_server
from .connect_errors import BlockedByPolicy, NetworkFailure
from .proxy import EgressProxy, ProxyLimits

__all__ = [
    "PROXY_BYPASS_LIST",
    "PROXY_LOGIN_URL",
    "AccessPolicy",
    "BlockedByPolicy",
    "ConnectionRequest",
    "EgressProxy",
    "NetworkFailure",
    "ProxyLimits",
    "SessionAccessPolicy",
    "browser_arguments",
    "proxy_server",
]
