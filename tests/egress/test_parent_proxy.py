"""The user's own proxy as parent: where it comes from, what it covers, and connecting to it."""

from __future__ import annotations

import asyncio
import base64
from typing import Literal

import pytest

from browser_pilot.egress.connect_errors import ParentProxyError
from browser_pilot.egress.parent_proxy import (
    ParentProxy,
    connect_to_parent_proxy,
    parent_proxy_of,
    parse_parent_proxy,
)
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
    ("host", "written"),
    [("example.com", b"example.com:443"), ("192.0.2.1", b"192.0.2.1:443"), ("[2001:db8::1]", b"[2001:db8::1]:443")],
)
async def test_data_after_the_response_head_belongs_to_the_tunnel(host: str, written: bytes) -> None:
    requests: list[bytes] = []
    async with await serving(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nfirst data", requests) as server:
        upstream = ParentProxy("127.0.0.1", port_of(server), "me:secret")
        made = await connect_to_parent_proxy(upstream, Received, tunnel_to=(host, 443))
        assert await asyncio.wait_for(made.received, 60) == b"first data"
        await asyncio.wait_for(made.ended.wait(), 5)
        assert requests[0].startswith(b"CONNECT " + written + b" HTTP/1.1\r\n")
        assert base64.b64encode(b"me:secret") in requests[0]


@pytest.mark.parametrize("response", [b"HTTP/1.1 407 No\r\n\r\n", b"", b"nonsense\r\n\r\n"])
@pytest.mark.parametrize("scheme", ["http", "socks5"])
async def test_a_proxy_that_refuses_or_ends_is_an_error(response: bytes, scheme: Literal["http", "socks5"]) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(3)
        writer.write(response)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        proxy = ParentProxy("127.0.0.1", port_of(server), scheme=scheme)
        with pytest.raises(ParentProxyError, match="proxy"):
            await connect_to_parent_proxy(proxy, Received, tunnel_to=("example.com", 443))


async def test_a_proxy_that_is_not_there_is_an_error() -> None:
    async with await serving(b"", []) as server:
        port = port_of(server)
    with pytest.raises(ParentProxyError, match="does not respond"):
        await connect_to_parent_proxy(ParentProxy("127.0.0.1", port), Received, tunnel_to=None)


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
def test_a_url_with_credentials_is_parsed_and_shown_without_them(scheme: str) -> None:
    parsed = parse_parent_proxy(f"{scheme}://me:p%40ss@proxy.example.com:3128")
    assert (parsed.host, parsed.port, parsed.credentials) == ("proxy.example.com", 3128, "me:p@ss")
    assert "p@ss" not in repr(parsed) and parsed.url == f"{scheme}://proxy.example.com:3128"


@pytest.mark.parametrize(
    "url", ["", "proxy:3128", "ftp://p:1", "http://p", "http://p:1/x", "socks4://p:1", "http://p:x"]
)
def test_a_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_parent_proxy(url)


ENVIRONMENT = {
    "https_proxy": "http://env.test:1",
    "http_proxy": "http://other.test:2",
    "NO_PROXY": "a.test, 10.0.0.0/8",
}


def test_the_parent_proxy_of_all_sessions_is_the_settings_or_the_environments() -> None:
    assert parent_proxy_of("none", (), ENVIRONMENT) is None
    assert parent_proxy_of("env", (), {"PATH": "/bin", "http_proxy": ""}) is None
    assert parent_proxy_of("http://own.test:3", ("b.test",), ENVIRONMENT) == ParentProxy(
        "own.test", 3, exceptions=("b.test",)
    )
    exceptions = ("b.test", "a.test", "10.0.0.0/8")
    assert parent_proxy_of("env", ("b.test",), ENVIRONMENT) == ParentProxy("env.test", 1, exceptions=exceptions)
    # Without a scheme, as in many environments.
    assert parent_proxy_of("env", (), {"ALL_PROXY": "env.test:1"}) == ParentProxy("env.test", 1)
    with pytest.raises(InvalidArgument):
        parent_proxy_of("env", (), {"HTTPS_PROXY": "http://env.test"})


@pytest.mark.parametrize(
    ("exceptions", "direct", "through"),
    [
        (("a.test",), ["a.test", "www.a.test", "A.test"], ["ba.test", "a.test.org"]),
        ((".a.test", "*.b.test"), ["a.test", "x.a.test", "x.b.test"], ["c.test"]),
        (("10.0.0.0/8", "::1", "192.0.2.7"), ["10.1.2.3", "[::1]", "192.0.2.7"], ["11.0.0.1", "192.0.2.8", "10.test"]),
        (("*",), ["a.test", "192.0.2.1"], []),
        (("",), [], ["a.test"]),
    ],
)
def test_exceptions_are_domains_addresses_and_networks(
    exceptions: tuple[str, ...], direct: list[str], through: list[str]
) -> None:
    proxy = ParentProxy("proxy.test", 1, exceptions=exceptions)
    assert [host for host in (*direct, *through) if proxy.covers(host)] == through
