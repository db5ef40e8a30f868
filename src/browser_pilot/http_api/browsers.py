"""`/api/browsers` and `/api/pairing` for the command line, and the WebSocket endpoints of the extension bridge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute

from browser_pilot.errors import InvalidArgument, PilotError, error_data
from browser_pilot.extension_bridge.bridge import Bridge
from browser_pilot.extension_bridge.pairing import PairingCode

from .auth_middleware import BRIDGE_PATH, CDP_PATH


class _BrowserParams(BaseModel):
    model_config = ConfigDict(extra="forbid")

    browser: str
    name: str = ""


def bridge_routes(bridge: Bridge) -> list[BaseRoute]:
    async def list_browsers(_: Request) -> JSONResponse:
        return JSONResponse([asdict(state) for state in bridge.states()])

    async def rename(params: _BrowserParams) -> object:
        return asdict(bridge.rename(params.browser, params.name))

    async def forget(params: _BrowserParams) -> object:
        await bridge.forget(params.browser)
        return {"forgotten": params.browser}

    async def open_pairing(_: Request) -> JSONResponse:
        return JSONResponse(_code_data(bridge.open_pairing()))

    async def show_pairing(_: Request) -> JSONResponse:
        code = bridge.pairing()
        return JSONResponse(None if code is None else _code_data(code))

    async def reload_extensions(_: Request) -> JSONResponse:
        bridge.reload_extensions()
        return JSONResponse({"reloading": True})

    return [
        WebSocketRoute(BRIDGE_PATH, bridge.extension_endpoint),
        WebSocketRoute(f"{CDP_PATH}{{client}}", bridge.cdp_endpoint),
        Route("/api/browsers", list_browsers),
        Route("/api/browsers/rename", _post(rename), methods=["POST"]),
        Route("/api/browsers/forget", _post(forget), methods=["POST"]),
        Route("/api/extension/reload", reload_extensions, methods=["POST"]),
        Route("/api/pairing", open_pairing, methods=["POST"]),
        Route("/api/pairing", show_pairing),
    ]


def _post(change: Callable[[_BrowserParams], Awaitable[object]]) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def handle(request: Request) -> JSONResponse:
        try:
            given = _BrowserParams.model_validate_json(await request.body())
            return JSONResponse(await change(given))
        except ValidationError:
            problem: PilotError = InvalidArgument("Send {browser, name}.")
        except PilotError as error:
            problem = error
        return JSONResponse(error_data(problem), 400)

    return handle


def _code_data(code: PairingCode) -> dict[str, object]:
    return {"code": code.code, "expires": code.expires, "tries_left": code.tries_left}
