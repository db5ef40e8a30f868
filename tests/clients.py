"""Real MCP clients for tests: over HTTP, and over stdio through the adapter."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import httpx2
import toon_format
from mcp.client import Client
from mcp.client.session import MessageHandlerFnT
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from .hub_process import HubProcess, environment

ERAS = ("legacy", "2026-07-28")


@asynccontextmanager
async def http_client(
    hub: HubProcess, *, era: str = "legacy", query: str = "", on_message: MessageHandlerFnT | None = None
) -> AsyncGenerator[Client]:
    async with httpx2.AsyncClient(headers=hub.headers, timeout=60) as http:
        transport = streamable_http_client(hub.mcp_url + query, http_client=http)
        async with Client(transport, mode=era, message_handler=on_message) as client:
            yield client


@asynccontextmanager
async def stdio_adapter(
    home: Path, *options: str, era: str = "legacy", on_message: MessageHandlerFnT | None = None
) -> AsyncGenerator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "browser_pilot", *options], env=environment(home)
    )
    async with Client(stdio_client(parameters), mode=era, message_handler=on_message) as client:
        yield client


@asynccontextmanager
async def in_own_task(context: AbstractAsyncContextManager[Client]) -> AsyncGenerator[Client]:
    """For fixtures, which end in another task than they began in: a client must not."""
    connected: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
    leave = asyncio.Event()

    async def hold() -> None:
        try:
            async with context as client:
                connected.set_result(client)
                await leave.wait()
        finally:
            connected.cancel()

    task = asyncio.create_task(hold())
    await asyncio.wait({task, connected}, return_when=asyncio.FIRST_COMPLETED)
    try:
        if not task.done():
            yield await connected
    finally:
        leave.set()
        await task


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def data_of(result: CallToolResult) -> dict[str, Any]:
    return cast(dict[str, Any], toon_format.decode(text_of(result)))


def page_text(result: CallToolResult) -> str:
    """The text of ``browser_read`` or ``browser_dom``, without the lines around it that the data names."""
    data, text = (block.text for block in result.content if isinstance(block, TextContent))
    first, *inside, last = text.split("\n")
    assert first == last
    assert f'page_text: "between the lines \\"{first}\\""' in data.splitlines()
    return "\n".join(inside)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The data of a tool result that must not be an error."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, text_of(result)
    return data_of(result)


async def fail(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The data of a tool result that must be an error."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert result.is_error, text_of(result)
    return data_of(result)


def ref_of(snapshot: dict[str, Any], role: str, name: str) -> str:
    rows = cast(list[dict[str, str]], snapshot["elements"])
    return next(row["ref"] for row in rows if row["role"] == role and row["name"] == name)
