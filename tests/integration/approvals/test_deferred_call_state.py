"""The state that stands for a parked call: good once, for its own client, tool and arguments, and not for long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitResult, InputRequiredResult

from tests.approvals.people import Person, answer, asking_client, form_answer, pending
from tests.clients import call, text_of
from tests.hub_process import HubProcess
from tests.sites import Site

pytestmark = pytest.mark.browser

ERA = "2026-07-28"
ARGUMENTS: dict[str, Any] = {"element": {"role": "textbox", "name": "Email"}, "text": "ada"}


async def park(client: Client, arguments: dict[str, Any] = ARGUMENTS) -> InputRequiredResult:
    result = await client.session.call_tool("browser_type", arguments, allow_input_required=True)
    assert isinstance(result, InputRequiredResult)
    return result


async def resume(
    client: Client,
    state: str | None,
    given: ElicitResult | None,
    *,
    tool: str = "browser_type",
    arguments: dict[str, Any] = ARGUMENTS,
) -> CallToolResult:
    result = await client.session.call_tool(
        tool,
        arguments,
        input_responses=None if given is None else {"approval": given},
        request_state=state,
        allow_input_required=True,
    )
    assert isinstance(result, CallToolResult)
    return result


YES = form_answer("Allow once")


async def test_a_state_is_good_once(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, Person(), era=ERA, name="once") as client:
        await call(client, "browser_navigate", url=site.url())
        parked = await park(client)
        result = await resume(client, parked.request_state, YES)
        assert not result.is_error, text_of(result)
        with pytest.raises(MCPError, match="used before"):
            await resume(client, parked.request_state, YES)


async def test_a_state_used_at_the_same_time_twice_acts_once(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, Person(), era=ERA, name="twice") as client:
        await call(client, "browser_navigate", url=site.url())
        parked = await park(client)
        outcomes = await asyncio.gather(
            *(resume(client, parked.request_state, YES) for _ in range(5)), return_exceptions=True
        )
        assert sum(isinstance(one, CallToolResult) and not one.is_error for one in outcomes) == 1
        assert sum(isinstance(one, MCPError) for one in outcomes) == 4


async def test_a_state_for_another_call_or_a_changed_one_is_refused(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, Person(), era=ERA, name="changed") as client:
        await call(client, "browser_navigate", url=site.url())
        parked = await park(client)
        state = parked.request_state
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
                await resume(client, forged, YES, tool=tool, arguments=arguments)
        (question,) = pending(asking_hub)
        assert question["what"] == "Type into textbox “Email”"
        assert not (await resume(client, state, YES)).is_error


async def test_a_state_of_another_client_is_refused(asking_hub: HubProcess, site: Site) -> None:
    async with (
        asking_client(asking_hub, Person(), era=ERA, name="owner") as owner,
        asking_client(asking_hub, Person(), era=ERA, name="thief") as thief,
    ):
        await call(owner, "browser_navigate", url=site.url())
        parked = await park(owner)
        with pytest.raises(MCPError, match="requestState"):
            await resume(thief, parked.request_state, YES)
        assert not (await resume(owner, parked.request_state, YES)).is_error


async def test_coming_back_without_an_answer_is_a_no(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, Person(), era=ERA, name="empty") as client:
        await call(client, "browser_navigate", url=site.url())
        parked = await park(client)
        result = await resume(client, parked.request_state, None)
        assert "APPROVAL_DENIED" in text_of(result)


async def test_an_answer_without_a_state_answers_nothing(asking_hub: HubProcess, site: Site) -> None:
    """An agent cannot bring its own yes along: without a state it is a new call, which is asked about."""
    async with asking_client(asking_hub, Person(), era=ERA, name="eager") as client:
        await call(client, "browser_navigate", url=site.url())
        result = await client.session.call_tool(
            "browser_type", ARGUMENTS, input_responses={"approval": YES}, allow_input_required=True
        )
        assert isinstance(result, InputRequiredResult)
        (question,) = pending(asking_hub)
        assert answer(asking_hub, question["id"], "deny") == 200
        assert "APPROVAL_DENIED" in text_of(await resume(client, result.request_state, YES))
