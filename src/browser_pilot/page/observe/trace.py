"""Playwright traces of a context, for the trace viewer.

A trace is not redacted: it is written to a private folder and never returned to an agent.
"""

from __future__ import annotations

import time
from pathlib import Path

from playwright.async_api import BrowserContext

from browser_pilot.errors import InvalidArgument
from browser_pilot.home import make_private_folder
from browser_pilot.page.playwright_errors import translated


async def start_trace(context: BrowserContext) -> None:
    with translated("Starting a trace"):
        await context.tracing.start(screenshots=True, snapshots=True)


async def stop_trace(context: BrowserContext, folder: Path, name: str | None) -> Path:
    """Write the trace; returns its path."""
    name = name or f"{time.time_ns() // 1_000_000}.zip"
    if Path(name).name != name or name in ("", ".", "..") or "\x00" in name:
        raise InvalidArgument(
            f"path = {name!r}: only a file name is allowed.", suggestions=[f"Files are written to {folder}."]
        )
    path = make_private_folder(folder) / name
    with translated("Stopping the trace"):
        await context.tracing.stop(path=path)
    return path
