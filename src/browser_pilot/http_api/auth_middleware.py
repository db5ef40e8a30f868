"""Who may speak HTTP to the hub: exact Host, exact Origin where one is sent, and the bearer token.

A pure ASGI middleware in front of everything. ``/health`` needs no token, but the right Host and Origin all the same,
so that a web page cannot even learn that a hub runs. The sockets of the bridge have doors of their own, behind the
check of the Host; so has the dashboard, behind the checks of Host and Origin.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import PermissionDenied
from .answers import error_data

WITHOUT_TOKEN = frozenset({"/health"})
# Sockets that know their visitors by other means: the extension by its origin and key, our Playwright by a secret.
BRIDGE, CDP = "/bridge", "/cdp/"
# What a browser sends for a page that has no origin, such as a file.
NO_ORIGIN = "null"

# Says of a request's method and path whether something holds for it.
Is = Callable[[str, str], bool]


def names_of(host: str, port: int, extra: Iterable[str] = ()) -> frozenset[str]:
    """The Host headers that mean this hub."""
    hosts = {"127.0.0.1", "localhost"} if host in ("127.0.0.1", "localhost") else {_bracketed(host)}
    return frozenset({f"{name}:{port}" for name in hosts} | {name.lower() for name in extra})


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


class Guard:
    """``knows_visitors`` is true of what needs no token because it looks after itself, ``comes_from_a_file`` of what a
    page without an origin may send.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        hosts: frozenset[str],
        knows_visitors: Is,
        comes_from_a_file: Is,
    ) -> None:
        self._app = app
        self._knows_visitors = knows_visitors
        self._comes_from_a_file = comes_from_a_file
        self._token = token.encode()
        self._hosts = hosts
        self._origins = frozenset(f"{scheme}://{host}" for host in hosts for scheme in ("http", "https"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _deny(421, "This is not a name of the hub.", "Use the address that `browser-pilot status` shows.")
        if scope["type"] == "websocket" and (scope["path"] == BRIDGE or scope["path"].startswith(CDP)):
            return None
        asked = scope.get("method", ""), scope["path"]
        origins = headers.getlist("origin")
        if any(origin.lower() not in self._origins for origin in origins) and not (
            origins == [NO_ORIGIN] and self._comes_from_a_file(*asked)
        ):
            return _deny(403, "Web pages of other origins may not use the hub.", "Connect from an MCP client.")
        if scope["path"] in WITHOUT_TOKEN or self._knows_visitors(*asked):
            return None
        given = headers.getlist("authorization")
        if len(given) == 1 and hmac.compare_digest(given[0].encode(), b"Bearer " + self._token):
            return None
        response = _deny(401, "A bearer token is needed.", "Send the token that `browser-pilot status` points to.")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response


def _deny(status: int, message: str, suggestion: str) -> JSONResponse:
    return JSONResponse(error_data(PermissionDenied(message, suggestions=[suggestion])), status)
