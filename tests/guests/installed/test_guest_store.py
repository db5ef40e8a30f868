"""Installed guests: bound to the files that the user approved, enabled, disabled and removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.errors import InvalidArgument, PilotError
from browser_pilot.guests.installed.guest_store import GuestStore
from tests.guests.guest_factory import DO, SCRIPT, package


@pytest.mark.parametrize("file", ["code", "manifest.json"])
def test_a_changed_file_needs_a_new_approval(file: str, home: Path) -> None:
    store = GuestStore(home)
    added = store.install(package(SCRIPT), (DO,), source="here")
    assert added.problem is None

    path = added.folder / file
    path.write_bytes(path.read_bytes() + b" ")

    changed = store.load(added.name)
    assert changed.problem is not None
    with pytest.raises(InvalidArgument, match="have changed"):
        changed.read_code()


def test_guests_are_disabled_and_removed(home: Path) -> None:
    store = GuestStore(home)
    store.install(package(SCRIPT), (DO,), source="here")
    before = store.stamp()

    assert not store.set_enabled("testing", False).enabled
    assert not store.load("testing").enabled
    assert store.stamp() != before
    store.remove("testing")
    assert store.names() == []
    with pytest.raises(PilotError):
        store.find("testing")


def test_a_damaged_guest_can_still_be_removed(home: Path) -> None:
    store = GuestStore(home)
    added = store.install(package(SCRIPT), (DO,), source="here")
    (added.folder / "manifest.json").write_text("nonsense")

    store.remove("testing")

    assert store.names() == []
