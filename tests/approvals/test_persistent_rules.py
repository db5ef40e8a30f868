"""The rules that "always" and "block" write never allow more than what was shown."""

from __future__ import annotations

import pytest

from browser_pilot.approvals.persistent_rules import allow_action, allow_site, block_site, site_pattern
from browser_pilot.policy.decide import PolicyDecision
from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Rule, Ruleset
from browser_pilot.policy.sensitivity import Category
from browser_pilot.policy.types import Effect, Mode, Risk, Threshold, Verdict

from .requests import SHOP


def asked(*, risk: Risk = "low", category: Category | None = None, site: Site | None = SHOP) -> PolicyDecision:
    return PolicyDecision(verdict="ask", rule="policy.mode", reason="", risk=risk, category=category, site=site)


def test_a_pattern_has_a_port_only_if_it_is_not_the_default() -> None:
    assert site_pattern(SHOP) == Pattern("shop.example")
    assert site_pattern(Site("http", "localhost", 3000)) == Pattern("localhost", port=3000)
    assert site_pattern(BLANK) is None


@pytest.mark.parametrize(("risk", "threshold"), [("low", "medium"), ("medium", "high"), ("high", "never")])
def test_always_raises_the_threshold_just_above_the_approved_risk(risk: Risk, threshold: Threshold) -> None:
    rule = allow_action(asked(risk=risk), "write")
    assert rule is not None
    assert (rule.pattern, rule.ask_from) == (Pattern("shop.example"), threshold)


@pytest.mark.parametrize(
    ("effect", "write", "mode"), [("write", "allow", "auto"), ("download", None, "auto"), ("navigate", None, None)]
)
def test_always_allows_only_the_permission_that_was_needed(
    effect: Effect, write: Verdict | None, mode: Mode | None
) -> None:
    rule = allow_action(asked(), effect)
    assert rule is not None
    assert (rule.read, rule.write, rule.mode) == ("allow", write, mode)


def test_executable_files_scripts_and_blank_pages_get_no_rule() -> None:
    assert allow_action(asked(category="script", risk="high"), "script") is None
    assert allow_action(asked(category="run", risk="high"), "download") is None
    assert allow_action(asked(category="local_file", risk="high"), "upload") is None
    assert allow_action(asked(site=BLANK), "write") is None
    assert allow_site(Ruleset().coverage(BLANK)) is None
    assert block_site(BLANK) is None


def test_allowing_a_site_keeps_an_existing_write_rule() -> None:
    existing = Ruleset([Rule(pattern=Pattern("shop.example"), write="ask")])
    kept, new = allow_site(existing.coverage(SHOP)), allow_site(Ruleset().coverage(SHOP))
    assert kept is not None
    assert new is not None
    assert (kept.write, new.write) == (None, "allow")


def test_blocking_a_site_denies_reading_and_writing() -> None:
    rule = block_site(SHOP)
    assert rule is not None
    assert (rule.read, rule.write) == ("deny", "deny")
