"""Every tool with every argument invalid, through a real MCP client: a typed error with suggestions, and no effect."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.client import Client

from browser_pilot import errors
from browser_pilot.mcp_server.tool_registry import Tool
from browser_pilot.mcp_server.tools import REGISTRY
from tests.attempts import count_attempts
from tests.clients import call, data_of, http_client, text_of
from tests.hub_process import HubProcess
from tests.sites import Site

from .invalid_values import CONFLICTS, invalid_calls
from .valid_calls import VALID_CALLS

pytestmark = pytest.mark.browser

CODES = {kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.PilotError)}
MAX_ERROR_CHARACTERS = 3_000
STATE = "({happened, url: location.href, kept: {...localStorage}, cookie: document.cookie, name: name.value})"


async def refused(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The error of a call that must fail; checks the fields that every error has."""
    result = await client.call_tool(tool, arguments)
    details = f"{tool} {str(arguments)[:200]}: {text_of(result)[:600]}"
    assert result.is_error, details
    error = data_of(result)
    assert error["error"] in CODES - {"INTERNAL_ERROR"}, details
    assert error["message"], details
    assert error.get("suggestions"), details
    assert error["retryable"] in (True, False), details
    assert error["tool"] == tool, details
    assert len(text_of(result)) < MAX_ERROR_CHARACTERS, details
    return error


async def state_of(client: Client) -> Any:
    state = await call(client, "browser_evaluate", expression=STATE)
    tabs = await call(client, "browser_tabs")
    return state["result"], tabs


@pytest.mark.parametrize("tool", list(REGISTRY), ids=lambda tool: tool.name)
async def test_an_invalid_argument_is_refused_with_suggestions_and_has_no_effect(
    hub_without_rate_limit: HubProcess, everything: Site, tool: Tool[Any]
) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full,minimal") as client:
        await call(client, "browser_navigate", url=everything.url("/everything"), wait_until="load")
        before = await state_of(client)
        attempts = list(invalid_calls(tool, VALID_CALLS[tool.name][0].arguments))
        for arguments in attempts:
            error = await refused(client, tool.name, arguments)
            assert error["error"] == "INVALID_ARGUMENT", (arguments, error)
        assert await state_of(client) == before
    count_attempts(len(attempts))


@pytest.mark.parametrize("tool", sorted({tool for tool, _ in CONFLICTS}))
async def test_conflicting_arguments_are_refused_with_suggestions_and_have_no_effect(
    hub_without_rate_limit: HubProcess, everything: Site, tool: str
) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full,minimal") as client:
        await call(client, "browser_navigate", url=everything.url("/everything"), wait_until="load")
        before = await state_of(client)
        for arguments in [arguments for name, arguments in CONFLICTS if name == tool]:
            await refused(client, tool, arguments)
        assert await state_of(client) == before


async def test_an_unknown_tab_or_session_is_reported_and_has_no_effect(
    hub_without_rate_limit: HubProcess, everything: Site
) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full,minimal") as client:
        await call(client, "browser_navigate", url=everything.url("/everything"), wait_until="load")
        before = await state_of(client)
        for name, calls in VALID_CALLS.items():
            valid = dict(calls[0].arguments)
            if "url" in valid:
                valid["url"] = everything.url("/everything")
            if name not in ("browser_tabs", "browser_session", "browser_trace"):
                assert (await refused(client, name, {**valid, "tab": "t99"}))["error"] == "NO_TAB", name
            assert (await refused(client, name, {**valid, "session": "unknown"}))["error"] == "NO_SESSION"
        assert await state_of(client) == before
