"""Paired browsers are kept, named and forgotten."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from browser_pilot.bridge.browsers import BrowserStore, describe_agent
from browser_pilot.errors import InvalidArgument, SettingsError

AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"


def test_browsers_outlive_the_hub_in_a_private_file(home: Path) -> None:
    added = BrowserStore(home).add("b1", AGENT, "key", 5)
    store = BrowserStore(home)
    assert store.get("b1") == added
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_browsers_of_the_same_kind_get_different_names(home: Path) -> None:
    store = BrowserStore(home)
    names = [store.add(f"b{n}", AGENT, "key", 0).name for n in range(3)]
    assert names == ["Chrome on Linux", "Chrome on Linux 2", "Chrome on Linux 3"]


def test_a_browser_is_found_by_name_in_any_case_and_by_id(home: Path) -> None:
    store = BrowserStore(home)
    browser = store.add("b1", AGENT, "key", 0)
    assert store.named("chrome on linux") == browser == store.named("b1")
    assert store.named("other") is None


def test_two_browsers_cannot_have_one_name(home: Path) -> None:
    store = BrowserStore(home)
    one, two = (store.add(f"b{n}", AGENT, "key", 0) for n in range(2))
    store.rename(one, "Work")
    with pytest.raises(InvalidArgument):
        store.rename(two, "work")


def test_a_forgotten_browser_is_gone_for_good(home: Path) -> None:
    store = BrowserStore(home)
    store.forget(store.add("b1", AGENT, "key", 0))
    assert list(BrowserStore(home)) == []


def test_a_broken_file_is_told_of(home: Path) -> None:
    home.mkdir()
    (home / "browsers.json").write_text('[{"id": 1}]')
    with pytest.raises(SettingsError):
        BrowserStore(home)


def test_the_key_shows_in_no_message(home: Path) -> None:
    assert "hidden" not in repr(BrowserStore(home).add("b1", AGENT, "hidden", 0))


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (AGENT, "Chrome on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/156.0.0.0", "Chrome on macOS"),
        ("", "Chrome"),
    ],
)
def test_a_browser_is_named_by_what_it_is(agent: str, name: str) -> None:
    assert describe_agent(agent) == name
