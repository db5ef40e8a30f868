"""The proxy's listener and its sessions: idle connections, unregistering, listening again, and no leaks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from browser_pilot.egress import EgressProxy, ProxyLimits

from .network import Network
from .proxy_client import echo, read_response, request


async def test_an_idle_connection_is_closed() -> None:
    proxy = EgressProxy(limits=ProxyLimits(idle_timeout_seconds=0.05, sweep_interval_seconds=0.02))
    port = await proxy.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()
    await proxy.close()


async def test_unregistering_a_session_aborts_its_connections(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://a.test:{port}/"))
    await read_response(reader)
    network.proxy.unregister("s1")
    with pytest.raises(ConnectionError):
        assert await reader.read() == b""
        raise ConnectionResetError
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 407


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.stress
async def test_many_requests_leak_no_descriptors_and_no_tasks(network: Network) -> None:
    port = await network.serve(echo)

    async def round_trip(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", network.port)
        match number % 4:
            case 0:
                writer.write(request("GET", f"http://evil.test:{port}/"))
                await read_response(reader)
            case 1:
                writer.write(request("CONNECT", f"a.test:{port}"))
                await reader.readuntil(b"\r\n\r\n")
            case 2:
                writer.write(request("GET", f"http://a.test:{port}/"))
            case _:
                writer.write(request("GET", f"http://a.test:{port}/"))
                await read_response(reader)
        writer.close()

    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    for number in range(40):
        await round_trip(number)
    await asyncio.wait_for(network.wait_closed(), 20)
    before = open_files(), len(asyncio.all_tasks())
    for start in range(0, 2000, 40):
        await asyncio.gather(*(round_trip(start + number) for number in range(40)))
    await asyncio.wait_for(network.wait_closed(), 20)
    assert (open_files(), len(asyncio.all_tasks())) <= (before[0] + 2, before[1] + 1)


async def test_a_closed_listener_listens_again_at_the_same_port() -> None:
    proxy = EgressProxy()
    port = await proxy.start()
    assert not await proxy.ensure_listening()
    await proxy.close()
    assert not proxy.is_listening
    assert await proxy.ensure_listening()
    assert (proxy.is_listening, proxy.port) == (True, port)
    await proxy.close()
