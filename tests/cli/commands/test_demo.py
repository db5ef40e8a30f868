"""`demo`: the scripted agent books a crossing, with a running hub or a temporary one."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from browser_pilot.demo.booking import Booking
from tests.cli.conftest import Pilot
from tests.hub_process import running_hub

EXPECTED = Booking("Grace Hopper", 2, "Lounge", bicycle=True)


@pytest.fixture
def short_folder() -> Generator[Path]:
    """Chromium creates a socket in TMPDIR, whose path must be short."""
    with tempfile.TemporaryDirectory(prefix="bp-") as folder:
        yield Path(folder)


@pytest.mark.browser
def test_the_agent_books_a_crossing_and_cleans_up(pilot: Pilot, home: Path, short_folder: Path) -> None:
    outcome = pilot("demo", env={"TMPDIR": str(short_folder)})
    assert outcome.code == 0, outcome.err
    assert f"reference {EXPECTED.reference}" in outcome.out
    assert f"total {EXPECTED.total}" in outcome.out
    assert outcome.out.count(" ms ") == 7
    assert "lighthouse" not in outcome.out
    assert list(short_folder.glob("browser-pilot-demo-*")) == []
    commands = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    assert [command for command in commands if str(short_folder) in command] == []
    assert not home.exists()


@pytest.mark.browser
def test_the_agent_uses_a_running_hub_and_disconnects(pilot: Pilot, home: Path) -> None:
    with running_hub(home) as hub:
        outcome = pilot("demo")
        assert outcome.code == 0, outcome.err
        assert f"Using the hub at {hub.mcp_url}" in outcome.out
        status = pilot("status", "--json").data
        assert status["clients"] == []
        assert status["sessions"] == 0


def test_the_demo_reports_why_no_browser_starts(pilot: Pilot) -> None:
    outcome = pilot("demo", env={"BROWSER_PILOT_BROWSER__EXECUTABLE": "/no/browser"})
    assert outcome.code == 1
    assert "/no/browser" in outcome.err
    assert "Traceback" not in outcome.err
    assert "doctor" in outcome.err
