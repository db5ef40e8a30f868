"""What agents may do on a site, as the side panel shows it and as the user changes it there."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.approvals.rules_store import RulesStore
from browser_pilot.errors import InvalidArgument
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from browser_pilot.server.site_rules import LEVELS, SiteRules

SHOP = "https://shop.example/checkout"


class Rules:
    """Rules in force that are read again whenever they are changed."""

    def __init__(self, home: Path, base: Ruleset) -> None:
        self.store = RulesStore(home)
        self.base = base
        self.now = base
        self.site = SiteRules(self.store, rules=lambda: self.now, changed=self.reload)

    def reload(self) -> None:
        self.now = self.base.with_rules(self.store.load())

    def level(self, url: str = SHOP) -> str:
        described = self.site.describe(url)
        assert described is not None
        return str(described["level"])


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    return Rules(tmp_path, Ruleset())


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_that_is_chosen_holds(rules: Rules, level: str) -> None:
    rules.site.change(SHOP, "free" if level != "free" else "block")
    rules.site.change(SHOP, level)
    assert rules.level() == level
    assert rules.level("https://other.example/") == "ask"


def test_the_default_takes_the_users_rule_back(rules: Rules) -> None:
    rules.site.change(SHOP, "block")
    rules.site.change(SHOP, "default")
    assert rules.level() == "ask"
    assert rules.store.load() == ()


def test_it_is_told_which_rule_decides_and_whether_it_is_the_users(rules: Rules) -> None:
    before = rules.site.describe(SHOP)
    rules.site.change(SHOP, "look")
    after = rules.site.describe(SHOP)
    assert before is not None
    assert after is not None
    assert (before["own"], before["rule"]) == (False, "policy.mode")
    assert after["own"] is True
    assert "the side panel" in after["rule"]


def test_what_the_configuration_denies_stays_denied(tmp_path: Path) -> None:
    rules = Rules(tmp_path, Ruleset([Rule(pattern=parse_pattern("shop.example"), read="deny", write="deny")]))
    rules.site.change(SHOP, "free")
    assert rules.level() == "block"


@pytest.mark.parametrize(
    ("rule", "mode", "level"),
    [
        (Rule(pattern=parse_pattern("shop.example"), requires_approval=True), "auto", "ask"),
        (Rule(pattern=parse_pattern("shop.example"), requires_approval=False), "ask", "free"),
        (Rule(pattern=parse_pattern("shop.example"), read="ask"), "auto", "ask"),
        (Rule(pattern=parse_pattern("other.example")), "readonly", "look"),
        (Rule(pattern=parse_pattern("other.example")), "auto", "free"),
    ],
)
def test_rules_and_modes_are_told_as_what_they_come_to(tmp_path: Path, rule: Rule, mode: str, level: str) -> None:
    defaults = Defaults(modes={"managed": "auto", "own": mode})  # pyright: ignore[reportArgumentType]
    assert Rules(tmp_path, Ruleset([rule], defaults)).level() == level


@pytest.mark.parametrize("url", ["chrome://settings/", "about:blank", "", "nonsense"])
def test_pages_without_a_site_have_no_policy(rules: Rules, url: str) -> None:
    assert rules.site.describe(url) is None
    with pytest.raises(InvalidArgument):
        rules.site.change(url, "free")


def test_an_unknown_level_changes_nothing(rules: Rules) -> None:
    rules.site.change(SHOP, "look")
    with pytest.raises(InvalidArgument):
        rules.site.change(SHOP, "everything")
    assert rules.level() == "look"
