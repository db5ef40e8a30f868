"""Grants of a session: what they cover, and when they end."""

from __future__ import annotations

from dataclasses import replace

from browser_pilot.approvals.grants import SessionGrants
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Rule, Ruleset

from .requests import SHOP, approval_request

ALLOW = Rule(pattern=Pattern("shop.example"), read="allow", write="allow")
DENY = Rule(pattern=Pattern("shop.example"), read="deny", write="deny")


def test_an_action_grant_covers_the_same_effect_site_and_scope_of_its_session() -> None:
    grants, granted = SessionGrants(), approval_request()
    grants.grant_action(granted, "a1")
    assert grants.approval_for(replace(granted, binding="another value")) == "a1"
    assert grants.approval_for(replace(granted, session="s2")) is None
    assert grants.approval_for(replace(granted, site="bank.example")) is None
    assert grants.approval_for(replace(granted, effect="upload")) is None
    assert grants.approval_for(replace(granted, scope="another element")) is None
    assert grants.approval_for(replace(granted, risk="high")) is None


def test_an_action_without_a_scope_is_never_covered() -> None:
    grants, unscoped = SessionGrants(), replace(approval_request(), scope="")
    grants.grant_action(unscoped, "a1")
    assert grants.approval_for(unscoped) is None


def test_the_latest_site_decision_replaces_an_earlier_one() -> None:
    grants, base = SessionGrants(), Ruleset()
    grants.add_site_rule("s1", DENY, base)
    grants.add_site_rule("s1", ALLOW, base)
    assert grants.rules_for("s1", base).coverage(SHOP).permit("read").verdict == "allow"
    assert grants.rules_for("s2", base) is base


def test_changed_rules_end_a_denial_and_keep_an_allowed_site() -> None:
    grants, base = SessionGrants(), Ruleset()
    grants.add_site_rule("s1", DENY, base)
    grants.add_site_rule("s2", ALLOW, base)
    assert grants.rules_for("s1", base).rules == (DENY,)
    changed = Ruleset()
    assert grants.rules_for("s1", changed).rules == ()
    assert grants.rules_for("s2", changed).rules == (ALLOW,)


def test_grants_end_with_their_session() -> None:
    grants, base = SessionGrants(), Ruleset()
    grants.grant_action(approval_request(), "a1")
    grants.add_site_rule("s1", ALLOW, base)
    grants.forget("s1")
    assert grants.approval_for(approval_request()) is None
    assert grants.rules_for("s1", base) is base


def test_revoking_ends_what_was_allowed_and_keeps_what_was_denied() -> None:
    grants, base = SessionGrants(), Ruleset()
    bank = Rule(pattern=Pattern("bank.example"), read="deny", write="deny")
    for session in ("s1", "s2"):
        grants.grant_action(approval_request(session=session), "a1")
        grants.add_site_rule(session, ALLOW, base)
    grants.add_site_rule("s1", bank, base)
    grants.revoke(["s1", "unknown"])
    assert grants.approval_for(approval_request()) is None
    assert grants.rules_for("s1", base).rules == (bank,)
    assert grants.approval_for(approval_request(session="s2")) == "a1"
    assert grants.rules_for("s2", base).rules == (ALLOW,)
