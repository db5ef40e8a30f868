"""The proof that a fresh hub works: open a page of the demo site through its own MCP endpoint, as any client would."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from ..config import Settings
from ..demo.site import demo_site
from ..errors import PilotError
from ..listening import Listening
from ..pages.ceiling import estimate_tokens
from .checks import GOOD_STATE, examine
from .hub import find_hub, token_path
from .mcp_client import HubClient, connect
from .mcp_config import launch, mcp_servers_json
from .output import BAD, GOOD, out, progress, say
from .tool_answer import ToolAnswer

EXPECTED_HEADING = "Sign in"
# Whatever the user's own choice for clients is.
OPTIONS = {"tools": "standard", "format": "toon"}


class ProofFailed(PilotError):
    """The hub listens, but a page could not be opened and read through it."""

    code = "PROOF_FAILED"


@dataclass(frozen=True)
class Proof:
    browser: str
    open_ms: float
    snapshot_ms: float
    elements: int
    tokens: int


async def prove_and_tell(listening: Listening, settings: Settings, home: Path) -> None:
    """Print what the proof found; when it failed, what is wrong. Either way the hub goes on."""
    try:
        with progress("Opening a page to prove that everything works …"):
            proof = await prove(listening, home)
    except PilotError as error:
        await _tell_failure(error, settings, home)
    else:
        say(
            GOOD,
            f" {proof.browser} opened the demo page in {proof.open_ms:.0f} ms; "
            f"a snapshot of its {proof.elements} elements took {proof.snapshot_ms:.0f} ms "
            f"and about {proof.tokens} tokens.",
        )
    tell_how_to_connect(listening, home)


async def prove(listening: Listening, home: Path) -> Proof:
    info = listening.info
    with demo_site() as site:
        async with connect(listening.mcp_url, info.token, name="browser-pilot serve", options=OPTIONS) as client:
            _, open_ms = await _timed(client, "browser_navigate", {"url": site})
            answer, snapshot_ms = await _timed(client, "browser_snapshot", {})
            hub = await asyncio.to_thread(find_hub, home)
    rows = answer.rows
    if not any(row.get("role") == "h1" and EXPECTED_HEADING in str(row.get("name")) for row in rows):
        raise ProofFailed("The demo page was opened, but its snapshot does not show what is on it.")
    browsers = hub.health.browsers if hub else []
    name = f"{browsers[0].kind.capitalize()} {browsers[0].version}" if browsers else "The browser"
    return Proof(name, open_ms, snapshot_ms, len(rows), estimate_tokens(answer.text))


async def _timed(client: HubClient, tool: str, arguments: dict[str, object]) -> tuple[ToolAnswer, float]:
    started = time.perf_counter()
    answer = await client.call(tool, arguments)
    if answer.is_error:
        raise ProofFailed(str(answer.data.get("message", answer.text)))
    return answer, (time.perf_counter() - started) * 1000


async def _tell_failure(error: PilotError, settings: Settings, home: Path) -> None:
    say(BAD, " The hub runs, but opening a page failed: ", error.message)
    for finding in await examine(home, settings):
        if finding.state == GOOD_STATE:
            continue
        if finding.says != error.message:
            say("  ", finding.mark, f" {finding.what}: {finding.says}")
        if finding.mend:
            say("    → ", finding.mend)


def tell_how_to_connect(listening: Listening, home: Path) -> None:
    out.line()
    say("  MCP over HTTP   ", listening.mcp_url)
    say("  Bearer token    in ", str(token_path(home)))
    say("  MCP over stdio  paste this into your client (`browser-pilot mcp-config` has other forms):")
    out.line()
    for line in mcp_servers_json(launch()).splitlines():
        out.out(f"    {line}", highlight=False)
    out.line()
    say("Ctrl-C ends it.")
