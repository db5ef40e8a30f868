"""Waiting in tests: until a condition holds, with a deadline. Prefer an event where there is one to wait for."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

TIMEOUT_SECONDS = 20.0
POLL_SECONDS = 0.02


async def eventually(
    condition: Callable[[], Awaitable[object] | object], what: str = "", *, timeout_seconds: float = TIMEOUT_SECONDS
) -> None:
    """Return once ``condition`` is true; fail with ``what`` was awaited when it is not in time."""
    deadline = time.monotonic() + timeout_seconds
    while not await _value_of(condition):
        assert time.monotonic() < deadline, f"not within {timeout_seconds:g} s: {what or condition}"
        await asyncio.sleep(POLL_SECONDS)


def wait_until(condition: Callable[[], object], what: str = "", *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
    """The same for tests without an event loop."""
    deadline = time.monotonic() + timeout_seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout_seconds:g} s: {what or condition}"
        time.sleep(POLL_SECONDS)


async def _value_of(condition: Callable[[], Awaitable[object] | object]) -> object:
    value = condition()
    return await value if inspect.isawaitable(value) else value
