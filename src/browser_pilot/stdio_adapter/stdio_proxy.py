"""The adapter at work, from the client's first line to the end of standard input.

One thread reads the client and one reads the hub, so that neither direction can hold up the other. The state that
they share is behind one lock, and what is written to the client behind another. A hub is sought when a request comes
and there is none: at the start, and after one was lost.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..errors import HubUnavailable
from ..home import locate_home
from .answers import (
    OpenRequest,
    answer_failed,
    answer_lost,
    answer_malformed,
    hub_ended,
    withdraw_question,
)
from .connection import Connection
from .link import Options, attach
from .messages import (
    MAX_LINE_BYTES,
    LineSplitter,
    Malformed,
    Notification,
    Request,
    RequestId,
    Response,
    read_message,
    too_long,
)

DRAIN_SECONDS = 5.0
REPLAY_TIMEOUT_SECONDS = 10.0
# Requests that stay open as long as the client listens: nobody waits for their answer.
LASTING_METHODS = frozenset({"subscriptions/listen"})
_CHUNK_BYTES = 256 * 1024
_REPLAY_ID = "browser-pilot-introduces-its-client-again"


def run_adapter(arguments: Sequence[str]) -> None:
    """Serve one client on standard input and output until it is gone."""
    # The default ends the process at once and quietly; the hub sees the socket close.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if os.name == "posix":
        # Whoever shares the other end may have made it one that does not wait.
        for descriptor in (0, 1):
            with suppress(OSError):
                os.set_blocking(descriptor, True)
    options: Options = {}
    if arguments:
        from .options import parse_options

        options = parse_options(arguments)
    if os.isatty(0):
        say("This speaks MCP on standard input and output, for MCP clients. For people: browser-pilot --help.")
    Pump(home=locate_home(), options=options).run()


def say(text: str) -> None:
    """Tell the user, where the client shows or logs standard error."""
    with suppress(OSError):
        os.write(2, f"browser-pilot: {text}\n".encode(errors="replace"))


class Pump:
    def __init__(self, *, home: Path, options: Options) -> None:
        self._home = home
        self._options = options
        self._as_json = options.get("format") == "json"
        self._state = threading.Condition()
        self._writing = threading.Lock()
        self._connection: Connection | None = None
        self._connections: set[Connection] = set()
        """Those with open requests may be more than the present one: a lost one, until it is answered for."""
        self._handshake: dict[str, object] | None = None
        self._is_initialized = False
        self._unanswered: set[RequestId] = set()
        self._last_failure = ""

    def run(self) -> None:
        for line in _read_lines(0):
            if line is None:
                self._refuse(too_long())
            elif line.strip():
                self._take(line)
        self._drain()

    def _take(self, line: bytes) -> None:
        message = read_message(line)
        if isinstance(message, Malformed):
            self._refuse(message)
        elif isinstance(message, Request):
            self._forward_request(message, line)
        else:
            if isinstance(message, Notification) and message.method == "notifications/initialized":
                self._is_initialized = True
            self._forward_rest(message, line)

    def _refuse(self, malformed: Malformed) -> None:
        for answer in answer_malformed(malformed):
            self._write(answer)

    def _forward_request(self, request: Request, line: bytes) -> None:
        try:
            self._send_request(request, line)
        except HubUnavailable as error:
            if error.message != self._last_failure:
                say(" ".join((error.message, *error.suggestions)))
            self._last_failure = error.message
            self._write(answer_failed(OpenRequest(request.id, request.method), error, as_json=self._as_json))
        else:
            self._last_failure = ""

    def _send_request(self, request: Request, line: bytes) -> None:
        for _ in range(2):
            if self._try_to_send(self._connection or self._connect(request), request, line):
                return
        raise hub_ended()

    def _try_to_send(self, connection: Connection, request: Request, line: bytes) -> bool:
        """``False`` when the hub ended before it could get the request, so that another hub may."""
        with self._state:
            if connection.is_lost:
                return False
            connection.add(request)
            connection.is_sending = True
        is_sent = True
        try:
            connection.link.send(line)
        except OSError as error:
            # Only a closed link is sure to have cut the line short. In any case its reader now finds the end.
            is_sent = not isinstance(error, ConnectionError)
            connection.link.abandon()
        with self._state:
            connection.is_sending = False
            if not is_sent:
                connection.withdraw(request)
                self._set_aside(connection)
            self._state.notify_all()
        return is_sent

    def _set_aside(self, connection: Connection) -> None:
        connection.is_lost = True
        if self._connection is connection:
            self._connection = None

    def _forward_rest(self, message: Notification | Response, line: bytes) -> None:
        """Without a hub there is nobody to tell; and an answer must go only to the hub that asked."""
        with self._state:
            connection = self._connection
            if isinstance(message, Response) and message.id is not None:
                if message.id in self._unanswered:
                    self._unanswered.discard(message.id)
                    return
                if connection is None or message.id not in connection.asked:
                    return
                connection.asked.discard(message.id)
        if connection is not None:
            try:
                connection.link.send(line)
            except OSError:
                connection.link.abandon()

    def _connect(self, request: Request) -> Connection:
        connection = Connection(attach(self._home, self._options, say=say))
        if request.method != "initialize" and self._handshake is not None:
            self._introduce(connection, self._handshake)
        with self._state:
            self._connection = connection
            self._connections.add(connection)
        threading.Thread(target=self._pump_from_hub, args=(connection,), daemon=True).start()
        return connection

    def _introduce(self, connection: Connection, handshake: dict[str, object]) -> None:
        """Repeat the client's handshake on a new hub, and keep the answer from the client, who had one already."""
        link = connection.link
        try:
            link.send(json.dumps({**handshake, "id": _REPLAY_ID}).encode())
            while True:
                line = link.read_line(timeout_seconds=REPLAY_TIMEOUT_SECONDS)
                if line is None:
                    raise hub_ended()
                message = read_message(line)
                if isinstance(message, Response) and message.id == _REPLAY_ID:
                    break
                self._deliver(connection, line)
            if "result" not in message.body:
                raise HubUnavailable("The new hub does not accept this client.", suggestions=["Restart the client."])
            if self._is_initialized:
                link.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        except HubUnavailable:
            self._lose(connection)
            raise
        except OSError as error:
            self._lose(connection)
            raise hub_ended() from error

    def _pump_from_hub(self, connection: Connection) -> None:
        try:
            while (line := connection.link.read_line()) is not None:
                self._deliver(connection, line)
        finally:
            self._lose(connection)

    def _deliver(self, connection: Connection, line: bytes) -> None:
        message = read_message(line)
        if isinstance(message, Request):
            # Before the client sees it, as the answer may come before we go on.
            with self._state:
                connection.asked.add(message.id)
        self._write(line)
        if isinstance(message, Notification) and message.cancels is not None:
            with self._state:
                connection.asked.discard(message.cancels)
        elif isinstance(message, Response):
            with self._state:
                self._handshake = connection.settle(message) or self._handshake
                self._state.notify_all()

    def _lose(self, connection: Connection) -> None:
        """Answer for a hub that is gone. The next request seeks another."""
        connection.link.abandon()
        with self._state:
            self._set_aside(connection)
            # A request that is just being sent fails at once, and is then open here or not.
            self._state.wait_for(lambda: not connection.is_sending)
            self._unanswered |= connection.asked
            requests = connection.requests()
        connection.link.close()
        for request in requests:
            self._write(answer_lost(request, as_json=self._as_json))
        for request_id in connection.asked:
            self._write(withdraw_question(request_id))
        with self._state:
            self._connections.discard(connection)
            self._state.notify_all()

    def _drain(self) -> None:
        """The client has said all it will: give the hub a little time for what is still open."""
        with self._state:
            self._state.wait_for(lambda: not any(map(_is_awaited, self._connections)), DRAIN_SECONDS)

    def _write(self, line: bytes) -> None:
        left = memoryview(line + b"\n")
        with self._writing:
            while left:
                try:
                    left = left[os.write(1, left) :]
                except OSError:
                    # Nobody reads any more. Only this ends all threads, whatever they wait for.
                    os._exit(0)


def _is_awaited(connection: Connection) -> bool:
    return any(request.method not in LASTING_METHODS for request in connection.requests())


def _read_lines(descriptor: int) -> Iterator[bytes | None]:
    splitter = LineSplitter(MAX_LINE_BYTES)
    while chunk := _read_chunk(descriptor):
        yield from splitter.feed(chunk)
    yield splitter.rest()


def _read_chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK_BYTES)
    except OSError:
        return b""
