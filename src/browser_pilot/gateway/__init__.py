"""The gateway: the only path from a tool call to an effect.

``pipeline`` takes a ``ToolCall`` through rate limit, inspection, authorization, audit log and execution, and hands the
tool a ``ToolContext``. ``inspector`` inspects the page, ``action_preview`` describes what would happen, ``supervision``
enforces deadlines, ``retries`` decides about another attempt, ``downloads`` saves files, and ``guest_browser`` serves
guests.
"""

from .context import Location, ToolContext
from .pipeline import Gateway
from .tool_call import Scope, ToolCall

__all__ = ["Gateway", "Location", "Scope", "ToolCall", "ToolContext"]
