"""The filtering proxy on loopback that managed browsers must use: ``EgressProxy``, one ``SessionGate`` per session.

It decides by host, and by the resolved address at connect time. It sees hosts and not pages: a navigation and a
picture look alike in it, so it lets through what either may reach, and ``policy.decide`` holds for what the agent sees
and does.
"""

from .browser import BYPASS_NOTHING, WELCOME_URL, browser_arguments, proxy_server
from .gate import Ask, Gate, SessionGate
from .proxy import EgressProxy, Limits
from .troubles import Failure, Refusal

__all__ = [
    "BYPASS_NOTHING",
    "WELCOME_URL",
    "Ask",
    "EgressProxy",
    "Failure",
    "Gate",
    "Limits",
    "Refusal",
    "SessionGate",
    "browser_arguments",
    "proxy_server",
]
