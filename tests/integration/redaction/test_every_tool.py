"""Secrets of some 370 kinds in the title, the names, values, logs and addresses of a page: no tool shows one."""

from __future__ import annotations

import itertools
import json
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import BlobResourceContents

from browser_pilot.mcp_server.tools import REGISTRY
from tests.attempts import count_attempts, rounds
from tests.clients import http_client, text_of
from tests.hub_process import HubProcess
from tests.integration.tools.hostile_page import hostile_page
from tests.integration.tools.valid_calls import CURSOR, FILE, HERE, SESSION, VALID_CALLS
from tests.redaction.canaries import ALNUM, CARDS, CERTAIN_NAMES, SECRET_HEADERS, TOKENS, rand
from tests.sites import serving

pytestmark = pytest.mark.browser

PARTS = 8
CANARIES = 48
REDTEAM_CANARIES = 2_000
CANARIES_PER_PAGE = 250


@dataclass(frozen=True)
class Canary:
    kind: str
    secret: str
    text: str


def varied(secret: str) -> str:
    """Another secret of the same format."""
    digits = (random.choice(string.digits) if one.isdigit() else one for one in secret[-12:])
    return secret[:-12] + "".join(digits)


def canaries(source: Iterator[int]) -> Iterator[Canary]:
    """Without end; every kind once before any comes again."""
    for number in source:
        for kind, secret in TOKENS.items():
            token = varied(secret) if number else secret
            yield Canary(f"token {kind}", token, f"Look: {token} here.")
            yield Canary(f"token in a path {kind}", token, f"https://a.example/x/{token}?y=1")
        for kind, secret in CARDS.items():
            yield Canary(f"card {kind}", secret, f"Paid with {secret} today")
        for name in CERTAIN_NAMES:
            for form in ("sent {}={} to it", 'log {{"{}": "{}", "b": 1}}', "https://a.example/p?a=1&{}={}&b=2"):
                value = "Zq7" + rand(ALNUM, 12)
                yield Canary(f"{form}: {name}", value, form.format(name, value))
        for name in SECRET_HEADERS:
            value = rand(ALNUM, 24)
            yield Canary(f"header {name}", value, f"{name}: {value}")


async def results_of_every_tool(client: Client, here: str, file: Path) -> list[str]:
    """The results of a valid call of every tool on this page, and every resource afterwards."""
    results: list[str] = []

    async def call(tool: str, arguments: dict[str, Any]) -> None:
        results.append(f"{tool}\n{text_of(await client.call_tool(tool, arguments))}")

    known = {CURSOR: None, FILE: str(file), HERE: here, SESSION: None}
    for tool in REGISTRY:
        valid = VALID_CALLS[tool.name][0]
        await call("browser_navigate", {"url": here})
        for name, arguments in valid.before:
            await call(name, dict(arguments))
        filled = {
            name: [str(file)] if value == [FILE] else known.get(value, value) if isinstance(value, str) else value
            for name, value in valid.arguments.items()
        }
        arguments = {name: value for name, value in filled.items() if value is not None}
        await call(tool.name, {"timeout_ms": 20_000, **arguments})
        await call("browser_dialog", {"accept": False})
    for resource in (await client.list_resources()).resources:
        contents = (await client.read_resource(resource.uri)).contents
        texts = [one.text for one in contents if not isinstance(one, BlobResourceContents)]
        results.extend(f"{resource.uri}\n{text}" for text in texts)
    return results


@pytest.mark.timeout(530)
@pytest.mark.parametrize("part", range(PARTS))
async def test_no_tool_shows_a_secret_of_the_page(
    hub_without_rate_limit: HubProcess, tmp_path: Path, part: int
) -> None:
    file = tmp_path / "file.txt"
    file.write_text("text")
    total = rounds(CANARIES, REDTEAM_CANARIES)
    chosen = list(itertools.islice(canaries(itertools.count()), total))[part::PARTS]
    if total >= REDTEAM_CANARIES:
        assert len({one.kind for one in itertools.islice(canaries(itertools.count()), total)}) >= 300
    for batch in (chosen[at : at + CANARIES_PER_PAGE] for at in range(0, len(chosen), CANARIES_PER_PAGE)):
        # A template literal's content.
        text = json.dumps(" ".join(one.text for one in batch))[1:-1].replace("`", "\\`").replace("$", "\\$")
        with serving({"/": hostile_page(text)}) as site:
            async with http_client(hub_without_rate_limit, query="?tools=full,minimal") as client:
                results = await results_of_every_tool(client, site.url(), file)
        assert len(results) > 2 * len(VALID_CALLS)
        shown = [(one.kind, result.partition("\n")[0]) for one in batch for result in results if one.secret in result]
        assert shown == []
    count_attempts(len(chosen))
