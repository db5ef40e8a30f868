"""Bytes that the proxy forwards unread, both ways: tunnels and WebSockets."""

from __future__ import annotations

import asyncio
import os

import pytest

from .network import Network
from .proxy_client import Reader, Writer, echo, read_response, request


async def test_a_tunnel_forwards_both_ways_and_each_direction_closes_separately(network: Network) -> None:
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


async def test_after_a_servers_eof_the_browser_can_still_send(network: Network) -> None:
    received = asyncio.get_running_loop().create_future()

    async def send_first(reader: Reader, writer: Writer) -> None:
        await reader.readexactly(1)
        writer.write(b"hello")
        writer.write_eof()
        received.set_result(await reader.read(-1))

    reader, writer = await tunnel(network, await network.serve(send_first))
    writer.write(b"\x16")
    assert await reader.read(-1) == b"hello"
    writer.write(b"bye")
    writer.write_eof()
    assert await asyncio.wait_for(received, 60) == b"bye"


async def test_data_of_a_server_that_sends_first_follows_the_proxys_response(network: Network) -> None:
    async def greet(reader: Reader, writer: Writer) -> None:
        writer.write(b"220 welcome")
        await reader.read(-1)

    port = await network.serve(greet)
    network.names["a.test"] = ("8.8.8.8",)
    for _ in range(20):
        reader, writer = await network.connect()
        with network.connecting_to("127.0.0.1"):
            writer.write(request("CONNECT", f"a.test:{port}"))
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
        assert await reader.readexactly(11) == b"220 welcome"
        writer.close()


async def test_data_sent_before_the_browser_closed_arrives(network: Network) -> None:
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


async def test_a_slow_reader_applies_back_pressure_to_the_server(network: Network) -> None:
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


async def test_after_a_refused_upgrade_the_connection_takes_no_more_requests(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://a.test:{port}/", "Connection: Upgrade", "Upgrade: websocket"))
    await read_response(reader)
    writer.write(request("GET", f"http://b.test:{port}/"))
    with pytest.raises(ConnectionError):
        assert await reader.read() == b""
        raise ConnectionResetError
    assert [request.site.host for request in network.access_policy.requests] == ["a.test"]


async def test_a_tunnel_to_a_local_address_is_connected_after_its_origin_was_checked(network: Network) -> None:
    network.access_policy.denied_origins = {"evil.test", ""}
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
    network.access_policy.allowed = ("a.test",)
    writer.write(request("GET", "/"))
    assert (await read_response(reader))[0] == 200
    network.access_policy.allowed = ("b.test",)
    writer.write(request("GET", "/after"))
    with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
        await reader.readuntil(b"\r\n\r\n")
    assert [refusal.site.host for refusal in network.access_policy.refusals] == ["a.test"]


async def test_data_of_a_server_is_checked_against_changed_rules_too(network: Network) -> None:
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
    network.access_policy.allowed = ()
    changed.set()
    with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
        await reader.readexactly(6)


async def test_a_websocket_in_a_tunnel_is_checked_by_its_url_if_the_policy_needs_it(network: Network) -> None:
    network.access_policy.needs_urls = True
    network.names["a.test"] = ("93.184.216.34",)
    port = await network.serve(echo)
    with network.connecting_to("127.0.0.1"):
        reader, writer = await tunnel(network, port)
        writer.write(request("GET", "/socket?q=1", login=None))
        assert (await read_response(reader))[0] == 200
    assert [request.url for request in network.access_policy.requests][:2] == ["", f"ws://a.test:{port}/socket?q=1"]
