"""Writing a client's file: modes and links stay, nothing is lost when it fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from browser_pilot.cli.mcp_clients.client_table import CLIENTS, Launch
from browser_pilot.cli.mcp_clients.config_file import add_to_file
from browser_pilot.errors import InvalidArgument

LAUNCH = Launch("/bin/pilot", (), {})


def test_a_missing_file_is_created_with_its_folder_and_without_a_backup(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "mcp.json"
    written = add_to_file(CLIENTS["cursor"], file, LAUNCH)
    assert (written.changed, written.backup) == (True, None)
    assert [path.name for path in file.parent.iterdir()] == ["mcp.json"]


@pytest.mark.skipif(os.name != "posix", reason="modes and links are POSIX")
def test_the_mode_and_a_symbolic_link_stay(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text('{"token": "x"}')
    target.chmod(0o600)
    link = tmp_path / "settings.json"
    link.symlink_to(target)
    written = add_to_file(CLIENTS["gemini-cli"], link, LAUNCH)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o600
    assert written.backup is not None
    assert written.backup.stat().st_mode & 0o777 == 0o600
    assert '"token": "x"' in target.read_text()


def test_each_change_has_a_backup_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    first = add_to_file(CLIENTS["cursor"], file, LAUNCH).backup
    second = add_to_file(CLIENTS["cursor"], file, Launch("/bin/other", (), {})).backup
    assert first is not None and second is not None and first != second
    assert first.read_text() == "{}"
    assert "/bin/pilot" in second.read_text()


@pytest.mark.parametrize("content", [b"\xff\xfe{", b"{"])
def test_a_file_that_cannot_be_read_as_text_is_refused_and_stays(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(content)
    with pytest.raises(InvalidArgument, match="cannot be changed"):
        add_to_file(CLIENTS["cursor"], file, LAUNCH)
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="cannot be written"):
        add_to_file(CLIENTS["cursor"], tmp_path, LAUNCH)
