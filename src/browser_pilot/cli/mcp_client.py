"""An MCP client (the SDK's) connected to the hub's HTTP endpoint, for the smoke test and the demo."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from browser_pilot import __version__
from browser_pilot.errors import HubUnavailable

from .output import first_error
from .tool_result import CallResult, parse_result

CONNECT_TIMEOUT_SECONDS = 10.0
CALL_TIMEOUT_SECONDS = 120.0
# With the initialize handshake, so that the hub notices the disconnect and closes the session.
PROTOCOL_MODE = "legacy"


class HubClient:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, arguments: Mapping[str, object]) -> CallResult:
        """Call a tool; tool errors are returned as results."""
        result = await self._client.call_tool(tool, dict(arguments))
        return parse_result(result.model_dump(mode="json", by_alias=True))


@asynccontextmanager
async def connect(
    url: str, token: str, *, name: str, options: Mapping[str, str] | None = None
) -> AsyncGenerator[HubClient]:
    """Connect for the duration of the ``with`` block. Raises ``HubUnavailable`` when the hub does not respond."""
    endpoint = f"{url}?{urlencode(options)}" if options else url
    timeout = httpx2.Timeout(CONNECT_TIMEOUT_SECONDS, read=CALL_TIMEOUT_SECONDS)
    headers = {"Authorization": f"Bearer {token}"}
    try:
        # The hub is on this machine: do not use the proxy of the environment.
        async with httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as http:
            transport = streamable_http_client(endpoint, http_client=http)
            client_info = Implementation(name=name, version=__version__)
            async with Client(
                transport, mode=PROTOCOL_MODE, client_info=client_info, read_timeout_seconds=CALL_TIMEOUT_SECONDS
            ) as client:
                yield HubClient(client)
    except BaseExceptionGroup as group:
        # The SDK's task groups wrap exceptions.
        error = first_error(group)
        raise (_connection_error(error) if isinstance(error, MCPError | httpx2.HTTPError) else error) from group
    except MCPError as error:
        raise _connection_error(error) from error


def _connection_error(error: Exception) -> HubUnavailable:
    return HubUnavailable(
        f"The hub does not respond to MCP requests: {error}",
        suggestions=["Run `browser-pilot doctor` to check the hub."],
    )
