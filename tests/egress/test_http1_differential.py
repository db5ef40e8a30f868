"""Our HTTP/1 request parser against h11's: neither reads a request that the other reads differently.

Each example is a request with the next one behind it on the same connection. A difference in where a body ends would
make a part of one request another one (request smuggling). Ours passes a body on with its framing, so that what it
reads of a body is the number of its bytes on the wire.

Deliberate differences are ``STRICTER`` (ours refuses what h11 accepts) and ``LAXER`` (the reverse), each with its
reason; anything else fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import h11
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from browser_pilot.egress.http1 import (
    HEAD_END,
    MAX_HEAD_BYTES,
    BadRequest,
    RequestBody,
    RequestHead,
    parse_absolute_target,
    parse_head,
    upstream_head,
)
from browser_pilot.policy.hosts import Site

NEXT = b"GET http://next.test/ HTTP/1.1\r\nHost: next.test\r\n\r\n"
SITE = Site("http", "a.test", 80)


@dataclass(frozen=True)
class Reading:
    """``body_bytes`` is the length of the body on the wire."""

    method: bytes
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body_bytes: int


@dataclass(frozen=True)
class Refusal:
    reason: str


class Incomplete:
    """The end of the request has not been seen."""


Outcome = Reading | Refusal | Incomplete


def read_with_ours(data: bytes, pieces: int = 1 << 20) -> Outcome:
    end = data.find(HEAD_END)
    if end < 0:
        return Incomplete()
    head_bytes = end + len(HEAD_END)
    try:
        head = parse_head(data[:head_bytes])
        body = RequestBody(head)
        position = head_bytes
        while position < len(data) and not body.done:
            position += body.consume(data[position : position + pieces])
    except BadRequest as error:
        return Refusal(str(error))
    if not body.done:
        return Incomplete()
    return Reading(head.method.encode(), head.target.encode(), _normal(head), position - head_bytes)


def _normal(head: RequestHead) -> tuple[tuple[bytes, bytes], ...]:
    """As h11 gives them: names and the transfer coding in lower case."""
    pairs = ((name.lower(), value) for name, value in head.headers)
    return tuple(
        (name.encode(), (value.lower() if name == "transfer-encoding" else value).encode("latin-1"))
        for name, value in pairs
    )


def read_with_h11(data: bytes) -> Outcome:
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
    request: h11.Request | None = None
    left_after_head = 0
    try:
        connection.receive_data(data)
        while not isinstance(event := connection.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                return Incomplete()
            if isinstance(event, h11.Request):
                request = event
                left_after_head = len(connection.trailing_data[0])
    except h11.RemoteProtocolError as error:
        return Refusal(str(error))
    assert request is not None
    body_bytes = left_after_head - len(connection.trailing_data[0])
    return Reading(request.method, request.target, tuple(request.headers), body_bytes)


def _field_values(data: bytes, name: bytes) -> list[bytes]:
    head = re.split(rb"\n\r?\n", data, maxsplit=1)[0]
    return [line.partition(b":")[2].strip() for line in head.split(b"\n") if line.lower().startswith(name + b":")]


def _after_head(data: bytes) -> bytes:
    return data.partition(HEAD_END)[2]


# By name: how a request that only h11 accepts is recognized, and why ours refuses it.
STRICTER: dict[str, tuple[Callable[[bytes], object], str]] = {
    "bare LF": (
        lambda data: re.search(rb"(?<!\r)\n", data),
        "Servers disagree on whether LF alone ends a line; browsers send CRLF.",
    ),
    "obsolete line folding": (
        lambda data: re.search(rb"\n[ \t]", data),
        "RFC 9112 section 5.2: to be refused or replaced; servers disagree on what it means.",
    ),
    "HTTP version": (
        lambda data: re.search(rb"^[^\r\n]* HTTP/(?!1\.[01])", data),
        "What other versions mean is not known; the request goes on as HTTP/1.1.",
    ),
    "Transfer-Encoding and Content-Length": (
        lambda data: _field_values(data, b"transfer-encoding") and _field_values(data, b"content-length"),
        "RFC 9112 section 6.1: the classic ambiguity; servers disagree on which of them holds.",
    ),
    "repeated Content-Length": (
        lambda data: (
            len(_field_values(data, b"content-length")) > 1
            or any(b"," in value for value in _field_values(data, b"content-length"))
        ),
        "h11 makes one of equal ones. We pass headers on as they are, and servers disagree on lists.",
    ),
    "length of a number": (
        lambda data: (
            any(len(value) > 18 for value in _field_values(data, b"content-length"))
            or re.search(rb"(?:^|\n)[0-9A-Fa-f]{16,}", _after_head(data))
        ),
        "A server may overflow on more digits than ours reads (18 decimal, 15 hexadecimal).",
    ),
    "control characters in a chunk extension": (
        lambda data: re.search(rb";[^\n]*[\0\v\f\r][^\n]*\n", _after_head(data)),
        "The same characters as in headers: some servers take them for the end of a line or for white space.",
    ),
    "framing fields in trailers": (
        lambda data: re.search(rb"(?i)\n(?:host|content-length|transfer-encoding):", _after_head(data)),
        "RFC 9110 section 6.5.1 forbids them; a server that merges trailers would frame or route anew.",
    ),
}

LAXER: dict[str, tuple[Callable[[bytes], object], str]] = {
    "Host": (
        lambda data: len(_field_values(data, b"host")) != 1,
        "RFC 9112 section 3.2.2: the absolute target decides, and the proxy sends a Host of its own.",
    ),
}

METHODS = [b"GET", b"POST", b"M!#'*", b"", b"G ET", b"G\x80T", b"get"]
TARGETS = [b"http://a.test/x?y", b"http://a.test/\x7f", b"http://a.test/\nX:y", b"http://a.test/\r", b"*", b"", b"a\tb"]
VERSIONS = [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"http/1.1", b"HTTP/1.1 ", b"HTTP/11"]
NAMES = [b"Content-Length", b"Transfer-Encoding", b"Host", b"X-A", b"X A", b"X-A ", b"", b" X", b"Content-Length\0"]
VALUES = [
    *(b"0", b"3", b"03", b"+3", b"3, 3", b"3,4", b"0x3", b"3 ", b"\x0b3", b"000000000000000000003", b"-1", b"3_0"),
    *(b"chunked", b"Chunked", b"\x0bchunked", b"chunked\xa0", b"\x85chunked", b"gzip, chunked", b"chunked, chunked"),
    *(b"", b"a.test", b"a\tb", b"a\0b", b"a\rb", b"a\x0cb", b"a\x01b", b"\xff", b"identity"),
]
LINE_ENDS = [*[b"\r\n"] * 12, b"\n", b"\r", b"\r\r\n", b"\r\n ", b"\r\n\t"]
COLONS = [b": ", b":", b":\t ", b" : ", b""]
CHUNKS = [
    b"3\r\nabc\r\n", b"3;ext=1\r\nabc\r\n", b"3 \r\nabc\r\n", b"a\r\n0123456789\r\n", b"0\r\n", b"00\r\n", b"\r\n",
    b"3\nabc\r\n", b" 3\r\nabc\r\n", b"3\r\nabcXX", b"3\r\nabc\n", b"3\r\nabc\r", b"3;\n\r\nabc\r\n", b"+3\r\nabc\r\n",
    b"3;a\rb\r\nabc\r\n", b"3\x0b\r\nabc\r\n", b"0x3\r\nabc\r\n", b"0000000000000000003\r\nabc\r\n", b"3 ;x\r\nabc\r\n",
    b"X-T: 1\r\n", b" \r\n", b"X-T : 1\r\n", b"Content-Length: 3\r\n", b"Content-Length: x\r\n",
    b"\n", b"-3\r\nabc\r\n",
]  # fmt: skip
bodies = st.lists(st.sampled_from(CHUNKS), max_size=4).map(b"".join) | st.binary(max_size=12)
START = b"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n"
CHUNKED = START + b"Transfer-Encoding: chunked\r\n"
VALID = [
    START + b"X-A: b c\r\nContent-Length: 5\r\n\r\nhello",
    CHUNKED + b"\r\n3;x=y\r\nabc\r\n0\r\nX-T: 1\r\n\r\n",
    b"GET http://a.test/ HTTP/1.0\r\nHost: a.test\r\nAccept: */*\r\n\r\n",
]


@st.composite
def assembled(draw: st.DrawFn) -> bytes:
    """A request of right and wrong parts."""
    method = draw(st.just(b"POST") | st.sampled_from(METHODS))
    target = draw(st.just(b"http://a.test/") | st.sampled_from(TARGETS))
    version = draw(st.just(b"HTTP/1.1") | st.sampled_from(VERSIONS))
    fields = [
        draw(st.sampled_from(NAMES)) + draw(st.sampled_from(COLONS)) + draw(st.sampled_from(VALUES))
        for _ in range(draw(st.integers(0, 3)))
    ]
    lines = [b"%b %b %b" % (method, target, version), b"Host: a.test", *fields, b""]
    return b"".join(line + draw(st.sampled_from(LINE_ENDS)) for line in lines) + draw(bodies)


@st.composite
def framed(draw: st.DrawFn) -> bytes:
    """A right head and any body."""
    field = draw(st.sampled_from([b"Content-Length: 3", b"Transfer-Encoding: chunked", b"transfer-encoding: Chunked"]))
    return START + field + HEAD_END + draw(bodies)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A valid request of which a few bytes were replaced, removed or inserted."""
    data = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 3))):
        start, removed = draw(st.integers(0, len(data))), draw(st.integers(0, 2))
        inserted = draw(st.sampled_from([b"\r", b"\n", b" ", b"\0", b":", b";", b"0", b""]))
        data = data[:start] + inserted + data[start + removed :]
    return data


