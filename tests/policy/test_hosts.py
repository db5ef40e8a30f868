"""A URL is parsed to the site that the browser would open, or rejected."""

from __future__ import annotations

import pytest

from browser_pilot.errors import DomainDenied, InvalidArgument
from browser_pilot.policy.hosts import (
    BLANK,
    Site,
    address_class,
    is_loopback,
    page_site,
    parse_address,
    parse_host,
    url_origin,
)
from browser_pilot.policy.ip_networks import AddressClass


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://example.com/a?b#c", Site("https", "example.com", 443)),
        ("HTTP://EXAMPLE.com:80", Site("http", "example.com", 80)),
        ("https://example.com:8443/", Site("https", "example.com", 8443)),
        ("https://evil.com\\@allowed.com/", Site("https", "evil.com", 443)),
        ("https://allowed.com@evil.com/", Site("https", "evil.com", 443)),
        ("https://example.com./", Site("https", "example.com", 443)),
        ("http://0x7f.1/", Site("http", "127.0.0.1", 80)),
        ("http://①②⑦.0.0.1/", Site("http", "127.0.0.1", 80)),
        ("http://2130706433/", Site("http", "127.0.0.1", 80)),
        ("http://[::FFFF:127.0.0.1]/", Site("http", "[::ffff:7f00:1]", 80)),
        ("http://bücher.example/", Site("http", "xn--bcher-kva.example", 80)),
        ("http://ex%61mple。com", Site("http", "example.com", 80)),
        (" \thttps://exa\nmple.com", Site("https", "example.com", 443)),
        ("example.com/a:b", Site("https", "example.com", 443)),
        (" localhost:3000/x", Site("http", "localhost", 3000)),
        ("[::1]:3000", Site("http", "[::1]", 3000)),
        ("127.0.0.1?x", Site("http", "127.0.0.1", 80)),
        ("10.0.0.1", Site("https", "10.0.0.1", 443)),
        ("about:blank", BLANK),
        ("about:blank#x", BLANK),
    ],
)
def test_an_address_is_parsed_as_the_browser_parses_it(url: str, site: Site) -> None:
    assert parse_address(url).site == site


def test_parsing_the_canonical_form_again_gives_the_same_address() -> None:
    first = parse_address("https://evil.com\\@allowed.com/")
    assert first.href == "https://evil.com/@allowed.com/"
    assert parse_address(first.href) == first


@pytest.mark.parametrize(
    "url", ["", "example", "a!.com", "http://", "http://a b/", "http://a!b/", "http://a..b/", "http://.a"]
)
def test_an_invalid_address_is_rejected(url: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_address(url)


@pytest.mark.parametrize("url", ["http://" + "a" * 64 + ".com", "http://" + "a." * 130 + "com", "http://\ud800"])
def test_impossible_host_names_are_rejected_with_a_short_message(url: str) -> None:
    with pytest.raises(InvalidArgument) as rejected:
        parse_address(url)
    assert len(rejected.value.message) < 300


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "chrome://settings",
        "data:text/html,x",
        "about:config",
        "ftp://a.com",
    ],
)
def test_only_web_pages_can_be_opened(url: str) -> None:
    with pytest.raises(DomainDenied):
        parse_address(url)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://example.com/x", Site("https", "example.com", 443)),
        ("blob:https://example.com/0c2a", Site("https", "example.com", 443)),
        ("blob:null/0c2a", None),
        ("about:srcdoc", BLANK),
        ("data:text/html,x", BLANK),
        ("chrome-error://chromewebdata/", BLANK),
        ("chrome://settings", None),
        ("file:///etc/passwd", None),
        ("not a url", None),
        ("http://a!b/", None),
    ],
)
def test_the_site_of_an_open_page(url: str, site: Site | None) -> None:
    assert page_site(url) == site


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("EXAMPLE.com.", "example.com"),
        ("0x7f.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("", None),
        ("a/b", None),
        ("a:80", None),
        ("[::1]:80", "[::1]"),
        ("[::1]:81", None),
        ("user@a", None),
        ("[::1", None),
    ],
)
def test_a_bare_host_is_canonicalized(text: str, host: str | None) -> None:
    assert parse_host(text) == host


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("localhost", AddressClass.LOOPBACK),
        ("app.localhost", AddressClass.LOOPBACK),
        ("127.9.9.9", AddressClass.LOOPBACK),
        ("[::1]", AddressClass.LOOPBACK),
        ("[::ffff:7f00:1]", AddressClass.LOOPBACK),
        ("metadata.google.internal", AddressClass.METADATA),
        ("169.254.169.254", AddressClass.METADATA),
        ("169.254.1.1", AddressClass.LINK_LOCAL),
        ("93.184.216.34", AddressClass.PUBLIC),
        ("example.com", None),
        ("notlocalhost", None),
    ],
)
def test_a_host_is_classified_without_dns(host: str, kind: AddressClass | None) -> None:
    assert address_class(host) is kind


def test_a_site_shows_only_a_non_default_port() -> None:
    assert str(Site("https", "example.com", 443)) == "example.com"
    assert Site("http", "example.com", 8080).origin == "http://example.com:8080"
    assert str(BLANK) == "about:blank"
    assert BLANK.origin == "null"
    assert is_loopback(Site("http", "localhost", 3000))


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://a.test:8080/x?y", "http://a.test:8080"),
        ("https://a.test./", "https://a.test."),
        ("blob:https://a.test/1", "https://a.test"),
        ("about:blank", "null"),
        ("not a url", "null"),
    ],
)
def test_an_origin_is_what_the_page_reports(url: str, origin: str) -> None:
    assert url_origin(url) == origin
