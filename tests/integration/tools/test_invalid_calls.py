"""Every tool with every argument wrong, through a real MCP client: a typed error with advice, and nothing happened."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.client import Client

from browser_pilot import errors
from browser_pilot.mcp_server.tool_registry import Tool
from browser_pilot.mcp_server.tools import REGISTRY
from tests.clients import call, data_of, http_client, text_of
from tests.hub_process import HubProcess
from tests.sites import Site

from .invalid_values import CONFLICTS, wrong_calls
from .valid_calls import RIGHT

pytestmark = pytest.mark.browser

CODES = {kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.PilotError)}
LONGEST_ERROR = 3_000
STATE = "({happened, url: location.href, kept: {...localStorage}, cookie: document.cookie, name: name.value})"


async def refused(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The error of a call that must fail, in the shape that every error has."""
    result = await client.call_tool(tool, arguments)
    words = f"{tool} {str(arguments)[:200]}: {text_of(result)[:600]}"
    assert result.is_error, words
    error = data_of(result)
    assert error["error"] in CODES - {"INTERNAL_ERROR"}, words
    assert error["message"], words
    assert error.get("suggestions"), words
    assert error["retryable"] in (True, False), words
    assert error["tool"] == tool, words
    assert len(text_of(result)) < LONGEST_ERROR, words
    return error


async def state_of(client: Client) -> Any:
    answer = await call(client, "browser_evaluate", expression=STATE)
    tabs = await call(client, "browser_tabs")
    return json.loads(answer["result"]), tabs


@pytest.mark.parametrize("tool", list(REGISTRY), ids=lambda tool: tool.name)
async def test_a_wrong_argument_is_refused_with_advice_and_does_nothing(
    unhurried_hub: HubProcess, everything: Site, tool: Tool[Any]
) -> None:
    async with http_client(unhurried_hub, query="?tools=full,minimal") as client:
        await call(client, "browser_navigate", url=everything.url("/everything"), wait_until="load")
        before = await state_of(client)
        for arguments in wrong_calls(tool, RIGHT[tool.name][0].arguments):
            error = await refused(client, tool.name, arguments)
            assert error["error"] == "INVALID_ARGUMENT", (arguments, error)
        assert await state_of(client) == before


@pytest.mark.parametrize("tool", sorted({tool for tool, _ in CONFLICTS}))
async def test_arguments_that_do_not_go_together_are_refused_with_advice_and_do_nothing(
    unhurried_hub: HubProcess, everything: Site, tool: str
) -> None:
    async with http_client(unhurried_hub, query="?tools=full,minimal") as client:
        await call(client, "browser_navigate", url=everything.url("/everything"), wait_until="load")
        before = await state_of(client)
        for arguments in [arguments for name, arguments in CONFLICTS if name == tool]:
            await refused(client, tool, arguments)
        assert await state_of(client) == before


async def test_a_tab_or_session_that_is_not_there_is_named(unhurried_hub: HubProcess, everything: Site) -> None:
    async with http_client(unhurried_hub, query="?tools=full,minimal") as client:
        await call(client, "browser_navigate", url=everything.url("/everything"), wait_until="load")
        before = await state_of(client)
        for name, calls in RIGHT.items():
            right = dict(calls[0].arguments)
            if "url" in right:
                right["url"] = everything.url("/everything")
            if name not in ("browser_tabs", "browser_session", "browser_trace"):
                assert (await refused(client, name, {**right, "tab": "t99"}))["error"] == "NO_TAB", name
            assert (await refused(client, name, {**right, "session": "nobody"}))["error"] == "NO_SESSION"
        assert await state_of(client) == before