requests = assembled() | framed() | damaged()


def explained(differences: dict[str, tuple[Callable[[bytes], object], str]], data: bytes) -> bool:
    return any(applies(data) for applies, _ in differences.values())


@settings(max_examples=500)
@given(requests)
@example(b"POST http://a.test/\nX:y HTTP/1.1\r\nHost: a\r\n\r\n")
@example(START + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n")
@example(START + b"Transfer-Encoding: chunked\xa0\r\n\r\n0\r\n\r\n")
@example(CHUNKED + b"Transfer-Encoding: identity\r\n\r\n0\r\n\r\n")
@example(CHUNKED + b"\r\n3\r\nabcXX0\r\n\r\n")
@example(CHUNKED + b"\r\n3\nabc\r\n0\r\n\r\n")
@example(CHUNKED + b"\r\n0\r\n \r\n")
def test_whatever_ours_accepts_h11_accepts_with_the_same_meaning(request_bytes: bytes) -> None:
    data = request_bytes + NEXT
    ours = read_with_ours(data)
    if isinstance(ours, Reading):
        theirs = read_with_h11(data)
        assert theirs == ours or (isinstance(theirs, Refusal) and explained(LAXER, data)), theirs


@settings(max_examples=500)
@given(requests)
def test_whatever_h11_accepts_ours_reads_the_same_or_refuses_for_a_named_reason(request_bytes: bytes) -> None:
    data = request_bytes + NEXT
    theirs = read_with_h11(data)
    if isinstance(theirs, Reading):
        ours = read_with_ours(data)
        assert ours == theirs or (isinstance(ours, Refusal) and explained(STRICTER, data)), ours


@settings(max_examples=500)
@given(requests)
def test_what_is_sent_to_the_server_is_the_request_that_was_judged(request_bytes: bytes) -> None:
    data = request_bytes + NEXT
    ours = read_with_ours(data)
    if isinstance(ours, Reading) and ours.target.startswith(b"http://a.test/"):
        end = data.find(HEAD_END) + len(HEAD_END)
        head = parse_head(data[:end])
        site, path = parse_absolute_target(head.target)
        body = data[end : end + ours.body_bytes]
        theirs = read_with_h11(upstream_head(head, site, path) + body + NEXT)
        assert isinstance(theirs, Reading)
        assert (site, theirs.method, theirs.target) == (SITE, ours.method, path.encode())
        assert theirs.body_bytes == ours.body_bytes
        kept = [pair for pair in ours.headers if pair[0] != b"host"]
        assert list(theirs.headers) == [(b"host", b"a.test"), *kept]


@given(requests, st.integers(1, 7))
def test_a_request_that_comes_in_pieces_is_read_the_same(request_bytes: bytes, pieces: int) -> None:
    whole, in_pieces = read_with_ours(request_bytes), read_with_ours(request_bytes, pieces)
    assert whole == in_pieces or (isinstance(whole, Incomplete) and isinstance(in_pieces, Incomplete))


@pytest.mark.parametrize("data", VALID)
def test_a_valid_request_is_accepted_by_both(data: bytes) -> None:
    ours = read_with_ours(data + NEXT)
    assert isinstance(ours, Reading)
    assert ours == read_with_h11(data + NEXT)


# One request for each difference: an entry that no longer is one fails.
STRICTER_EXAMPLES = {
    "bare LF": b"GET http://a.test/ HTTP/1.1\nHost: a\n\n",
    "obsolete line folding": b"GET http://a.test/ HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
    "HTTP version": b"GET http://a.test/ HTTP/1.2\r\nHost: a\r\n\r\n",
    "Transfer-Encoding and Content-Length": (
        START + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "repeated Content-Length": START + b"Content-Length: 3, 3\r\n\r\nabc",
    "length of a number": START + b"Content-Length: 0000000000000000003\r\n\r\nabc",
    "control characters in a chunk extension": (CHUNKED + b"\r\n3;a\rb\r\nabc\r\n0\r\n\r\n"),
    "framing fields in trailers": (CHUNKED + b"\r\n0\r\nContent-Length: 3\r\n\r\n"),
}


@pytest.mark.parametrize("name", STRICTER)
def test_each_named_difference_exists(name: str) -> None:
    data = STRICTER_EXAMPLES[name]
    assert STRICTER[name][0](data)
    assert isinstance(read_with_h11(data + NEXT), Reading)
    assert isinstance(read_with_ours(data + NEXT), Refusal)


@pytest.mark.parametrize("fields", [b"", b"Host: a\r\nHost: b\r\n"])
def test_a_missing_or_repeated_host_header_is_accepted_and_replaced(fields: bytes) -> None:
    data = b"GET http://a.test/ HTTP/1.1\r\n" + fields + b"\r\n" + NEXT
    assert isinstance(read_with_ours(data), Reading)
    assert isinstance(read_with_h11(data), Refusal)
