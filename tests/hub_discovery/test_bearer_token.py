"""The bearer token of a home is created once and private."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from browser_pilot.hub_discovery.bearer_token import hub_token


def test_the_token_stays_the_same_and_is_private(tmp_path: Path) -> None:
    token = hub_token(tmp_path)
    assert len(token) >= 32 and hub_token(tmp_path) == token
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_a_token_that_is_too_short_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("short\n")
    token = hub_token(tmp_path)
    assert len(token) >= 32 and hub_token(tmp_path) == token


posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX")


def assert_replaced(home: Path, before: str) -> None:
    token = hub_token(home)
    assert token != before and hub_token(home) == token
    facts = (home / "token").lstat()
    assert (facts.st_mode, facts.st_uid) == (stat.S_IFREG | 0o600, os.geteuid())


@posix
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o602])
def test_a_token_that_other_users_could_read_or_write_is_replaced(tmp_path: Path, mode: int) -> None:
    before = hub_token(tmp_path)
    (tmp_path / "token").chmod(mode)
    assert_replaced(tmp_path, before)


@posix
def test_a_token_that_is_a_link_is_replaced(tmp_path: Path) -> None:
    before = hub_token(tmp_path / "elsewhere")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "token").symlink_to(tmp_path / "elsewhere" / "token")
    assert_replaced(tmp_path / "home", before)
    assert hub_token(tmp_path / "elsewhere") == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a file away")
def test_a_token_of_another_user_is_replaced(tmp_path: Path) -> None:
    before = hub_token(tmp_path)
    os.chown(tmp_path / "token", 65534, -1)
    assert_replaced(tmp_path, before)


def test_a_token_file_that_is_not_ascii_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(b"\xff" * 10)
    assert len(hub_token(tmp_path)) >= 32
