"""Settings and rules while they change: each file is taken as a whole, or what it said before stays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from browser_pilot.approvals.rules_store import RulesStore, rules_path
from browser_pilot.config import Settings, load_settings
from browser_pilot.errors import SettingsError
from browser_pilot.in_force import InForce, RuleChange, keep_out_of_the_hub
from browser_pilot.policy.hosts import Site, parse_address
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Rule, Ruleset

SHOP = Site("https", "shop.example", 443)


class Home:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = RulesStore(path)
        self.changes: list[RuleChange] = []

    def write(self, text: str) -> None:
        (self.path / "config.toml").write_text(text, encoding="utf-8")

    def start(self) -> InForce:
        def load() -> Settings:
            return load_settings(home=self.path, environ={})

        return InForce(load(), self.store, home=self.path, load=load, on_rule=self.changes.append)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def reads(rules: Ruleset, site: Site = SHOP) -> str:
    return rules.coverage(site).permit("read").verdict


def test_a_change_of_the_settings_is_taken(home: Home) -> None:
    in_force = home.start()
    assert reads(in_force.rules) == "allow"
    home.write('[policy]\nuncovered = "deny"\n[tools]\nmax_tokens = 500')
    in_force.reload()
    assert reads(in_force.rules) == "deny"
    assert in_force.settings.tools.max_tokens == 500
    assert in_force.problem is None


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
def test_a_broken_edit_keeps_the_last_good_settings_and_says_so(
    home: Home, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    home.write('[policy]\nuncovered = "deny"')
    in_force = home.start()
    before = in_force.settings
    home.write(broken)
    in_force.reload()
    assert in_force.settings is before
    assert reads(in_force.rules) == "deny"
    assert in_force.problem is not None
    assert "was not taken" in caplog.text
    home.write('[policy]\nuncovered = "ask"')
    in_force.reload()
    assert in_force.problem is None
    assert reads(in_force.rules) == "ask"


def test_a_persons_no_is_taken_even_while_the_settings_are_broken(home: Home) -> None:
    in_force = home.start()
    home.write("[policy")
    home.store.put(Rule(pattern=Pattern("shop.example"), read="deny"))
    in_force.reload()
    assert reads(in_force.rules) == "deny"
    assert in_force.problem is not None


def test_damaged_rules_keep_what_people_said_before(home: Home) -> None:
    home.store.put(Rule(pattern=Pattern("shop.example"), read="deny"))
    in_force = home.start()
    rules_path(home.path).write_text("{")
    home.write("[tools]\nmax_tokens = 500")
    in_force.reload()
    assert reads(in_force.rules) == "deny"
    assert in_force.settings.tools.max_tokens == 500
    assert in_force.problem is not None


def test_damaged_rules_do_not_let_a_hub_start(home: Home) -> None:
    rules_path(home.path).write_text("{")
    with pytest.raises(SettingsError, match=r"rules\.json"):
        home.start()


def test_a_persons_rule_goes_over_the_configuration_but_not_over_its_no(home: Home) -> None:
    home.write('[policy.domains."shop.example"]\nwrite = "ask"\n[policy.domains."bank.example"]\nread = false')
    for name in ("shop.example", "bank.example"):
        home.store.put(Rule(pattern=Pattern(name), read="allow", write="allow"))
    rules = home.start().rules
    assert rules.coverage(SHOP).permit("write").verdict == "allow"
    assert reads(rules, Site("https", "bank.example", 443)) == "deny"


def test_every_change_that_people_make_is_told(home: Home) -> None:
    home.store.put(Rule(pattern=Pattern("old.example"), read="deny"))
    in_force = home.start()
    home.store.put(Rule(pattern=Pattern("shop.example"), read="deny"))
    home.store.forget(Pattern("old.example"))
    in_force.reload()
    in_force.reload()
    told = {str(change.pattern): (change.before is None, change.after is None) for change in home.changes}
    assert told == {"old.example": (False, True), "shop.example": (True, False)}
    assert len(home.changes) == 2


async def test_a_watch_takes_each_change_of_each_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("browser_pilot.in_force.LOOK_SECONDS", 0.01)
    in_force = home.start()
    told: asyncio.Queue[Settings] = asyncio.Queue()
    watching = asyncio.create_task(in_force.watch(told.put_nowait))
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
        settings = await asyncio.wait_for(told.get(), 10)
        assert (settings.tools.max_tokens, reads(in_force.rules)) == state
    watching.cancel()


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
def test_the_hub_itself_is_out_of_bounds_by_every_name(home: Home, url: str) -> None:
    home.store.put(Rule(pattern=Pattern("", wildcard=True), read="allow", write="allow"))
    in_force = home.start()
    in_force.add_built_in(keep_out_of_the_hub("127.0.0.1", 8777))
    assert reads(in_force.rules, parse_address(url).site) == "deny"
    in_force.reload()
    assert reads(in_force.rules, parse_address(url).site) == "deny"
    assert reads(in_force.rules, parse_address(url.replace(":8777", ":3000")).site) == "allow"


def test_the_hubs_own_address_is_out_of_bounds_too(home: Home) -> None:
    in_force = home.start()
    in_force.add_built_in((*keep_out_of_the_hub("192.168.1.7", 80), *keep_out_of_the_hub("fe80::7", 80)))
    assert reads(in_force.rules, parse_address("http://192.168.1.7/").site) == "deny"
    assert reads(in_force.rules, parse_address("http://[fe80::7]/").site) == "deny"


def test_a_name_that_the_hub_answers_to_is_out_of_bounds_too(home: Home) -> None:
    in_force = home.start()
    in_force.add_built_in(keep_out_of_the_hub("127.0.0.1", 8777, ["hub.example:8443", "pilot.example", "no name"]))
    for url in ("https://hub.example:8443/", "http://pilot.example/", "https://pilot.example/"):
        assert reads(in_force.rules, parse_address(url).site) == "deny", url
    assert reads(in_force.rules, parse_address("https://hub.example/").site) == "allow"
    assert reads(in_force.rules, parse_address("http://pilot.example:3000/").site) == "allow"
