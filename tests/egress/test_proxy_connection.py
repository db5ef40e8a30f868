"""Requests are forwarded unchanged; a refused one gets a response with the reason."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import socket

import pytest

from browser_pilot.egress import EgressProxy, ProxyLimits
from browser_pilot.egress.dns_resolver import DnsCache

from .network import HostListPolicy, Network
from .proxy_client import LOGIN, Reader, Writer, echo, read_response, request


async def test_without_credentials_the_proxy_challenges_and_connects_to_nothing(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    for login in (None, "Proxy-Authorization: Basic !", "Proxy-Authorization: Bearer x"):
        writer.write(request("GET", f"http://a.test:{port}/", login=login))
        status, head, _ = await read_response(reader)
        assert status == 407
        assert b'Proxy-Authenticate: Basic realm="Browser Pilot"' in head
    for pair in (b"s1:wrong", b"nobody:secret", b"nobody:", b"s1", b"\xff"):
        login = "Proxy-Authorization: Basic " + base64.b64encode(pair).decode()
        writer.write(request("CONNECT", f"a.test:{port}", login=login))
        assert (await read_response(reader))[0] == 407
    assert network.resolved_names == []
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 200


async def test_requests_to_one_site_share_a_connection(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    seen: set[bytes] = set()
    for number in range(3):
        writer.write(request("GET", f"http://a.test:{port}/{number}?q", "Cookie: a=b"))
        status, head, body = await read_response(reader)
        assert status == 200
        assert body == f"GET /{number}?q HTTP/1.1\r\nHost: a.test:{port}\r\nCookie: a=b\r\n\r\n".encode()
        seen.add(next(line for line in head.split(b"\r\n") if line.startswith(b"X-Id")))
    assert len(seen) == 1


async def test_the_next_request_may_go_to_another_site(network: Network) -> None:
    first, second = await network.serve(echo), await network.serve(echo)
    reader, writer = await network.connect()
    for name, port in (("a.test", first), ("b.test", second), ("a.test", first)):
        writer.write(request("GET", f"http://{name}:{port}/"))
        assert f"Host: {name}:{port}".encode() in (await read_response(reader))[2]


async def test_a_refusal_names_the_rule_and_the_connection_stays_usable(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://evil.test:{port}/"))
    status, _, body = await read_response(reader)
    assert status == 403
    assert b"the test's rule" in body.replace(b"&#x27;", b"'")
    assert b"evil.test &lt;is&gt; not listed" in body
    assert network.resolved_names == []
    assert [refusal.site.host for refusal in network.access_policy.refusals] == ["evil.test"]
    writer.write(request("CONNECT", f"evil.test:{port}"))
    assert (await read_response(reader))[0] == 403
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 200


async def test_the_access_policy_decides_on_every_request(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 200
    network.access_policy.allowed = ()
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 403


async def test_an_unknown_name_and_a_closed_port_are_bad_gateways(network: Network) -> None:
    network.access_policy.allowed = ("a.test", "missing.test")
    port = await network.serve(echo)
    reader, writer = await network.connect()
    for target in ("http://missing.test/", "http://a.test:1/"):
        writer.write(request("GET", target))
        assert (await read_response(reader))[0] == 502
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 200


async def test_the_next_address_is_tried_when_one_fails(network: Network) -> None:
    network.names["a.test"] = ("127.0.0.3", "127.0.0.1")
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 200


async def test_a_name_is_resolved_once_for_many_connections(network: Network) -> None:
    port = await network.serve(echo)

    async def fetch() -> int:
        reader, writer = await network.connect()
        writer.write(request("GET", f"http://a.test:{port}/"))
        return (await read_response(reader))[0]

    assert await asyncio.gather(*(fetch() for _ in range(20))) == [200] * 20
    assert network.resolved_names == ["a.test"]


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        b"nonsense\r\n\r\n",
        request("GET", "https://a.test/"),
        request("CONNECT", "a.test"),
        request("POST", "http://a.test/", "Content-Length: x"),
    ],
)
async def test_an_invalid_proxy_request_is_refused_and_the_connection_closed(network: Network, raw: bytes) -> None:
    raw = raw.replace(b"Host: a.test", b"Host: a.test\r\n" + LOGIN.encode())
    reader, writer = await network.connect()
    writer.write(raw)
    assert (await read_response(reader))[0] == 400
    assert await reader.read() == b""


async def test_a_head_without_end_is_refused(network: Network) -> None:
    reader, writer = await network.connect()
    writer.write(b"GET http://a.test/ HTTP/1.1\r\nX: " + b"x" * 300_000)
    assert (await read_response(reader))[0] == 431
    assert await reader.read() == b""


@pytest.mark.parametrize(
    ("method", "response", "expected"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", b""),
    ],
)
async def test_responses_pass_unchanged_and_the_connection_stays_usable(
    network: Network, method: str, response: bytes, expected: bytes
) -> None:
    async def respond(reader: Reader, writer: Writer) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(response)

    port = await network.serve(respond)
    reader, writer = await network.connect()
    for _ in range(2):
        writer.write(request(method, f"http://a.test:{port}/"))
        assert await reader.readexactly(len(response)) == response
    assert expected == b""


async def test_a_response_that_ends_with_the_connection_arrives_complete(network: Network) -> None:
    content = os.urandom(3_000_000)

    async def respond(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + content)
        await writer.drain()

    port = await network.serve(respond)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://a.test:{port}/"))
    received = await reader.read(-1)
    assert received.partition(b"\r\n\r\n")[2] == content


@pytest.mark.parametrize("chunked", [True, False])
async def test_an_upload_streams_through(network: Network, chunked: bool) -> None:
    pieces = [os.urandom(70_000) for _ in range(20)]
    digest = hashlib.sha256(b"".join(pieces)).hexdigest().encode()
    first_piece = asyncio.Event()

    async def respond(reader: Reader, writer: Writer) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        content = b""
        if b"chunked" in head:
            while size := int(await reader.readline(), 16):
                content += await reader.readexactly(size)
                await reader.readline()
                first_piece.set()
            await reader.readline()
        else:
            content = await reader.readexactly(70_000)
            first_piece.set()
            content += await reader.readexactly(19 * 70_000)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 64\r\n\r\n" + hashlib.sha256(content).hexdigest().encode())
        await echo(reader, writer)

    port = await network.serve(respond)
    reader, writer = await network.connect()
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {20 * 70_000}"
    writer.write(request("POST", f"http://a.test:{port}/", length))
    for piece in pieces:
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        await writer.drain()
        await asyncio.wait_for(first_piece.wait(), 10)
    if chunked:
        writer.write(b"0\r\n\r\n")
    assert (await read_response(reader))[2] == digest
    writer.write(request("GET", f"http://a.test:{port}/next"))
    assert (await read_response(reader))[2].startswith(b"GET /next")


async def test_a_refused_upload_is_not_read(network: Network) -> None:
    reader, writer = await network.connect()
    writer.write(request("POST", "http://evil.test/", "Content-Length: 1000000"))
    assert (await read_response(reader))[0] == 403
    assert await reader.read() == b""


async def test_an_invalid_chunk_aborts_the_connection(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("POST", f"http://a.test:{port}/", "Transfer-Encoding: chunked") + b"zz\r\n")
    with pytest.raises(ConnectionError):
        assert await reader.read() == b""
        raise ConnectionResetError


async def test_a_name_that_does_not_resolve_in_time_is_a_gateway_timeout() -> None:
    never = asyncio.Event()

    async def resolve(host: str) -> tuple[str, ...]:
        await never.wait()
        return ()

    proxy = EgressProxy(resolver=resolve, limits=ProxyLimits(connect_timeout_seconds=0.05))
    port = await proxy.start()
    proxy.register("s1", "secret", HostListPolicy("a.test"))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request("GET", "http://a.test/"))
    assert (await read_response(reader))[0] == 504
    writer.close()
    await proxy.close()


async def test_the_login_page_needs_credentials_and_no_network(network: Network) -> None:
    reader, writer = await network.connect()
    writer.write(request("GET", "http://browser-pilot.invalid/", login=None))
    assert (await read_response(reader))[0] == 407
    writer.write(request("GET", "http://browser-pilot.invalid/"))
    assert (await read_response(reader))[0] == 204
    assert network.resolved_names == []


async def test_a_network_failure_has_chromiums_error_code(network: Network) -> None:
    async def resolve(host: str) -> tuple[str, ...]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    reader, writer = await network.connect()
    writer.write(request("GET", "http://a.test:1/"))
    assert (await read_response(reader))[0] == 502
    network.proxy.dns_cache = DnsCache(resolve)
    writer.write(request("GET", "http://b.test/"))
    assert (await read_response(reader))[0] == 502
    assert [(failure.site.host, failure.code) for failure in network.access_policy.failures] == [
        ("a.test", "ERR_CONNECTION_REFUSED"),
        ("b.test", "ERR_NAME_NOT_RESOLVED"),
    ]
