"""Parked calls when time passes and callers vanish. The rest is tested with real clients."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import mcp_types as types
import pytest
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError

from browser_pilot.approvals.models import PendingApproval
from browser_pilot.approvals.queue import ApprovalChannel
from browser_pilot.mcp_server import pending_calls
from browser_pilot.mcp_server.pending_calls import Parking, sealing
from tests.approvals.requests import approval_request

QUESTION = PendingApproval(id="abc234", request=approval_request(), requested_at=0, expires_at=60)
DONE = types.CallToolResult(content=[])


class Work:
    def __init__(self) -> None:
        self.cancelled = asyncio.Event()
        self.answers: list[str | None] = []

    async def __call__(self, doors: tuple[ApprovalChannel, ...]) -> types.CallToolResult:
        try:
            self.answers.append(await doors[0].request_decision(QUESTION))
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return DONE


async def parked(lot: Parking, work: Work, client: str = "c1") -> str:
    result = await lot.start(client, work)
    assert isinstance(result, types.InputRequiredResult)
    assert result.request_state is not None
    return result.request_state


async def test_work_without_a_question_just_returns() -> None:
    async def work(_: tuple[ApprovalChannel, ...]) -> types.CallToolResult:
        return DONE

    assert await Parking().start("c1", work) is DONE


async def test_a_place_is_given_up_when_nobody_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_calls, "STATE_SECONDS", 0.01)
    lot = Parking()
    state = await parked(lot, Work())
    async with asyncio.timeout(5):
        while len(lot):
            await asyncio.sleep(0.01)
    with pytest.raises(MCPError):
        await lot.resume(state, None)


async def test_a_client_that_goes_ends_its_own_parked_work_only() -> None:
    lot, mine, yours = Parking(), Work(), Work()
    await parked(lot, mine, "c1")
    state = await parked(lot, yours, "c2")
    lot.drop("c1")
    await asyncio.wait_for(mine.cancelled.wait(), 5)
    given = types.ElicitResult(action="accept", content={"answer": "Allow once"})
    assert await lot.resume(state, {pending_calls.INPUT: given}) is DONE
    assert yours.answers == ["once"]


async def test_cancelling_a_call_ends_its_work() -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def work(_: tuple[ApprovalChannel, ...]) -> types.CallToolResult:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return DONE

    calling = asyncio.create_task(Parking().start("c1", work))
    await started.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await asyncio.wait_for(cancelled.wait(), 5)


async def test_an_expired_state_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_calls, "STATE_SECONDS", 1e-9)
    boundary = sealing(lambda _: "c1")
    sealed = types.InputRequiredResult(request_state="secret")

    async def answer(_: ServerRequestContext[Any, Any]) -> HandlerResult:
        return sealed

    def request(state: str | None) -> ServerRequestContext[Any, Any]:
        params: dict[str, Any] = {"name": "browser_click", "arguments": {}, "requestState": state}
        return ServerRequestContext(
            session=cast(Any, None),
            lifespan_context={},
            protocol_version="2026-07-28",
            method="tools/call",
            params=params,
        )

    result = await boundary(request(None), answer)
    assert isinstance(result, types.InputRequiredResult)
    assert result.request_state != "secret"
    with pytest.raises(MCPError, match="expired requestState"):
        await boundary(request(result.request_state), answer)
