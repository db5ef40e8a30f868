"""Waiting in tests: until a condition holds, with a deadline. Prefer an event where there is one to wait for."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

# Long, because the machine may be busy: only a test that fails waits for so long.
TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 0.02


async def eventually(
    condition: Callable[[], Awaitable[object] | object],
    what: str = "",
    *,
    timeout_seconds: float = TIMEOUT_SECONDS,
    poll_seconds: float = POLL_SECONDS,
) -> None:
    """Return once ``condition`` is true. Fail at the deadline; the message names ``what`` was awaited.

    ``poll_seconds`` is for conditions whose check is expensive or counts against a rate limit.
    """
    deadline = time.monotonic() + timeout_seconds
    while not await _value_of(condition):
        assert time.monotonic() < deadline, f"not within {timeout_seconds:g} s: {what or condition}"
        await asyncio.sleep(poll_seconds)


def wait_until(
    condition: Callable[[], object],
    what: str = "",
    *,
    timeout_seconds: float = TIMEOUT_SECONDS,
    poll_seconds: float = POLL_SECONDS,
) -> None:
    """The same for tests without an event loop."""
    deadline = time.monotonic() + timeout_seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout_seconds:g} s: {what or condition}"
        time.sleep(poll_seconds)


async def _value_of(condition: Callable[[], Awaitable[object] | object]) -> object:
    value = condition()
    return await value if inspect.isawaitable(value) else value
