"""Starting a detached hub, and waiting for the end of a process."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from browser_pilot.errors import HubUnavailable
from browser_pilot.hub_discovery import launcher
from browser_pilot.hub_discovery.launcher import wait_for_exit


def test_a_hub_that_is_not_ready_in_time_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    code = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    monkeypatch.setattr(launcher, "HUB_COMMAND", (sys.executable, "-c", code))
    with pytest.raises(HubUnavailable, match="not ready within 3 seconds"):
        launcher.start_hub(tmp_path / "home", timeout_seconds=3)
    assert launcher.wait_for_exit(int(pid_file.read_text()), timeout_seconds=60)


def test_wait_for_exit_returns_when_the_process_ends() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert not wait_for_exit(process.pid, timeout_seconds=0.05)
        assert process.stdin is not None
        process.stdin.close()
        began = time.monotonic()
        assert wait_for_exit(process.pid, timeout_seconds=120)
        assert time.monotonic() - began < 60
    assert wait_for_exit(process.pid, timeout_seconds=60)
