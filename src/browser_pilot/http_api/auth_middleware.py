"""Authenticates every HTTP request to the hub: an exact Host, an exact Origin where one is sent, and the bearer token.

A pure ASGI middleware in front of all routes. ``/health`` needs no token but still the right Host and Origin, so a web
page cannot detect that a hub runs. The bridge's WebSockets authenticate their peers themselves, after the Host check;
so does the dashboard, after the checks of Host and Origin.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from browser_pilot.errors import PermissionDenied, error_data

TOKEN_EXEMPT_PATHS = frozenset({"/health"})
# WebSockets with their own authentication: the extension by its origin and key, our Playwright by a secret.
BRIDGE_PATH, CDP_PATH = "/bridge", "/cdp/"
# The Origin header of a page without an origin, such as a file.
NULL_ORIGIN = "null"

# Matches a request by its method and path.
PathPredicate = Callable[[str, str], bool]


def accepted_hosts(host: str, port: int, extra: Iterable[str] = ()) -> frozenset[str]:
    """The Host headers that this hub accepts."""
    hosts = {"127.0.0.1", "localhost"} if host in ("127.0.0.1", "localhost") else {_bracketed(host)}
    return frozenset({f"{name}:{port}" for name in hosts} | {name.lower() for name in extra})


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


class AuthMiddleware:
    """``is_token_exempt`` matches requests that need no token because their route authenticates them,
    ``allows_null_origin`` requests that a page without an origin may send.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        hosts: frozenset[str],
        is_token_exempt: PathPredicate,
        allows_null_origin: PathPredicate,
    ) -> None:
        self._app = app
        self._is_token_exempt = is_token_exempt
        self._allows_null_origin = allows_null_origin
        self._token = token.encode()
        self._hosts = hosts
        self._origins = frozenset(f"{scheme}://{host}" for host in hosts for scheme in ("http", "https"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        error = self._check(scope)
        if error is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await error(scope, receive, send)

    def _check(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _deny(421, "The Host header is not the hub's.", "Use the address that `browser-pilot status` shows.")
        if scope["type"] == "websocket" and (scope["path"] == BRIDGE_PATH or scope["path"].startswith(CDP_PATH)):
            return None
        request = scope.get("method", ""), scope["path"]
        origins = headers.getlist("origin")
        if any(origin.lower() not in self._origins for origin in origins) and not (
            origins == [NULL_ORIGIN] and self._allows_null_origin(*request)
        ):
            return _deny(403, "Web pages of other origins may not use the hub.", "Connect from an MCP client.")
        if scope["path"] in TOKEN_EXEMPT_PATHS or self._is_token_exempt(*request):
            return None
        given = headers.getlist("authorization")
        if len(given) == 1 and hmac.compare_digest(given[0].encode(), b"Bearer " + self._token):
            return None
        response = _deny(401, "A bearer token is required.", "Send the token that `browser-pilot status` points to.")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response


def _deny(status: int, message: str, suggestion: str) -> JSONResponse:
    return JSONResponse(error_data(PermissionDenied(message, suggestions=[suggestion])), status)
