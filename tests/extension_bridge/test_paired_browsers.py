"""Paired browsers are stored, named and forgotten."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from browser_pilot.errors import InvalidArgument, SettingsError
from browser_pilot.extension_bridge.paired_browsers import PairedBrowserStore, describe_user_agent

AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"


def test_browsers_are_stored_in_a_private_file(home: Path) -> None:
    added = PairedBrowserStore(home).add("b1", AGENT, "key", 5)
    store = PairedBrowserStore(home)
    assert store.get("b1") == added
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_browsers_of_the_same_kind_get_different_names(home: Path) -> None:
    store = PairedBrowserStore(home)
    names = [store.add(f"b{n}", AGENT, "key", 0).name for n in range(3)]
    assert names == ["Chrome on Linux", "Chrome on Linux 2", "Chrome on Linux 3"]


def test_a_browser_is_found_by_name_in_any_case_and_by_id(home: Path) -> None:
    store = PairedBrowserStore(home)
    browser = store.add("b1", AGENT, "key", 0)
    assert store.named("chrome on linux") == browser == store.named("b1")
    assert store.named("other") is None


def test_two_browsers_cannot_have_one_name(home: Path) -> None:
    store = PairedBrowserStore(home)
    one, two = (store.add(f"b{n}", AGENT, "key", 0) for n in range(2))
    store.rename(one, "Work")
    with pytest.raises(InvalidArgument):
        store.rename(two, "work")


def test_a_forgotten_browser_is_removed_from_the_file(home: Path) -> None:
    store = PairedBrowserStore(home)
    store.forget(store.add("b1", AGENT, "key", 0))
    assert list(PairedBrowserStore(home)) == []


def test_an_invalid_file_is_an_error(home: Path) -> None:
    home.mkdir()
    (home / "browsers.json").write_text('[{"id": 1}]')
    with pytest.raises(SettingsError):
        PairedBrowserStore(home)


def test_the_key_is_in_no_repr_or_message(home: Path) -> None:
    assert "hidden" not in repr(PairedBrowserStore(home).add("b1", AGENT, "hidden", 0))


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (AGENT, "Chrome on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/156.0.0.0", "Chrome on macOS"),
        ("", "Chrome"),
    ],
)
def test_a_browser_is_named_by_its_user_agent(agent: str, name: str) -> None:
    assert describe_user_agent(agent) == name
