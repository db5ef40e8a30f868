"""Routes about the hub itself: health, metrics, the connected clients, stop, and reloading the settings.

`/health` needs no token and therefore shows no details; everything else does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from browser_pilot.errors import PilotError, error_data
from browser_pilot.metrics.prometheus import CONTENT_TYPE, Metrics
from browser_pilot.sessions.client import Client

from .health import without_descriptions


def hub_routes(
    *,
    health: Callable[[], dict[str, Any]],
    metrics: Metrics,
    clients: Iterable[Client],
    stop: Callable[[], None],
    reload: Callable[[], PilotError | None],
) -> list[BaseRoute]:
    async def show_health(_: Request) -> JSONResponse:
        return JSONResponse(without_descriptions(health()))

    async def show_all_health(_: Request) -> JSONResponse:
        return JSONResponse(health())

    async def show_metrics(_: Request) -> Response:
        return Response(await asyncio.to_thread(metrics.render), media_type=CONTENT_TYPE)

    async def show_clients(_: Request) -> JSONResponse:
        return JSONResponse([{"id": client.id, "name": client.name} for client in clients])

    async def stop_hub(_: Request) -> JSONResponse:
        stop()
        return JSONResponse({"stopping": True})

    async def reload_settings(_: Request) -> JSONResponse:
        problem = reload()
        return JSONResponse({"problem": None if problem is None else error_data(problem)})

    return [
        Route("/health", show_health),
        Route("/metrics", show_metrics),
        Route("/api/health", show_all_health),
        Route("/api/clients", show_clients),
        Route("/api/stop", stop_hub, methods=["POST"]),
        Route("/api/reload", reload_settings, methods=["POST"]),
    ]
