"""Hot reload: each file is accepted as a whole, or its previous content stays in force."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from browser_pilot.config.live_reload import LiveConfig, RuleChange, self_protection_rules
from browser_pilot.config.settings import Settings, load_settings
from browser_pilot.config.user_rules import UserRulesStore, rules_path
from browser_pilot.errors import SettingsError
from browser_pilot.policy.hosts import Site, parse_address
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Rule, Ruleset

SHOP = Site("https", "shop.example", 443)


class Home:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = UserRulesStore(path)
        self.changes: list[RuleChange] = []

    def write(self, text: str) -> None:
        (self.path / "config.toml").write_text(text, encoding="utf-8")

    def start(self) -> LiveConfig:
        def load() -> Settings:
            return load_settings(home=self.path, environ={})

        return LiveConfig(load(), self.store, home=self.path, load=load, on_rule=self.changes.append)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def reads(rules: Ruleset, site: Site = SHOP) -> str:
    return rules.coverage(site).permit("read").verdict


def test_changed_settings_are_applied(home: Home) -> None:
    config = home.start()
    assert reads(config.rules) == "allow"
    home.write('[policy]\nuncovered = "deny"\n[tools]\nmax_tokens = 500')
    config.reload()
    assert reads(config.rules) == "deny"
    assert config.settings.tools.max_tokens == 500
    assert config.problem is None


@pytest.mark.parametrize(
    "broken",
    [
        "[policy",
        '[policy]\nmode = "yes"',
        '[policy.domains."*.com"]\nread = true',
        '[polcy]\nmode = "auto"',
        '[policy]\nx = "\xff"',
    ],
)
def test_an_invalid_edit_keeps_the_previous_settings_and_is_reported(
    home: Home, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    home.write('[policy]\nuncovered = "deny"')
    config = home.start()
    before = config.settings
    home.write(broken)
    problem = config.reload()
    assert config.settings is before
    assert reads(config.rules) == "deny"
    assert problem is not None and problem is config.problem
    assert "invalid change ignored" in caplog.text
    home.write('[policy]\nuncovered = "ask"')
    config.reload()
    assert config.problem is None
    assert reads(config.rules) == "ask"


def test_a_users_deny_rule_is_applied_although_the_settings_are_invalid(home: Home) -> None:
    config = home.start()
    home.write("[policy")
    home.store.put(Rule(pattern=Pattern("shop.example"), read="deny"))
    config.reload()
    assert reads(config.rules) == "deny"
    assert config.problem is not None


def test_a_damaged_rules_file_keeps_the_previous_user_rules(home: Home) -> None:
    home.store.put(Rule(pattern=Pattern("shop.example"), read="deny"))
    config = home.start()
    rules_path(home.path).write_text("{")
    home.write("[tools]\nmax_tokens = 500")
    config.reload()
    assert reads(config.rules) == "deny"
    assert config.settings.tools.max_tokens == 500
    assert config.problem is not None


def test_a_damaged_rules_file_prevents_the_start(home: Home) -> None:
    rules_path(home.path).write_text("{")
    with pytest.raises(SettingsError, match=r"rules\.json"):
        home.start()


def test_a_user_rule_overrides_the_configuration_except_its_deny(home: Home) -> None:
    home.write('[policy.domains."shop.example"]\nwrite = "ask"\n[policy.domains."bank.example"]\nread = false')
    for name in ("shop.example", "bank.example"):
        home.store.put(Rule(pattern=Pattern(name), read="allow", write="allow"))
    rules = home.start().rules
    assert rules.coverage(SHOP).permit("write").verdict == "allow"
    assert reads(rules, Site("https", "bank.example", 443)) == "deny"


def test_every_change_of_the_user_rules_is_reported_once(home: Home) -> None:
    home.store.put(Rule(pattern=Pattern("old.example"), read="deny"))
    config = home.start()
    home.store.put(Rule(pattern=Pattern("shop.example"), read="deny"))
    home.store.remove(Pattern("old.example"))
    config.reload()
    config.reload()
    reported = {str(change.pattern): (change.before is None, change.after is None) for change in home.changes}
    assert reported == {"old.example": (False, True), "shop.example": (True, False)}
    assert len(home.changes) == 2


async def test_a_watch_reloads_after_each_change_of_each_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("browser_pilot.config.live_reload.POLL_SECONDS", 0.01)
    config = home.start()
    reloads: asyncio.Queue[Settings] = asyncio.Queue()
    config.subscribe(lambda: reloads.put_nowait(config.settings))
    watching = asyncio.create_task(config.watch())
    changes: list[Callable[[], None]] = [
        lambda: home.write("[tools]\nmax_tokens = 500"),
        lambda: home.store.put(Rule(pattern=Pattern("shop.example"), read="deny")),
        lambda: home.write(""),
        lambda: home.store.put(Rule(pattern=Pattern("shop.example"), read="allow")),
        lambda: (home.path / "config.toml").unlink(),
    ]
    expected = [(500, "allow"), (500, "deny"), (8_000, "deny"), (8_000, "allow"), (8_000, "allow")]
    for change, state in zip(changes, expected, strict=True):
        change()
        settings = await asyncio.wait_for(reloads.get(), 10)
        assert (settings.tools.max_tokens, reads(config.rules)) == state
    watching.cancel()


def test_a_stored_rule_applies_at_once_and_subscribers_are_notified(home: Home) -> None:
    config = home.start()
    seen: list[str] = []
    config.subscribe(lambda: seen.append(reads(config.rules)))
    config.put_rule(Rule(pattern=Pattern("shop.example"), read="deny"))
    config.replace_rule(Pattern("shop.example"), Rule(pattern=Pattern("shop.example"), write="ask"))
    (rule,) = config.user_rules
    assert (rule.read, rule.write) == ("allow", "ask")
    config.replace_rule(Pattern("shop.example"), None)
    assert config.user_rules == home.store.load() == ()
    config.add_built_in([Rule(pattern=Pattern("shop.example"), read="deny")])
    assert seen == ["deny", "allow", "allow", "deny"]


def test_subscribers_are_notified_after_an_invalid_edit_too(home: Home) -> None:
    config = home.start()
    problems: list[bool] = []
    config.subscribe(lambda: problems.append(config.problem is not None))
    home.write("[policy")
    config.reload()
    home.write("")
    config.reload()
    assert problems == [True, False]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8777/api/approvals",
        "http://localhost:8777/",
        "http://LOCALHOST:8777/",
        "http://anything.localhost:8777/",
        "http://0x7f.1:8777/",
        "http://2130706433:8777/",
        "http://0.0.0.0:8777/",
        "http://[::1]:8777/",
        "http://[::ffff:127.0.0.1]:8777/",
        "https://127.0.0.1:8777/",
    ],
)
def test_the_hub_itself_is_denied_under_every_loopback_name(home: Home, url: str) -> None:
    home.store.put(Rule(pattern=Pattern("", wildcard=True), read="allow", write="allow"))
    config = home.start()
    config.add_built_in(self_protection_rules("127.0.0.1", 8777))
    assert reads(config.rules, parse_address(url).site) == "deny"
    config.reload()
    assert reads(config.rules, parse_address(url).site) == "deny"
    assert reads(config.rules, parse_address(url.replace(":8777", ":3000")).site) == "allow"


def test_the_hub_is_denied_at_its_configured_address(home: Home) -> None:
    config = home.start()
    config.add_built_in((*self_protection_rules("192.168.1.7", 80), *self_protection_rules("fe80::7", 80)))
    assert reads(config.rules, parse_address("http://192.168.1.7/").site) == "deny"
    assert reads(config.rules, parse_address("http://[fe80::7]/").site) == "deny"


def test_the_hub_is_denied_under_its_allowed_hosts(home: Home) -> None:
    config = home.start()
    config.add_built_in(self_protection_rules("127.0.0.1", 8777, ["hub.example:8443", "pilot.example", "no name"]))
    for url in ("https://hub.example:8443/", "http://pilot.example/", "https://pilot.example/"):
        assert reads(config.rules, parse_address(url).site) == "deny", url
    assert reads(config.rules, parse_address("https://hub.example/").site) == "allow"
    assert reads(config.rules, parse_address("http://pilot.example:3000/").site) == "allow"
