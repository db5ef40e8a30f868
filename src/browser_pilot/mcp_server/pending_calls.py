"""Calls that wait for a person in the stateless protocol era, where the hub cannot ask while a call is open.

The call's work runs in a task of its own. When it has a question, the call is answered with the form and a state; the
task stays parked under that state. The client calls again with the person's answer and the state, and gets what the
work comes to: its result, or the next question. A state is good once, for the same client, tool and arguments: the
SDK seals it and checks all but the "once", which is ours. Whoever answered elsewhere first has settled it.
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

from .elicitation import DOOR, choice_of, form_for

# A person may take the whole time to answer, and the client its time to come back.
STATE_SECONDS = 3600.0
INPUT = "approval"

Result = types.CallToolResult | types.InputRequiredResult
Work = Callable[[tuple[ApprovalChannel, ...]], Awaitable[types.CallToolResult]]


def sealing(client_of: Callable[[ServerRequestContext[Any, Any]], str]) -> RequestStateBoundary:
    """What seals states on their way out and refuses those that are forged, expired or for another call."""
    key = secrets.token_bytes(32)
    security = RequestStateSecurity(keys=[key], ttl=STATE_SECONDS, bind_principal=client_of)
    return RequestStateBoundary(security, default_audience="browser-pilot")


@dataclass(eq=False)
class _Asked:
    question: PendingApproval
    choice: asyncio.Future[Choice]


class _DeferredChannel:
    """Hands questions to whoever waits at the call, and answers back to the work."""

    name = DOOR

    def __init__(self) -> None:
        self._asked: asyncio.Queue[_Asked] = asyncio.Queue()

    async def request_decision(self, approval: PendingApproval) -> Choice | None:
        asked = _Asked(approval, asyncio.get_running_loop().create_future())
        self._asked.put_nowait(asked)
        return await asked.choice

    async def next(self) -> _Asked:
        return await self._asked.get()


@dataclass(eq=False)
class _Operation:
    client: str
    task: asyncio.Task[types.CallToolResult]
    door: _DeferredChannel


@dataclass(frozen=True)
class _Place:
    operation: _Operation
    asked: _Asked


class Parking:
    """Its life is the hub's; what a client has parked ends with the client."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}

    def __len__(self) -> int:
        return len(self._places)

    async def start(self, client: str, work: Work) -> Result:
        door = _DeferredChannel()
        task = asyncio.ensure_future(work((door,)))
        return await self._follow(_Operation(client, task, door))

    async def resume(self, state: str, responses: Mapping[str, object] | None) -> Result:
        place = self._places.pop(state, None)
        if place is None:
            raise MCPError(types.INVALID_PARAMS, "This requestState was used before or is no longer known.")
        given = (responses or {}).get(INPUT)
        if not place.asked.choice.done():
            is_answer = isinstance(given, types.ElicitResult)
            place.asked.choice.set_result(choice_of(given, place.asked.question) if is_answer else "deny")
        return await self._follow(place.operation)

    def drop(self, client: str) -> None:
        """End what this client has parked; its questions are withdrawn."""
        for state, place in list(self._places.items()):
            if place.operation.client == client:
                del self._places[state]
                place.operation.task.cancel()

    async def _follow(self, operation: _Operation) -> Result:
        """Wait until the work is done or has a question. When the call is cancelled, so is the work."""
        asking = asyncio.ensure_future(operation.door.next())
        try:
            await asyncio.wait({operation.task, asking}, return_when=asyncio.FIRST_COMPLETED)
            if operation.task.done():
                return operation.task.result()
            return self._park(operation, asking.result())
        except asyncio.CancelledError:
            operation.task.cancel()
            raise
        finally:
            asking.cancel()

    def _park(self, operation: _Operation, asked: _Asked) -> types.InputRequiredResult:
        state = secrets.token_urlsafe(16)
        self._places[state] = _Place(operation, asked)
        # A client that never comes back must not leave its result here for good.
        operation.task.get_loop().call_later(STATE_SECONDS, self._places.pop, state, None)
        return types.InputRequiredResult(
            input_requests={INPUT: types.ElicitRequest(params=form_for(asked.question))}, request_state=state
        )
