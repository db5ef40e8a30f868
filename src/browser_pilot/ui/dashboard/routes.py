"""The dashboard's HTTP routes: the page, sign-in, its requests and its static files.

The auth middleware checks Host and Origin, as for every route; these routes need no bearer token and authenticate the
user themselves. Every request, also one that only reads, needs the cookie and the key of a login session and the exact
origin, so no other page, on any port, can use them. A login session is valid for these routes only.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from http import HTTPStatus
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.errors import InvalidArgument, PermissionDenied, PilotError
from browser_pilot.json_types import JsonObject

from .handlers import DashboardHandlers
from .login_sessions import TTL_SECONDS, LoginSession, LoginSessions
from .login_ticket import LoginTickets
from .sign_in_pages import sign_in_page
from .static_files import read_file, read_page, served_files

SIGN_IN, SIGN_OUT, EVENTS, REQUEST = "/dashboard/login", "/dashboard/logout", "/dashboard/events", "/dashboard/request/"
FILES = ("/ui/dashboard/static/", "/extension/")
KEY_HEADER = "x-browser-pilot-key"
MAX_BODY_BYTES = 64 * 1024
# Detects a page that disappeared without closing the connection, and lets a page detect that of the hub.
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


def is_token_exempt(method: str, path: str) -> bool:
    """Whether a request is one of the dashboard's, which authenticates its user by other means."""
    if method in ("GET", "HEAD"):
        return path == "/" or path.startswith(FILES)
    return method == "POST" and (path in (SIGN_IN, SIGN_OUT, EVENTS) or path.startswith(REQUEST))


def allows_null_origin(method: str, path: str) -> bool:
    """Sign-in is posted by a private file, whose origin is null: its ticket authenticates it."""
    return method == "POST" and path == SIGN_IN


class Dashboard:
    """Lives as long as the hub. ``listen`` sets its address; ``close`` invalidates all login tickets.

    ``note`` writes to the audit log.
    """

    def __init__(
        self, home: Path, handlers: DashboardHandlers, approvals: ApprovalQueue, note: Callable[[AuditNote], None]
    ) -> None:
        self._handlers = handlers
        self._approvals = approvals
        self._note = note
        self._tickets = LoginTickets(home, time.time)
        self._sessions = LoginSessions()
        self._address = ""
        self._cookie = ""
        self._files = served_files()
        self.watchers = 0

    def listen(self, host: str, port: int) -> None:
        self._tickets.close()
        self._address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        # Cookies ignore the port: another hub of this user must not overwrite ours.
        self._cookie = f"browser-pilot-{port}"

    def close(self) -> None:
        self._tickets.close()

    def routes(self) -> list[Route]:
        return [
            Route("/", self._page),
            Route("/api/dashboard", self._issue_ticket, methods=["POST"]),
            Route(SIGN_IN, self._sign_in, methods=["POST"]),
            Route(SIGN_OUT, self._sign_out, methods=["POST"]),
            Route(EVENTS, self._events, methods=["POST"]),
            Route(f"{REQUEST}{{name}}", self._request, methods=["POST"]),
            *(Route(f"{prefix}{{name:path}}", self._file) for prefix in FILES),
        ]

    async def _issue_ticket(self, _: Request) -> JSONResponse:
        """For the command line, which has the bearer token: the path of a file with a new ticket."""
        return JSONResponse({"file": str(self._tickets.issue(self._address)), "address": f"{self._address}/"})

    async def _page(self, request: Request) -> Response:
        if request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            # Opened by a page of another site, perhaps as clickjacking: the user decides whether to continue.
            return _html(sign_in_page("wrong_origin"), HTTPStatus.FORBIDDEN)
        if not self._sessions.is_open(request.cookies.get(self._cookie, ""), time.time()):
            return _html(sign_in_page("signed_out"), HTTPStatus.FORBIDDEN)
        return _html(read_page("dashboard"))

    async def _sign_in(self, request: Request) -> Response:
        form = parse_qs((await _body(request)).decode("ascii", "replace"))
        if not self._tickets.redeem(form.get("ticket", [""])[0]):
            return _html(sign_in_page("expired"), HTTPStatus.FORBIDDEN)
        session = self._sessions.open(time.time())
        self._note(AuditNote("The dashboard was opened.", by="user"))
        # No redirect: its initiator would be the file that posted, so the browser would not send a strict cookie.
        response = _html(sign_in_page("signed_in", key=session.key))
        response.set_cookie(
            self._cookie, session.cookie, max_age=int(TTL_SECONDS), path="/", httponly=True, samesite="strict"
        )
        return response

    async def _sign_out(self, request: Request) -> Response:
        session = self._session(request)
        if session is None:
            return _signed_out()
        self._sessions.close(session)
        response = JSONResponse({}, headers=HEADERS)
        response.delete_cookie(self._cookie, path="/", httponly=True, samesite="strict")
        return response

    async def _request(self, request: Request) -> Response:
        if self._session(request) is None:
            return _signed_out()
        try:
            result = await self._handlers.handle(request.path_params["name"], _params(await _body(request)))
        except PilotError as error:
            return _error(error, HTTPStatus.BAD_REQUEST)
        return JSONResponse(result, headers=HEADERS)

    async def _events(self, request: Request) -> Response:
        session = self._session(request)
        if session is None:
            return _signed_out()
        return StreamingResponse(self._stream(session), media_type="text/plain", headers=HEADERS)

    async def _stream(self, session: LoginSession) -> AsyncGenerator[bytes]:
        """A line whenever an approval request is added or resolved. Its reader counts as a watcher of the queue."""
        self.watchers += 1
        try:
            with self._approvals.subscribe() as subscription:
                yield b"alive\n"
                while self._sessions.is_open(session.cookie, time.time()):
                    try:
                        async with asyncio.timeout(KEEPALIVE_SECONDS):
                            if await subscription.next() is None:
                                return
                        yield b"changed\n"
                    except TimeoutError:
                        yield b"alive\n"
        finally:
            self.watchers -= 1

    async def _file(self, request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        if name not in self._files:
            return Response(status_code=HTTPStatus.NOT_FOUND, headers=HEADERS)
        data, media_type = read_file(name)
        return Response(data, media_type=media_type, headers=HEADERS)

    def _session(self, request: Request) -> LoginSession | None:
        host = request.headers.get("host", "").lower()
        origins = request.headers.getlist("origin")
        if len(origins) != 1 or origins[0].lower() not in (f"http://{host}", f"https://{host}"):
            return None
        cookie, key = request.cookies.get(self._cookie, ""), request.headers.get(KEY_HEADER, "")
        return self._sessions.find(cookie, key, time.time())


def _html(text: str, status: HTTPStatus = HTTPStatus.OK) -> HTMLResponse:
    return HTMLResponse(text, status, headers=HEADERS)


async def _body(request: Request) -> bytes:
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > MAX_BODY_BYTES:
            return b""
    return data


def _params(body: bytes) -> JsonObject:
    try:
        params: object = json.loads(body)
    except (ValueError, RecursionError):
        params = None
    if not isinstance(params, dict):
        raise InvalidArgument("The request is not a JSON object.", suggestions=["Reload the page."])
    return cast("JsonObject", params)


def _signed_out() -> JSONResponse:
    error = PermissionDenied("This page is signed out.", suggestions=["Run `browser-pilot dashboard`."])
    return _error(error, HTTPStatus.UNAUTHORIZED)


def _error(error: PilotError, status: HTTPStatus) -> JSONResponse:
    data = {"error": error.code, "message": error.message, "suggestions": list(error.suggestions)}
    return JSONResponse(data, status, headers=HEADERS)
