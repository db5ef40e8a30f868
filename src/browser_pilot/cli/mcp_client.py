"""A client of the hub's own MCP endpoint, for commands that use tools as an agent would: over HTTP, with the token."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

import httpx2
import toon_format
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ImageContent, Implementation, TextContent

from .. import __version__
from ..errors import HubUnavailable

LONGEST_CALL_SECONDS = 660.0
CONNECT_SECONDS = 10.0
STATELESS = "2026-07-28"
HANDSHAKE = "legacy"


@dataclass(frozen=True)
class Picture:
    data: bytes
    mime: str


@dataclass(frozen=True)
class ToolAnswer:
    text: str
    pictures: tuple[Picture, ...]
    is_error: bool

    @property
    def data(self) -> dict[str, object]:
        """What the text says, as data; nothing when it is not TOON."""
        try:
            value = cast(object, toon_format.decode(self.text))
        except toon_format.ToonDecodeError:
            return {}
        return cast(dict[str, object], value) if isinstance(value, dict) else {}

    @property
    def rows(self) -> list[dict[str, object]]:
        """The elements of a snapshot."""
        elements = self.data.get("elements")
        return cast(list[dict[str, object]], elements) if isinstance(elements, list) else []


class HubClient:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        """Call a tool. Its errors are answers; only a lost or refusing hub raises ``HubUnavailable``."""
        try:
            return _answer(await self._client.call_tool(tool, dict(arguments)))
        except MCPError as error:
            raise HubUnavailable(
                f"The hub did not run {tool}: {error}", suggestions=["`browser-pilot doctor` checks the hub."]
            ) from error


@asynccontextmanager
async def connect(
    url: str, token: str, *, name: str, lasting: bool = False, options: Mapping[str, str] | None = None
) -> AsyncGenerator[HubClient]:
    """Connect to a hub. A ``lasting`` client keeps its browser session for the next connection of the same name and
    options; any other ends its session when it leaves."""
    address = f"{url}?{urlencode(options)}" if options else url
    timeout = httpx2.Timeout(CONNECT_SECONDS, read=LONGEST_CALL_SECONDS)
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=timeout, trust_env=False)
    async with http:
        # A screenshot is one event, and larger than the SDK's limit.
        transport = streamable_http_client(address, http_client=http, max_sse_event_size=None)
        client = Client(
            transport,
            mode=STATELESS if lasting else HANDSHAKE,
            client_info=Implementation(name=name, version=__version__),
            read_timeout_seconds=LONGEST_CALL_SECONDS,
        )
        try:
            async with client:
                yield HubClient(client)
        except BaseExceptionGroup as group:
            # The SDK's task groups wrap whatever is raised inside them.
            raise _first(group) from group
        except MCPError as error:
            raise _lost(error) from error


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error = group.exceptions[0]
    if isinstance(error, BaseExceptionGroup):
        return _first(cast(BaseExceptionGroup[BaseException], error))
    return _lost(error) if isinstance(error, MCPError | httpx2.HTTPError) else error


def _lost(error: Exception) -> HubUnavailable:
    return HubUnavailable(
        f"The hub does not answer MCP requests: {error}", suggestions=["`browser-pilot doctor` checks the hub."]
    )


def _answer(result: CallToolResult) -> ToolAnswer:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    pictures = [
        Picture(base64.b64decode(block.data), block.mime_type)
        for block in result.content
        if isinstance(block, ImageContent)
    ]
    return ToolAnswer("\n".join(texts), tuple(pictures), bool(result.is_error))
