"""`/api/guests`: lists, restarts and reloads guests, for the command line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from browser_pilot.guests.manager import GuestManager


def guest_routes(manager: GuestManager, refresh: Callable[[], Awaitable[bool]]) -> list[Route]:
    async def list_running(_: Request) -> JSONResponse:
        running = [{"name": name, "origin": origin, "pid": pid} for name, origin, pid in manager.running]
        return JSONResponse({"running": running})

    async def reload_guests(_: Request) -> JSONResponse:
        return JSONResponse({"changed": await refresh()})

    async def restart(request: Request) -> JSONResponse:
        return JSONResponse({"restarted": manager.restart(request.path_params["name"])})

    return [
        Route("/api/guests", list_running),
        Route("/api/guests/refresh", reload_guests, methods=["POST"]),
        Route("/api/guests/{name}/restart", restart, methods=["POST"]),
    ]
