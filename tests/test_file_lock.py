"""Locks between processes: one holder at a time, and freed with its holder."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from browser_pilot.file_lock import locked


def test_the_lock_has_one_holder_at_a_time(tmp_path: Path) -> None:
    inside: list[int] = []
    holders: list[int] = []

    def enter(number: int) -> None:
        with locked(tmp_path / "lock", timeout_seconds=60):
            inside.append(number)
            holders.append(len(inside))
            inside.remove(number)

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert holders == [1] * 20


def test_after_a_timeout_the_lock_stays_usable(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"), pytest.raises(TimeoutError), locked(tmp_path / "lock", timeout_seconds=0.05):
        pass
    with locked(tmp_path / "lock", timeout_seconds=60):
        pass


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    code = (
        f"import sys, pathlib; from browser_pilot.file_lock import {locked.__name__} as lock\n"
        "with lock(pathlib.Path(sys.argv[1])): print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"locked\n"
        with pytest.raises(TimeoutError), locked(tmp_path / "lock", timeout_seconds=0.05):
            pass
        holder.kill()
        with locked(tmp_path / "lock", timeout_seconds=60):
            pass
