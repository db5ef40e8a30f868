"""The dashboard over HTTP: `/`, the way in, what the page asks, and its files.

It is behind the hub's guard as everything is, which checks Host and Origin; these routes need no token and know their
visitors themselves. Whoever asks or does something needs the cookie and the key of a visit, and the exact origin, also
to look: so no other page, on whichever port, can do anything here. A visit opens these routes and no others.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from html import escape
from http import HTTPStatus
from pathlib import Path
from string import Template
from typing import cast
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ..approvals.queue import ApprovalQueue
from ..bridge.wire import Json
from ..errors import InvalidArgument, PermissionDenied, PilotError
from ..records.entries import Note
from .desk import Desk
from .entrance import Entrance
from .files import content, page, served
from .visits import LIFE_SECONDS, Visit, Visits

ENTER, LEAVE, NEWS, ASK = "/dashboard/enter", "/dashboard/leave", "/dashboard/news", "/dashboard/ask/"
FILES = ("/dashboard/static/", "/extension/")
KEY = "x-browser-pilot-key"
LARGEST = 64 * 1024
# So that a page that vanished without a word is noticed, and a page notices a hub that did.
KEEPALIVE_SECONDS = 5.0
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def needs_no_token(method: str, path: str) -> bool:
    """Whether a request is one of the dashboard's, which knows its visitors by other means."""
    if method in ("GET", "HEAD"):
        return path == "/" or path.startswith(FILES)
    return method == "POST" and (path in (ENTER, LEAVE, NEWS) or path.startswith(ASK))


def comes_from_a_file(method: str, path: str) -> bool:
    """The way in is posted by a private file, which has no origin: the ticket in it is what counts."""
    return method == "POST" and path == ENTER


class Dashboard:
    """Its life is the hub's. ``listen`` says where it can be reached; ``close`` leaves no way in behind.

    ``note`` writes into the record.
    """

    def __init__(self, home: Path, desk: Desk, approvals: ApprovalQueue, note: Callable[[Note], None]) -> None:
        self._desk = desk
        self._approvals = approvals
        self._note = note
        self._entrance = Entrance(home, time.time)
        self._visits = Visits()
        self._address = ""
        self._cookie = ""
        self._files = served()
        self.watchers = 0

    def listen(self, host: str, port: int) -> None:
        self._entrance.close()
        self._address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        # Cookies know no ports: another hub of this user must not overwrite ours.
        self._cookie = f"browser-pilot-{port}"

    def close(self) -> None:
        self._entrance.close()

    def routes(self) -> list[Route]:
        return [
            Route("/", self._show),
            Route("/api/dashboard", self._open, methods=["POST"]),
            Route(ENTER, self._enter, methods=["POST"]),
            Route(LEAVE, self._leave, methods=["POST"]),
            Route(NEWS, self._news, methods=["POST"]),
            Route(f"{ASK}{{name}}", self._ask, methods=["POST"]),
            *(Route(f"{prefix}{{name:path}}", self._file) for prefix in FILES),
        ]

    async def _open(self, _: Request) -> JSONResponse:
        """For the command line, with the token: where the file with a new ticket is."""
        return JSONResponse({"file": str(self._entrance.open(self._address)), "address": f"{self._address}/"})

    async def _show(self, request: Request) -> Response:
        if request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            # Opened by a page of somebody else, perhaps under the user's mouse: the user goes on, or does not.
            return _html(page("elsewhere"), HTTPStatus.FORBIDDEN)
        if not self._visits.is_open(request.cookies.get(self._cookie, ""), time.time()):
            return _html(page("signed_out"), HTTPStatus.FORBIDDEN)
        return _html(page("dashboard"))

    async def _enter(self, request: Request) -> Response:
        form = parse_qs((await _body(request)).decode("ascii", "replace"))
        if not self._entrance.take(form.get("ticket", [""])[0]):
            return _html(page("too_late"), HTTPStatus.FORBIDDEN)
        visit = self._visits.open(time.time())
        self._note(Note("The dashboard was opened.", by="user"))
        # No redirect: a browser would count it to the file that posted, and keep a strict cookie back.
        response = _html(Template(page("entered")).substitute(key=escape(visit.key)))
        response.set_cookie(
            self._cookie, visit.cookie, max_age=int(LIFE_SECONDS), path="/", httponly=True, samesite="strict"
        )
        return response

    async def _leave(self, request: Request) -> Response:
        visit = self._visit(request)
        if visit is None:
            return _signed_out()
        self._visits.close(visit)
        response = JSONResponse({}, headers=HEADERS)
        response.delete_cookie(self._cookie, path="/", httponly=True, samesite="strict")
        return response

    async def _ask(self, request: Request) -> Response:
        if self._visit(request) is None:
            return _signed_out()
        try:
            told = await self._desk.answer(request.path_params["name"], _params(await _body(request)))
        except PilotError as error:
            return _refusal(error, HTTPStatus.BAD_REQUEST)
        return JSONResponse(told, headers=HEADERS)

    async def _news(self, request: Request) -> Response:
        visit = self._visit(request)
        if visit is None:
            return _signed_out()
        return StreamingResponse(self._stream(visit), media_type="text/plain", headers=HEADERS)

    async def _stream(self, visit: Visit) -> AsyncGenerator[bytes]:
        """A line whenever a question comes or goes. Whoever reads this can be asked."""
        self.watchers += 1
        try:
            with self._approvals.subscribe() as subscription:
                yield b"here\n"
                while self._visits.is_open(visit.cookie, time.time()):
                    try:
                        async with asyncio.timeout(KEEPALIVE_SECONDS):
                            if await subscription.next() is None:
                                return
                        yield b"news\n"
                    except TimeoutError:
                        yield b"here\n"
        finally:
            self.watchers -= 1

    async def _file(self, request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        if name not in self._files:
            return Response(status_code=HTTPStatus.NOT_FOUND, headers=HEADERS)
        data, kind = content(name)
        return Response(data, media_type=kind, headers=HEADERS)

    def _visit(self, request: Request) -> Visit | None:
        host = request.headers.get("host", "").lower()
        origins = request.headers.getlist("origin")
        if len(origins) != 1 or origins[0].lower() not in (f"http://{host}", f"https://{host}"):
            return None
        return self._visits.find(request.cookies.get(self._cookie, ""), request.headers.get(KEY, ""), time.time())


def _html(text: str, status: HTTPStatus = HTTPStatus.OK) -> HTMLResponse:
    return HTMLResponse(text, status, headers=HEADERS)


async def _body(request: Request) -> bytes:
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST:
            return b""
    return data


def _params(body: bytes) -> Json:
    try:
        params: object = json.loads(body)
    except (ValueError, RecursionError):
        params = None
    if not isinstance(params, dict):
        raise InvalidArgument("The hub did not understand the page.", suggestions=["Load the page again."])
    return cast("Json", params)


def _signed_out() -> JSONResponse:
    error = PermissionDenied("This page is signed out.", suggestions=["Run `browser-pilot dashboard`."])
    return _refusal(error, HTTPStatus.UNAUTHORIZED)


def _refusal(error: PilotError, status: HTTPStatus) -> JSONResponse:
    told = {"error": error.code, "message": error.message, "suggestions": list(error.suggestions)}
    return JSONResponse(told, status, headers=HEADERS)
