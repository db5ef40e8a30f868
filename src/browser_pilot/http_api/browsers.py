"""`/api/browsers` and `/api/pairing` for the command line and the dashboard, and the doors of the bridge itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute

from ..bridge.bridge import Bridge
from ..bridge.pairing import OpenCode
from ..errors import InvalidArgument, PilotError
from .answers import error_data
from .guard import BRIDGE, CDP


class _Change(BaseModel):
    model_config = ConfigDict(extra="forbid")

    browser: str
    name: str = ""


def bridge_routes(bridge: Bridge) -> list[BaseRoute]:
    async def list_browsers(_: Request) -> JSONResponse:
        return JSONResponse([asdict(state) for state in bridge.states()])

    async def rename(change: _Change) -> object:
        return asdict(bridge.rename(change.browser, change.name))

    async def forget(change: _Change) -> object:
        await bridge.forget(change.browser)
        return {"forgotten": change.browser}

    async def open_pairing(_: Request) -> JSONResponse:
        return JSONResponse(_code_data(bridge.open_pairing()))

    async def show_pairing(_: Request) -> JSONResponse:
        code = bridge.pairing()
        return JSONResponse(None if code is None else _code_data(code))

    async def reload_extensions(_: Request) -> JSONResponse:
        bridge.reload_extensions()
        return JSONResponse({"reloading": True})

    return [
        WebSocketRoute(BRIDGE, bridge.door),
        WebSocketRoute(f"{CDP}{{client}}", bridge.cdp_door),
        Route("/api/browsers", list_browsers),
        Route("/api/browsers/rename", _changing(rename), methods=["POST"]),
        Route("/api/browsers/forget", _changing(forget), methods=["POST"]),
        Route("/api/extension/reload", reload_extensions, methods=["POST"]),
        Route("/api/pairing", open_pairing, methods=["POST"]),
        Route("/api/pairing", show_pairing),
    ]


def _changing(change: Callable[[_Change], Awaitable[object]]) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def answer(request: Request) -> JSONResponse:
        try:
            given = _Change.model_validate_json(await request.body())
            return JSONResponse(await change(given))
        except ValidationError:
            problem: PilotError = InvalidArgument("Name the browser: {browser, name}.")
        except PilotError as error:
            problem = error
        return JSONResponse(error_data(problem), 400)

    return answer


def _code_data(code: OpenCode) -> dict[str, object]:
    return {"code": code.code, "expires": code.expires, "tries_left": code.tries_left}
