"""Local addresses are for the agent and local pages, not for public ones; a public name never becomes local."""

from __future__ import annotations

from typing import Literal

import pytest

from browser_pilot.config.live_reload import self_protection_rules
from browser_pilot.egress import BlockedByPolicy, ConnectionRequest, NetworkFailure, SessionAccessPolicy
from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.ip_networks import AddressClass, classify_address
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset, Subresources

DEV = Site("http", "localhost", 3000)
API = Site("http", "localhost", 8000)
NAS = Site("https", "nas.local", 443)
PUBLIC = Site("https", "example.com", 443)


def policy_with(*pages: Site, rules: Ruleset | None = None) -> SessionAccessPolicy:
    return SessionAccessPolicy(lambda: rules or Ruleset(), open_pages=lambda: pages)


def allowed(
    policy: SessionAccessPolicy, request: ConnectionRequest, kind: AddressClass = AddressClass.LOOPBACK
) -> bool:
    decision = policy.decide_host(request)
    return decision.allowed and policy.decide_address(request, decision, kind).allowed


def test_the_current_rules_decide_on_hosts() -> None:
    rules = [Ruleset()]
    policy = SessionAccessPolicy(lambda: rules[0], session_domains=(parse_pattern("*.example.com"),))
    assert policy.decide_host(ConnectionRequest(PUBLIC, "tunnel")).allowed
    assert not policy.decide_host(ConnectionRequest(Site("https", "example.net", 443), "tunnel")).allowed
    rules[0] = Ruleset(defaults=Defaults(uncovered="deny"))
    assert not policy.decide_host(ConnectionRequest(PUBLIC, "tunnel")).allowed


@pytest.mark.parametrize("kind", [AddressClass.LINK_LOCAL, AddressClass.METADATA, AddressClass.UNUSABLE])
def test_forbidden_addresses_are_never_reached(kind: AddressClass) -> None:
    policy = policy_with(DEV)
    policy.allow_navigation(DEV)
    assert not allowed(policy, ConnectionRequest(DEV, "http"), kind)


def test_the_agent_may_open_a_local_server() -> None:
    policy = policy_with()
    request = ConnectionRequest(DEV, "http", fetch_site="none")
    assert not allowed(policy, request)
    policy.allow_navigation(DEV)
    assert allowed(policy, request)


def test_a_public_page_may_not_reach_a_local_server_that_the_agent_opened() -> None:
    policy = policy_with(DEV, PUBLIC)
    policy.allow_navigation(DEV)
    assert not allowed(policy, ConnectionRequest(DEV, "http", origin=PUBLIC))
    assert not allowed(policy, ConnectionRequest(DEV, "http", origin=BLANK))
    assert not allowed(policy, ConnectionRequest(DEV, "http", fetch_site="cross-site"))
    assert not allowed(policy, ConnectionRequest(DEV, "tunnel", origin=PUBLIC))


def test_a_local_page_may_reach_its_own_servers() -> None:
    policy = policy_with(DEV, PUBLIC)
    assert allowed(policy, ConnectionRequest(API, "http", origin=DEV))
    assert allowed(policy, ConnectionRequest(API, "http", fetch_site="same-site"))
    assert allowed(policy, ConnectionRequest(DEV, "http", fetch_site="same-origin"))


def test_the_open_pages_decide_on_a_tunnel_without_an_origin() -> None:
    request = ConnectionRequest(NAS, "tunnel")
    assert allowed(policy_with(DEV), request, AddressClass.PRIVATE)
    assert allowed(policy_with(DEV, BLANK), request, AddressClass.PRIVATE)
    assert not allowed(policy_with(DEV, PUBLIC), request, AddressClass.PRIVATE)
    assert not allowed(policy_with(), request, AddressClass.PRIVATE)


def test_a_name_that_resolved_to_a_local_address_is_a_local_initiator() -> None:
    policy = policy_with()
    policy.allow_navigation(NAS)
    assert allowed(policy, ConnectionRequest(NAS, "tunnel"), AddressClass.PRIVATE)
    assert allowed(policy, ConnectionRequest(API, "http", origin=NAS))


def test_a_public_name_with_a_local_address_needs_a_rule_that_names_it() -> None:
    site = Site("https", "intranet.example.com", 443)
    request = ConnectionRequest(site, "tunnel")
    plain, named = (
        policy_with(),
        policy_with(rules=Ruleset([Rule(pattern=parse_pattern("*.example.com"), read="allow")])),
    )
    plain.allow_navigation(site)
    named.allow_navigation(site)
    assert not allowed(plain, request, AddressClass.PRIVATE)
    assert allowed(named, request, AddressClass.PRIVATE)


