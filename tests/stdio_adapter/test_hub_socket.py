"""The socket to the hub: a hub that hangs, reads nothing, or is slow."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path

import pytest

from browser_pilot.errors import HubUnavailable
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, write_runtime
from browser_pilot.stdio_adapter import hub_socket
from browser_pilot.stdio_adapter.hub_restart import connect_to_hub
from browser_pilot.stdio_adapter.hub_socket import HubSocket

from .conftest import StartHub
from .fake_hub import TOKEN


def unexpected(text: str) -> None:
    raise AssertionError(text)


def test_sending_fails_when_the_hub_reads_nothing(monkeypatch: pytest.MonkeyPatch, start_hub: StartHub) -> None:
    monkeypatch.setattr(hub_socket, "SEND_TIMEOUT_SECONDS", 1.0)
    connected = connect_to_hub(start_hub(reads=False).home, {}, log=unexpected)
    with pytest.raises(BlockingIOError):
        connected.send(b"x" * 20_000_000)
    connected.close()


def test_the_send_timeout_does_not_apply_to_reads(monkeypatch: pytest.MonkeyPatch, start_hub: StartHub) -> None:
    monkeypatch.setattr(hub_socket, "SEND_TIMEOUT_SECONDS", 1.0)
    hub = start_hub()
    connected = connect_to_hub(hub.home, {}, log=unexpected)
    with pytest.raises(TimeoutError):
        connected.read_line(timeout_seconds=1.5)
    hub.send(b"{}")
    assert connected.read_line() == b"{}"
    connected.close()


def test_connecting_waits_for_a_hub_that_is_slow_to_accept(home: Path) -> None:
    path = home / "run" / "hub.sock"
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener, socket.socket(socket.AF_UNIX) as other:
        listener.bind(str(path))
        listener.listen(0)
        other.connect(str(path))
        info = RuntimeInfo(
            pid=1, started=0, version="1", host="h", port=1, socket=str(path), token=TOKEN, detached=False
        )
        write_runtime(home, info)
        found: list[HubSocket] = []
        logged: list[str] = []
        connecting = threading.Thread(target=lambda: found.append(connect_to_hub(home, {}, log=logged.append)))
        connecting.start()
        listener.settimeout(10)
        accepted = [listener.accept()[0] for _ in range(2)]
        accepted[1].sendall(b'{"hub":"1","clients":0,"replaceable":false}\n')
        connecting.join(10)
        for connection in accepted:
            connection.close()
        assert len(found) == 1
        found[0].close()


def test_a_handshake_in_single_bytes_does_not_extend_the_deadline(
    monkeypatch: pytest.MonkeyPatch, start_hub: StartHub
) -> None:
    monkeypatch.setattr(hub_socket, "HANDSHAKE_TIMEOUT_SECONDS", 1.0)
    hub = start_hub(replies=False)
    enough = threading.Event()

    def trickle() -> None:
        hub.wait_until(lambda: bool(hub.hellos))
        while not enough.wait(0.1):
            hub.connections[-1].sendall(b" ")

    feeding = threading.Thread(target=trickle)
    feeding.start()
    began = time.monotonic()
    with pytest.raises(HubUnavailable, match="does not respond"):
        connect_to_hub(hub.home, {}, log=unexpected)
    assert time.monotonic() - began < 60
    enough.set()
    feeding.join(10)
