"""`doctor`: finds what is wrong, says how to mend it, and ends with 1 only for real problems."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from browser_pilot.cli.checks import check_display, check_home, check_hub, check_log, check_secrets
from browser_pilot.config import BrowserSettings, HubSettings, Settings
from browser_pilot.records.entries import Note
from browser_pilot.records.redaction import Redactor
from browser_pilot.records.secrets import SecretStore
from tests.hub_process import running_hub
from tests.records.logs import opened, remove_database

from .conftest import Outcome, Pilot


def findings(outcome: Outcome) -> dict[str, dict[str, str]]:
    return {finding["what"]: finding for finding in outcome.data["findings"]}


@pytest.mark.browser
def test_a_sound_machine_gets_0_and_the_browsers_version(pilot: Pilot, home: Path) -> None:
    outcome = pilot("doctor", "--json")
    assert outcome.code == 0
    found = findings(outcome)
    assert found["Browser"]["state"] == "ok"
    assert found["Browser"]["says"].endswith("starts")
    assert any(character.isdigit() for character in found["Browser"]["says"])
    assert {
        "Settings",
        "Python",
        "Packages",
        "Home",
        "Disk",
        "Playwright",
        "Display",
        "Log",
        "Secrets",
        "Hub",
    } <= found.keys()
    assert not home.exists()


def test_a_browser_that_does_not_start_is_a_problem_with_a_way_out(pilot: Pilot, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    outcome = pilot("doctor", env={"BROWSER_PILOT_BROWSER__EXECUTABLE": str(broken)})
    assert outcome.code == 1
    assert f"✗ Browser    {broken} could not be started" in outcome.out
    assert "→ Try another" in outcome.out
    assert "1 problem to mend" in outcome.out


def test_wrong_settings_do_not_keep_doctor_from_looking_at_the_rest(pilot: Pilot, home: Path) -> None:
    home.mkdir(mode=0o755)
    (home / "config.toml").write_text('[browser]\nexecutable = "/none"\nheadles = true')
    outcome = pilot("doctor", "--json")
    assert outcome.code == 1
    found = findings(outcome)
    assert found["Settings"]["state"] == "problem"
    assert "browser.headles" in found["Settings"]["says"]
    assert found["Home"]["state"] == "warning"
    assert found["Home"]["mend"] == f"chmod 700 '{home}'"
    assert found["Python"]["state"] == "ok"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_token_that_others_can_read_is_a_problem(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "token").write_text("secret")
    (home / "token").chmod(0o644)
    states = {finding.what: finding for finding in check_home(home)}
    assert states["Home"].state == "ok"
    assert states["Token"].state == "problem"
    assert "new token" in (states["Token"].mend or "")


def test_a_home_that_is_a_file_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert [finding.state for finding in check_home(file)] == ["problem"]
    assert [finding.state for finding in check_home(file / "below")] == ["problem"]


def test_a_taken_port_is_a_warning_for_the_hub_takes_another(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings = Settings(hub=HubSettings(port=taken.getsockname()[1]))
        port = next(finding for finding in check_hub(home, settings) if finding.what == "Port")
        assert port.state == "warning"
        assert str(taken.getsockname()[1]) in port.says


def test_a_running_hub_is_found_and_its_port_not_called_taken(home: Path) -> None:
    with running_hub(home) as hub:
        settings = Settings(hub=HubSettings(port=hub.info.port))
        found = list(check_hub(home, settings))
        assert [(finding.what, finding.state) for finding in found] == [("Hub", "ok")]
        assert str(hub.info.port) in found[0].says


def test_the_log_and_the_secrets_are_looked_at(home: Path) -> None:
    assert (check_log(home).state, check_secrets(home).state) == ("ok", "ok")
    asyncio.run(write_a_note(home))
    SecretStore(home, Redactor(), keyring=lambda: None).set("MAIL", "correct horse", domains=["a.example"])
    assert "1 row so far" in check_log(home).says
    assert check_secrets(home).says == "1, their key in a private file"
    (home / "secrets.key").unlink()
    assert check_secrets(home).state == "problem"
    remove_database(home)
    assert "gone" in check_log(home).says
    (home / "activity.db").write_text("no database" * 100)
    found = check_log(home)
    assert found.state == "problem"
    assert "restore" in (found.mend or "")


async def write_a_note(home: Path) -> None:
    async with opened(home) as log:
        await log.note(Note("x"))


def test_windows_without_a_display_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    headed = Settings(browser=BrowserSettings(headless=False))
    assert check_display(headed).state == "problem"
    monkeypatch.setenv("DISPLAY", ":0")
    assert check_display(headed).state == "ok"
    assert check_display(Settings()).state == "ok"
