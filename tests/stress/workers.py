"""Clients that call tools without pause, and a tally of their calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from mcp.client import Client

from tests.clients import text_of

PAGE = """<!doctype html><title>Work</title><h1>Work</h1>
<label>Name <input id="name"></label><button onclick="out.textContent = ++n">Count</button><p id="out">0</p>
<script>let n = 0</script>"""


@dataclass
class Tally:
    seconds: list[float] = field(default_factory=list[float])
    errors: list[str] = field(default_factory=list[str])

    def quantile(self, part: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


async def call_tool(client: Client, tally: Tally, tool: str, **arguments: object) -> bool:
    started = time.monotonic()
    result = await client.call_tool(tool, arguments)
    tally.seconds.append(time.monotonic() - started)
    if result.is_error:
        tally.errors.append(text_of(result))
    return not result.is_error


async def work(client: Client, tally: Tally, url: str, going_on: Callable[[], bool]) -> None:
    """Effects and reads in turn, on one page, while ``going_on``."""
    await call_tool(client, tally, "browser_navigate", url=url)
    turn = 0
    while going_on():
        match turn % 4:
            case 0:
                await call_tool(client, tally, "browser_click", element="text=Count")
            case 1:
                await call_tool(client, tally, "browser_type", element="#name", text=f"turn {turn}")
            case 2:
                await call_tool(client, tally, "browser_snapshot")
            case _:
                await call_tool(client, tally, "browser_find", query="Count")
        turn += 1


async def all_of(jobs: list[Awaitable[None]]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for job in jobs:
            tasks.create_task(_run(job))


async def _run(job: Awaitable[None]) -> None:
    await job
