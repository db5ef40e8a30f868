"""Guests' own HTTP requests: only to allowed hosts, also after redirects and whatever names resolve to."""

from __future__ import annotations

import gzip
from collections.abc import Generator
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from browser_pilot.egress.dns_resolver import DnsCache
from browser_pilot.errors import DomainDenied, PermissionDenied, PilotError
from browser_pilot.guests.host.fetch import Fetcher
from browser_pilot.guests.host.host_api import Fetch
from browser_pilot.guests.host.host_errors import HostError
from browser_pilot.policy.hosts import parse_address
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Rule, Ruleset
from tests.sites import Site, serving

RULES = Ruleset()


def echo(request: BaseHTTPRequestHandler) -> None:
    body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
    seen = {name.lower(): value for name, value in request.headers.items()}
    send(request, f"{request.command} {body.decode()} {seen.get('x-a')} {seen.get('authorization')}".encode())


def send(request: BaseHTTPRequestHandler, body: bytes, **headers: str) -> None:
    request.send_response(200)
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), value)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def redirecting(status: int) -> Any:
    def respond(request: BaseHTTPRequestHandler) -> None:
        request.rfile.read(int(request.headers.get("Content-Length") or 0))
        request.send_response(status)
        request.send_header("Location", request.path.partition("?to=")[2])
        request.send_header("Content-Length", "0")
        request.end_headers()

    return respond


def circle(request: BaseHTTPRequestHandler) -> None:
    request.send_response(302)
    request.send_header("Location", "/circle")
    request.send_header("Content-Length", "0")
    request.end_headers()


def endless(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()
    try:
        for _ in range(200):
            request.wfile.write(bytes(1 << 16))
    except OSError:
        pass


@pytest.fixture(scope="module")
def site() -> Generator[Site]:
    bomb = gzip.compress(bytes(20 << 20))
    pages: dict[str, Any] = {
        "/": "hello",
        "/echo": echo,
        "/302": redirecting(302),
        "/307": redirecting(307),
        "/circle": circle,
        "/binary": partial(send, body=b"\xff\xfe\x00"),
        "/gzip": partial(send, body=gzip.compress(b"packed"), Content_Encoding="gzip"),
        "/bomb": partial(send, body=bomb, Content_Encoding="gzip"),
        "/endless": endless,
    }
    with serving(pages) as served:
        yield served


def fetcher(addresses: dict[str, str] | None = None, rules: Ruleset = RULES) -> Fetcher:
    async def resolve(host: str) -> tuple[str, ...]:
        if addresses is None or host not in addresses:
            raise OSError("no such name")
        return (addresses[host],)

    return Fetcher(lambda: rules, dns_cache=DnsCache(resolve))


async def get(url: str, *hosts: str, using: Fetcher | None = None, **params: Any) -> Any:
    patterns = [parse_pattern(host) for host in hosts]
    return await (using or fetcher()).fetch(Fetch(url=url, **params), allowed_hosts=patterns)


async def test_an_allowed_host_is_fetched_from(site: Site) -> None:
    response = await get(site.url("/"), "127.0.0.1")

    assert (response.status, response.text, response.redirected) == (200, "hello", False)


async def test_method_headers_and_body_are_sent(site: Site) -> None:
    response = await get(
        site.url("/echo"),
        "127.0.0.1",
        method="POST",
        body="sent",
        headers=[("X-A", "1"), ("Host", "evil"), ("TE", "x")],
    )

    assert response.text == "POST sent 1 None"


async def test_a_text_body_is_text_and_a_binary_one_base64(site: Site) -> None:
    assert (await get(site.url("/gzip"), "127.0.0.1")).to_wire()["body"] == "packed"
    assert (await get(site.url("/binary"), "127.0.0.1")).to_wire()["base64"] == "//4A"


@pytest.mark.parametrize(("status", "expected"), [(302, "GET  1 None"), (307, "POST sent 1 None")])
async def test_a_redirect_to_another_host_drops_the_credentials(site: Site, status: int, expected: str) -> None:
    target = f"http://localhost:{site.port}/echo"
    headers = [("X-A", "1"), ("Authorization", "secret")]
    response = await get(
        site.url(f"/{status}?to={target}"),
        "127.0.0.1",
        "localhost",
        using=fetcher({"localhost": "127.0.0.1"}),
        method="POST",
        body="sent",
        headers=headers,
    )

    assert response.text == expected
    assert response.redirected


@pytest.mark.parametrize(
    "target",
    [
        "http://localhost:{port}/", "http://127.0.0.2:{port}/", "https://evil.example/", "//evil.example/x", "http://[::1]:{port}/",
        "http://0x7f.1.2.3:{port}/", "file:///etc/passwd", "http://169.254.169.254/latest",
        "http://metadata.google.internal/", "gopher://a.b/",
        "http://127.0.0.1@evil.example/", "http://evil.example\\@127.0.0.1/",
    ],
)  # fmt: skip
async def test_a_redirect_to_a_host_that_was_not_allowed_is_not_followed(site: Site, target: str) -> None:
    hits = len(site.hits)
    with pytest.raises((PilotError, HostError)):
        await get(
            site.url(f"/302?to={target.format(port=site.port)}"),
            "127.0.0.1",
            using=fetcher({"localhost": "127.0.0.1", "evil.example": "127.0.0.1"}),
        )

    assert len(site.hits) == hits + 1


async def test_a_host_that_was_not_declared_is_refused(site: Site) -> None:
    with pytest.raises(PermissionDenied, match="not one of the hosts"):
        await get(site.url("/"), "api.example.com")


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "0.0.0.0"])
async def test_a_public_name_with_a_local_address_is_refused(address: str) -> None:
    with pytest.raises(DomainDenied):
        await get("http://api.example.com/", "api.example.com", using=fetcher({"api.example.com": address}))


