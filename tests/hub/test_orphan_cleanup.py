"""Clean-up after a killed hub: only processes and files of its own home."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from browser_pilot.hub.orphan_cleanup import clean_up_home, kill_orphans, temporary_folder

WAIT = "import sys; sys.stdin.read()"


@contextmanager
def process(*arguments: str) -> Generator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", WAIT, *arguments], stdin=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()


def test_only_processes_of_the_same_home_are_killed(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    with (
        process(f"--user-data-dir={temporary_folder(one)}/profile") as orphan,
        process(f"--user-data-dir={temporary_folder(other)}/profile") as foreign,
    ):
        assert kill_orphans(one) == 1
        assert not psutil.pid_exists(orphan.pid)
        assert foreign.poll() is None


def test_temporary_files_and_partial_downloads_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", os.environ.get("TMPDIR", ""))
    leftover = temporary_folder(tmp_path) / "profile" / "file"
    leftover.parent.mkdir(parents=True)
    leftover.touch()
    clean_up_home(tmp_path, tmp_path / "downloads")
    assert list(temporary_folder(tmp_path).iterdir()) == []
    assert os.environ["TMPDIR"] == str(temporary_folder(tmp_path))
