"""The user's own proxy as parent: public connections go through it, to the address that was judged."""

from __future__ import annotations

import asyncio
import base64

import pytest

from browser_pilot.egress.parent_proxy import ParentProxy, connect_via_parent_proxy, parse_parent_proxy
from browser_pilot.errors import InvalidArgument


class Received(asyncio.Protocol):
    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.received: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        if not self.received.done():
            self.received.set_result(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set()


async def serving(response: bytes, requests: list[bytes]) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(response)
        writer.close()
        await writer.wait_closed()

    return await asyncio.start_server(serve, "127.0.0.1", 0)


def port_of(server: asyncio.Server) -> int:
    return server.sockets[0].getsockname()[1]


@pytest.mark.parametrize(
    ("address", "written"), [("192.0.2.1", b"192.0.2.1:443"), ("2001:db8::1", b"[2001:db8::1]:443")]
)
async def test_data_after_the_response_head_belongs_to_the_tunnel(address: str, written: bytes) -> None:
    requests: list[bytes] = []
    async with await serving(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nfirst data", requests) as server:
        upstream = ParentProxy("127.0.0.1", port_of(server), "me:secret")
        made = await connect_via_parent_proxy(upstream, address, 443, Received)
        assert await asyncio.wait_for(made.received, 5) == b"first data"
        await asyncio.wait_for(made.ended.wait(), 5)
        assert requests[0].startswith(b"CONNECT " + written + b" HTTP/1.1\r\n")
        assert base64.b64encode(b"me:secret") in requests[0]


@pytest.mark.parametrize("response", [b"HTTP/1.1 407 No\r\n\r\n", b"", b"nonsense\r\n\r\n"])
async def test_a_proxy_that_refuses_is_an_error(response: bytes) -> None:
    async with await serving(response, []) as server:
        if not response:
            server.close()
        with pytest.raises(OSError, match="proxy"):
            await connect_via_parent_proxy(
                ParentProxy("127.0.0.1", port_of(server) if response else 9), "192.0.2.1", 443, Received
            )


def test_a_url_with_credentials_is_parsed_and_shown_without_them() -> None:
    parsed = parse_parent_proxy("http://me:p%40ss@proxy.example.com:3128")
    assert (parsed.host, parsed.port, parsed.credentials) == ("proxy.example.com", 3128, "me:p@ss")
    assert "p@ss" not in repr(parsed) and parsed.url == "http://proxy.example.com:3128"


@pytest.mark.parametrize(
    "url", ["", "proxy:3128", "https://p:1", "http://p", "http://p:1/x", "socks5://p:1", "http://p:x"]
)
def test_a_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_parent_proxy(url)
