"""One of several addresses is connected to, and nothing of the other attempts is left open."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.egress.connect_errors import network_failure
from browser_pilot.egress.happy_eyeballs import connect_protocol, connect_socket
from browser_pilot.policy.hosts import Site
from tests.waiting import eventually

FIRST, SECOND = "127.0.0.1", "127.0.0.9"

SockConnect = Callable[[socket.socket, Any], Any]


@asynccontextmanager
async def listening(*addresses: str) -> AsyncGenerator[tuple[int, list[asyncio.StreamWriter]]]:
    """Servers at one port of these addresses, and the connections that they accepted."""
    accepted: list[asyncio.StreamWriter] = []
    servers: list[asyncio.Server] = []
    port = 0
    for address in addresses:
        servers.append(await asyncio.start_server(lambda _, writer: accepted.append(writer), address, port))
        port = servers[0].sockets[0].getsockname()[1]
    try:
        yield port, accepted
    finally:
        for server in servers:
            server.close()
        for writer in accepted:
            writer.close()


@pytest.fixture
def sock_connect(monkeypatch: pytest.MonkeyPatch) -> Callable[[SockConnect], SockConnect]:
    """Puts a function in the place of the loop's ``sock_connect``, and gives the original."""

    def replace(function: SockConnect) -> SockConnect:
        loop = asyncio.get_running_loop()
        original = loop.sock_connect
        monkeypatch.setattr(loop, "sock_connect", function)
        return original

    return replace


async def test_the_first_address_that_responds_is_connected_to() -> None:
    async with listening(SECOND) as (port, _):
        with await connect_socket((FIRST, SECOND), port) as connection:
            assert connection.getpeername()[0] == SECOND


async def test_a_slow_first_address_does_not_block(
    sock_connect: Callable[[SockConnect], SockConnect],
) -> None:
    closed: list[socket.socket] = []

    async def connect(connection: socket.socket, address: Any) -> None:
        if address[0] == FIRST:
            closed.append(connection)
            await asyncio.Event().wait()
        await original(connection, address)

    original = sock_connect(connect)
    async with listening(SECOND) as (port, _), asyncio.timeout(60):
        with await connect_socket((FIRST, SECOND), port, attempt_delay_seconds=0.01) as connection:
            assert connection.getpeername()[0] == SECOND
    assert [one.fileno() for one in closed] == [-1]


async def test_of_two_that_connect_at_once_one_is_closed(
    sock_connect: Callable[[SockConnect], SockConnect],
) -> None:
    both_connected = asyncio.Barrier(2)
    opened: list[socket.socket] = []

    async def connect(connection: socket.socket, address: Any) -> None:
        await original(connection, address)
        opened.append(connection)
        await both_connected.wait()

    original = sock_connect(connect)
    async with listening(FIRST, SECOND) as (port, accepted), asyncio.timeout(60):
        with await connect_socket((FIRST, SECOND), port, attempt_delay_seconds=0.01) as connection:
            await eventually(lambda: len(accepted) == 2)
            assert len(opened) == 2
            assert [one for one in opened if one.fileno() != -1] == [connection]


async def test_a_cancelled_attempt_leaves_no_socket_open(
    sock_connect: Callable[[SockConnect], SockConnect],
) -> None:
    opened: list[socket.socket] = []

    async def connect(connection: socket.socket, address: Any) -> None:
        opened.append(connection)
        await asyncio.Event().wait()

    sock_connect(connect)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await connect_socket((FIRST, SECOND), 80, attempt_delay_seconds=0.01)
    assert [one.fileno() for one in opened] == [-1, -1]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
async def test_a_failure_beside_a_success_is_neither_reported_nor_leaks() -> None:
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))

    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    async with listening(FIRST) as (port, accepted):
        before = open_files()
        for _ in range(20):
            (await connect_socket((SECOND, FIRST), port, attempt_delay_seconds=0.001)).close()
        await eventually(lambda: len(accepted) == 20)
        for writer in accepted:
            writer.close()
        await eventually(lambda: open_files() <= before)
    assert reported == []


async def test_the_protocol_of_the_connection_is_returned() -> None:
    async with listening(FIRST) as (port, accepted):
        made = await connect_protocol((FIRST,), port, Received)
        await eventually(lambda: accepted)
        accepted[0].write(b"hello")
        assert await asyncio.wait_for(made.data, 60) == b"hello"
        made.transport.close()


class Received(asyncio.Protocol):
    transport: asyncio.BaseTransport

    def __init__(self) -> None:
        self.data: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data.set_result(data)


async def test_when_every_address_refuses_the_error_says_so(unused_tcp_port: int) -> None:
    with pytest.raises(ConnectionRefusedError, match="Connection refused"):
        await connect_socket((FIRST, SECOND), unused_tcp_port)
    with pytest.raises(ConnectionRefusedError, match=FIRST):
        await connect_socket((FIRST,), unused_tcp_port)
    with pytest.raises(OSError, match="no address"):
        await connect_socket((), unused_tcp_port)


@pytest.mark.parametrize(
    ("last", "code"),
    [(errno.ECONNREFUSED, "ERR_CONNECTION_REFUSED"), (errno.EHOSTUNREACH, "ERR_ADDRESS_UNREACHABLE")],
)
async def test_of_different_failures_the_last_attempts_is_reported(
    sock_connect: Callable[[SockConnect], SockConnect], last: int, code: str
) -> None:
    async def connect(connection: socket.socket, address: Any) -> None:
        raise OSError(errno.ENETUNREACH if address[0] == FIRST else last, f"Connect call failed {address}")

    sock_connect(connect)
    with pytest.raises(OSError) as raised:
        await connect_socket((FIRST, SECOND), 80)
    assert network_failure(Site("http", "a.test", 80), raised.value).code == code


async def test_a_name_is_never_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object, **__: object) -> None:
        raise AssertionError("resolved")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(ValueError, match="localhost"):
        await connect_socket(("localhost",), 80)
    async with listening(FIRST) as (port, _):
        (await connect_socket((FIRST,), port)).close()
