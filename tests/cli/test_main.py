"""What holds for every command: help, version, errors in words, tracebacks only when asked for."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from browser_pilot import __version__
from browser_pilot.cli import app

from .conftest import Pilot

COMMANDS = ("serve", "status", "stop", "tools", "call", "demo", "doctor", "config", "mcp-config", "setup-browser")


def test_the_version_is_told(pilot: Pilot) -> None:
    assert pilot("--version").out.strip() == __version__


def test_help_names_every_command(pilot: Pilot) -> None:
    outcome = pilot("--help")
    assert outcome.code == 0
    for command in COMMANDS:
        assert command in outcome.out


def test_every_command_explains_itself_and_names_its_options() -> None:
    for command in COMMANDS:
        result = CliRunner().invoke(app, [command, "--help"])
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
