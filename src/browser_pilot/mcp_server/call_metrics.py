"""Counts tool calls for `/metrics`: how each ended, how long it took, how much it gave back.

Looks at the finished answer, so that nothing that makes answers needs to know of it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable

import mcp_types as types

from ..pages.ceiling import estimate_tokens
from ..records.metrics import Metrics

# The first word of an error is its code, in both forms (see ``answers.error_data``).
_CODE = re.compile(r'\{?"?error"?: ?"?([A-Z_]+)')


async def counted(metrics: Metrics, tool: str, work: Awaitable[types.CallToolResult]) -> types.CallToolResult:
    started = time.monotonic()

    def tell(status: str, tokens: int = 0, error: str | None = None) -> None:
        metrics.call(tool, status=status, duration_ms=(time.monotonic() - started) * 1000, tokens=tokens, error=error)

    try:
        result = await work
    except asyncio.CancelledError:
        tell("cancelled")
        raise
    text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
    code = error_code(text) if result.is_error else None
    tell("error" if result.is_error else "ok", estimate_tokens(text), code)
    return result


def error_code(text: str) -> str:
    found = _CODE.match(text)
    return found[1] if found else "UNKNOWN"
