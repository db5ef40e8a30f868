"""`/api/approvals`: pending approval requests, their screenshots and events, and the user's decision.

The auth middleware requires the bearer token and the hub's origin. The event stream is an approval channel: its reader
counts as a user who can decide.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from browser_pilot.approvals.models import ApprovalEvent, Choice
from browser_pilot.approvals.pending import ApprovalNotPending
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import InvalidArgument, PilotError, error_data
from browser_pilot.ui.approval_requests import CHOICES, ApprovalRequests, approval_data

# Detects a reader that disappeared without closing the connection.
KEEPALIVE_SECONDS = 15.0


class _Decision(BaseModel):
    model_config = ConfigDict(extra="forbid")

    choice: Choice
    door: str = "API"


def event_data(event: ApprovalEvent) -> dict[str, Any]:
    data: dict[str, Any] = {"event": event.kind, "question": approval_data(event.approval)}
    if event.decision is not None:
        data["answer"] = {"choice": event.decision.choice, "door": event.decision.channel, "at": event.decision.at}
    return data


def approval_routes(queue: ApprovalQueue) -> list[Route]:
    requests = ApprovalRequests(queue)

    async def list_pending(_: Request) -> JSONResponse:
        return JSONResponse(requests.pending())

    async def decide(request: Request) -> JSONResponse:
        try:
            given = _Decision.model_validate_json(await request.body())
        except ValidationError:
            return _error(InvalidArgument("Send {choice}.", suggestions=[f"Choices: {', '.join(CHOICES)}."]), 400)
        try:
            decision = queue.decide(request.path_params["id"], given.choice, channel=given.door[:40])
        except ApprovalNotPending as error:
            return _error(error, 409)
        except PilotError as error:
            return _error(error, 400)
        return JSONResponse({"choice": decision.choice, "door": decision.channel, "at": decision.at})

    async def screenshot(request: Request) -> Response:
        png = requests.png(request.path_params["id"])
        return Response(status_code=404) if png is None else Response(png, media_type="image/png")

    async def events(_: Request) -> StreamingResponse:
        return StreamingResponse(
            _stream(queue), media_type="text/event-stream", headers={"Cache-Control": "no-cache, no-transform"}
        )

    return [
        Route("/api/approvals", list_pending),
        Route("/api/approvals/events", events),
        Route("/api/approvals/{id}", decide, methods=["POST"]),
        Route("/api/approvals/{id}/picture", screenshot),
    ]


async def _stream(queue: ApprovalQueue) -> AsyncGenerator[bytes]:
    with queue.subscribe() as subscription:
        # Sends the headers: from here on the reader counts as present.
        yield b": watching\n\n"
        while True:
            try:
                async with asyncio.timeout(KEEPALIVE_SECONDS):
                    event = await subscription.next()
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if event is None:
                return
            yield f"data: {json.dumps(event_data(event), ensure_ascii=False)}\n\n".encode()


def _error(error: PilotError, status: int) -> JSONResponse:
    return JSONResponse(error_data(error), status)
