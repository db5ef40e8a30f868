"""Forked commands behave like started ones: environment, streams, exit status, and nothing left behind."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from .commands import run_pilot
from .fork_server import SUPPORTED, run_forked, start_forked
from .hub_process import environment, running_hub

pytestmark = pytest.mark.skipif(not SUPPORTED, reason="forks on Linux only")


def test_output_and_exit_status_are_those_of_the_command(home: Path) -> None:
    done = run_pilot(home, "status")
    assert (done.code, done.err) == (0, "")
    assert "No hub is running." in done.out
    refused = run_pilot(home, "stop", "--nonsense")
    assert refused.code == 2
    assert "python -m browser_pilot stop" in refused.err


def test_an_environment_is_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PILOT_BROWSER__HEADLESS", "nonsense")
    assert run_pilot(home, "config", "show").code == 0
    assert run_pilot(home, "config", "show", env={"BROWSER_PILOT_BROWSER__HEADLESS": "nonsense"}).code == 1
    assert run_pilot(home, "config", "show").code == 0


def test_a_signal_is_in_the_exit_status_and_the_process_is_gone(home: Path) -> None:
    for number in (signal.SIGKILL, signal.SIGTERM):
        with running_hub(home) as hub:
            hub.process.send_signal(number)
            assert hub.process.wait(10) == (-number if number == signal.SIGKILL else 0)
            assert hub.process.poll() == hub.process.wait(0)
            assert not psutil.pid_exists(hub.process.pid)
            hub.process.terminate()


def test_a_command_beyond_its_deadline_is_killed(home: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as raised:
        run_forked(["serve"], environment(home), timeout_seconds=0.01)
    assert not psutil.pid_exists(int(raised.value.cmd))


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_process_does_not_hold_the_output_of_another(home: Path, tmp_path: Path) -> None:
    before = _open_files()
    # `running_hub` waits at its end for all that hold the hub's output.
    with running_hub(home):
        other = start_forked(["serve"], environment(tmp_path / "other"), (0, 1, 2))
    assert other.poll() is None
    other.kill()
    assert other.wait(10) == -signal.SIGKILL
    assert _open_files() == before
