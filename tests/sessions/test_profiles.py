"""Profiles are stored encrypted, and their names cannot leave the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.errors import InvalidArgument, RecordsUnavailable
from browser_pilot.sessions.profiles import ProfileFolder, new_profile

STATE = {"cookies": [{"name": "sid", "value": "a-very-secret-cookie"}], "origins": []}


def folder(home: Path) -> ProfileFolder:
    return ProfileFolder(home, keyring=lambda: None)


async def test_a_profile_is_loaded_as_saved_and_unreadable_in_its_file(home: Path) -> None:
    await folder(home).save("work", new_profile(STATE, ("https://example.com/",)))
    profile = await folder(home).load("work")
    assert profile.state == STATE and profile.urls == ("https://example.com/",)
    assert await folder(home).names() == ["work"]
    written = (home / "profiles" / "work.enc").read_bytes()
    assert b"very-secret" not in written and b"example" not in written
    assert (home / "profiles" / "work.enc").stat().st_mode & 0o077 == 0


async def test_a_profile_cannot_be_loaded_without_its_key(home: Path) -> None:
    await folder(home).save("work", new_profile(STATE, ()))
    (home / "secrets.key").unlink()
    with pytest.raises(RecordsUnavailable):
        await folder(home).load("work")


@pytest.mark.parametrize("name", ["../work", "", ".hidden", "a/b", "x" * 65, "a\x00"])
async def test_a_name_that_could_leave_the_folder_is_refused(home: Path, name: str) -> None:
    with pytest.raises(InvalidArgument):
        await folder(home).save(name, new_profile(STATE, ()))
    with pytest.raises(InvalidArgument):
        await folder(home).load(name)


async def test_the_error_for_an_unknown_profile_lists_the_known_ones(home: Path) -> None:
    await folder(home).save("work", new_profile(STATE, ()))
    with pytest.raises(InvalidArgument) as raised:
        await folder(home).load("home")
    assert "work" in raised.value.suggestions[0]
