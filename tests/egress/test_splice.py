"""Bytes that go through the proxy as they are: tunnels and WebSockets."""

from __future__ import annotations

import asyncio
import os

import pytest

from .network import Network
from .talk import Reader, Writer, echo, read_response, request


async def test_a_tunnel_carries_bytes_both_ways_and_each_way_ends_by_itself(network: Network) -> None:
    async def reverse(reader: Reader, writer: Writer) -> None:
        received = await reader.read(-1)
        writer.write(received[::-1])
        await writer.drain()

    network.names["a.test"] = ("127.0.0.1",)
    port = await network.serve(reverse)
    reader, writer = await tunnel(network, port)
    content = b"\x16" + os.urandom(500_000)
    writer.write(content)
    writer.write_eof()
    assert await reader.read(-1) == content[::-1]


async def tunnel(network: Network, port: int) -> tuple[Reader, Writer]:
    reader, writer = await network.connect()
    writer.write(request("CONNECT", f"a.test:{port}"))
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
    return reader, writer


async def test_a_server_that_ends_its_way_can_still_be_written_to(network: Network) -> None:
    received = asyncio.get_running_loop().create_future()

    async def talk_first(reader: Reader, writer: Writer) -> None:
        await reader.readexactly(1)
        writer.write(b"hello")
        writer.write_eof()
        received.set_result(await reader.read(-1))

    reader, writer = await tunnel(network, await network.serve(talk_first))
    writer.write(b"\x16")
    assert await reader.read(-1) == b"hello"
    writer.write(b"bye")
    writer.write_eof()
    assert await asyncio.wait_for(received, 10) == b"bye"


async def test_a_server_that_speaks_first_does_not_overtake_the_proxys_answer(network: Network) -> None:
    async def greet(reader: Reader, writer: Writer) -> None:
        writer.write(b"220 welcome")
        await reader.read(-1)

    port = await network.serve(greet)
    network.names["a.test"] = ("8.8.8.8",)
    for _ in range(20):
        reader, writer = await network.connect()
        with network.reaching("127.0.0.1"):
            writer.write(request("CONNECT", f"a.test:{port}"))
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
        assert await reader.readexactly(11) == b"220 welcome"
        writer.close()


async def test_what_the_browser_sent_last_arrives_after_it_has_gone(network: Network) -> None:
    received = asyncio.get_running_loop().create_future()

    async def end_first(reader: Reader, writer: Writer) -> None:
        await reader.readexactly(1)
        writer.write_eof()
        received.set_result(len(await reader.read(-1)))

    reader, writer = await tunnel(network, await network.serve(end_first))
    writer.write(b"\x16")
    assert await reader.read(-1) == b""
    writer.write(b"x" * 5_000_000)
    writer.close()
    assert await asyncio.wait_for(received, 20) == 5_000_000


async def test_a_slow_reader_slows_the_server_down(network: Network) -> None:
    sent = 0
    stalled = asyncio.Event()

    async def pour(reader: Reader, writer: Writer) -> None:
        nonlocal sent
        await reader.readexactly(1)
        for _ in range(600):
            writer.write(b"x" * 65_536)
            sent += 65_536
            try:
                await asyncio.wait_for(writer.drain(), 0.5)
            except TimeoutError:
                stalled.set()
                await writer.drain()

    reader, writer = await tunnel(network, await network.serve(pour))
    writer.write(b"\x16")
    await asyncio.wait_for(stalled.wait(), 30)
    assert sent < 600 * 65_536
    received = 0
    while chunk := await reader.read(1 << 20):
        received += len(chunk)
    assert received == sent == 600 * 65_536


@pytest.mark.parametrize("by_upgrade", [True, False])
async def test_a_websocket_passes(network: Network, by_upgrade: bool) -> None:
    async def websocket(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
        while data := await reader.read(100):
            writer.write(data.upper())

    port = await network.serve(websocket)
    handshake = ("Connection: Upgrade", "Upgrade: websocket", "Origin: http://a.test")
    if by_upgrade:
        reader, writer = await network.connect()
        writer.write(request("GET", f"http://a.test:{port}/", *handshake))
    else:
        reader, writer = await tunnel(network, port)
        writer.write(request("GET", "/", *handshake, login=None))
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    for message in (b"one", b"two"):
        writer.write(message)
        assert await reader.readexactly(3) == message.upper()


async def test_a_refused_upgrade_spends_the_connection(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://a.test:{port}/", "Connection: Upgrade", "Upgrade: websocket"))
    await read_response(reader)
    writer.write(request("GET", f"http://b.test:{port}/"))
    with pytest.raises(ConnectionError):
        assert await reader.read() == b""
        raise ConnectionResetError
    assert [ask.site.host for ask in network.gate.asked] == ["a.test"]


async def test_a_tunnel_to_a_local_address_shows_who_asks_before_it_is_connected(network: Network) -> None:
    network.gate.strangers = {"evil.test", ""}
    connections = 0

    async def count(reader: Reader, writer: Writer) -> None:
        nonlocal connections
        connections += 1
        await echo(reader, writer)

    port = await network.serve(count)
    for headers in ("Origin: https://evil.test", "Origin: null", "X: no origin at all"):
        reader, writer = await tunnel(network, port)
        writer.write(b"GET / HTTP/1.1\r\nHost: a.test\r\n" + headers.encode() + b"\r\n\r\n")
        assert (await read_response(reader))[0] == 403
        assert await reader.read() == b""
    assert connections == 0
    reader, writer = await tunnel(network, port)
    writer.write(b"GET / HTTP/1.1\r\nHost: a.test\r\nOrigin: http://a.test\r\n\r\n")
    assert (await read_response(reader))[0] == 200


async def test_a_tunnel_ends_when_the_rules_no_longer_allow_it(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await tunnel(network, port)
    writer.write(request("GET", "/"))
    assert (await read_response(reader))[0] == 200
    network.gate.allowed = ("a.test",)
    writer.write(request("GET", "/"))
    assert (await read_response(reader))[0] == 200
    network.gate.allowed = ("b.test",)
    writer.write(request("GET", "/after"))
    with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
        await reader.readuntil(b"\r\n\r\n")
    assert [refusal.site.host for refusal in network.gate.refusals] == ["a.test"]


async def test_what_a_server_pushes_ends_with_the_rules_too(network: Network) -> None:
    changed = asyncio.Event()

    async def push(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"first")
        await changed.wait()
        writer.write(b"second")
        await writer.drain()

    reader, writer = await tunnel(network, await network.serve(push))
    writer.write(request("GET", "/"))
    assert await reader.readexactly(5) == b"first"
    network.gate.allowed = ()
    changed.set()
    with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
        await reader.readexactly(6)


async def test_a_websocket_in_a_tunnel_shows_its_address_where_the_gate_wants_to_see_it(network: Network) -> None:
    network.gate.looks_into_urls = True
    network.names["a.test"] = ("93.184.216.34",)
    port = await network.serve(echo)
    with network.reaching("127.0.0.1"):
        reader, writer = await tunnel(network, port)
        writer.write(request("GET", "/socket?q=1", login=None))
        assert (await read_response(reader))[0] == 200
    assert [ask.url for ask in network.gate.asked][:2] == ["", f"ws://a.test:{port}/socket?q=1"]
