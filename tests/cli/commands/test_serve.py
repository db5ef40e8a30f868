"""`serve --prove`: shows that it works, says how to connect, ends cleanly, and lives on when the proof fails."""

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

from browser_pilot.runtime import read_runtime
from tests.hub_process import browsers_of, environment

from .conftest import Pilot

LAST_LINE = "Ctrl-C ends it."


@contextmanager
def proving(home: Path, *options: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A hub that has told all it has to tell, and its words."""
    process = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "serve", "--prove", *options],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        words = ""
        for line in process.stdout:
            words += line
            if LAST_LINE in line:
                break
        yield process, words
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@pytest.mark.browser
def test_the_hub_proves_itself_and_ctrl_c_leaves_nothing(home: Path) -> None:
    with proving(home) as (process, words):
        assert process.poll() is None, words
        info = read_runtime(home)
        assert info is not None
        assert f"listens at http://127.0.0.1:{info.port}/mcp" in words
        assert " opened the demo page in " in words
        assert " elements took " in words
        assert str(home / "token") in words
        assert info.token not in words
        pasted = json.loads(words[words.index("    {") : words.rindex("}") + 1])
        assert Path(pasted["mcpServers"]["browser-pilot"]["command"]).is_absolute()
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert psutil.wait_procs(family, timeout=5)[1] == []
    assert browsers_of(home) == []


def test_a_failing_proof_says_what_is_wrong_and_the_hub_lives_on(home: Path, pilot: Pilot, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    with proving(home, "--browser", str(broken)) as (process, words):
        assert "✗ The hub runs, but opening a page failed" in words
        assert str(broken) in words
        assert "→ Try another" in words
        assert "Traceback" not in words
        assert process.poll() is None
        assert pilot("status", "--json").data["pid"] == process.pid


def test_an_interrupt_in_the_middle_of_the_proof_ends_cleanly(home: Path) -> None:
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
    assert rest == "○ Browser Pilot has ended.\n"
    assert browsers_of(home) == []


def test_an_address_that_is_not_ours_is_refused_with_words(pilot: Pilot) -> None:
    outcome = pilot("serve", "--host", "192.0.2.1", "--port", "8777")
    assert outcome.code == 1
    assert "hub.host = '192.0.2.1'" in outcome.err
    assert "Traceback" not in outcome.err
