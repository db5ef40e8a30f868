"""The single checks of `doctor`."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.cli.doctor_checks import check_display, check_home, check_hub, check_log, check_secrets
from browser_pilot.config.settings import BrowserSettings, HubSettings, Settings
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from tests.audit_log.logs import opened, remove_database
from tests.hub_process import running_hub


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_token_readable_by_other_users_is_a_problem(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "token").write_text("secret")
    (home / "token").chmod(0o644)
    states = {finding.name: finding for finding in check_home(home)}
    assert states["Home"].state == "ok"
    assert states["Token"].state == "problem"
    assert "new token" in (states["Token"].fix or "")


def test_a_home_that_is_a_file_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert [finding.state for finding in check_home(file)] == ["problem"]
    assert [finding.state for finding in check_home(file / "below")] == ["problem"]


@pytest.mark.parametrize(("chosen", "state"), [({"port"}, "problem"), (set[str](), "warning")])
def test_a_port_in_use_is_a_problem_if_the_user_chose_it_and_else_a_warning(
    home: Path, chosen: set[str], state: str
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings = Settings(hub=HubSettings.model_construct(chosen, port=taken.getsockname()[1]))
        port = next(finding for finding in check_hub(home, settings) if finding.name == "Port")
        assert port.state == state
        assert str(taken.getsockname()[1]) in port.detail


def test_the_port_of_a_running_hub_is_not_a_warning(home: Path) -> None:
    with running_hub(home) as hub:
        settings = Settings(hub=HubSettings(port=hub.info.port))
        found = list(check_hub(home, settings))
        assert [(finding.name, finding.state) for finding in found] == [("Hub", "ok")]
        assert str(hub.info.port) in found[0].detail


def test_the_log_and_the_secrets_are_checked(home: Path) -> None:
    assert (check_log(home).state, check_secrets(home).state) == ("ok", "ok")
    asyncio.run(write_a_note(home))
    SecretStore(home, Redactor(), keyring=lambda: None).set("MAIL", "correct horse", domains=["a.example"])
    assert "1 row;" in check_log(home).detail
    assert check_secrets(home).detail == "1, encrypted with a key in a private file"
    (home / "secrets.key").unlink()
    assert check_secrets(home).state == "problem"
    remove_database(home)
    assert "is missing" in check_log(home).detail
    (home / "activity.db").write_text("no database" * 100)
    found = check_log(home)
    assert found.state == "problem"
    assert "restore" in (found.fix or "")


async def write_a_note(home: Path) -> None:
    async with opened(home) as log:
        await log.note(AuditNote("x"))


def test_windows_without_a_display_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    headed = Settings(browser=BrowserSettings(headless=False))
    assert check_display(headed).state == "problem"
    monkeypatch.setenv("DISPLAY", ":0")
    assert check_display(headed).state == "ok"
    assert check_display(Settings()).state == "ok"
