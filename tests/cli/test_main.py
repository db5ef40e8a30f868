"""Behaviour of every command: help, version, error messages, and tracebacks only with --debug."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from browser_pilot import __version__
from browser_pilot.cli import build_app
from browser_pilot.stdio_adapter.options import CLIENT_OPTIONS
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
HEAVY_PACKAGES = ("mcp", "playwright", "psutil", "starlette", "cryptography", "browser_pilot.config.settings")


def test_version_prints_the_version(pilot: Pilot) -> None:
    assert pilot("--version").out.strip() == __version__


def test_help_lists_every_command(pilot: Pilot) -> None:
    outcome = pilot("--help")
    assert outcome.code == 0
    for command in COMMANDS:
        assert command in outcome.out


def test_help_lists_the_options_of_the_adapter(pilot: Pilot) -> None:
    outcome = pilot("-h")
    assert outcome.code == 0
    assert outcome.out == pilot("--help").out
    adapters = pilot("--read-only", "--help").out
    for option in CLIENT_OPTIONS:
        assert option.flag in outcome.out
        assert option.flag in adapters


def test_every_command_has_help() -> None:
    for command in COMMANDS:
        result = CliRunner().invoke(build_app(), [command, "--help"])
        assert result.exit_code == 0
        assert f"browser-pilot {command}" in result.output


def test_an_unknown_command_is_rejected(pilot: Pilot) -> None:
    outcome = pilot("fly")
    assert outcome.code == 2
    assert "fly" in outcome.err


def test_an_error_has_a_message_and_no_traceback(pilot: Pilot) -> None:
    outcome = pilot("tools", "--profile", "everything")
    assert outcome.code == 1
    assert "'everything' is neither a tool nor a profile." in outcome.err
    assert "→ Profiles: minimal, standard, full." in outcome.err
    assert "Traceback" not in outcome.err


def test_debug_shows_the_traceback(pilot: Pilot) -> None:
    outcome = pilot("tools", "--profile", "everything", "--debug")
    assert outcome.code == 1
    assert "Traceback" in outcome.err
    assert "SettingsError" in outcome.err


def test_square_brackets_are_not_markup(pilot: Pilot) -> None:
    outcome = pilot("tools", "--profile", "[/red][bold]x")
    assert "'[/red][bold]x' is neither" in outcome.err


def test_a_home_that_is_a_file_has_an_error_message(pilot: Pilot, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    outcome = pilot("call", "browser_tabs", env={"BROWSER_PILOT_HOME": str(file / "home")})
    assert outcome.code == 1
    assert "Not a directory" in outcome.err
    assert "doctor" in outcome.err
    assert "Traceback" not in outcome.err


def test_output_in_a_pipe_has_no_colours_and_is_not_truncated(pilot: Pilot) -> None:
    outcome = pilot("config", "show")
    assert "\x1b" not in outcome.out
    assert "files.screenshot_dir" in outcome.out
    assert "…" not in outcome.out


@pytest.mark.parametrize("arguments", [("--debug", "tools"), ("tools", "--debug"), ("--debug", "--debug", "tools")])
def test_debug_may_precede_the_command(pilot: Pilot, arguments: tuple[str, ...]) -> None:
    outcome = pilot(*arguments, "--profile", "everything")
    assert outcome.code == 1
    assert "Traceback" in outcome.err


def test_debug_alone_does_not_start_the_adapter(pilot: Pilot) -> None:
    outcome = pilot("--debug")
    assert outcome.code == 2
    assert "COMMAND" in outcome.out + outcome.err


@pytest.mark.parametrize("command", ["status", "log"])
def test_a_fast_command_imports_no_heavy_package(home: Path, command: str) -> None:
    code = (
        "import sys; from browser_pilot.cli import build_app; "
        f"build_app({command!r})([{command!r}], standalone_mode=False); "
        f"print([name for name in {HEAVY_PACKAGES!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(home), capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
