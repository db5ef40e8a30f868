"""What goes through the proxy arrives unchanged; what may not go through gets an answer that says why."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import socket
from pathlib import Path

import pytest

from browser_pilot.egress import EgressProxy, Limits
from browser_pilot.egress.resolve import Resolutions, look_up

from .network import NamedGate, Network
from .talk import LOGIN, Reader, Writer, echo, read_response, request


async def test_without_credentials_the_proxy_challenges_and_reaches_nothing(network: Network) -> None:
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
    assert network.looked_up == []
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


async def test_a_refusal_names_the_rule_and_the_connection_goes_on(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://evil.test:{port}/"))
    status, _, body = await read_response(reader)
    assert status == 403
    assert b"the test's rule" in body.replace(b"&#x27;", b"'")
    assert b"evil.test &lt;is&gt; not named" in body
    assert network.looked_up == []
    assert [refusal.site.host for refusal in network.gate.refusals] == ["evil.test"]
    writer.write(request("CONNECT", f"evil.test:{port}"))
    assert (await read_response(reader))[0] == 403
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 200


async def test_rules_are_asked_again_for_every_request(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 200
    network.gate.allowed = ()
    writer.write(request("GET", f"http://a.test:{port}/"))
    assert (await read_response(reader))[0] == 403


async def test_an_unknown_name_and_a_closed_port_are_bad_gateways(network: Network) -> None:
    network.gate.allowed = ("a.test", "missing.test")
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


async def test_a_name_is_looked_up_once_for_many_connections(network: Network) -> None:
    port = await network.serve(echo)

    async def fetch() -> int:
        reader, writer = await network.connect()
        writer.write(request("GET", f"http://a.test:{port}/"))
        return (await read_response(reader))[0]

    assert await asyncio.gather(*(fetch() for _ in range(20))) == [200] * 20
    assert network.looked_up == ["a.test"]


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
async def test_what_is_no_proxy_request_is_refused_and_closed(network: Network, raw: bytes) -> None:
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
    ("method", "answer", "expected"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", b""),
    ],
)
async def test_answers_pass_unchanged_and_the_connection_stays_usable(
    network: Network, method: str, answer: bytes, expected: bytes
) -> None:
    async def respond(reader: Reader, writer: Writer) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)

    port = await network.serve(respond)
    reader, writer = await network.connect()
    for _ in range(2):
        writer.write(request(method, f"http://a.test:{port}/"))
        assert await reader.readexactly(len(answer)) == answer
    assert expected == b""


async def test_an_answer_that_ends_with_the_connection_arrives_whole(network: Network) -> None:
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


async def test_a_broken_chunk_ends_the_connection(network: Network) -> None:
    port = await network.serve(echo)
    reader, writer = await network.connect()
    writer.write(request("POST", f"http://a.test:{port}/", "Transfer-Encoding: chunked") + b"zz\r\n")
    with pytest.raises(ConnectionError):
        assert await reader.read() == b""
        raise ConnectionResetError


async def test_a_server_that_never_answers_the_knock_is_a_timeout() -> None:
    never = asyncio.Event()

    async def resolve(host: str) -> tuple[str, ...]:
        await never.wait()
        return ()

    proxy = EgressProxy(resolver=resolve, limits=Limits(connect_seconds=0.05))
    port = await proxy.start()
    proxy.register("s1", "secret", NamedGate("a.test"))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request("GET", "http://a.test/"))
    assert (await read_response(reader))[0] == 504
    writer.close()
    await proxy.close()


async def test_a_silent_connection_is_closed() -> None:
    proxy = EgressProxy(limits=Limits(idle_seconds=0.05, sweep_seconds=0.02))
    port = await proxy.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()
    await proxy.close()


async def test_a_session_that_ends_takes_its_connections_with_it(network: Network) -> None:
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


async def test_the_welcome_page_needs_credentials_and_no_network(network: Network) -> None:
    reader, writer = await network.connect()
    writer.write(request("GET", "http://browser-pilot.invalid/", login=None))
    assert (await read_response(reader))[0] == 407
    writer.write(request("GET", "http://browser-pilot.invalid/"))
    assert (await read_response(reader))[0] == 204
    assert network.looked_up == []


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
    await asyncio.wait_for(network.settled(), 20)
    before = open_files(), len(asyncio.all_tasks())
    for start in range(0, 2000, 40):
        await asyncio.gather(*(round_trip(start + number) for number in range(40)))
    await asyncio.wait_for(network.settled(), 20)
    assert (open_files(), len(asyncio.all_tasks())) <= (before[0] + 2, before[1] + 1)


async def test_why_a_server_was_not_reached_is_told_in_the_browsers_own_words(network: Network) -> None:
    async def resolve(host: str) -> tuple[str, ...]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    reader, writer = await network.connect()
    writer.write(request("GET", "http://a.test:1/"))
    assert (await read_response(reader))[0] == 502
    network.proxy.resolutions = Resolutions(resolve)
    writer.write(request("GET", "http://b.test/"))
    assert (await read_response(reader))[0] == 502
    assert [(failure.site.host, failure.code) for failure in network.gate.failures] == [
        ("a.test", "ERR_CONNECTION_REFUSED"),
        ("b.test", "ERR_NAME_NOT_RESOLVED"),
    ]


async def test_a_listener_that_ended_listens_again_at_the_same_port() -> None:
    proxy = EgressProxy()
    port = await proxy.start()
    assert not await proxy.keep_listening()
    await proxy.close()
    assert not proxy.listens
    assert await proxy.keep_listening()
    assert (proxy.listens, proxy.port) == (True, port)
    await proxy.close()


@pytest.mark.parametrize("host", ["localhost", "app.localhost"])
async def test_names_under_localhost_are_this_machines_without_asking(host: str) -> None:
    assert await look_up(host) == ("127.0.0.1", "::1")
