"""The store of user rules: private, atomic, and no rule lost to a damaged file or a concurrent write."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from browser_pilot.config.user_rules import UserRulesStore, rules_path
from browser_pilot.errors import SettingsError
from browser_pilot.file_lock import locked
from browser_pilot.policy.patterns import Pattern, parse_pattern
from browser_pilot.policy.rules import Rule

SHOP = Pattern("shop.example")


def test_a_stored_rule_is_loaded_unchanged(tmp_path: Path) -> None:
    store = UserRulesStore(tmp_path, clock=lambda: 0.0)
    made = Rule(
        pattern=parse_pattern("*.shop.example:8443"),
        write="ask",
        requires_approval=False,
        ask_from="high",
        mode="auto",
        source="your answer",
    )
    store.put(made)
    (rule,) = UserRulesStore(tmp_path).load()
    assert rule.source == "your answer, 1970-01-01"
    for name in ("pattern", "read", "write", "requires_approval", "ask_from", "mode"):
        assert getattr(rule, name) == getattr(made, name)


def test_no_file_means_no_rules(tmp_path: Path) -> None:
    assert UserRulesStore(tmp_path).load() == ()
    assert UserRulesStore(tmp_path).remove(SHOP) is False


@pytest.mark.skipif(os.name != "posix", reason="file modes need POSIX")
def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    UserRulesStore(tmp_path).put(Rule(pattern=SHOP, read="deny"))
    assert stat.S_IMODE(rules_path(tmp_path).stat().st_mode) == 0o600


def test_the_last_rule_of_a_pattern_counts(tmp_path: Path) -> None:
    store = UserRulesStore(tmp_path)
    store.put(Rule(pattern=SHOP, read="deny", write="deny", source="your answer"))
    store.put(Rule(pattern=SHOP, read="allow", source="browser-pilot policy"))
    (rule,) = store.load()
    assert (rule.read, rule.write) == ("allow", None)
    store.put(Rule(pattern=SHOP, mode="ask"))
    (rule,) = store.load()
    assert (rule.read, rule.mode) == ("allow", "ask")
    store.put(Rule(pattern=SHOP, read="deny", write="deny"))
    (rule,) = store.load()
    assert (rule.read, rule.write, rule.mode) == ("deny", "deny", None)


def test_a_rule_can_be_removed(tmp_path: Path) -> None:
    store = UserRulesStore(tmp_path)
    store.put(Rule(pattern=SHOP, read="deny"))
    store.put(Rule(pattern=Pattern("other.example"), read="allow"))
    assert store.remove(SHOP) is True
    assert [str(rule.pattern) for rule in store.load()] == ["other.example"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 2, "rules": []}',
        '{"version": 1, "rules": [{"pattern": "a.example"}]}',
        '{"version": 1, "rules": [{"pattern": "*.com", "by": "x", "at": "y"}]}',
        '{"version": 1, "rules": [{"pattern": "a.example", "read": "maybe", "by": "x", "at": "y"}]}',
        '{"version": 1, "rules": [{"pattern": "a.example", "deny": true, "by": "x", "at": "y"}]}',
    ],
)
def test_a_damaged_file_is_refused_and_not_overwritten(tmp_path: Path, text: str) -> None:
    rules_path(tmp_path).write_text(text)
    store = UserRulesStore(tmp_path)
    with pytest.raises(SettingsError, match=r"rules\.json"):
        store.load()
    if "*.com" not in text:
        with pytest.raises(SettingsError, match=r"rules\.json"):
            store.put(Rule(pattern=SHOP, read="allow"))
        assert rules_path(tmp_path).read_text() == text


def test_a_failed_write_is_reported(tmp_path: Path) -> None:
    rules_path(tmp_path).mkdir()
    with pytest.raises(SettingsError, match=r"rules\.json"):
        UserRulesStore(tmp_path).put(Rule(pattern=SHOP, read="allow"))


def test_a_change_waits_for_another_process_only_until_the_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("browser_pilot.config.user_rules.LOCK_TIMEOUT_SECONDS", 0.05)
    with locked(tmp_path / "run" / "rules.lock"), pytest.raises(SettingsError, match="another process"):
        UserRulesStore(tmp_path).put(Rule(pattern=SHOP, read="allow"))
    UserRulesStore(tmp_path).put(Rule(pattern=SHOP, read="allow"))


def test_concurrent_writers_lose_no_rule(tmp_path: Path) -> None:
    script = """if True:
        import sys
        from pathlib import Path
        from browser_pilot.config.user_rules import STORE
        from browser_pilot.policy.patterns import Pattern
        from browser_pilot.policy.rules import Rule
        for number in range(25):
            STORE(Path(sys.argv[1])).put(Rule(pattern=Pattern(f"{sys.argv[2]}{number}.example"), read="deny"))
    """.replace("STORE", UserRulesStore.__name__)
    writers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name]) for name in ("a", "b", "c")]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert len(UserRulesStore(tmp_path).load()) == 75
