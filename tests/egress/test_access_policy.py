"""Public pages do not reach local addresses, the agent does where it may, and names do not change sides."""

from __future__ import annotations

import pytest

from browser_pilot.egress import Ask, Failure, Refusal, SessionGate
from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.networks import AddressClass
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset, Subresources

DEV = Site("http", "localhost", 3000)
API = Site("http", "localhost", 8000)
NAS = Site("https", "nas.local", 443)
PUBLIC = Site("https", "example.com", 443)


def gate(*pages: Site, rules: Ruleset | None = None) -> SessionGate:
    return SessionGate(lambda: rules or Ruleset(), pages=lambda: pages)


def allowed(gate: SessionGate, ask: Ask, kind: AddressClass = AddressClass.LOOPBACK) -> bool:
    found = gate.allows(ask)
    return found.allowed and gate.allows_address(ask, found, kind).allowed


def test_the_rules_decide_about_hosts_and_may_change() -> None:
    rules = [Ruleset()]
    one = SessionGate(lambda: rules[0], within=(parse_pattern("*.example.com"),))
    assert one.allows(Ask(PUBLIC, "tunnel")).allowed
    assert not one.allows(Ask(Site("https", "example.net", 443), "tunnel")).allowed
    rules[0] = Ruleset(defaults=Defaults(uncovered="deny"))
    assert not one.allows(Ask(PUBLIC, "tunnel")).allowed


@pytest.mark.parametrize("kind", [AddressClass.LINK_LOCAL, AddressClass.METADATA, AddressClass.UNUSABLE])
def test_forbidden_addresses_are_never_reached(kind: AddressClass) -> None:
    one = gate(DEV)
    one.open(DEV)
    assert not allowed(one, Ask(DEV, "http"), kind)


def test_the_agent_may_open_a_local_server() -> None:
    one = gate()
    ask = Ask(DEV, "http", fetch_site="none")
    assert not allowed(one, ask)
    one.open(DEV)
    assert allowed(one, ask)


def test_a_public_page_may_not_reach_a_local_server_even_an_open_one() -> None:
    one = gate(DEV, PUBLIC)
    one.open(DEV)
    assert not allowed(one, Ask(DEV, "http", origin=PUBLIC))
    assert not allowed(one, Ask(DEV, "http", origin=BLANK))
    assert not allowed(one, Ask(DEV, "http", fetch_site="cross-site"))
    assert not allowed(one, Ask(DEV, "tunnel", origin=PUBLIC))


def test_a_local_page_may_reach_its_own_servers() -> None:
    one = gate(DEV, PUBLIC)
    assert allowed(one, Ask(API, "http", origin=DEV))
    assert allowed(one, Ask(API, "http", fetch_site="same-site"))
    assert allowed(one, Ask(DEV, "http", fetch_site="same-origin"))


def test_a_silent_tunnel_is_judged_by_the_open_pages() -> None:
    ask = Ask(NAS, "tunnel")
    assert allowed(gate(DEV), ask, AddressClass.PRIVATE)
    assert allowed(gate(DEV, BLANK), ask, AddressClass.PRIVATE)
    assert not allowed(gate(DEV, PUBLIC), ask, AddressClass.PRIVATE)
    assert not allowed(gate(), ask, AddressClass.PRIVATE)


def test_a_name_that_was_found_local_counts_as_local() -> None:
    one = gate()
    one.open(NAS)
    assert allowed(one, Ask(NAS, "tunnel"), AddressClass.PRIVATE)
    assert allowed(one, Ask(API, "http", origin=NAS))


def test_a_public_name_with_a_local_address_needs_a_rule_that_names_it() -> None:
    site = Site("https", "intranet.example.com", 443)
    ask = Ask(site, "tunnel")
    plain, named = gate(), gate(rules=Ruleset([Rule(pattern=parse_pattern("*.example.com"), read="allow")]))
    plain.open(site)
    named.open(site)
    assert not allowed(plain, ask, AddressClass.PRIVATE)
    assert allowed(named, ask, AddressClass.PRIVATE)


def test_a_name_that_was_public_stays_public() -> None:
    one = gate(rules=Ruleset([Rule(pattern=parse_pattern("example.com"), read="allow")]))
    one.open(PUBLIC)
    assert allowed(one, Ask(PUBLIC, "tunnel"), AddressClass.PUBLIC)
    assert not allowed(one, Ask(PUBLIC, "tunnel"), AddressClass.LOOPBACK)


def test_a_local_server_may_redirect_to_another_one_unless_the_public_had_a_word() -> None:
    one = gate()
    one.open(DEV)
    redirected = Ask(API, "http", fetch_site="none")
    assert allowed(one, Ask(DEV, "http", fetch_site="none"))
    assert allowed(one, redirected)
    assert allowed(one, Ask(PUBLIC, "tunnel"), AddressClass.PUBLIC)
    assert not allowed(one, redirected)
    one.open(DEV)
    assert allowed(one, redirected)
    one.open(PUBLIC)
    assert not allowed(one, redirected)
    other = gate(PUBLIC)
    other.open(DEV)
    assert not allowed(other, redirected)


def test_a_site_that_was_opened_is_a_matter_of_the_navigation_rules() -> None:
    closed = Subresources(uncovered="deny")
    rules = [Ruleset(defaults=Defaults(subresources=closed))]
    one = SessionGate(lambda: rules[0])
    assert not one.allows(Ask(PUBLIC, "tunnel")).allowed
    one.open(PUBLIC)
    assert one.allows(Ask(PUBLIC, "tunnel")).allowed
    rules[0] = Ruleset(defaults=Defaults(uncovered="deny", subresources=closed))
    assert not one.allows(Ask(PUBLIC, "tunnel")).allowed


def test_what_stood_between_is_known_until_the_site_is_reached() -> None:
    one = gate()
    refusal, failure = Refusal(PUBLIC, "rule", "reason"), Failure(DEV, "ERR_CONNECTION_REFUSED", "reason")
    one.told(refusal)
    one.told(failure)
    assert (one.trouble(PUBLIC), one.trouble(DEV), one.trouble(API)) == (refusal, failure, None)
    one.reached(PUBLIC)
    assert one.trouble(PUBLIC) is None
    for port in range(1, 2000):
        one.told(Refusal(Site("http", "example.com", port), "rule", "reason"))
    assert one.trouble(DEV) is None


def test_an_address_that_carries_a_secret_is_refused_and_not_repeated() -> None:
    one = gate()
    one.carries_secret = lambda url: "hunter2" in url
    site = Site("http", "example.com", 80)
    assert one.allows(Ask(site, "http", url="http://example.com/?q=x")).allowed
    refused = one.allows(Ask(site, "http", url="http://example.com/?q=hunter2"))
    assert not refused.allowed
    assert "hunter2" not in refused.rule + refused.reason
    assert not one.allows(Ask(Site("https", "hunter2.example.com", 443), "tunnel")).allowed