async def test_a_wildcard_does_not_reach_this_machine(site: Site) -> None:
    with pytest.raises(DomainDenied):
        await get(site.url("/"), "*")


async def test_the_users_rules_apply_to_guests_too(site: Site) -> None:
    rules = Ruleset().with_rules([Rule(pattern=parse_pattern("127.0.0.1"), read="deny", source="a test")])
    with pytest.raises(DomainDenied):
        await get(site.url("/"), "127.0.0.1", using=fetcher(rules=rules))


@pytest.mark.parametrize("path", ["/bomb", "/endless"])
async def test_a_response_that_is_too_large_is_refused(site: Site, path: str) -> None:
    with pytest.raises(HostError, match="larger than"):
        await get(site.url(path), "127.0.0.1")


async def test_redirects_in_a_circle_end(site: Site) -> None:
    with pytest.raises(HostError, match="redirects"):
        await get(site.url("/circle"), "127.0.0.1")


async def test_a_redirect_is_an_error_if_the_guest_says_so(site: Site) -> None:
    with pytest.raises(HostError, match="redirects"):
        await get(site.url("/302?to=/302?to=/302"), "127.0.0.1", redirect="error")


@pytest.mark.parametrize("header", [("X-A", "1\r\nX-B: 2"), ("X A", "1"), ("", "1")])
async def test_headers_that_would_split_the_request_are_refused(site: Site, header: tuple[str, str]) -> None:
    with pytest.raises(HostError):
        await get(site.url("/echo"), "127.0.0.1", headers=[header])


async def test_a_method_may_be_in_lower_case(site: Site) -> None:
    response = await get(site.url("/echo"), "127.0.0.1", method="post", body="日本語 “a”")
    assert response.text.startswith("POST 日本語 “a”")


async def test_a_header_has_bytes_and_no_other_characters(site: Site) -> None:
    response = await get(site.url("/echo"), "127.0.0.1", headers=[("X-A", " café ")])
    assert "café" in response.text
    for value in ("日本", "a\r\nX-B: 1", "a\0"):
        with pytest.raises(HostError) as refused:
            await get(site.url("/echo"), "127.0.0.1", headers=[("X-A", value)])
        assert refused.value.code == "ERR_INVALID_PARAMS"
    with pytest.raises(HostError) as refused:
        await get(site.url("/echo"), "127.0.0.1", headers=[("X A", "1")])
    assert refused.value.code == "ERR_INVALID_PARAMS"


@pytest.mark.parametrize("host", ["169.254.169.254", "metadata.google.internal", "[fe80::1]"])
def test_what_no_permission_makes_reachable_is_refused_before_anybody_is_asked(host: str) -> None:
    with pytest.raises(DomainDenied):
        fetcher().require_reachable(parse_address(f"http://{host}/").site)
    fetcher().require_reachable(parse_address("http://127.0.0.1:8080/").site)


def test_a_site_that_a_rule_denies_is_refused_before_anybody_is_asked() -> None:
    own = Rule(pattern=parse_pattern("127.0.0.1:8777"), read="deny", write="deny")
    with pytest.raises(DomainDenied):
        fetcher(rules=Ruleset((own,))).require_reachable(parse_address("http://127.0.0.1:8777/").site)
