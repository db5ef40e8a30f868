"""The hub's HTTP application: `/mcp` (Streamable HTTP), `/health`, `/metrics`, and `/api` for the command line.

``AuthMiddleware`` checks every request. `/health` needs no token, so it shows no details; the dashboard needs none
either, because it has its own login.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.config.settings import parse_value
from browser_pilot.errors import PilotError, SettingsError, error_data
from browser_pilot.gateway import Gateway
from browser_pilot.http_api.approvals import approval_routes
from browser_pilot.http_api.auth_middleware import AuthMiddleware, PathPredicate
from browser_pilot.http_api.health import without_descriptions
from browser_pilot.mcp_server.client_registry import HTTP, ClientRegistry
from browser_pilot.mcp_server.pending_calls import PendingCalls
from browser_pilot.mcp_server.resources.resource_registry import ResourceRegistry
from browser_pilot.mcp_server.server import Context, build_server
from browser_pilot.mcp_server.tool_registry import ToolRegistry
from browser_pilot.metrics.prometheus import CONTENT_TYPE, Metrics
from browser_pilot.sessions.client import Client

MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_FRAME_BYTES = 256 * 1024 * 1024


class HttpClients:
    """Maps requests to clients: by MCP session, or in the stateless revision by client name and query."""

    def __init__(self, clients: ClientRegistry) -> None:
        self._clients = clients
        self._by_key: dict[str, Client] = {}

    def client_of(self, context: Context) -> Client:
        request = cast(Request, context.request)
        session = request.headers.get("mcp-session-id")
        key = f"session {session}" if session else self._stateless_key(context, request)
        client = self._by_key.get(key)
        if client is None or client not in self._clients:
            client = self._by_key[key] = self._clients.add(_options(request), kind=HTTP)
        return client

    async def end_session(self, session: str) -> None:
        client = self._by_key.pop(f"session {session}", None)
        if client is not None:
            await self._clients.remove(client)

    def check_options(self, request: Request) -> None:
        """Raise ``SettingsError`` for invalid options in the query."""
        if options := _options(request):
            self._clients.settings_for(options)

    @staticmethod
    def _stateless_key(context: Context, request: Request) -> str:
        params = context.session.client_params
        name = params.client_info.name if params else ""
        return f"stateless {name} {request.url.query}"


def _options(request: Request) -> dict[str, Any]:
    """The client's options from the query; ``client`` is only a name."""
    return {name: parse_value(value) for name, value in request.query_params.items() if name != "client"}


class McpEndpoint:
    """Adds to the SDK's endpoint: options in the query, and cleanup when a client ends its session."""

    def __init__(self, inner: ASGIApp, clients: HttpClients) -> None:
        self._inner = inner
        self._clients = clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            self._clients.check_options(request)
        except SettingsError as error:
            await JSONResponse(error_data(error), 400)(scope, receive, send)
            return
        await self._inner(scope, receive, send)
        if request.method == "DELETE" and (session := request.headers.get("mcp-session-id")):
            await self._clients.end_session(session)


def uvicorn_config(app: ASGIApp, *, close_seconds: int) -> uvicorn.Config:
    # At debug level uvicorn logs every frame: page content and typed text.
    logging.getLogger("uvicorn.error").setLevel(logging.INFO)
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=close_seconds,
        ws="websockets-sansio",
        ws_max_size=MAX_FRAME_BYTES,
        # On loopback, copying is many times faster than compressing.
        ws_per_message_deflate=False,
    )


def build_app(
    *,
    registry: ToolRegistry,
    gateway: Gateway,
    clients: ClientRegistry,
    approvals: ApprovalQueue,
    pending_calls: PendingCalls,
    resources: ResourceRegistry,
    more_routes: Sequence[BaseRoute],
    token: str,
    hosts: frozenset[str],
    is_token_exempt: PathPredicate,
    allows_null_origin: PathPredicate,
    health: Callable[[], dict[str, Any]],
    metrics: Metrics,
    stop: Callable[[], None],
    reload: Callable[[], PilotError | None],
) -> Starlette:
    http_clients = HttpClients(clients)
    server = build_server(registry, gateway, pending_calls, metrics, resources, http_clients.client_of)
    manager = StreamableHTTPSessionManager(app=server, max_request_body_size=MAX_BODY_BYTES)

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

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    return Starlette(
        routes=[
            Route("/mcp", McpEndpoint(StreamableHTTPASGIApp(manager), http_clients)),
            Route("/health", show_health),
            Route("/metrics", show_metrics),
            Route("/api/health", show_all_health),
            Route("/api/clients", show_clients),
            Route("/api/stop", stop_hub, methods=["POST"]),
            Route("/api/reload", reload_settings, methods=["POST"]),
            *approval_routes(approvals),
            *more_routes,
        ],
        middleware=[
            Middleware(
                AuthMiddleware,
                token=token,
                hosts=hosts,
                is_token_exempt=is_token_exempt,
                allows_null_origin=allows_null_origin,
            )
        ],
        lifespan=lifespan,
    )
