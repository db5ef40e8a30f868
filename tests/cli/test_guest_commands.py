"""`guest add` of a guest that replaces another: what it would inherit is shown, and kept only if the user says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader
from browser_pilot.cli import guest_commands
from browser_pilot.cli.guest_commands import add_guest, remove_guest
from browser_pilot.errors import InvalidArgument
from browser_pilot.guests.host.grants import GrantStore
from browser_pilot.guests.installed.guest_secrets import GuestSecrets
from browser_pilot.guests.installed.guest_store import GuestStore
from browser_pilot.guests.installed.manifest import GuestTool
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore

SITE = "news.example"


@pytest.fixture(autouse=True)
def tools_without_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    async def tools(*_: object) -> tuple[GuestTool, ...]:
        return (GuestTool("do", "Does it.", {"type": "object"}),)

    monkeypatch.setattr(guest_commands, "tools_of_guest", tools)


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were asked at a terminal; consent is given, everything else is left at its default."""
    asked: list[str] = []

    def confirm(text: str, *, default: bool) -> bool:
        asked.append(text)
        return default if "have all" in text else True

    monkeypatch.setattr(guest_commands.typer, "confirm", confirm)
    monkeypatch.setattr(guest_commands, "is_interactive", lambda: True)
    return asked


def source(folder: Path, **manifest: Any) -> Path:
    folder.mkdir()
    described = {"name": "ev", "scriptUrl": "a.js", "secrets": [{"name": "KEY"}], **manifest}
    (folder / "manifest.json").write_text(json.dumps(described))
    (folder / "a.js").write_text("1")
    return folder


def add_with_possessions(home: Path, tmp_path: Path) -> None:
    add_guest(home, source(tmp_path / "first", author="Ann"), yes=True)
    identity = GuestStore(home).find("ev").identity
    GuestSecrets(SecretStore(home, Redactor())).set(identity, "KEY", "a value")
    GrantStore(home).save(identity, ["browser:cookies.read"], SITE, "allow")


def possessions(home: Path) -> tuple[str | None, str | None]:
    identity = GuestStore(home).find("ev").identity
    secret = GuestSecrets(SecretStore(home, Redactor())).value(identity, "KEY")
    return secret, GrantStore(home).decision(identity, "browser:cookies.read", SITE)


def test_a_guest_by_another_author_is_shown_with_what_it_would_inherit_and_keeps_nothing(
    home: Path, tmp_path: Path, questions: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    add_with_possessions(home, tmp_path)
    add_guest(home, source(tmp_path / "second", author="Mallory"), yes=False)

    out = " ".join(capsys.readouterr().out.split())
    assert "by ANOTHER author: Mallory" in out
    assert f"always allowed on {SITE}: browser:cookies.read" in out
    assert "the secret KEY" in out
    assert questions[-1] == "Let the new guest have all of this?"
    assert possessions(home) == (None, None)
    assert GuestSecrets(SecretStore(home, Redactor())).of_others(GuestStore(home).find("ev").identity) == set()


@pytest.mark.parametrize(("keep", "expected"), [(False, (None, None)), (True, ("a value", "allow"))])
def test_an_update_by_the_same_author_keeps_what_it_had_only_with_the_option(
    home: Path, tmp_path: Path, keep: bool, expected: tuple[str | None, str | None]
) -> None:
    add_with_possessions(home, tmp_path)
    add_guest(home, source(tmp_path / "second", author="Ann", version="2"), yes=True, keep=keep)

    assert possessions(home) == expected


def test_a_replacement_is_in_the_audit_log(home: Path, tmp_path: Path) -> None:
    add_with_possessions(home, tmp_path)
    add_guest(home, source(tmp_path / "second", author="Mallory"), yes=True)

    notes = [str(entry.body) for entry in AuditLogReader(AuditLogFiles.in_home(home)).entries()]
    assert "The guest ev was added." in notes[0]
    assert "The guest ev was replaced." in notes[1]
    for part in ("Ann", "Mallory", "grants_removed", SITE):
        assert part in notes[1]


def test_a_guest_that_does_not_exist_is_not_asked_about(home: Path, questions: list[str]) -> None:
    with pytest.raises(InvalidArgument, match="There is no guest 'nix'"):
        remove_guest(home, "nix", yes=False)
    assert questions == []
