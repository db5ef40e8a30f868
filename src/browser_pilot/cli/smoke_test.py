"""The smoke test of `serve --prove`: opens a page of the demo site through the hub's MCP endpoint."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.cli.commands.mcp_config import launch, mcp_servers_json
from browser_pilot.config.settings import Settings
from browser_pilot.demo.site import demo_site
from browser_pilot.errors import PilotError
from browser_pilot.hub.http_listener import HubEndpoint
from browser_pilot.page.snapshot.token_budget import estimate_tokens

from .doctor_checks import run_checks
from .hub_control import find_hub, token_path
from .mcp_client import HubClient, connect
from .output import FAILURE, SUCCESS, out, print_line, progress
from .tool_result import CallResult

EXPECTED_HEADING = "Sign in"
# Fixed, whatever the user's settings for clients are.
CLIENT_OPTIONS = {"tools": "standard", "format": "toon"}


class SmokeTestFailed(PilotError):
    """The hub is listening, but opening and reading a page through it failed."""

    code = "PROOF_FAILED"


@dataclass(frozen=True)
class SmokeTestResult:
    browser: str
    open_ms: float
    snapshot_ms: float
    elements: int
    tokens: int


async def run_and_report(listening: HubEndpoint, settings: Settings, home: Path) -> None:
    """Print the result, or the diagnosis of a failure. The hub keeps running in both cases."""
    try:
        with progress("Opening a page as a smoke test …"):
            result = await run_smoke_test(listening, home)
    except PilotError as error:
        await _print_diagnosis(error, settings, home)
    else:
        print_line(
            SUCCESS,
            f" {result.browser} opened the demo page in {result.open_ms:.0f} ms; "
            f"a snapshot of its {result.elements} elements took {result.snapshot_ms:.0f} ms "
            f"and about {result.tokens} tokens.",
        )
    print_connection_info(listening, home)


async def run_smoke_test(listening: HubEndpoint, home: Path) -> SmokeTestResult:
    info = listening.info
    with demo_site() as site:
        async with connect(listening.mcp_url, info.token, name="browser-pilot serve", options=CLIENT_OPTIONS) as client:
            _, open_ms = await _timed_call(client, "browser_navigate", {"url": site})
            snapshot, snapshot_ms = await _timed_call(client, "browser_snapshot", {})
            hub = await asyncio.to_thread(find_hub, home)
    rows = snapshot.rows
    if not any(row.get("role") == "h1" and EXPECTED_HEADING in str(row.get("name")) for row in rows):
        raise SmokeTestFailed("The demo page was opened, but its snapshot is incomplete.")
    browsers = hub.health.browsers if hub else []
    name = f"{browsers[0].kind.capitalize()} {browsers[0].version}" if browsers else "The browser"
    return SmokeTestResult(name, open_ms, snapshot_ms, len(rows), estimate_tokens(snapshot.text))


async def _timed_call(client: HubClient, tool: str, arguments: dict[str, object]) -> tuple[CallResult, float]:
    started = time.perf_counter()
    result = await client.call(tool, arguments)
    if result.is_error:
        raise SmokeTestFailed(str(result.data.get("message", result.text)))
    return result, (time.perf_counter() - started) * 1000


async def _print_diagnosis(error: PilotError, settings: Settings, home: Path) -> None:
    print_line(FAILURE, " The hub is running, but opening a page failed: ", error.message)
    for finding in await run_checks(home, settings):
        if finding.state == "ok":
            continue
        if finding.detail != error.message:
            print_line("  ", finding.mark, f" {finding.name}: {finding.detail}")
        if finding.fix:
            print_line("    → ", finding.fix)


def print_connection_info(listening: HubEndpoint, home: Path) -> None:
    out.line()
    print_line("  MCP over HTTP   ", listening.mcp_url)
    print_line("  Bearer token    in ", str(token_path(home)))
    print_line("  MCP over stdio  paste this into your client (`browser-pilot mcp-config` prints other formats):")
    out.line()
    for line in mcp_servers_json(launch()).splitlines():
        out.out(f"    {line}", highlight=False)
    out.line()
    print_line("Press Ctrl-C to stop.")
