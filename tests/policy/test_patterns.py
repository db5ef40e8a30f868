"""Host patterns: what they cover, what they do not, and which are invalid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.policy.hosts import BLANK, Site, parse_address
from browser_pilot.policy.patterns import (
    Pattern,
    PatternError,
    any_covers,
    covering_patterns,
    parse_pattern,
    registrable_domain,
)


def covers(pattern: str, url: str) -> bool:
    return parse_pattern(pattern).covers(parse_address(url).site)


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("example.com", "https://example.com/"),
        ("example.com", "http://example.com:8080/"),
        ("EXAMPLE.com.", "https://example.com"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("*.example.com", "https://example.com/"),
        ("*.example.com", "https://a.b.example.com/"),
        ("*.example.com:8443", "https://a.example.com:8443/"),
        ("localhost:3000", "http://localhost:3000/"),
        ("[::1]:3000", "http://[::1]:3000/"),
        ("0x7f.1", "http://127.0.0.1/"),
        ("*.localhost", "http://app.localhost/"),
        ("*", "https://anything.example/"),
        ("*:8080", "http://anything.example:8080/"),
    ],
)
def test_a_pattern_covers_matching_sites(pattern: str, url: str) -> None:
    assert covers(pattern, url)


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("example.com", "https://www.example.com/"),
        ("example.com", "https://example.com.evil.net/"),
        ("*.example.com", "https://badexample.com/"),
        ("*.example.com", "https://example.com.evil.net/"),
        ("example.com:8443", "https://example.com/"),
        ("*:8080", "https://example.com/"),
        ("localhost", "http://127.0.0.1/"),
    ],
)
def test_a_pattern_does_not_cover_other_sites(pattern: str, url: str) -> None:
    assert not covers(pattern, url)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "https://example.com",
        "example.com/path",
        "*example.com",
        "a.*.com",
        "*.*.com",
        "user@example.com",
        "example.com:0",
        "example.com:70000",
        "example.com:http",
        "::1",
        "*.127.0.0.1",
        "*.0.0.1",
        "*.[::1]",
        "*.com",
        "*.co.uk",
        "*.github.io",
        "*.unknowntld",
        "exa mple.com",
    ],
)
def test_an_invalid_pattern_is_rejected(text: str) -> None:
    with pytest.raises(PatternError):
        parse_pattern(text)


def test_the_error_for_a_public_suffix_wildcard_suggests_a_valid_one() -> None:
    with pytest.raises(PatternError, match=r"\*\.example\.co\.uk"):
        parse_pattern("*.co.uk")


def test_no_pattern_covers_a_blank_page() -> None:
    assert not parse_pattern("*").covers(BLANK)


labels = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=5).map(lambda text: f"x{text}x")
sites = st.builds(
    Site,
    st.just("https"),
    st.lists(labels, min_size=1, max_size=5).map(".".join),
    st.sampled_from([443, 8443]),
)


@given(sites)
def test_covering_patterns_cover_the_site_and_get_less_specific(site: Site) -> None:
    candidates = list(covering_patterns(site))
    assert all(pattern.covers(site) for pattern in candidates)
    assert candidates[0] == Pattern(site.host, port=site.port)
    assert candidates[-1] == Pattern("", wildcard=True)
    assert len(set(candidates)) == len(candidates)
    wildcards = [pattern.host for pattern in candidates if pattern.wildcard and pattern.port is None]
    assert wildcards == sorted(wildcards, key=len, reverse=True)


@given(sites, st.sampled_from(["*", "*.xax", "xax", "*.xbx.xax", "xax:8443", "*:443"]))
def test_a_pattern_covers_a_site_exactly_when_it_is_a_covering_pattern(site: Site, text: str) -> None:
    name, _, port = text.partition(":")
    wildcard = name.startswith("*")
    pattern = Pattern(name.removeprefix("*").removeprefix("."), wildcard, int(port) if port else None)
    assert pattern.covers(site) == (pattern in set(covering_patterns(site)))


@pytest.mark.parametrize("text", ["example.com", "*.example.com", "*.example.com:8443", "[::1]:3000", "*", "*:8080"])
def test_a_pattern_round_trips_through_text(text: str) -> None:
    assert str(parse_pattern(text)) == text
    assert parse_pattern(str(parse_pattern(text))) == parse_pattern(text)


def test_an_address_has_no_parent_domains() -> None:
    assert Pattern("1]", wildcard=True) not in set(covering_patterns(Site("http", "[::1]", 80)))
    assert any_covers([parse_pattern("a.com"), parse_pattern("[::1]")], Site("http", "[::1]", 80))


def test_the_registrable_domain_is_one_label_below_the_public_suffix() -> None:
    assert registrable_domain("a.b.example.co.uk") == "example.co.uk"
    assert registrable_domain("10.0.0.1") == "10.0.0.1"
    assert registrable_domain("localhost") == "localhost"
