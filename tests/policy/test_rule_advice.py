"""The advice beside a denial names who can change the rule."""

from __future__ import annotations

from browser_pilot.policy.rule_advice import SESSION_DOMAINS, rule_advice


def test_only_the_user_changes_a_rule_of_the_policy() -> None:
    assert "Only the user can change policy.read" in rule_advice("policy.read")


def test_an_agent_is_told_that_it_gave_the_domains_of_its_session() -> None:
    advice = rule_advice(SESSION_DOMAINS)
    assert "Only the user" not in advice and "browser_session" in advice
