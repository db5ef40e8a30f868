"""What pages may load is a matter of its own, beside where the agent may go."""

from __future__ import annotations

import pytest

from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import Pattern, parse_pattern
from browser_pilot.policy.reach import reach
from browser_pilot.policy.rules import Defaults, Rule, Ruleset, Subresources
from browser_pilot.policy.vocabulary import Verdict

CDN = Site("https", "cdn.example.net", 443)
SHOP = Site("https", "shop.example.com", 443)


def patterns(*texts: str) -> frozenset[Pattern]:
    return frozenset(parse_pattern(text) for text in texts)


def ruleset(*, uncovered: Verdict = "deny", subresources: Subresources | None = None) -> Ruleset:
    rule = Rule(pattern=parse_pattern("shop.example.com"), read="allow")
    return Ruleset([rule], Defaults(uncovered=uncovered, subresources=subresources or Subresources()))


def test_by_default_pages_load_what_the_agent_may_open() -> None:
    assert reach(ruleset(), SHOP).allowed
    assert not reach(ruleset(), CDN).allowed
    assert reach(ruleset(uncovered="allow"), CDN).allowed
    assert not reach(ruleset(uncovered="ask"), CDN).allowed


def test_a_page_may_have_its_cdn_without_the_agent_going_there() -> None:
    rules = ruleset(subresources=Subresources(allow=patterns("*.example.net")))
    assert reach(rules, CDN).allowed
    assert "*.example.net" in reach(rules, CDN).rule
    assert rules.coverage(CDN).permit("read").verdict == "deny"


def test_subresources_can_be_opened_or_closed_as_a_whole() -> None:
    assert reach(ruleset(subresources=Subresources(uncovered="allow")), CDN).allowed
    closed = ruleset(uncovered="allow", subresources=Subresources(uncovered="deny"))
    assert not reach(closed, CDN).allowed
    assert reach(closed, SHOP).allowed


def test_the_narrower_list_entry_wins_and_no_among_equals() -> None:
    lists = Subresources(
        allow=patterns("cdn.example.net", "*.example.org"), deny=patterns("*.example.net", "*.example.org")
    )
    assert reach(ruleset(subresources=lists), CDN).allowed
    assert not reach(ruleset(subresources=lists), Site("https", "x.example.net", 443)).allowed
    assert not reach(ruleset(subresources=lists), Site("https", "x.example.org", 443)).allowed


def test_a_sessions_domains_hold_for_everything_but_the_list() -> None:
    within = (parse_pattern("shop.example.com"),)
    rules = ruleset(uncovered="allow", subresources=Subresources(allow=patterns("cdn.example.net")))
    assert reach(rules, SHOP, within).allowed
    assert reach(rules, CDN, within).allowed
    assert not reach(rules, Site("https", "other.example.net", 443), within).allowed


@pytest.mark.parametrize("host", ["169.254.169.254", "metadata.google.internal", "[fe80::1]"])
def test_metadata_is_never_reached(host: str) -> None:
    rules = ruleset(uncovered="allow", subresources=Subresources(allow=patterns(host)))
    assert not reach(rules, Site("http", host, 80)).allowed


@pytest.mark.parametrize("host", ["localhost", "10.0.0.1", "nas", "nas.local", "shop.example.com"])
def test_a_local_address_may_be_behind_own_names_and_those_with_a_rule(host: str) -> None:
    assert reach(ruleset(uncovered="allow"), Site("http", host, 80)).may_be_local


def test_a_local_address_may_not_be_behind_any_other_name() -> None:
    found = reach(ruleset(uncovered="allow"), CDN)
    assert found.allowed
    assert not found.may_be_local


def test_a_site_that_the_agent_opened_is_reached_though_pages_may_not_load_it() -> None:
    rules = ruleset(uncovered="allow", subresources=Subresources(deny=patterns("cdn.example.net")))
    assert not reach(rules, CDN).allowed
    assert reach(rules, CDN, opened=True).allowed
    assert not reach(rules, CDN, (parse_pattern("shop.example.com"),), opened=True).allowed
    assert not reach(ruleset(), CDN, opened=True).allowed
