"""`serve --prove`: runs the smoke test, prints how to connect, stops cleanly, and keeps running on failure."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from browser_pilot.hub_discovery.runtime_file import read_runtime
from tests.cli.conftest import Pilot
from tests.hub_process import browsers_of, environment

LAST_LINE = "Press Ctrl-C to stop."


@contextmanager
def smoke_tested_hub(home: Path, *options: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A hub after its smoke test, and its output."""
    process = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "serve", "--prove", *options],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        output = ""
        for line in process.stdout:
            output += line
            if LAST_LINE in line:
                break
        yield process, output
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@pytest.mark.browser
def test_the_smoke_test_passes_and_ctrl_c_leaves_no_process(home: Path) -> None:
    with smoke_tested_hub(home) as (process, output):
        assert process.poll() is None, output
        info = read_runtime(home)
        assert info is not None
        assert f"listens at http://127.0.0.1:{info.port}/mcp" in output
        assert " opened the demo page in " in output
        assert " elements took " in output
        assert str(home / "token") in output
        assert info.token not in output
        pasted = json.loads(output[output.index("    {") : output.rindex("}") + 1])
        assert Path(pasted["mcpServers"]["browser-pilot"]["command"]).is_absolute()
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert psutil.wait_procs(children, timeout=60)[1] == []
    assert browsers_of(home) == []


def test_a_failed_smoke_test_prints_the_cause_and_the_hub_keeps_running(
    home: Path, pilot: Pilot, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    with smoke_tested_hub(home, "--browser", str(broken)) as (process, output):
        assert "✗ The hub is running, but opening a page failed" in output
        assert str(broken) in output
        assert "→ Try another" in output
        assert "Traceback" not in output
        assert process.poll() is None
        assert pilot("status", "--json").data["pid"] == process.pid


def test_an_interrupt_during_the_smoke_test_stops_cleanly(home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "serve", "--prove"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout:
        first = process.stdout.readline()
        assert "listens at" in first
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.wait(20) == 0
    assert rest == "○ Browser Pilot has stopped.\n"
    assert browsers_of(home) == []


def test_an_address_of_another_machine_is_rejected(pilot: Pilot) -> None:
    outcome = pilot("serve", "--host", "192.0.2.1", "--port", "8777")
    assert outcome.code == 1
    assert "hub.host = '192.0.2.1'" in outcome.err
    assert "Traceback" not in outcome.err
