"""The level of a site in the side panel: how it follows from rules and modes, and how the user changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.config.live_reload import LiveConfig
from browser_pilot.config.settings import DomainSettings, PolicySettings, Settings
from browser_pilot.config.user_rules import UserRulesStore
from browser_pilot.errors import InvalidArgument
from browser_pilot.policy.types import Mode
from browser_pilot.ui.site_rules import LEVELS, SiteRules

SHOP = "https://shop.example/checkout"


class Scene:
    """Site rules on a real configuration in a home of its own."""

    def __init__(self, home: Path, policy: PolicySettings | None = None) -> None:
        settings = Settings(policy=policy or PolicySettings())
        store = UserRulesStore(home)
        self.config = LiveConfig(settings, store, home=home, load=lambda: settings, on_rule=lambda _: None)
        self.site = SiteRules(self.config)

    def level(self, url: str = SHOP) -> str:
        described = self.site.describe(url)
        assert described is not None
        return str(described["level"])


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


@pytest.mark.parametrize("level", LEVELS)
def test_the_chosen_level_applies_to_its_site_only(scene: Scene, level: str) -> None:
    scene.site.change(SHOP, "free" if level != "free" else "block")
    scene.site.change(SHOP, level)
    assert scene.level() == level
    assert scene.level("https://other.example/") == "ask"


def test_the_default_level_removes_the_users_rule(scene: Scene, tmp_path: Path) -> None:
    scene.site.change(SHOP, "block")
    scene.site.change(SHOP, "default")
    assert scene.level() == "ask"
    assert UserRulesStore(tmp_path).load() == ()


def test_a_description_names_the_deciding_rule_and_whether_it_is_the_users(scene: Scene) -> None:
    before = scene.site.describe(SHOP)
    scene.site.change(SHOP, "look")
    after = scene.site.describe(SHOP)
    assert before is not None
    assert after is not None
    assert (before["own"], before["rule"]) == (False, "policy.mode")
    assert after["own"] is True
    assert "the side panel" in after["rule"]


def test_a_site_denied_by_the_configuration_stays_denied(tmp_path: Path) -> None:
    policy = PolicySettings(domains={"shop.example": DomainSettings(read=False, write=False)})
    scene = Scene(tmp_path, policy)
    scene.site.change(SHOP, "free")
    assert scene.level() == "block"


@pytest.mark.parametrize(
    ("domain", "rule", "mode", "level"),
    [
        ("shop.example", DomainSettings(requires_approval=True), "auto", "ask"),
        ("shop.example", DomainSettings(requires_approval=False), "ask", "free"),
        ("shop.example", DomainSettings(read="ask"), "auto", "ask"),
        ("other.example", DomainSettings(), "readonly", "look"),
        ("other.example", DomainSettings(), "auto", "free"),
    ],
)
def test_rules_and_modes_are_shown_as_their_effective_level(
    tmp_path: Path, domain: str, rule: DomainSettings, mode: Mode, level: str
) -> None:
    assert Scene(tmp_path, PolicySettings(own_mode=mode, domains={domain: rule})).level() == level


@pytest.mark.parametrize("url", ["chrome://settings/", "about:blank", "", "nonsense"])
def test_pages_without_a_site_have_no_level(scene: Scene, url: str) -> None:
    assert scene.site.describe(url) is None
    with pytest.raises(InvalidArgument):
        scene.site.change(url, "free")


def test_an_unknown_level_changes_nothing(scene: Scene) -> None:
    scene.site.change(SHOP, "look")
    with pytest.raises(InvalidArgument):
        scene.site.change(SHOP, "everything")
    assert scene.level() == "look"
