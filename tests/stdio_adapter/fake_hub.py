"""A small hub with the protocol of the local socket, in a thread of a test or as a process that an adapter starts.

It responds to ``initialize``, ``ping``, ``tools/list`` and ``tools/call``; the name of the called tool selects its
behaviour:

    echo    returns its arguments            hang   never responds
    pid     returns the hub's process id     die    ends the hub without a response
    ask     sends the client a request, under the id in its arguments
    heard   returns the methods that it has received
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from browser_pilot import __version__
from browser_pilot.home import locate_home
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, remove_runtime, write_runtime
from browser_pilot.json_types import JsonObject

TOKEN = "t0k3n-of-the-fake-hub"
WAIT_SECONDS = 60.0


class FakeHub:
    def __init__(
        self,
        home: Path,
        *,
        version: str = __version__,
        detached: bool = True,
        refusal: JsonObject | None = None,
        replies: bool = True,
        reads: bool = True,
        on_retire: Callable[[], None] = lambda: None,
    ) -> None:
        self.home = home
        self.version = version
        self.detached = detached
        self.refusal = refusal
        self.replies = replies
        self.reads = reads
        self.on_retire = on_retire
        self.clients = 0
        self.hellos: list[JsonObject] = []
        self.received: list[bytes] = []
        self.connections: list[socket.socket] = []
        self.ended = threading.Event()
        self._state = threading.Condition()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def start(self) -> FakeHub:
        path = self.home / "run" / "hub.sock"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        self._listener.listen(100)
        info = RuntimeInfo(
            pid=os.getpid(),
            started=time.time(),
            version=self.version,
            host="127.0.0.1",
            port=8777,
            socket=str(path),
            token=TOKEN,
            detached=self.detached,
        )
        write_runtime(self.home, info)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def stop(self) -> None:
        """End as a killed process would: every socket closes, the runtime file stays."""
        self.ended.set()
        for one in (self._listener, *self.connections):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        with self._state:
            assert self._state.wait_for(condition, WAIT_SECONDS), f"the hub only received {self.received!r:.2000}"

    def wait_for_line(self, line: bytes) -> None:
        self.wait_until(lambda: line in self.received)

    def messages(self) -> list[JsonObject]:
        return [json.loads(line) for line in self.received]

    def send(self, line: bytes) -> None:
        """To the client that connected last."""
        self.connections[-1].sendall(line + b"\n")

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as lines:
            hello: JsonObject = json.loads(lines.readline())
            with self._state:
                self.hellos.append(hello)
                self._state.notify_all()
            if not self.replies:
                self.ended.wait()
                return
            refusal = self.refusal
            if hello.get("token") != TOKEN:
                refusal = {"error": "PERMISSION_DENIED", "message": "Wrong token."}
            if refusal is not None:
                connection.sendall(_line({"error": refusal}))
                return
            if hello.get("retire"):
                self._retire(connection)
                return
            connection.sendall(_line({"hub": self.version, "clients": self.clients, "replaceable": self.detached}))
            self.clients += 1
            try:
                self._serve_requests(connection, lines)
            finally:
                with self._state:
                    self.clients -= 1
                    self._state.notify_all()

    def _serve_requests(self, connection: socket.socket, lines: IO[bytes]) -> None:
        if not self.reads:
            self.ended.wait()
            return
        for line in lines:
            with self._state:
                self.received.append(line.removesuffix(b"\n"))
                self._state.notify_all()
            self._respond(connection, json.loads(line))

    def _retire(self, connection: socket.socket) -> None:
        is_retiring = self.detached and self.clients == 0
        connection.sendall(_line({"retiring": is_retiring}))
        if is_retiring:
            remove_runtime(self.home, os.getpid())
            self.on_retire()

    def _respond(self, connection: socket.socket, message: JsonObject) -> None:
        def respond(result: JsonObject) -> None:
            connection.sendall(_line({"jsonrpc": "2.0", "id": message["id"], "result": result}))

        method = message.get("method")
        params: JsonObject = message.get("params") or {}
        if "id" not in message or method in {None, "subscriptions/listen"}:
            return
        if method == "initialize":
            respond({"protocolVersion": params["protocolVersion"], "capabilities": {}, "serverInfo": {"name": "fake"}})
        elif method == "tools/list":
            respond({"tools": [{"name": os.environ.get("FAKE_HUB_TOOL", "echo"), "inputSchema": {"type": "object"}}]})
        elif method == "tools/call":
            self._call(connection, params["name"], params.get("arguments", {}), respond)
        else:
            respond({})

    def _call(
        self, connection: socket.socket, name: str, arguments: JsonObject, respond: Callable[[JsonObject], None]
    ) -> None:
        if name == "echo":
            respond({"content": [], "structuredContent": arguments})
        elif name == "pid":
            respond({"content": [], "structuredContent": {"pid": os.getpid()}})
        elif name == "heard":
            respond({"content": [], "structuredContent": {"methods": [one.get("method") for one in self.messages()]}})
        elif name == "ask":
            connection.sendall(_line({"jsonrpc": "2.0", "id": arguments["id"], "method": "elicitation/create"}))
        elif name == "die":
            os._exit(1)


def _line(message: JsonObject) -> bytes:
    return json.dumps(message).encode() + b"\n"


def main() -> None:
    """Run as the process that an adapter starts; FAKE_HUB selects the behaviour."""
    signal.alarm(120)
    home = locate_home()
    with (home / "starts").open("a") as starts:
        starts.write(f"{os.getpid()}\n")
    behaviour = os.environ.get("FAKE_HUB", "")
    if behaviour == "fails":
        refusal = {"error": "INVALID_SETTINGS", "message": "hub.port is 'x'.", "suggestions": ["Use a number."]}
        sys.stdout.buffer.write(_line({"error": refusal}))
        sys.exit(1)
    if behaviour == "ends":
        sys.exit("the fake hub ends at once")
    if behaviour == "waits":
        (home / "go").read_bytes()  # a FIFO: blocks until the test writes
    version = os.environ.get("FAKE_HUB_VERSION", __version__)
    hub = FakeHub(home, version=version, on_retire=lambda: os._exit(0)).start()
    note = "port 8777 is taken by another program; using 40123" if behaviour == "notes" else None
    sys.stdout.buffer.write(_line({"ready": True, "port": 8777, "note": note}))
    sys.stdout.buffer.flush()
    sys.stdout = None
    hub.ended.wait()


if __name__ == "__main__":
    main()
