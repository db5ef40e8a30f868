"""A real MCP client, the SDK's, at the hub's own endpoint: for the proof and the demo, which do as any agent would."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import cast
from urllib.parse import urlencode

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from .. import __version__
from ..errors import HubUnavailable
from .output import first_error
from .tool_answer import Json, ToolAnswer, read_answer

CONNECT_SECONDS = 10.0
LONGEST_CALL_SECONDS = 120.0
# With a handshake, so that the hub sees the client leave and closes its session.
ERA = "legacy"


class HubClient:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        """Call a tool; its errors are answers."""
        result = await self._client.call_tool(tool, dict(arguments))
        return read_answer(cast(Json, result.model_dump(mode="json", by_alias=True)))


@asynccontextmanager
async def connect(
    url: str, token: str, *, name: str, options: Mapping[str, str] | None = None
) -> AsyncGenerator[HubClient]:
    """A client while inside. A hub that cannot be used raises ``HubUnavailable``."""
    address = f"{url}?{urlencode(options)}" if options else url
    timeout = httpx2.Timeout(CONNECT_SECONDS, read=LONGEST_CALL_SECONDS)
    headers = {"Authorization": f"Bearer {token}"}
    try:
        # The user's proxy is not asked: the hub is on this machine.
        async with httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as http:
            transport = streamable_http_client(address, http_client=http)
            client_info = Implementation(name=name, version=__version__)
            async with Client(
                transport, mode=ERA, client_info=client_info, read_timeout_seconds=LONGEST_CALL_SECONDS
            ) as client:
                yield HubClient(client)
    except BaseExceptionGroup as group:
        # The SDK's task groups wrap whatever is raised inside them.
        error = first_error(group)
        raise (_lost(error) if isinstance(error, MCPError | httpx2.HTTPError) else error) from group
    except MCPError as error:
        raise _lost(error) from error


def _lost(error: Exception) -> HubUnavailable:
    return HubUnavailable(
        f"The hub does not answer MCP requests: {error}", suggestions=["`browser-pilot doctor` checks the hub."]
    )
