"""The adapter's socket to the hub: connect, handshake, then lines in both directions.

The first line each way is the handshake; all others are the client's JSON-RPC. Every wait has a deadline. Which hub to
connect to, and starting or replacing one, is ``hub_restart``'s task.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import cast

from browser_pilot import __version__
from browser_pilot.errors import HubUnavailable
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo

from .jsonrpc import LineSplitter

HANDSHAKE_TIMEOUT_SECONDS = 10.0
SEND_TIMEOUT_SECONDS = 30.0
_CHUNK_BYTES = 256 * 1024


class HubSocket:
    """Lines to and from the hub. One thread may send while another reads; ``shutdown`` wakes both."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._splitter = LineSplitter(sys.maxsize)
        self._lines: deque[bytes] = deque()

    def send(self, line: bytes) -> None:
        """Raises ``OSError`` when the hub has ended, or has read nothing for too long."""
        self._socket.sendall(line + b"\n")

    def read_line(self, *, timeout_seconds: float | None = None) -> bytes | None:
        """The next line, or ``None`` when the hub has closed the socket. Raises ``TimeoutError``."""
        deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        while not self._lines:
            # A timeout of zero would make the socket non-blocking.
            self._socket.settimeout(None if deadline is None else max(deadline - time.monotonic(), 0.001))
            try:
                chunk = self._socket.recv(_CHUNK_BYTES)
            except ConnectionError:
                return None
            if not chunk:
                return None
            self._lines.extend(line for line in self._splitter.feed(chunk) if line is not None)
        self._socket.settimeout(None)
        return self._lines.popleft()

    def shutdown(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()

    def disconnect(self) -> None:
        """Close and wait for the hub to do the same: afterwards it no longer counts this client."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
            while self.read_line(timeout_seconds=HANDSHAKE_TIMEOUT_SECONDS) is not None:
                pass
        self.close()


def open_hub_socket(
    home: Path, info: RuntimeInfo, parameters: dict[str, object]
) -> tuple[HubSocket, dict[str, object]] | None:
    """Connect and exchange handshakes; returns the socket and the hub's reply.

    ``None`` when no hub listens, or it ends before it replies. Raises ``HubUnavailable`` when it refuses or hangs.
    """
    try:
        connection = _connect(info.socket)
    except (FileNotFoundError, ConnectionError):
        return None
    hub = HubSocket(connection)
    hello = {"hello": 1, "token": info.token, "version": __version__, **parameters}
    try:
        hub.send(json.dumps(hello).encode())
        line = hub.read_line(timeout_seconds=HANDSHAKE_TIMEOUT_SECONDS)
    except ConnectionError:
        line = None
    except OSError:
        connection.close()
        raise _unresponsive(info) from None
    if line is None:
        connection.close()
        return None
    reply = _parse_reply(line)
    if reply is None or "error" in reply:
        # Imported here because a running hub is the common case, and the adapter must start fast.
        from browser_pilot.hub_discovery.launcher import hub_error

        connection.close()
        raise hub_error(reply or {}, home=home)
    _limit_sends(connection, SEND_TIMEOUT_SECONDS)
    return hub, reply


def _parse_reply(line: bytes) -> dict[str, object] | None:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _connect(address: str) -> socket.socket:
    if address.startswith("tcp:"):
        return socket.create_connection(("127.0.0.1", int(address[4:])), HANDSHAKE_TIMEOUT_SECONDS)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Not settimeout(): with it, connect() fails instead of waiting when the hub's backlog is full.
    _limit_sends(connection, HANDSHAKE_TIMEOUT_SECONDS)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def _limit_sends(connection: socket.socket, seconds: float) -> None:
    """Make a send fail when the hub reads nothing for this long; reads are not affected."""
    whole_seconds = int(seconds)
    limit = struct.pack("ll", whole_seconds, 0) if os.name == "posix" else struct.pack("L", whole_seconds * 1000)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)


def _unresponsive(info: RuntimeInfo) -> HubUnavailable:
    return HubUnavailable(
        f"The hub (process {info.pid}) runs but does not respond.",
        suggestions=["Run browser-pilot stop, then try again.", "Run browser-pilot doctor to see what is wrong."],
    )
