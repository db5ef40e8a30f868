"""Playwright traces of a context: what was on the pages, what they requested and logged, for the trace viewer.

A trace holds everything as it was, unredacted: it is written to a private folder and never shown to an agent.
"""

from __future__ import annotations

import time
from pathlib import Path

from playwright.async_api import BrowserContext

from ..errors import InvalidArgument
from ..home import make_private_folder
from .playwright_errors import translated


async def start_trace(context: BrowserContext) -> None:
    with translated("Starting a trace"):
        await context.tracing.start(screenshots=True, snapshots=True)


async def stop_trace(context: BrowserContext, folder: Path, name: str | None) -> Path:
    """Write the trace; where it is."""
    name = name or f"{time.time_ns() // 1_000_000}.zip"
    if Path(name).name != name or name in ("", ".", "..") or "\x00" in name:
        raise InvalidArgument(
            f"path = {name!r}: only a file name is taken.", suggestions=[f"Files are kept in {folder}."]
        )
    path = make_private_folder(folder) / name
    with translated("Stopping the trace"):
        await context.tracing.stop(path=path)
    return path
