"""Calls that wait for an approval in the stateless revision of MCP, where the hub cannot send requests to the client.

The call runs in a task of its own. When it requests an approval, the client gets an ``InputRequiredResult`` with the
form and a request state, and the task waits under that state. The client repeats the call with the person's response
and the state, and gets the result, or the next form. The SDK seals the state and binds it to client, tool and
arguments; this module makes sure that it is used once. A decision on another channel may come first, and counts.

Lifecycle: one ``PendingCalls`` per hub; the pending calls of a client end when it disconnects.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from browser_pilot.approvals.models import Choice, PendingApproval
from browser_pilot.approvals.queue import ApprovalChannel

from .elicitation import CHANNEL_NAME, approval_form, choice_of

# Covers the longest approval timeout, and the time until the client repeats the call.
STATE_TTL_SECONDS = 3600.0
INPUT_KEY = "approval"

Result = types.CallToolResult | types.InputRequiredResult
RunCall = Callable[[tuple[ApprovalChannel, ...]], Awaitable[types.CallToolResult]]


def request_state_boundary(client_of: Callable[[ServerRequestContext[Any, Any]], str]) -> RequestStateBoundary:
    """Middleware that seals request states, and rejects those that are forged, expired or for another call."""
    key = secrets.token_bytes(32)
    security = RequestStateSecurity(keys=[key], ttl=STATE_TTL_SECONDS, bind_principal=client_of)
    return RequestStateBoundary(security, default_audience="browser-pilot")


@dataclass(eq=False)
class _PendingForm:
    approval: PendingApproval
    choice: asyncio.Future[Choice]


class _DeferredChannel:
    """Passes approvals from the running call to the open request, and the choices back."""

    name = CHANNEL_NAME

    def __init__(self) -> None:
        self._forms: asyncio.Queue[_PendingForm] = asyncio.Queue()

    async def request_decision(self, approval: PendingApproval) -> Choice | None:
        form = _PendingForm(approval, asyncio.get_running_loop().create_future())
        self._forms.put_nowait(form)
        return await form.choice

    async def next_form(self) -> _PendingForm:
        return await self._forms.get()


@dataclass(eq=False)
class _RunningCall:
    client: str
    task: asyncio.Task[types.CallToolResult]
    channel: _DeferredChannel


@dataclass(frozen=True)
class _PendingCall:
    call: _RunningCall
    form: _PendingForm


class PendingCalls:
    def __init__(self) -> None:
        self._pending: dict[str, _PendingCall] = {}

    def __len__(self) -> int:
        return len(self._pending)

    async def start(self, client: str, run: RunCall) -> Result:
        channel = _DeferredChannel()
        task = asyncio.ensure_future(run((channel,)))
        return await self._wait(_RunningCall(client, task, channel))

    async def resume(self, state: str, responses: Mapping[str, object] | None) -> Result:
        pending = self._pending.pop(state, None)
        if pending is None:
            raise MCPError(types.INVALID_PARAMS, "This requestState was used before or is no longer known.")
        response = (responses or {}).get(INPUT_KEY)
        form = pending.form
        if not form.choice.done():
            is_result = isinstance(response, types.ElicitResult)
            form.choice.set_result(choice_of(response, form.approval) if is_result else "deny")
        return await self._wait(pending.call)

    def cancel_client(self, client: str) -> None:
        """Cancel the pending calls of a client, which withdraws their approvals."""
        for state, pending in list(self._pending.items()):
            if pending.call.client == client:
                del self._pending[state]
                pending.call.task.cancel()

    async def _wait(self, call: _RunningCall) -> Result:
        """Wait until the call is done or needs an approval. Cancelling the request cancels the call."""
        next_form = asyncio.ensure_future(call.channel.next_form())
        try:
            await asyncio.wait({call.task, next_form}, return_when=asyncio.FIRST_COMPLETED)
            if call.task.done():
                return call.task.result()
            return self._suspend(call, next_form.result())
        except asyncio.CancelledError:
            call.task.cancel()
            raise
        finally:
            next_form.cancel()

    def _suspend(self, call: _RunningCall, form: _PendingForm) -> types.InputRequiredResult:
        state = secrets.token_urlsafe(16)
        self._pending[state] = _PendingCall(call, form)
        # A client that never repeats the call must not keep it pending forever.
        call.task.get_loop().call_later(STATE_TTL_SECONDS, self._pending.pop, state, None)
        return types.InputRequiredResult(
            input_requests={INPUT_KEY: types.ElicitRequest(params=approval_form(form.approval))}, request_state=state
        )
