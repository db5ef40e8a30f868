"""Request heads and bodies are parsed exactly, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.egress.http1 import (
    BadRequest,
    RequestBody,
    RequestHead,
    parse_absolute_target,
    parse_authority_target,
    parse_head,
    upstream_head,
)
from browser_pilot.policy.hosts import Site


def head(*headers: tuple[str, str], method: str = "POST") -> RequestHead:
    return RequestHead(method, "http://a.test/", headers)


def test_a_head_is_parsed() -> None:
    parsed = parse_head(b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX:  y \r\n\r\n")
    assert (parsed.method, parsed.target, parsed.get("x"), parsed.get("nothing")) == (
        "GET",
        "http://a.test/",
        "y",
        None,
    )


@pytest.mark.parametrize(
    "text",
    [
        b"GET http://a.test/\r\n\r\n",
        b"GET http://a.test/ HTTP/2\r\n\r\n",
        b"G ET http://a.test/ HTTP/1.1\r\n\r\n",
        b"GET http://a.test/ HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET http://a.test/ HTTP/1.1\r\n folded\r\n\r\n",
        b"GET http://a.test/ HTTP/1.1\r\nX: a\nY: b\r\n\r\n",
        b"GET http://a.test/ HTTP/1.1\r\nX: a\0\r\n\r\n",
        b"GET http://a.test/ HTTP/1.1\r\nX: a\x0bb\r\n\r\n",
        b"GET http://a.test/x\nY:z HTTP/1.1\r\n\r\n",
        b"GET http://a.test/\xff HTTP/1.1\r\n\r\n",
        b"\r\n\r\n",
    ],
)
def test_a_malformed_head_is_refused(text: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_head(text)


@pytest.mark.parametrize(
    ("target", "site", "path"),
    [
        ("http://a.test/b?c", Site("http", "a.test", 80), "/b?c"),
        ("http://A.test:8080", Site("http", "a.test", 8080), "/"),
        ("HTTP://a.test?q#f", Site("http", "a.test", 80), "/?q"),
        ("http://[::1]:81/x", Site("http", "[::1]", 81), "/x"),
    ],
)
def test_an_absolute_target_is_parsed(target: str, site: Site, path: str) -> None:
    assert parse_absolute_target(target) == (site, path)


@pytest.mark.parametrize(
    "target", ["/path", "https://a.test/", "http:///", "http://u@a.test/", "http://a b/", "ftp://a/"]
)
def test_other_targets_are_refused(target: str) -> None:
    with pytest.raises(BadRequest):
        parse_absolute_target(target)


def test_an_authority_target_is_parsed() -> None:
    assert parse_authority_target("A.test:443") == Site("https", "a.test", 443)
    assert parse_authority_target("[::1]:8443") == Site("https", "[::1]", 8443)
    for wrong in ("a.test", "a.test:0", "a.test:70000", "a.test:x", "u@a.test:1", ":443", "a:b:443"):
        with pytest.raises(BadRequest):
            parse_authority_target(wrong)


def test_hop_by_hop_headers_do_not_reach_the_server() -> None:
    request = RequestHead(
        "GET",
        "http://a.test:81/x",
        (
            ("Host", "evil.test"),
            ("Proxy-Connection", "keep-alive"),
            ("Proxy-Authorization", "Basic x"),
            ("Connection", "keep-alive"),
            ("Cookie", "a=b"),
        ),
    )
    sent = upstream_head(request, Site("http", "a.test", 81), "/x")
    assert sent == b"GET /x HTTP/1.1\r\nHost: a.test:81\r\nCookie: a=b\r\n\r\n"


def test_an_upgrade_is_forwarded() -> None:
    request = head(("Connection", "keep-alive, Upgrade"), ("Upgrade", "websocket"), method="GET")
    sent = upstream_head(request, Site("http", "a.test", 80), "/")
    assert b"Connection: Upgrade\r\nUpgrade: websocket\r\n" in sent
    assert not head(("Upgrade", "websocket")).is_upgrade


@pytest.mark.parametrize(
    "headers",
    [
        (("Content-Length", "1"), ("Transfer-Encoding", "chunked")),
        (("Content-Length", "1"), ("Content-Length", "2")),
        (("Content-Length", "1"), ("Content-Length", "1")),
        (("Content-Length", "-1"),),
        (("Content-Length", "0x1"),),
        (("Transfer-Encoding", "gzip, chunked"),),
        (("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")),
        (("Transfer-Encoding", "\xa0chunked"),),
    ],
)
def test_a_body_of_ambiguous_length_is_refused(headers: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(BadRequest):
        RequestBody(head(*headers))


def feed(body: RequestBody, data: bytes, pieces: list[int]) -> int:
    """Feed the data in pieces; returns how much of it was the body's."""
    taken = 0
    for size in [*pieces, len(data)]:
        piece = data[taken : taken + size]
        if piece and not body.done:
            taken += body.consume(piece)
    return taken


@given(st.binary(max_size=200), st.binary(max_size=50), st.lists(st.integers(1, 30), max_size=10))
def test_a_body_ends_where_its_length_says(content: bytes, after: bytes, pieces: list[int]) -> None:
    body = RequestBody(head(("Content-Length", str(len(content)))))
    assert feed(body, content + after, pieces) == len(content)
    assert body.done


@given(
    st.lists(st.binary(min_size=1, max_size=40), max_size=5), st.booleans(), st.lists(st.integers(1, 30), max_size=20)
)
def test_a_chunked_body_ends_after_its_last_chunk(chunks: list[bytes], trailer: bool, pieces: list[int]) -> None:
    content = b"".join(b"%x;ext=1\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    content += b"0\r\nX-T: 1\r\n\r\n" if trailer else b"0\r\n\r\n"
    body = RequestBody(head(("Transfer-Encoding", "chunked")))
    assert feed(body, content + b"GET next", pieces) == len(content)
    assert body.done


@pytest.mark.parametrize(
    "data",
    [
        b"xyz\r\n",
        b"\r\n",
        b" 3\r\n",
        b"3\n",
        b"3\r\nabcXX",
        b"3\r\nabcX\r\n",
        b"3\r\nabc\n",
        b"0\r\n \r\n",
        b"0\r\n\n",
        b"0\r\nContent-Length: 3\r\n",
        b"1" * 5000,
    ],
)
def test_an_invalid_chunk_is_refused(data: bytes) -> None:
    with pytest.raises(BadRequest):
        RequestBody(head(("Transfer-Encoding", "chunked"))).consume(data + b"\r\n")
