"""Pending calls that expire, and clients that disconnect. Integration tests cover the rest with real clients."""

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
from browser_pilot.mcp_server.pending_calls import PendingCalls, request_state_boundary
from tests.approvals.requests import approval_request
from tests.waiting import eventually

APPROVAL = PendingApproval(id="abc234", request=approval_request(), requested_at=0, expires_at=60)
DONE = types.CallToolResult(content=[])


class Call:
    def __init__(self) -> None:
        self.cancelled = asyncio.Event()
        self.choices: list[str | None] = []

    async def __call__(self, channels: tuple[ApprovalChannel, ...]) -> types.CallToolResult:
        try:
            self.choices.append(await channels[0].request_decision(APPROVAL))
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return DONE


async def suspended(calls: PendingCalls, call: Call, client: str = "c1") -> str:
    result = await calls.start(client, call)
    assert isinstance(result, types.InputRequiredResult)
    assert result.request_state is not None
    return result.request_state


async def test_a_call_without_an_approval_returns_its_result() -> None:
    async def call(_: tuple[ApprovalChannel, ...]) -> types.CallToolResult:
        return DONE

    assert await PendingCalls().start("c1", call) is DONE


async def test_a_pending_call_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_calls, "STATE_TTL_SECONDS", 0.01)
    calls = PendingCalls()
    state = await suspended(calls, Call())
    await eventually(lambda: len(calls) == 0)
    with pytest.raises(MCPError):
        await calls.resume(state, None)


async def test_a_disconnected_client_cancels_only_its_own_pending_calls() -> None:
    calls, own, other = PendingCalls(), Call(), Call()
    await suspended(calls, own, "c1")
    state = await suspended(calls, other, "c2")
    calls.cancel_client("c1")
    await asyncio.wait_for(own.cancelled.wait(), 5)
    given = types.ElicitResult(action="accept", content={"answer": "Allow once"})
    assert await calls.resume(state, {pending_calls.INPUT_KEY: given}) is DONE
    assert other.choices == ["once"]


async def test_cancelling_the_request_cancels_the_call() -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def call(_: tuple[ApprovalChannel, ...]) -> types.CallToolResult:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return DONE

    request = asyncio.create_task(PendingCalls().start("c1", call))
    await started.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    await asyncio.wait_for(cancelled.wait(), 5)


async def test_an_expired_state_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_calls, "STATE_TTL_SECONDS", 1e-9)
    boundary = request_state_boundary(lambda _: "c1")
    sealed = types.InputRequiredResult(request_state="secret")

    async def respond(_: ServerRequestContext[Any, Any]) -> HandlerResult:
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

    result = await boundary(request(None), respond)
    assert isinstance(result, types.InputRequiredResult)
    assert result.request_state != "secret"
    with pytest.raises(MCPError, match="expired requestState"):
        await boundary(request(result.request_state), respond)
