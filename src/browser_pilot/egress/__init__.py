"""Egress proxy: the filtering proxy on loopback that managed browsers must use, with an access policy per session.

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
