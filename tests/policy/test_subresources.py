"""Which hosts pages may load from, apart from which sites the agent may open."""

from __future__ import annotations

import pytest

from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import Pattern, parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset, Subresources
from browser_pilot.policy.subresources import decide_reach
from browser_pilot.policy.types import Verdict

CDN = Site("https", "cdn.example.net", 443)
SHOP = Site("https", "shop.example.com", 443)


def patterns(*texts: str) -> frozenset[Pattern]:
    return frozenset(parse_pattern(text) for text in texts)


def ruleset(*, uncovered: Verdict = "deny", subresources: Subresources | None = None) -> Ruleset:
    rule = Rule(pattern=parse_pattern("shop.example.com"), read="allow")
    return Ruleset([rule], Defaults(uncovered=uncovered, subresources=subresources or Subresources()))


def test_by_default_pages_load_what_the_agent_may_open() -> None:
    assert decide_reach(ruleset(), SHOP).allowed
    assert not decide_reach(ruleset(), CDN).allowed
    assert decide_reach(ruleset(uncovered="allow"), CDN).allowed
    assert not decide_reach(ruleset(uncovered="ask"), CDN).allowed


def test_a_page_may_use_its_cdn_although_the_agent_may_not_open_it() -> None:
    rules = ruleset(subresources=Subresources(allow=patterns("*.example.net")))
    assert decide_reach(rules, CDN).allowed
    assert "*.example.net" in decide_reach(rules, CDN).rule
    assert rules.coverage(CDN).permit("read").verdict == "deny"


def test_the_uncovered_setting_allows_or_denies_all_other_hosts() -> None:
    assert decide_reach(ruleset(subresources=Subresources(uncovered="allow")), CDN).allowed
    closed = ruleset(uncovered="allow", subresources=Subresources(uncovered="deny"))
    assert not decide_reach(closed, CDN).allowed
    assert decide_reach(closed, SHOP).allowed


def test_the_more_specific_list_entry_wins_and_deny_among_equals() -> None:
    lists = Subresources(
        allow=patterns("cdn.example.net", "*.example.org"), deny=patterns("*.example.net", "*.example.org")
    )
    assert decide_reach(ruleset(subresources=lists), CDN).allowed
    assert not decide_reach(ruleset(subresources=lists), Site("https", "x.example.net", 443)).allowed
    assert not decide_reach(ruleset(subresources=lists), Site("https", "x.example.org", 443)).allowed


def test_a_sessions_domains_restrict_everything_except_the_allow_list() -> None:
    within = (parse_pattern("shop.example.com"),)
    rules = ruleset(uncovered="allow", subresources=Subresources(allow=patterns("cdn.example.net")))
    assert decide_reach(rules, SHOP, within).allowed
    assert decide_reach(rules, CDN, within).allowed
    assert not decide_reach(rules, Site("https", "other.example.net", 443), within).allowed


@pytest.mark.parametrize("host", ["169.254.169.254", "metadata.google.internal", "[fe80::1]"])
def test_metadata_addresses_are_always_denied(host: str) -> None:
    rules = ruleset(uncovered="allow", subresources=Subresources(allow=patterns(host)))
    assert not decide_reach(rules, Site("http", host, 80)).allowed


@pytest.mark.parametrize("host", ["localhost", "10.0.0.1", "nas", "nas.local", "shop.example.com"])
def test_private_names_and_names_with_a_rule_may_resolve_to_a_local_address(host: str) -> None:
    assert decide_reach(ruleset(uncovered="allow"), Site("http", host, 80)).may_be_local


def test_other_names_may_not_resolve_to_a_local_address() -> None:
    found = decide_reach(ruleset(uncovered="allow"), CDN)
    assert found.allowed
    assert not found.may_be_local


def test_an_opened_site_is_allowed_although_subresources_from_it_are_denied() -> None:
    rules = ruleset(uncovered="allow", subresources=Subresources(deny=patterns("cdn.example.net")))
    assert not decide_reach(rules, CDN).allowed
    assert decide_reach(rules, CDN, opened=True).allowed
    assert not decide_reach(rules, CDN, (parse_pattern("shop.example.com"),), opened=True).allowed
    assert not decide_reach(ruleset(), CDN, opened=True).allowed
