"""MCP over Streamable HTTP at `/mcp`, for the handshake and the stateless protocol revision.

Not concerned with authentication, which the middleware of the HTTP server does before. Lifecycle: ``StreamableHttp``.
"""

from __future__ import annotations

import hashlib
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from browser_pilot.config.settings import parse_value
from browser_pilot.errors import SettingsError, error_data
from browser_pilot.gateway import Gateway
from browser_pilot.mcp_server.client_registry import HTTP, ClientRegistry
from browser_pilot.mcp_server.pending_calls import PendingCalls
from browser_pilot.mcp_server.resources.resource_registry import ResourceRegistry
from browser_pilot.mcp_server.server import RequestContext, build_server
from browser_pilot.mcp_server.tool_registry import ToolRegistry
from browser_pilot.metrics.prometheus import Metrics
from browser_pilot.sessions.client import Client

MAX_BODY_BYTES = 4 * 1024 * 1024


class HttpClients:
    """Identifies HTTP clients: by their MCP session, or in the stateless revision by the name that they give.

    Forgets a client when it ends its session, or after it has expired.
    """

    def __init__(self, clients: ClientRegistry) -> None:
        self._clients = clients
        self._by_key: dict[str, Client] = {}

    def client_of(self, context: RequestContext) -> Client:
        request = cast(Request, context.request)
        session = request.headers.get("mcp-session-id")
        key = f"session {session}" if session else self._stateless_key(context, request)
        client = self._by_key.get(key)
        if client is None or client not in self._clients:
            identity = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
            client = self._clients.add(_options(request), kind=HTTP, identity=identity)
            # A client that expired ended no session, so nothing else removes its key.
            self._by_key = {key: known for key, known in self._by_key.items() if known in self._clients}
            self._by_key[key] = client
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
    def _stateless_key(context: RequestContext, request: Request) -> str:
        params = context.session.client_params
        name = params.client_info.name if params else ""
        return f"stateless {name} {request.url.query}"


def _options(request: Request) -> dict[str, Any]:
    """The client's own options, from the query of its URL; ``client`` only names it."""
    return {name: parse_value(value) for name, value in request.query_params.items() if name != "client"}


class McpEndpoint:
    """The SDK's endpoint, plus what it does not do: options in the query, and clients that end their session."""

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


class StreamableHttp:
    """Serves `/mcp`. Lives as long as the HTTP server: its sessions exist while ``run`` is entered."""

    def __init__(
        self,
        registry: ToolRegistry,
        gateway: Gateway,
        pending_calls: PendingCalls,
        metrics: Metrics,
        resources: ResourceRegistry,
        clients: ClientRegistry,
    ) -> None:
        http_clients = HttpClients(clients)
        server = build_server(registry, gateway, pending_calls, metrics, resources, http_clients.client_of)
        self._sessions = StreamableHTTPSessionManager(app=server, max_request_body_size=MAX_BODY_BYTES)
        self.route = Route("/mcp", McpEndpoint(StreamableHTTPASGIApp(self._sessions), http_clients))

    def run(self) -> AbstractAsyncContextManager[None]:
        return self._sessions.run()
