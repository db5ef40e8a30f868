"""The requestState of a deferred call: valid once, only for its client, tool and arguments, and for a short time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitResult, InputRequiredResult

from tests.clients import call, text_of
from tests.hub_process import HubProcess
from tests.sites import Site

from .simulated_users import SimulatedUser, asking_client, decide, form_response, pending

pytestmark = pytest.mark.browser

PROTOCOL = "2026-07-28"
ARGUMENTS: dict[str, Any] = {"element": {"role": "textbox", "name": "Email"}, "text": "ada"}


async def defer(client: Client, arguments: dict[str, Any] = ARGUMENTS) -> InputRequiredResult:
    result = await client.session.call_tool("browser_type", arguments, allow_input_required=True)
    assert isinstance(result, InputRequiredResult)
    return result


async def resume(
    client: Client,
    state: str | None,
    response: ElicitResult | None,
    *,
    tool: str = "browser_type",
    arguments: dict[str, Any] = ARGUMENTS,
) -> CallToolResult:
    result = await client.session.call_tool(
        tool,
        arguments,
        input_responses=None if response is None else {"approval": response},
        request_state=state,
        allow_input_required=True,
    )
    assert isinstance(result, CallToolResult)
    return result


ALLOW_ONCE = form_response("Allow once")


async def test_a_state_is_valid_once(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, SimulatedUser(), era=PROTOCOL, name="once") as client:
        await call(client, "browser_navigate", url=site.url())
        deferred = await defer(client)
        result = await resume(client, deferred.request_state, ALLOW_ONCE)
        assert not result.is_error, text_of(result)
        with pytest.raises(MCPError, match="used before"):
            await resume(client, deferred.request_state, ALLOW_ONCE)


async def test_a_state_used_concurrently_executes_once(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, SimulatedUser(), era=PROTOCOL, name="twice") as client:
        await call(client, "browser_navigate", url=site.url())
        deferred = await defer(client)
        outcomes = await asyncio.gather(
            *(resume(client, deferred.request_state, ALLOW_ONCE) for _ in range(5)), return_exceptions=True
        )
        assert sum(isinstance(one, CallToolResult) and not one.is_error for one in outcomes) == 1
        assert sum(isinstance(one, MCPError) for one in outcomes) == 4


async def test_a_state_for_another_or_changed_call_is_rejected(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, SimulatedUser(), era=PROTOCOL, name="changed") as client:
        await call(client, "browser_navigate", url=site.url())
        deferred = await defer(client)
        state = deferred.request_state
        assert state is not None
        flipped = state[:-4] + ("AAAA" if not state.endswith("AAAA") else "BBBB")
        for forged, tool, arguments in (
            (state, "browser_type", {**ARGUMENTS, "text": "mallory"}),
            (state, "browser_type", {**ARGUMENTS, "submit": True}),
            (state, "browser_click", {"element": ARGUMENTS["element"]}),
            (flipped, "browser_type", ARGUMENTS),
            ("", "browser_type", ARGUMENTS),
            ("guess", "browser_type", ARGUMENTS),
        ):
            with pytest.raises(MCPError, match="requestState"):
                await resume(client, forged, ALLOW_ONCE, tool=tool, arguments=arguments)
        (approval,) = pending(asking_hub)
        assert approval["what"] == "Type into textbox “Email”"
        assert not (await resume(client, state, ALLOW_ONCE)).is_error


async def test_a_state_of_another_client_is_rejected(asking_hub: HubProcess, site: Site) -> None:
    async with (
        asking_client(asking_hub, SimulatedUser(), era=PROTOCOL, name="owner") as owner,
        asking_client(asking_hub, SimulatedUser(), era=PROTOCOL, name="thief") as thief,
    ):
        await call(owner, "browser_navigate", url=site.url())
        deferred = await defer(owner)
        with pytest.raises(MCPError, match="requestState"):
            await resume(thief, deferred.request_state, ALLOW_ONCE)
        assert not (await resume(owner, deferred.request_state, ALLOW_ONCE)).is_error


async def test_resuming_without_a_response_is_a_denial(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, SimulatedUser(), era=PROTOCOL, name="empty") as client:
        await call(client, "browser_navigate", url=site.url())
        deferred = await defer(client)
        result = await resume(client, deferred.request_state, None)
        assert "APPROVAL_DENIED" in text_of(result)


async def test_a_response_without_a_state_decides_nothing(asking_hub: HubProcess, site: Site) -> None:
    """An agent cannot approve its own call: without a state it is a new call, which needs approval."""
    async with asking_client(asking_hub, SimulatedUser(), era=PROTOCOL, name="eager") as client:
        await call(client, "browser_navigate", url=site.url())
        result = await client.session.call_tool(
            "browser_type", ARGUMENTS, input_responses={"approval": ALLOW_ONCE}, allow_input_required=True
        )
        assert isinstance(result, InputRequiredResult)
        (approval,) = pending(asking_hub)
        assert decide(asking_hub, approval["id"], "deny") == 200
        assert "APPROVAL_DENIED" in text_of(await resume(client, result.request_state, ALLOW_ONCE))
