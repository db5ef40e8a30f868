"""Every tool with every argument and enum value of its schema, through a real MCP client."""

from __future__ import annotations

from typing import Any, cast

import pytest
import toon_format
from mcp.client import Client
from mcp_types import TextContent

from browser_pilot.mcp_server.tool_registry import Tool
from browser_pilot.mcp_server.tool_schema import TabArguments, lean_schema
from browser_pilot.mcp_server.tools import REGISTRY
from tests.clients import call, http_client, text_of
from tests.hub_process import HubProcess
from tests.sites import Site

from .valid_calls import CURSOR, FILE, HERE, REF, SESSION, VALID_CALLS


@pytest.mark.parametrize("tool", list(REGISTRY), ids=lambda tool: tool.name)
def test_every_argument_and_enum_value_has_a_valid_call(tool: Tool[Any]) -> None:
    calls = VALID_CALLS.get(tool.name)
    assert calls, f"{tool.name} has no valid call in valid_calls.py"
    common = lean_schema(TabArguments)["properties"]
    for name, facts in tool.schema["properties"].items():
        if facts == common.get(name):
            continue  # one of every tool's, with tests of its own
        given = [valid.arguments[name] for valid in calls if name in valid.arguments]
        assert given, f"no valid call of {tool.name} has the argument {name!r}"
        for choice in facts.get("enum", ()):
            assert choice in given, f"no valid call of {tool.name} has {name} = {choice!r}"


@pytest.mark.browser
@pytest.mark.parametrize("tool", sorted(VALID_CALLS))
async def test_valid_calls_succeed_and_have_their_effect(
    hub_without_rate_limit: HubProcess, everything: Site, tool: str
) -> None:
    file = hub_without_rate_limit.home / "uploads" / "file.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("text")
    here = everything.url("/everything")
    async with http_client(hub_without_rate_limit, query="?tools=full,minimal") as client:
        for valid in VALID_CALLS[tool]:
            if tool != "browser_cookies":
                await call(client, "browser_navigate", url="about:blank")
            await call(client, "browser_navigate", url=here, wait_until="load")
            last: dict[str, Any] = {}
            for name, arguments in valid.before:
                last = await succeed(client, name, **arguments)
            known = {CURSOR: last.get("cursor"), FILE: str(file), HERE: here, SESSION: await session_of(client, "t1")}
            known[REF] = next((row["ref"] for row in last.get("elements", ()) if row.get("match")), None)
            arguments = {name: _filled(value, known) for name, value in valid.arguments.items()}
            await succeed(client, tool, **{"tab": "t1", "timeout_ms": 20_000, **arguments})
            proof = await call(client, "browser_evaluate", expression=f"Boolean({valid.proof})", tab="t1")
            assert proof["result"] is True, (arguments, valid.proof)


async def session_of(client: Client, tab: str) -> str:
    listed = await call(client, "browser_session")
    return next(row["session"] for row in listed["sessions"] if tab in str(row["tabs"]).split())


async def succeed(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The data of a successful tool result, without the text blocks after it."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, f"{tool} {arguments}: {text_of(result)}"
    first = result.content[0]
    return cast(dict[str, Any], toon_format.decode(first.text)) if isinstance(first, TextContent) else {}


def _filled(value: Any, known: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(item, known) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return known.get(value, value) if isinstance(value, str) else value
