"""SIGKILL at random moments under load: acknowledged rows exist, the chain verifies, limits hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def _kill(home: Path, rounds: int, seed: int) -> int:
    program = [sys.executable, "-m", "tests.audit_log.kill_process", str(home), str(rounds), str(seed)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=110, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    assert _kill(tmp_path, rounds=25, seed=1) > 100


@pytest.mark.stress
@pytest.mark.parametrize("seed", range(2, 9))
def test_two_hundred_kills_lose_nothing_that_was_acknowledged(tmp_path: Path, seed: int) -> None:
    assert _kill(tmp_path, rounds=25, seed=seed) > 100
