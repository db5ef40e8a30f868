"""The compiled declarativeNetRequest rules decide as the policy does."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest

from browser_pilot.extension_bridge.dnr_rules import session_rules
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset, Subresources
from browser_pilot.policy.types import Verdict


def ruleset(
    *rules: tuple[str, Verdict],
    uncovered: Verdict = "allow",
    subresources: Subresources | None = None,
) -> Ruleset:
    made = [Rule(pattern=parse_pattern(pattern), read=verdict) for pattern, verdict in rules]
    return Ruleset(made, Defaults(uncovered=uncovered, subresources=subresources or Subresources()))


def outcome(rules: list[dict[str, Any]], url: str, kind: str) -> Literal["allow", "block"]:
    """Decide as Chrome does: the highest priority wins, and among equals the rule that allows."""
    fitting = [
        rule
        for rule in rules
        if kind in rule["condition"]["resourceTypes"] and re.search(rule["condition"]["regexFilter"], url)
    ]
    best = max((rule["priority"] for rule in fitting), default=0)
    kinds = {rule["action"]["type"] for rule in fitting if rule["priority"] == best}
    return "block" if kinds == {"block"} else "allow"


def opens(rules: Ruleset, url: str) -> bool:
    return outcome(session_rules(rules), url, "main_frame") == "allow"


def loads(rules: Ruleset, url: str) -> bool:
    return outcome(session_rules(rules), url, "script") == "allow"


def test_a_denied_host_is_neither_opened_nor_loaded_from() -> None:
    rules = ruleset(("evil.example", "deny"))
    assert not opens(rules, "https://evil.example/")
    assert not loads(rules, "https://evil.example/x.js")
    assert opens(rules, "https://good.example/")


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example:8443/",
        "https://evil.example./",
        "https://user:pass@evil.example/",
        "wss://evil.example/",
        "http://evil.example/?https://good.example/",
    ],
)
def test_every_spelling_of_a_denied_host_is_blocked(url: str) -> None:
    assert not loads(ruleset(("evil.example", "deny")), url)


@pytest.mark.parametrize(
    "url",
    [
        "https://notevil.example/",
        "https://evil.example.com/",
        "https://good.example/evil.example/",
        "https://good.example/?u=https://evil.example/",
        "https://sub.evil.example/",
    ],
)
def test_a_rule_for_a_host_matches_only_that_host(url: str) -> None:
    assert opens(ruleset(("evil.example", "deny")), url)


def test_the_narrower_rule_wins() -> None:
    rules = ruleset(("*.shop.example", "deny"), ("www.shop.example", "allow"), uncovered="allow")
    assert opens(rules, "https://www.shop.example/")
    assert not opens(rules, "https://admin.shop.example/")
    assert not opens(rules, "https://shop.example/")


def test_a_port_is_narrower_than_its_host() -> None:
    rules = ruleset(("localhost", "allow"), ("localhost:8777", "deny"))
    assert opens(rules, "http://localhost:3000/")
    assert not opens(rules, "http://localhost:8777/")


def test_a_default_port_is_not_written_in_an_address() -> None:
    rules = ruleset(("example.com:443", "deny"))
    assert not opens(rules, "https://example.com/")
    assert opens(rules, "http://example.com/")
    assert opens(rules, "https://example.com:8443/")


def test_uncovered_subresources_can_be_blocked() -> None:
    rules = ruleset(("*.example.com", "allow"), uncovered="deny")
    assert opens(rules, "https://www.example.com/")
    assert not opens(rules, "https://other.test/")
    assert not loads(rules, "https://other.test/x.js")


def test_a_site_with_the_verdict_ask_can_be_opened_but_not_loaded_from() -> None:
    rules = ruleset(("bank.example", "ask"))
    assert opens(rules, "https://bank.example/")
    assert not loads(rules, "https://bank.example/x.js")


def test_subresources_have_lists_of_their_own() -> None:
    lists = Subresources(
        allow=frozenset({parse_pattern("cdn.example")}), deny=frozenset({parse_pattern("ads.example")})
    )
    rules = ruleset(("*.site.example", "allow"), uncovered="deny", subresources=lists)
    assert loads(rules, "https://cdn.example/x.js")
    assert not opens(rules, "https://cdn.example/")
    assert not loads(ruleset(subresources=lists), "https://ads.example/x.js")


@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/", "http://metadata.google.internal/", "http://[fe80::1]/", "http://169.254.1.1:80/"],
)
def test_forbidden_addresses_are_blocked_whatever_the_rules_say(url: str) -> None:
    assert not loads(ruleset(("*", "allow")), url)


def test_rules_are_numbered_and_written_for_re2() -> None:
    rules = session_rules(ruleset(("evil.example", "deny"), ("[::1]:80", "deny"), uncovered="deny"))
    assert [rule["id"] for rule in rules] == list(range(1, len(rules) + 1))
    assert not any("(?" in rule["condition"]["regexFilter"] for rule in rules)
