"""Compares ten clicks in one run with ten calls, over stdio: ``python -m bench.runs [ROUNDS]``.

Targets: a run is at least three times as fast, takes at most a quarter of the tokens (of requests and results), and
adds at most 1 ms per step in the hub. Both ways alternate in the same browser. Tokens are our own estimate.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from browser_pilot.config.settings import Settings
from browser_pilot.gateway import Gateway
from browser_pilot.mcp_server.runs.runner import Runner
from browser_pilot.mcp_server.runs.steps import MAX_STEPS, parse_steps
from browser_pilot.mcp_server.tool_registry import EVERYWHERE, CallRequest, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.mcp_server.tools.page_result import action_data
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.sessions.client import Client

from . import machine, pages
from .competitors.browser_pilot import BrowserPilot, BrowserPilotSession
from .server import Site
from .workspace import Workspace

ROUNDS = 20
CLICKS = 10
BUTTON = "Add one"
MIN_SPEED, MAX_TOKENS, MAX_OVERHEAD_MS = 3.0, 0.25, 1.0


class TokenCount:
    """Calls a session's tools and counts the tokens of requests and results."""

    def __init__(self, session: BrowserPilotSession) -> None:
        self._session = session
        self.tokens = 0

    def call(self, tool: str, **arguments: object) -> None:
        result = self._session.call(tool, **arguments)
        request = json.dumps({"name": tool, "arguments": arguments}, separators=(",", ":"))
        self.tokens += estimate_tokens(request) + estimate_tokens(result.text)


def ten_calls(counted: TokenCount, ref: str) -> None:
    for _ in range(CLICKS):
        counted.call("browser_click", element=ref)


def one_run(counted: TokenCount, ref: str) -> None:
    counted.call("browser_run", steps=[f"click {ref}"] * CLICKS)


def measure(session: BrowserPilotSession, way: Callable[[TokenCount, str], None], ref: str) -> tuple[float, int]:
    counted = TokenCount(session)
    began = time.perf_counter()
    way(counted, ref)
    return (time.perf_counter() - began) * 1000, counted.tokens


async def overhead_ms() -> float:
    """What the runner adds to a step that does nothing: the median of a hundred runs."""

    async def nothing(_: CallRequest, __: TabArguments) -> ToolResult:
        return ToolResult({})

    tool = Tool(
        name="nothing",
        title="",
        description="",
        arguments=TabArguments,
        effect="read",
        profiles=EVERYWHERE,
        handler=nothing,
    )
    tools: dict[str, Tool[Any]] = {tool.name: tool}
    gateway = cast("Gateway", SimpleNamespace(redactor=Redactor()))
    request = CallRequest(Client("bench", Settings()), tool, gateway, tools=tools)
    times: list[float] = []
    for _ in range(100):
        began = time.perf_counter()
        steps = parse_steps(["nothing"] * MAX_STEPS, tools, TabArguments())
        await Runner(request, steps, 60_000, action_data).run()
        times.append((time.perf_counter() - began) * 1000 / MAX_STEPS)
    return statistics.median(times)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    site = Site.start({pages.OWN: pages.SITE})
    workspace = Workspace.create()
    found: dict[str, list[tuple[float, int]]] = {"ten calls": [], "one run": []}
    try:
        session = BrowserPilot(machine.find_chromium()).start(workspace)
        session.navigate(site.url(pages.OWN, "tally.html"))
        ref = session.find_ref(session.snapshot().text, "button", BUTTON)
        for _ in range(rounds):
            found["ten calls"].append(measure(session, ten_calls, ref))
            found["one run"].append(measure(session, one_run, ref))
        session.close()
    finally:
        workspace.close()
        site.stop()
    ms = {name: statistics.median(one for one, _ in values) for name, values in found.items()}
    tokens = {name: statistics.median(one for _, one in values) for name, values in found.items()}
    for name in found:
        print(f"{name:<10} {ms[name]:8.1f} ms {tokens[name]:7.0f} tokens")
    speed, share, overhead = (
        ms["ten calls"] / ms["one run"],
        tokens["one run"] / tokens["ten calls"],
        asyncio.run(overhead_ms()),
    )
    print(f"{speed:.1f} times as fast (target: {MIN_SPEED:g}) {'✓' if speed >= MIN_SPEED else '✗'}")
    print(f"{share:.2f} of the tokens (target: {MAX_TOKENS:g}) {'✓' if share <= MAX_TOKENS else '✗'}")
    print(f"{overhead:.2f} ms per step (target: {MAX_OVERHEAD_MS:g}) {'✓' if overhead <= MAX_OVERHEAD_MS else '✗'}")


if __name__ == "__main__":
    main()
