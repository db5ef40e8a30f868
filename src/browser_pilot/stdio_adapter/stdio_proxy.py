"""Forwards lines between the client and the hub, from the first line to the end of standard input.

One thread reads the client and one reads the hub, so that neither direction blocks the other. One lock guards the state
that they share, another the writes to the client. The proxy connects to a hub when a request arrives and there is no
connection: at the start, and after a hub was lost.

Where no hub runs at the start, a thread starts one. Until it is ready, ``response_cache`` has the responses to
``initialize`` and ``tools/list``. If the hub's list differs, the client gets ``notifications/tools/list_changed``.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from browser_pilot.errors import HubUnavailable
from browser_pilot.home import locate_home

from .fallback_errors import (
    OpenRequest,
    cancelled_notification,
    error_response,
    hub_ended,
    lost_response,
    malformed_responses,
)
from .hub_connection import HubConnection, negotiated_initialize
from .hub_restart import Options, connect_to_hub, connect_to_running_hub
from .jsonrpc import (
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
from .response_cache import ResponseCache, is_kept

DRAIN_TIMEOUT_SECONDS = 5.0
REPLAY_TIMEOUT_SECONDS = 10.0
# Requests that stay open as long as the client listens; the end of input does not wait for their response.
SUBSCRIPTION_METHODS = frozenset({"subscriptions/listen"})
_CHUNK_BYTES = 256 * 1024
_REPLAY_ID = "browser-pilot-initialize-replay"
_LIST_CHECK_ID = "browser-pilot-list-check"
_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
_LIST_CHECK = json.dumps({"jsonrpc": "2.0", "id": _LIST_CHECK_ID, "method": "tools/list"}).encode()
_LIST_CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'


def run_adapter(arguments: Sequence[str]) -> None:
    """Serve one client on standard input and output until it disconnects."""
    # The default ends the process at once, without a traceback; the hub sees the socket close.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if os.name == "posix":
        # A process that shares the pipe may have made it non-blocking.
        for descriptor in (0, 1):
            with suppress(OSError):
                os.set_blocking(descriptor, True)
    options: Options = {}
    if arguments:
        from .options import parse_options

        options = parse_options(arguments)
    if os.isatty(0):
        log("This is the MCP server for MCP clients, on standard input and output. For commands: browser-pilot --help.")
    StdioProxy(home=locate_home(), options=options).run()


def log(text: str) -> None:
    """Write to standard error, which clients show or log."""
    with suppress(OSError):
        os.write(2, f"browser-pilot: {text}\n".encode(errors="replace"))


class StdioProxy:
    def __init__(self, *, home: Path, options: Options) -> None:
        self._home = home
        self._options = options
        self._as_json = options.get("format") == "json"
        self._state = threading.Condition()
        self._writing = threading.Lock()
        self._connection: HubConnection | None = None
        self._connections: set[HubConnection] = set()
        """The current one, and lost ones until their open requests have got a response."""
        self._initialize: dict[str, object] | None = None
        self._is_initialized = False
        self._cancelled_hub_requests: set[RequestId] = set()
        self._last_failure = ""
        self._cache = ResponseCache(home, options)
        self._kept_requests: dict[RequestId, str] = {}
        """Open requests whose responses the cache keeps: their methods."""
        self._starter: threading.Thread | None = None
        self._used_kept_list = False

    def run(self) -> None:
        for line in _read_lines(0):
            if line is None:
                self._reject(too_long())
            elif line.strip():
                self._handle_line(line)
        self._drain()

    def _handle_line(self, line: bytes) -> None:
        message = read_message(line)
        if isinstance(message, Malformed):
            self._reject(message)
        elif isinstance(message, Request):
            self._forward_request(message, line)
        else:
            if isinstance(message, Notification) and message.method == "notifications/initialized":
                with self._state:
                    self._is_initialized = True
                    if self._connection is None:
                        # The next connection sends it.
                        return
            self._forward_to_hub(message, line)

    def _reject(self, malformed: Malformed) -> None:
        for response in malformed_responses(malformed):
            self._write(response)

    def _forward_request(self, request: Request, line: bytes) -> None:
        try:
            if self._respond_from_cache(request):
                return
            self._send_request(request, line)
        except HubUnavailable as error:
            self._report(error)
            self._write(error_response(OpenRequest(request.id, request.method), error, as_json=self._as_json))
        else:
            self._last_failure = ""

    def _report(self, error: HubUnavailable) -> None:
        if error.message != self._last_failure:
            log(" ".join((error.message, *error.suggestions)))
        self._last_failure = error.message

    def _respond_from_cache(self, request: Request) -> bool:
        """While a hub starts, respond with what the last one responded; ``False`` if the hub must."""
        if request.method == "initialize" and not self._can_start_from_cache(request):
            return False
        with self._state:
            if self._starter is None or self._connection is not None:
                return False
            result = {} if request.method == "ping" else self._cache.result(request)
            if result is None:
                return False
            self._used_kept_list |= request.method == "tools/list"
        self._write(json.dumps({"jsonrpc": "2.0", "id": request.id, "result": result}).encode())
        if request.method == "initialize":
            self._initialize = negotiated_initialize(request, result)
            self._starter.start()
        return True

    def _can_start_from_cache(self, initialize: Request) -> bool:
        self._cache.select(initialize)
        if self._connection is not None or self._starter is not None or self._cache.result(initialize) is None:
            return False
        hub = connect_to_running_hub(self._home, self._options, log=log)
        if hub is None:
            self._starter = threading.Thread(target=self._start_hub, daemon=True)
            return True
        self._use(HubConnection(hub))
        return False

    def _start_hub(self) -> None:
        try:
            self._connect(replay=True)
        except HubUnavailable as error:
            # The next request tries again, and gets the error.
            self._report(error)

    def _send_request(self, request: Request, line: bytes) -> None:
        if self._starter is not None:
            self._starter.join()
            self._starter = None
        for _ in range(2):
            if self._try_to_send(
                self._connection or self._connect(replay=request.method != "initialize"), request, line
            ):
                return
        raise hub_ended()

    def _try_to_send(self, connection: HubConnection, request: Request, line: bytes) -> bool:
        """``False`` when the hub ended before it received the request, so that it may be sent to another hub."""
        with self._state:
            if connection.is_lost:
                return False
            connection.add(request)
            if is_kept(request):
                self._kept_requests[request.id] = request.method
            connection.is_sending = True
        is_sent = True
        try:
            connection.hub.send(line)
        except OSError as error:
            # Only a closed socket guarantees that the line was cut short. In any case its reader now sees the end.
            is_sent = not isinstance(error, ConnectionError)
            connection.hub.shutdown()
        with self._state:
            connection.is_sending = False
            if not is_sent:
                connection.undo_add(request)
                self._retire(connection)
            self._state.notify_all()
        return is_sent

    def _retire(self, connection: HubConnection) -> None:
        connection.is_lost = True
        if self._connection is connection:
            self._connection = None

    def _forward_to_hub(self, message: Notification | Response, line: bytes) -> None:
        """Dropped without a hub. A response goes only to the hub that sent the request."""
        with self._state:
            connection = self._connection
            if isinstance(message, Response) and message.id is not None:
                if message.id in self._cancelled_hub_requests:
                    self._cancelled_hub_requests.discard(message.id)
                    return
                if connection is None or message.id not in connection.hub_requests:
                    return
                connection.hub_requests.discard(message.id)
        if connection is not None:
            try:
                connection.hub.send(line)
            except OSError:
                connection.hub.shutdown()

    def _connect(self, *, replay: bool) -> HubConnection:
        connection = HubConnection(connect_to_hub(self._home, self._options, log=log))
        if replay and self._initialize is not None:
            self._replay_initialize(connection, self._initialize)
        return self._use(connection)

    def _use(self, connection: HubConnection) -> HubConnection:
        with self._state:
            self._connection = connection
            self._connections.add(connection)
        threading.Thread(target=self._forward_from_hub, args=(connection,), daemon=True).start()
        return connection

    def _replay_initialize(self, connection: HubConnection, initialize: dict[str, object]) -> None:
        """Send the client's ``initialize`` to a new hub; its response is not forwarded, as the client had one."""
        hub = connection.hub
        try:
            hub.send(json.dumps({**initialize, "id": _REPLAY_ID}).encode())
            while True:
                line = hub.read_line(timeout_seconds=REPLAY_TIMEOUT_SECONDS)
                if line is None:
                    raise hub_ended()
                message = read_message(line)
                if isinstance(message, Response) and message.id == _REPLAY_ID:
                    break
                self._deliver(connection, line)
            result = message.body.get("result")
            if not isinstance(result, dict):
                raise HubUnavailable("The new hub does not accept this client.", suggestions=["Restart the client."])
            self._cache.keep("initialize", cast("dict[str, object]", result))
            with self._state:
                if self._is_initialized:
                    hub.send(_INITIALIZED)
                    if self._used_kept_list:
                        self._used_kept_list = False
                        hub.send(_LIST_CHECK)
                # Under the same lock: otherwise a notification that arrives now would be sent twice or not at all.
                self._connection = connection
        except HubUnavailable:
            self._on_disconnect(connection)
            raise
        except OSError as error:
            self._on_disconnect(connection)
            raise hub_ended() from error

    def _forward_from_hub(self, connection: HubConnection) -> None:
        try:
            while (line := connection.hub.read_line()) is not None:
                self._deliver(connection, line)
        finally:
            self._on_disconnect(connection)

    def _deliver(self, connection: HubConnection, line: bytes) -> None:
        message = read_message(line)
        if isinstance(message, Response) and message.id == _LIST_CHECK_ID:
            self._check_list(message)
            return
        if isinstance(message, Request):
            # Before the client gets it: its response may arrive before the next line runs.
            with self._state:
                connection.hub_requests.add(message.id)
        self._write(line)
        if isinstance(message, Notification) and message.cancels is not None:
            with self._state:
                connection.hub_requests.discard(message.cancels)
        elif isinstance(message, Response):
            self._keep(message)
            with self._state:
                self._initialize = connection.match_response(message) or self._initialize
                self._state.notify_all()

    def _keep(self, response: Response) -> None:
        """Keep a response for the next start. The request stays open until then: the end of input waits for it."""
        method = None if response.id is None else self._kept_requests.pop(response.id, None)
        result = response.body.get("result")
        if method is not None and isinstance(result, dict):
            self._cache.keep(method, cast("dict[str, object]", result))

    def _check_list(self, response: Response) -> None:
        """The hub's list of tools, after the client got one from the cache."""
        result = response.body.get("result")
        if isinstance(result, dict) and self._cache.keep("tools/list", cast("dict[str, object]", result)):
            self._write(_LIST_CHANGED)

    def _on_disconnect(self, connection: HubConnection) -> None:
        """Respond in place of a hub that has ended. The next request connects to another."""
        connection.hub.shutdown()
        with self._state:
            self._retire(connection)
            # A request that is being sent fails now; afterwards it is known whether it is open.
            self._state.wait_for(lambda: not connection.is_sending)
            self._cancelled_hub_requests |= connection.hub_requests
            requests = connection.requests()
        connection.hub.close()
        for request in requests:
            self._write(lost_response(request, as_json=self._as_json))
        for request_id in connection.hub_requests:
            self._write(cancelled_notification(request_id))
        with self._state:
            self._connections.discard(connection)
            self._state.notify_all()

    def _drain(self) -> None:
        """Standard input has ended: give the hub some time to respond to open requests."""
        with self._state:
            self._state.wait_for(lambda: not any(map(_is_awaited, self._connections)), DRAIN_TIMEOUT_SECONDS)

    def _write(self, line: bytes) -> None:
        left = memoryview(line + b"\n")
        with self._writing:
            while left:
                try:
                    left = left[os.write(1, left) :]
                except OSError:
                    # The client has closed the pipe. Only this ends all threads, whatever they wait for.
                    os._exit(0)


def _is_awaited(connection: HubConnection) -> bool:
    return any(request.method not in SUBSCRIPTION_METHODS for request in connection.requests())


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
