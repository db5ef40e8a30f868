"""A link to a hub that is there but in a bad way."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path

import pytest

from browser_pilot.adapter import link
from browser_pilot.errors import HubUnavailable
from browser_pilot.runtime import RuntimeInfo, write_runtime

from .conftest import StartHub
from .fake_hub import TOKEN


def say(text: str) -> None:
    raise AssertionError(text)


def test_a_hub_that_takes_nothing_more_is_given_up(monkeypatch: pytest.MonkeyPatch, start_hub: StartHub) -> None:
    monkeypatch.setattr(link, "SEND_TIMEOUT_SECONDS", 1.0)
    connected = link.attach(start_hub(reads=False).home, {}, say=say)
    with pytest.raises(BlockingIOError):
        connected.send(b"x" * 20_000_000)
    connected.close()


def test_the_limit_on_sends_does_not_cut_reads_short(monkeypatch: pytest.MonkeyPatch, start_hub: StartHub) -> None:
    monkeypatch.setattr(link, "SEND_TIMEOUT_SECONDS", 1.0)
    hub = start_hub()
    connected = link.attach(hub.home, {}, say=say)
    with pytest.raises(TimeoutError):
        connected.read_line(timeout_seconds=1.5)
    hub.send(b"{}")
    assert connected.read_line() == b"{}"
    connected.close()


def test_a_hub_that_is_slow_to_accept_is_waited_for(home: Path) -> None:
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
        found: list[link.HubLink] = []
        said: list[str] = []
        attaching = threading.Thread(target=lambda: found.append(link.attach(home, {}, say=said.append)))
        attaching.start()
        listener.settimeout(10)
        accepted = [listener.accept()[0] for _ in range(2)]
        accepted[1].sendall(b'{"hub":"1","clients":0,"replaceable":false}\n')
        attaching.join(10)
        for connection in accepted:
            connection.close()
        assert len(found) == 1
        found[0].close()


def test_a_greeting_that_trickles_in_does_not_extend_the_deadline(
    monkeypatch: pytest.MonkeyPatch, start_hub: StartHub
) -> None:
    monkeypatch.setattr(link, "GREETING_TIMEOUT_SECONDS", 1.0)
    hub = start_hub(greets=False)
    enough = threading.Event()

    def trickle() -> None:
        hub.wait_until(lambda: bool(hub.hellos))
        while not enough.wait(0.1):
            hub.connections[-1].sendall(b" ")

    feeding = threading.Thread(target=trickle)
    feeding.start()
    began = time.monotonic()
    with pytest.raises(HubUnavailable, match="does not answer"):
        link.attach(hub.home, {}, say=say)
    assert time.monotonic() - began < 5
    enough.set()
    feeding.join(10)
