"""The private local socket that stdio adapters connect to: one MCP session per connection.

The adapter's first line is a hello message (token, version, identity, options), the hub's first line the response with
its version; every line after them is JSON-RPC. On Windows, where asyncio has no Unix sockets, it is loopback TCP with
the same handshake. Lifecycle: ``start`` to ``close``, with the hub.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from browser_pilot import __version__
from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import PermissionDenied, PilotError, SettingsError, error_data
from browser_pilot.home import make_private_folder
from browser_pilot.mcp_server.client_registry import STDIO, ClientRegistry
from browser_pilot.mcp_server.server import PilotServer
from browser_pilot.safe_text import parse_json, well_formed_data
from browser_pilot.sessions.client import Client

logger = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT_SECONDS = 10.0
MAX_LINE_BYTES = 64 * 1024 * 1024
# The kernel's limit for a Unix socket's path is 104 bytes on macOS and 108 on Linux.
MAX_SOCKET_PATH_BYTES = 100
_IDENTITY = re.compile("[0-9a-f]{32}")


class LocalListener:
    def __init__(
        self,
        *,
        token: str,
        clients: ClientRegistry,
        replaceable: bool,
        server_for: Callable[[Client], PilotServer],
        retire: Callable[[], None],
    ) -> None:
        self._token = token
        self._clients = clients
        self._replaceable = replaceable
        self._server_for = server_for
        self._retire = retire
        self._server: asyncio.Server | None = None
        self._connections = BackgroundTasks("the local socket")
        self._socket_path: Path | None = None
        self._temporary_folder: tempfile.TemporaryDirectory[str] | None = None

    async def start(self, home: Path) -> str:
        """Listen. Returns the address for the runtime file: a path, or ``tcp:PORT``."""
        if os.name == "nt":
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_LINE_BYTES)
            return f"tcp:{self._server.sockets[0].getsockname()[1]}"
        path = make_private_folder(home / "run") / "hub.sock"
        if len(os.fsencode(path)) > MAX_SOCKET_PATH_BYTES:
            self._temporary_folder = tempfile.TemporaryDirectory(prefix="browser-pilot-", dir=_short_folder())
            path = Path(self._temporary_folder.name) / "hub.sock"
        path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._accept, path, limit=MAX_LINE_BYTES)
        path.chmod(0o600)
        self._socket_path = path
        return str(path)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        await self._connections.close()
        if self._socket_path is not None:
            self._socket_path.unlink(missing_ok=True)
        if self._temporary_folder is not None:
            self._temporary_folder.cleanup()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.spawn(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            client = await self._handshake(reader, writer)
            if client is not None:
                try:
                    await self._serve_mcp(client, reader, writer)
                finally:
                    await self._clients.remove(client)
        except (ConnectionError, TimeoutError) as error:
            logger.debug("a local connection ended: %r", error)
        except Exception:
            logger.exception("a local connection failed")
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _handshake(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Client | None:
        """The new client; None when it was rejected, or only requested that the hub retires."""
        async with asyncio.timeout(HANDSHAKE_TIMEOUT_SECONDS):
            try:
                line = await reader.readline()
            except ValueError:
                line = b""
        try:
            hello = _parse_hello(line, self._token)
            if hello.get("retire") is True:
                retiring = self._replaceable and len(self._clients) == 0
                await _send_line(writer, {"retiring": retiring})
                if retiring:
                    self._retire()
                return None
            client = self._clients.add(_options(hello), kind=STDIO, identity=_identity(hello))
            client.lost_hub = hello.get("had_hub") is True
        except PilotError as error:
            await _send_line(writer, {"error": error_data(error)})
            return None
        others = len(self._clients) - 1
        await _send_line(writer, {"hub": __version__, "clients": others, "replaceable": self._replaceable})
        return client

    async def _serve_mcp(self, client: Client, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server = self._server_for(client)
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

        async def read() -> None:
            async with to_server:
                while line := await _next_line(reader, writer):
                    message = _parse_message(line)
                    if isinstance(message, types.JSONRPCError):
                        await _send_line(writer, message.model_dump(mode="json", by_alias=True))
                    else:
                        await to_server.send(SessionMessage(message))

        async def write() -> None:
            async with from_server:
                async for item in from_server:
                    writer.write(_encode_message(item.message) + b"\n")
                    await writer.drain()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            tasks.start_soon(write)
            await server.run(from_client, to_client, server.create_initialization_options())
            tasks.cancel_scope.cancel()


def _short_folder() -> str | None:
    return "/tmp" if Path("/tmp").is_dir() else None  # noqa: S108  the folder inside it is private (mode 0700)


def _parse_hello(line: bytes, token: str) -> dict[str, Any]:
    try:
        hello = parse_json(line)
    except (ValueError, RecursionError):
        hello = None
    if not isinstance(hello, dict):
        raise PermissionDenied(
            "The first line must be a hello message.", suggestions=["Connect through `browser-pilot`."]
        )
    table = cast(dict[str, Any], hello)
    given = table.get("token")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), token.encode()):
        raise PermissionDenied("Wrong token.", suggestions=["The token is in the hub's private runtime file."])
    return table


def _options(hello: dict[str, Any]) -> dict[str, Any]:
    options: object = hello.get("options") or {}
    if not isinstance(options, dict):
        raise SettingsError("The options of a hello message must be an object.")
    return cast(dict[str, Any], options)


def _identity(hello: dict[str, Any]) -> str | None:
    """The id that an adapter keeps for as long as it runs; None from an adapter of an earlier version."""
    identity = hello.get("identity")
    return identity if isinstance(identity, str) and _IDENTITY.fullmatch(identity) else None


async def _next_line(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    while True:
        try:
            line = await reader.readline()
            # A line without an end is incomplete: the connection ended, and the sender may send it again.
            return line if line.endswith(b"\n") else b""
        except ValueError:
            await _send_line(writer, _rpc_error(None, types.INVALID_REQUEST, "the line is too long").model_dump())


def _parse_message(line: bytes) -> types.JSONRPCMessage | types.JSONRPCError:
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        try:
            raw = json.loads(line)
            content = well_formed_data(raw)
        except (ValueError, RecursionError):
            return _rpc_error(None, types.PARSE_ERROR, "not valid JSON")
        given = cast(dict[str, Any], content).get("id") if isinstance(content, dict) else None
        request_id = given if isinstance(given, str | int) and not isinstance(given, bool) else None
        if content != raw:
            return _rpc_error(request_id, types.INVALID_REQUEST, "a text contains an unpaired surrogate")
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"][1:])
        return _rpc_error(request_id, types.INVALID_REQUEST, f"not a JSON-RPC message ({where}: {problem['msg']})")


def _encode_message(message: types.JSONRPCMessage) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except ValueError:  # an unpaired surrogate, which must not end the connection
        content = well_formed_data(message.model_dump(by_alias=True, exclude_unset=True))
        return json.dumps(content, default=str).encode()


def _rpc_error(request_id: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))


async def _send_line(writer: asyncio.StreamWriter, content: dict[str, Any]) -> None:
    writer.write(json.dumps(content).encode() + b"\n")
    await writer.drain()
