"""Every tool, with every argument and every choice that its schema lists, through a real MCP client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
import toon_format
from mcp.client import Client
from mcp_types import TextContent

from browser_pilot.mcp_server.tool_registry import Tool
from browser_pilot.mcp_server.tools import REGISTRY
from tests.clients import call, http_client, text_of
from tests.hub_process import HubProcess
from tests.sites import Site

from .valid_calls import CURSOR, FILE, HERE, RIGHT, THEIRS


@pytest.mark.parametrize("tool", list(REGISTRY), ids=lambda tool: tool.name)
def test_every_argument_and_choice_has_a_right_call(tool: Tool[Any]) -> None:
    calls = RIGHT.get(tool.name)
    assert calls, f"{tool.name} has no right call in right_calls.py"
    for name, facts in tool.schema["properties"].items():
        given = [right.arguments[name] for right in calls if name in right.arguments]
        assert given, f"no right call of {tool.name} has the argument {name!r}"
        for choice in facts.get("enum", ()):
            assert choice in given, f"no right call of {tool.name} has {name} = {choice!r}"


@pytest.mark.browser
@pytest.mark.parametrize("tool", sorted(RIGHT))
async def test_right_calls_succeed_and_do_what_they_say(
    unhurried_hub: HubProcess, everything: Site, tmp_path: Path, tool: str
) -> None:
    file = tmp_path / "file.txt"
    file.write_text("text")
    here = everything.url("/everything")
    async with http_client(unhurried_hub, query="?tools=full,minimal") as client:
        for right in RIGHT[tool]:
            if tool != "browser_cookies":
                await call(client, "browser_navigate", url="about:blank")
            await call(client, "browser_navigate", url=here, wait_until="load")
            last: dict[str, Any] = {}
            for name, arguments in right.before:
                last = await succeed(client, name, **arguments)
            known = {CURSOR: last.get("cursor"), FILE: str(file), HERE: here, THEIRS: await session_of(client, "t1")}
            arguments = {name: _filled(value, known) for name, value in right.arguments.items()}
            await succeed(client, tool, **{"tab": "t1", "timeout_ms": 20_000, **arguments})
            proof = await call(client, "browser_evaluate", expression=f"Boolean({right.proof})", tab="t1")
            assert json.loads(proof["result"]) is True, (arguments, right.proof)


async def session_of(client: Client, tab: str) -> str:
    listed = await call(client, "browser_session")
    return next(row["session"] for row in listed["sessions"] if tab in str(row["tabs"]).split())


async def succeed(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The data of an answer; whatever text stands for itself after it is left out."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, f"{tool} {arguments}: {text_of(result)}"
    first = result.content[0]
    return cast(dict[str, Any], toon_format.decode(first.text)) if isinstance(first, TextContent) else {}


def _filled(value: Any, known: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(item, known) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return known.get(value, value) if isinstance(value, str) else value
