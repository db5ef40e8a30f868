"""Of several addresses one is connected to, and nothing of the others is left."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, cast

import pytest

from browser_pilot.egress.connect import connect_first


class Stub(asyncio.Transport):
    aborted = False

    def abort(self) -> None:
        self.aborted = True


class End(asyncio.Protocol):
    transport: Stub

    def __init__(self, ends: list[End]) -> None:
        ends.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(Stub, transport)


async def test_when_two_stand_at_once_one_is_closed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    both_wait = asyncio.Barrier(2)

    async def create(protocol: Callable[[], End], *_: object) -> tuple[Stub, End]:
        await both_wait.wait()
        made = protocol()
        made.connection_made(Stub())
        return made.transport, made

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", create)
    ends: list[End] = []
    found = await connect_first(("127.0.0.1", "127.0.0.9"), 80, lambda: End(ends), head_start_seconds=0)
    await asyncio.sleep(0)
    assert len(ends) == 2
    assert [end for end in ends if not end.transport.aborted] == [found]


async def test_a_failure_beside_a_success_goes_unheard() -> None:
    heard: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: heard.append(context))
    server = await loop.create_server(lambda: End([]), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for _ in range(20):
        found = await connect_first(("127.0.0.1", "127.0.0.9"), port, lambda: End([]), head_start_seconds=0)
        found.transport.close()
        await asyncio.sleep(0)
    server.close()
    assert heard == []


async def test_when_none_stands_the_last_reason_is_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        await connect_first(("127.0.0.1", "127.0.0.9"), port, lambda: End([]))
    with pytest.raises(OSError, match="no address"):
        await connect_first((), port, lambda: End([]))