def test_a_public_name_may_not_resolve_to_a_local_address_later() -> None:
    policy = policy_with(rules=Ruleset([Rule(pattern=parse_pattern("example.com"), read="allow")]))
    policy.allow_navigation(PUBLIC)
    assert allowed(policy, ConnectionRequest(PUBLIC, "tunnel"), AddressClass.PUBLIC)
    assert not allowed(policy, ConnectionRequest(PUBLIC, "tunnel"), AddressClass.LOOPBACK)


def test_a_local_server_may_redirect_to_another_unless_a_public_one_was_contacted() -> None:
    policy = policy_with()
    policy.allow_navigation(DEV)
    redirected = ConnectionRequest(API, "http", fetch_site="none")
    assert allowed(policy, ConnectionRequest(DEV, "http", fetch_site="none"))
    assert allowed(policy, redirected)
    assert allowed(policy, ConnectionRequest(PUBLIC, "tunnel"), AddressClass.PUBLIC)
    assert not allowed(policy, redirected)
    policy.allow_navigation(DEV)
    assert allowed(policy, redirected)
    policy.allow_navigation(PUBLIC)
    assert not allowed(policy, redirected)
    other = policy_with(PUBLIC)
    other.allow_navigation(DEV)
    assert not allowed(other, redirected)


def test_the_navigation_rules_decide_on_a_site_that_the_agent_opened() -> None:
    closed = Subresources(uncovered="deny")
    rules = [Ruleset(defaults=Defaults(subresources=closed))]
    policy = SessionAccessPolicy(lambda: rules[0])
    assert not policy.decide_host(ConnectionRequest(PUBLIC, "tunnel")).allowed
    policy.allow_navigation(PUBLIC)
    assert policy.decide_host(ConnectionRequest(PUBLIC, "tunnel")).allowed
    rules[0] = Ruleset(defaults=Defaults(uncovered="deny", subresources=closed))
    assert not policy.decide_host(ConnectionRequest(PUBLIC, "tunnel")).allowed


def test_the_last_network_error_is_kept_until_the_site_is_reached() -> None:
    policy = policy_with()
    refusal, failure = (
        BlockedByPolicy(PUBLIC, "rule", "reason"),
        NetworkFailure(DEV, "ERR_CONNECTION_REFUSED", "reason"),
    )
    policy.record_error(refusal)
    policy.record_error(failure)
    assert (policy.last_network_error(PUBLIC), policy.last_network_error(DEV), policy.last_network_error(API)) == (
        refusal,
        failure,
        None,
    )
    policy.record_connected(PUBLIC)
    assert policy.last_network_error(PUBLIC) is None
    for port in range(1, 2000):
        policy.record_error(BlockedByPolicy(Site("http", "example.com", port), "rule", "reason"))
    assert policy.last_network_error(DEV) is None


def test_a_url_with_a_secret_is_refused_and_not_in_the_reason() -> None:
    policy = policy_with()
    policy.carries_secret = lambda url: "hunter2" in url
    site = Site("http", "example.com", 80)
    assert policy.decide_host(ConnectionRequest(site, "http", url="http://example.com/?q=x")).allowed
    refused = policy.decide_host(ConnectionRequest(site, "http", url="http://example.com/?q=hunter2"))
    assert not refused.allowed
    assert "hunter2" not in refused.rule + refused.reason
    assert not policy.decide_host(ConnectionRequest(Site("https", "hunter2.example.com", 443), "tunnel")).allowed


HUB = self_protection_rules("127.0.0.1", 8777)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize("kind", ["http", "tunnel"])
def test_a_name_for_the_hubs_own_port_is_denied_by_its_address(address: str, kind: Literal["http", "tunnel"]) -> None:
    name = parse_pattern("rebind.test")
    policy = policy_with(rules=Ruleset([Rule(pattern=name, read="allow", write="allow"), *HUB]))
    for port, expected in ((8777, False), (8778, True)):
        request = ConnectionRequest(Site("http", "rebind.test", port), kind)
        policy.allow_navigation(request.site)
        decision = policy.decide_host(request)
        assert decision.allowed
        found = policy.decide_address(request, decision, classify_address(address), [address])
        assert found.allowed is expected, found


def test_a_rule_that_denies_an_address_holds_for_every_name_of_it() -> None:
    rules = [
        Rule(pattern=parse_pattern("printer.local"), read="allow", write="allow"),
        Rule(pattern=parse_pattern("192.168.1.9"), read="deny", write="deny"),
    ]
    policy = policy_with(rules=Ruleset(rules, Defaults(uncovered="deny")))
    request = ConnectionRequest(Site("http", "printer.local", 80), "http")
    policy.allow_navigation(request.site)
    decision = policy.decide_host(request)
    denied = policy.decide_address(request, decision, AddressClass.PRIVATE, ["192.168.1.8", "192.168.1.9"])
    assert not denied.allowed and "192.168.1.9" in denied.rule
    assert policy.decide_address(request, decision, AddressClass.PRIVATE, ["192.168.1.8"]).allowed
