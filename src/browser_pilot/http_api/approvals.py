"""`/api/approvals`: how the command line, the side panel and the dashboard see questions and answer them.

Behind the hub's guard like everything else: without the token, and from any other origin, there is no way in. The
stream of events is a door: whoever reads it can be asked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ..approvals.board import NotOpen
from ..approvals.questions import Choice, Event
from ..approvals.queue import ApprovalQueue
from ..errors import InvalidArgument, PilotError
from ..overview import question_data
from .answers import error_data

# So that a reader that vanished without a word is noticed.
KEEPALIVE_SECONDS = 15.0
CHOICES: tuple[Choice, ...] = get_args(Choice)


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")

    choice: Choice
    door: str = "API"


def event_data(event: Event) -> dict[str, Any]:
    data: dict[str, Any] = {"event": event.kind, "question": question_data(event.question)}
    if event.answer is not None:
        data["answer"] = {"choice": event.answer.choice, "door": event.answer.door, "at": event.answer.at}
    return data


def approval_routes(queue: ApprovalQueue) -> list[Route]:
    async def show(_: Request) -> JSONResponse:
        return JSONResponse([question_data(question) for question in queue.pending])

    async def answer(request: Request) -> JSONResponse:
        try:
            given = _Given.model_validate_json(await request.body())
        except ValidationError:
            return _refuse(InvalidArgument("Send {choice}.", suggestions=[f"Choices: {', '.join(CHOICES)}."]), 400)
        try:
            answer = queue.answer(request.path_params["id"], given.choice, door=given.door[:40])
        except NotOpen as error:
            return _refuse(error, 409)
        except PilotError as error:
            return _refuse(error, 400)
        return JSONResponse({"choice": answer.choice, "door": answer.door, "at": answer.at})

    async def picture(request: Request) -> Response:
        for question in queue.pending:
            if question.id == request.path_params["id"] and question.matter.picture is not None:
                return Response(question.matter.picture, media_type="image/png")
        return Response(status_code=404)

    async def events(_: Request) -> StreamingResponse:
        return StreamingResponse(
            _stream(queue), media_type="text/event-stream", headers={"Cache-Control": "no-cache, no-transform"}
        )

    return [
        Route("/api/approvals", show),
        Route("/api/approvals/events", events),
        Route("/api/approvals/{id}", answer, methods=["POST"]),
        Route("/api/approvals/{id}/picture", picture),
    ]


async def _stream(queue: ApprovalQueue) -> AsyncGenerator[bytes]:
    with queue.subscribe() as subscription:
        # Headers and this line tell the reader that it counts as present.
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


def _refuse(error: PilotError, status: int) -> JSONResponse:
    return JSONResponse(error_data(error), status)
