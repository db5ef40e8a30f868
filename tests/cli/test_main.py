"""What holds for every command: help, version, errors in words, tracebacks only when asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from browser_pilot import __version__
from browser_pilot.cli import build_app
from tests.hub_process import environment

from .conftest import Pilot

COMMANDS = (
    "serve",
    "status",
    "stop",
    "approvals",
    "approve",
    "deny",
    "policy",
    "log",
    "secret",
    "backup",
    "restore",
    "tools",
    "call",
    "demo",
    "doctor",
    "config",
    "mcp-config",
    "setup-browser",
)
HEAVY = ("mcp", "playwright", "psutil", "starlette", "cryptography", "browser_pilot.config")


def test_the_version_is_told(pilot: Pilot) -> None:
    assert pilot("--version").out.strip() == __version__


def test_help_names_every_command(pilot: Pilot) -> None:
    outcome = pilot("--help")
    assert outcome.code == 0
    for command in COMMANDS:
        assert command in outcome.out


def test_every_command_explains_itself_and_names_its_options() -> None:
    for command in COMMANDS:
        result = CliRunner().invoke(build_app(), [command, "--help"])
        assert result.exit_code == 0
        assert f"browser-pilot {command}" in result.output


def test_an_unknown_command_is_refused(pilot: Pilot) -> None:
    outcome = pilot("fly")
    assert outcome.code == 2
    assert "fly" in outcome.err


def test_an_error_is_told_in_words_without_a_traceback(pilot: Pilot) -> None:
    outcome = pilot("tools", "--profile", "everything")
    assert outcome.code == 1
    assert "'everything' is neither a tool nor a profile." in outcome.err
    assert "→ Profiles: minimal, standard, full." in outcome.err
    assert "Traceback" not in outcome.err


def test_debug_shows_where_an_error_came_from(pilot: Pilot) -> None:
    outcome = pilot("tools", "--profile", "everything", "--debug")
    assert outcome.code == 1
    assert "Traceback" in outcome.err
    assert "SettingsError" in outcome.err


def test_square_brackets_in_a_text_are_printed_as_they_are(pilot: Pilot) -> None:
    outcome = pilot("tools", "--profile", "[/red][bold]x")
    assert "'[/red][bold]x' is neither" in outcome.err


def test_a_home_that_is_a_file_is_told_in_words(pilot: Pilot, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    outcome = pilot("call", "browser_tabs", env={"BROWSER_PILOT_HOME": str(file / "home")})
    assert outcome.code == 1
    assert "Not a directory" in outcome.err
    assert "doctor" in outcome.err
    assert "Traceback" not in outcome.err


def test_output_into_a_pipe_has_no_colours_and_cuts_nothing(pilot: Pilot) -> None:
    outcome = pilot("config", "show")
    assert "\x1b" not in outcome.out
    assert "files.screenshot_dir" in outcome.out
    assert "…" not in outcome.out


@pytest.mark.parametrize("arguments", [("--debug", "tools"), ("tools", "--debug"), ("--debug", "--debug", "tools")])
def test_debug_may_stand_before_the_command(pilot: Pilot, arguments: tuple[str, ...]) -> None:
    outcome = pilot(*arguments, "--profile", "everything")
    assert outcome.code == 1
    assert "Traceback" in outcome.err


def test_debug_alone_is_no_mcp_client(pilot: Pilot) -> None:
    outcome = pilot("--debug")
    assert outcome.code == 2
    assert "COMMAND" in outcome.out + outcome.err


@pytest.mark.parametrize("command", ["status", "log"])
def test_a_quick_command_waits_for_nothing_heavy(home: Path, command: str) -> None:
    code = (
        "import sys; from browser_pilot.cli import build_app; "
        f"build_app({command!r})([{command!r}], standalone_mode=False); "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(home), capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
