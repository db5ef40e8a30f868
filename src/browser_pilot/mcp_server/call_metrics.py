"""Counts tool calls for `/metrics`: their status, their duration, and the tokens of their results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass

import mcp_types as types

from browser_pilot.metrics.prometheus import Metrics
from browser_pilot.page.snapshot.token_budget import estimate_tokens


@dataclass(frozen=True)
class FinishedCall:
    """The result of a call, and its error code if it failed."""

    result: types.CallToolResult
    error_code: str | None = None


async def counted(metrics: Metrics, tool: str, call: Awaitable[FinishedCall]) -> types.CallToolResult:
    """Await a call and count it, also when it is cancelled."""
    started = time.monotonic()

    def count(status: str, tokens: int = 0, error: str | None = None) -> None:
        metrics.count_call(
            tool, status=status, duration_ms=(time.monotonic() - started) * 1000, tokens=tokens, error=error
        )

    try:
        finished = await call
    except asyncio.CancelledError:
        count("cancelled")
        raise
    texts = (block.text for block in finished.result.content if isinstance(block, types.TextContent))
    status = "ok" if finished.error_code is None else "error"
    count(status, estimate_tokens("\n".join(texts)), finished.error_code)
    return finished.result
