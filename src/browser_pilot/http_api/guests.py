"""`/api/guests`: what the command line asks of a running hub about its guests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ..guests.house import GuestHouse


def guest_routes(house: GuestHouse, refresh: Callable[[], Awaitable[bool]]) -> list[Route]:
    async def show(_: Request) -> JSONResponse:
        running = [{"name": name, "origin": origin, "pid": pid} for name, origin, pid in house.running]
        return JSONResponse({"running": running})

    async def look_again(_: Request) -> JSONResponse:
        return JSONResponse({"changed": await refresh()})

    return [Route("/api/guests", show), Route("/api/guests/refresh", look_again, methods=["POST"])]
