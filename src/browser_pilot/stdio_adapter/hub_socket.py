"""A connection to the hub, and how one comes about: find the hub, start one when none runs, replace an outdated one.

The hub's local socket carries lines. The first one each way is a greeting; all others are the client's JSON-RPC.
Every wait has a deadline. What fails here fails as ``HubUnavailable``, or ``OSError`` once the link is in use.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

from .. import __version__
from ..errors import HubUnavailable
from ..runtime import RuntimeInfo, hub_lock, read_runtime
from .messages import LineSplitter

# Modules that only a start or a failure needs are imported there: with a warm hub they would be half of the start-up.

GREETING_TIMEOUT_SECONDS = 10.0
SEND_TIMEOUT_SECONDS = 30.0
RETIRE_TIMEOUT_SECONDS = 15.0
_CHUNK_BYTES = 256 * 1024

Options = Mapping[str, str | int | bool]


class HubLink:
    """Lines to and from the hub. One thread may send while another reads; ``abandon`` wakes both."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._splitter = LineSplitter(sys.maxsize)
        self._lines: deque[bytes] = deque()

    def send(self, line: bytes) -> None:
        """Raises ``OSError`` when the hub is gone, or has taken nothing for too long."""
        self._socket.sendall(line + b"\n")

    def read_line(self, *, timeout_seconds: float | None = None) -> bytes | None:
        """The next line, or ``None`` at the hub's end. Raises ``TimeoutError``."""
        deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        while not self._lines:
            # A timeout of zero would mean a socket that does not wait at all.
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

    def abandon(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()

    def leave(self) -> None:
        """Close in good order: afterwards the hub no longer counts this client."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
            while self.read_line(timeout_seconds=GREETING_TIMEOUT_SECONDS) is not None:
                pass
        self.close()


class _Greeted(NamedTuple):
    link: HubLink
    version: str
    may_be_replaced: bool


def attach(home: Path, options: Options, *, say: Callable[[str], None]) -> HubLink:
    """Connect to this home's hub, and start or replace it first where that is needed."""
    try:
        info = read_runtime(home)
        greeted = _greet_or_look_again(home, info, options)
        if greeted is None or greeted.may_be_replaced:
            if greeted is not None:
                greeted.link.leave()
            with hub_lock(home):
                greeted = _settle(home, options, say)
    except OSError as error:
        from ..hub_start import where_to_look

        raise HubUnavailable(f"The hub cannot be reached: {error}.", suggestions=where_to_look(home)) from error
    if greeted.version != __version__:
        say(f"Using the running hub of version {greeted.version}; this is version {__version__}.")
    return greeted.link


def _settle(home: Path, options: Options, say: Callable[[str], None]) -> _Greeted:
    """With the lock in hand: whoever held it before may have done all the work."""
    from ..hub_start import start_hub, where_to_look

    info = read_runtime(home)
    greeted = _greet(home, info, options)
    if info is not None and greeted is not None and greeted.may_be_replaced:
        greeted.link.leave()
        if _retire(home, info):
            say(f"Replaced the idle hub of version {greeted.version}.")
        greeted = _greet(home, read_runtime(home), options)
    if greeted is None:
        note = start_hub(home)
        if note:
            say(note)
        greeted = _greet(home, read_runtime(home), options)
    if greeted is None:
        raise HubUnavailable("The hub ended right after its start.", suggestions=where_to_look(home))
    return greeted


def _greet_or_look_again(home: Path, info: RuntimeInfo | None, options: Options) -> _Greeted | None:
    try:
        return _greet(home, info, options)
    except HubUnavailable:
        # A new hub may have taken the old one's socket just after we had read the old one's token.
        if read_runtime(home) == info:
            raise
        return None


def _greet(home: Path, info: RuntimeInfo | None, options: Options) -> _Greeted | None:
    """Introduce this client; ``None`` when nobody is there."""
    if info is None:
        return None
    opened = _open(home, info, {"options": dict(options)})
    if opened is None:
        return None
    link, reply = opened
    version = str(reply.get("hub"))
    is_idle = reply.get("replaceable") is True and reply.get("clients") == 0
    return _Greeted(link, version, may_be_replaced=is_idle and version != __version__)


def _retire(home: Path, info: RuntimeInfo) -> bool:
    """Ask a hub of another version to end, and wait until it has; ``False`` when it rather goes on."""
    from ..hub_start import wait_for_exit, where_to_look

    try:
        opened = _open(home, info, {"retire": True})
    except HubUnavailable:
        return False
    if opened is None:
        return True
    link, reply = opened
    try:
        if reply.get("retiring") is not True:
            return False
        while link.read_line(timeout_seconds=RETIRE_TIMEOUT_SECONDS) is not None:
            pass
    except TimeoutError as error:
        raise HubUnavailable(
            f"The hub of version {info.version} was asked to end and has not.", suggestions=where_to_look(home)
        ) from error
    finally:
        link.close()
    return wait_for_exit(info.pid, timeout_seconds=RETIRE_TIMEOUT_SECONDS)


def _open(home: Path, info: RuntimeInfo, introduction: dict[str, object]) -> tuple[HubLink, dict[str, object]] | None:
    """Connect and exchange greetings; ``None`` when nobody is there, or the hub ends before it greets."""
    try:
        connection = _connect(info.socket)
    except (FileNotFoundError, ConnectionError):
        return None
    link = HubLink(connection)
    hello = {"hello": 1, "token": info.token, "version": __version__, **introduction}
    try:
        link.send(json.dumps(hello).encode())
        line = link.read_line(timeout_seconds=GREETING_TIMEOUT_SECONDS)
    except ConnectionError:
        line = None
    except OSError:
        connection.close()
        raise _unresponsive(info) from None
    if line is None:
        connection.close()
        return None
    reply = _read_reply(line)
    if reply is None or "error" in reply:
        from ..hub_start import explain_refusal

        connection.close()
        raise explain_refusal(reply or {}, home=home)
    _limit_sends(connection, SEND_TIMEOUT_SECONDS)
    return link, reply


def _read_reply(line: bytes) -> dict[str, object] | None:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _connect(address: str) -> socket.socket:
    if address.startswith("tcp:"):
        return socket.create_connection(("127.0.0.1", int(address[4:])), GREETING_TIMEOUT_SECONDS)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Not settimeout(): with it, connect() fails at once instead of waiting when many connect in the same moment.
    _limit_sends(connection, GREETING_TIMEOUT_SECONDS)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def _limit_sends(connection: socket.socket, seconds: float) -> None:
    """Let a send fail when the hub takes nothing for so long; reads are not concerned."""
    whole_seconds = int(seconds)
    limit = struct.pack("ll", whole_seconds, 0) if os.name == "posix" else struct.pack("L", whole_seconds * 1000)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)


def _unresponsive(info: RuntimeInfo) -> HubUnavailable:
    return HubUnavailable(
        f"The hub (process {info.pid}) is there but does not answer.",
        suggestions=["Run browser-pilot stop, then try again.", "Run browser-pilot doctor to see what is wrong."],
    )
