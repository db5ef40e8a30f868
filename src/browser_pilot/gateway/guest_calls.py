"""Calls of guests' tools, which use no browser themselves: rate limit, audit entry, execute, outcome.

What a guest requests of the browser passes the pipeline (``guest_browser``), each with an entry of its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from browser_pilot.audit_log.entries import AuditIntent
from browser_pilot.errors import PilotError
from browser_pilot.policy.budgets import Reservation
from browser_pilot.sessions.client import Client

from .audit import AuditTrail
from .rate_limits import RateLimits
from .tool_call import ToolCall

logger = logging.getLogger(__name__)

T = TypeVar("T")
# The steps of a guest are counted where it uses the browser.
_NO_RESERVATION = Reservation((), 0.0)
_RULE = "guest tools are allowed by installing the guest"


class GuestCalls:
    def __init__(
        self, audit: AuditTrail, rate_limits: RateLimits, count_call: Callable[[Client, str], Awaitable[None]]
    ) -> None:
        self._audit = audit
        self._rate_limits = rate_limits
        self._count_call = count_call

    async def run(self, call: ToolCall, guest: str, execute: Callable[[], Awaitable[T]]) -> T:
        """Run a call; it is refused when its entry cannot be written."""
        self._rate_limits.admit(call)
        await self._count_call(call.client, call.tool)
        entry = AuditIntent(
            client=call.client.name,
            tool=call.tool,
            arguments=call.arguments,
            effect=call.effect,
            rule=_RULE,
            what=f"Call the guest {guest}",
            run=call.run,
        )
        started, result = time.monotonic(), "failed"
        try:
            async with self._audit.effect(entry, _NO_RESERVATION, single_use=None):
                done = await execute()
            result = "ok"
            return done
        except PilotError as error:
            result = error.code
            raise
        finally:
            logger.info(
                "%s by %s: %s in %.0f ms", call.tool, call.client.id, result, (time.monotonic() - started) * 1000
            )
