"""`dev`: detection of changed files."""

from __future__ import annotations

from pathlib import Path

from browser_pilot.cli.commands.dev import changed_files, modification_times


def test_added_deleted_and_modified_files_are_detected(tmp_path: Path) -> None:
    for name in ("same", "changed", "gone"):
        (tmp_path / name).write_text(name)
    before = modification_times(tmp_path)
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("new")
    after = {**modification_times(tmp_path), tmp_path / "changed": 0}
    assert {path.name for path in changed_files(before, after)} == {"gone", "new", "changed"}
