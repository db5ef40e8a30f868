"""Handshakes with a parent proxy: any split of its responses gives the same result, and refusals are errors."""

from __future__ import annotations

import base64
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.egress.proxy_handshake import (
    MAX_RESPONSE_HEAD_BYTES,
    HandshakeError,
    ProxyHandshake,
    http_connect,
    socks5,
)

# What a SOCKS 5 proxy sends: the method, the result of the credentials, and its address as IPv4, name and IPv6.
METHOD, METHOD_WITH_CREDENTIALS = b"\x05\x00", b"\x05\x02\x01\x00"
BOUND = [b"\x01\x7f\x00\x00\x01\x1f\x90", b"\x03\x04host\x1f\x90", b"\x04" + bytes(16) + b"\x1f\x90"]


def converse(handshake: ProxyHandshake, response: bytes, cuts: list[int]) -> bytes:
    """All that the handshake sends if the response arrives in pieces."""
    sent = handshake.start()
    edges = sorted({0, len(response), *(cut % (len(response) + 1) for cut in cuts)})
    for start, end in pairwise(edges):
        sent += handshake.feed(response[start:end])
    return sent


@given(st.lists(st.integers(0, 500), max_size=6), st.binary(max_size=20), st.sampled_from(["", "me:p@ss"]))
def test_http_connect_keeps_what_follows_the_response(cuts: list[int], rest: bytes, credentials: str) -> None:
    handshake = http_connect("example.com", 443, credentials)
    sent = converse(handshake, b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n" + rest, cuts)
    assert (handshake.is_done, handshake.rest) == (True, rest)
    assert sent.startswith(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n")
    assert sent.endswith(b"\r\n\r\n")
    assert (base64.b64encode(b"me:p@ss") in sent) == bool(credentials)


@given(
    st.lists(st.integers(0, 500), max_size=6), st.binary(max_size=20), st.sampled_from(BOUND), st.sampled_from([0, 1])
)
def test_socks_keeps_what_follows_the_response(cuts: list[int], rest: bytes, bound: bytes, with_login: int) -> None:
    handshake = socks5("example.com", 443, "me:p@ss" if with_login else "")
    method = METHOD_WITH_CREDENTIALS if with_login else METHOD
    sent = converse(handshake, method + b"\x05\x00\x00" + bound + rest, cuts)
    assert (handshake.is_done, handshake.rest) == (True, rest)
    login = b"\x01\x02me\x04p@ss" if with_login else b""
    methods = b"\x05\x02\x00\x02" if with_login else b"\x05\x01\x00"
    assert sent == methods + login + b"\x05\x01\x00\x03\x0bexample.com\x01\xbb"


@pytest.mark.parametrize(
    ("host", "address"),
    [("192.0.2.1", b"\x01\xc0\x00\x02\x01"), ("2001:db8::1", b"\x04\x20\x01\x0d\xb8" + bytes(11) + b"\x01")],
)
def test_socks_gets_numeric_addresses_as_such(host: str, address: bytes) -> None:
    handshake = socks5(host, 80, "")
    assert address + b"\x00\x50" in converse(handshake, METHOD + b"\x05\x00\x00" + BOUND[0], [])


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "credentials"),
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", "status 403"),
        (b"nonsense\r\n\r\n", "no HTTP response"),
        (b"x" * (MAX_RESPONSE_HEAD_BYTES + 1), "too long"),
    ],
)
def test_an_http_proxy_that_refuses_is_an_error(response: bytes, reason: str) -> None:
    with pytest.raises(HandshakeError, match=reason):
        converse(http_connect("example.com", 443, ""), response, [])


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (b"HT", "does not speak SOCKS"),
        (b"\x05\xff", "requires credentials"),
        (b"\x05\x02\x01\x01", "rejects the credentials"),
        (METHOD + b"\x05\x02\x00\x01\x00", "rules"),
        (METHOD + b"\x05\x63\x00\x01\x00", "error 99"),
    ],
)
def test_a_socks_proxy_that_refuses_is_an_error(response: bytes, reason: str) -> None:
    with pytest.raises(HandshakeError, match=reason):
        converse(socks5("example.com", 443, "me:secret"), response, [])


def test_a_name_that_socks_cannot_carry_is_an_error() -> None:
    with pytest.raises(HandshakeError, match="too long"):
        converse(socks5("a" * 256, 443, ""), METHOD, [])
