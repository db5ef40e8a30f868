"""`browser-pilot backup` and `restore`: contents, confirmations and rejected files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from browser_pilot.config.user_rules import UserRulesStore
from browser_pilot.file_lock import locked
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Rule
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from tests.audit_log.logs import DONE, click, opened, reader
from tests.cli.conftest import Invoke, Pilot
from tests.hub_process import running_hub

# Stands for ``sys`` with a person at the terminal; the runner of commands gives the answers.
TERMINAL = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
CONFIG = "[hub]\nidle_minutes = 3\n"
SHOP_PATTERN = parse_pattern("shop.example")


async def write_log(home: Path) -> None:
    async with opened(home) as log:
        await log.outcome(await log.intent(click()), DONE)


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


@pytest.fixture
def filled(home: Path) -> Path:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(CONFIG)
    UserRulesStore(home).put(Rule(pattern=SHOP_PATTERN, write="deny", source="test"))
    asyncio.run(write_log(home))
    return home


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my backup.zip"


def test_restore_brings_back_the_backed_up_files(invoke: Invoke, filled: Path, file: Path) -> None:
    outcome = invoke("backup", str(file))
    assert outcome.code == 0
    for part in ("the configuration", "your rules", "the audit log, 2 rows"):
        assert part in outcome.out
    assert file.stat().st_mode & 0o777 == 0o600
    (filled / "config.toml").write_text("[hub]\nidle_minutes = 99\n")
    UserRulesStore(filled).remove(SHOP_PATTERN)
    outcome = invoke("restore", str(file), "--yes")
    assert outcome.code == 0
    assert (filled / "config.toml").read_text() == CONFIG
    assert [rule.pattern for rule in UserRulesStore(filled).load()] == [SHOP_PATTERN]
    assert (filled / "config.toml").stat().st_mode & 0o777 == 0o600
    (aside,) = (filled / "replaced").iterdir()
    assert "99" in (aside / "config.toml").read_text()
    assert str(aside) in outcome.out
    assert reader(filled).verify().ok


def test_the_folder_of_the_backup_is_not_changed(invoke: Invoke, filled: Path, file: Path) -> None:
    file.parent.chmod(0o755)
    invoke("backup", str(file))
    assert file.parent.stat().st_mode & 0o777 == 0o755
    assert [path.name for path in file.parent.iterdir() if path.name != "home"] == [file.name]


def test_nothing_is_replaced_without_confirmation(invoke: Invoke, filled: Path, file: Path) -> None:
    invoke("backup", str(file))
    before = file.read_bytes(), contents_of(filled)
    for arguments in (("backup", str(file)), ("restore", str(file))):
        outcome = invoke(*arguments)
        assert outcome.code == 1
        assert "--yes" in outcome.err
    assert (file.read_bytes(), contents_of(filled)) == before
    assert invoke("backup", str(file), "--yes").code == 0


def contents_of(home: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in home.iterdir() if path.is_file() and not path.name.endswith("-shm")
    }


def test_an_empty_home_has_nothing_to_back_up(invoke: Invoke, file: Path) -> None:
    outcome = invoke("backup", str(file))
    assert outcome.code == 1
    assert "nothing to back up" in outcome.err
    assert not file.exists()


def test_a_restore_without_a_log_writes_an_audit_note(invoke: Invoke, home: Path, file: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(CONFIG)
    invoke("backup", str(file))
    assert invoke("restore", str(file), "--yes", "--from-elsewhere").code == 0
    (action,) = reader(home).search()
    assert action.intent["text"] == "Restored from my backup.zip"


@pytest.mark.parametrize("name", ["", "missing/backup.zip"])
def test_a_path_that_cannot_be_written_is_rejected(invoke: Invoke, filled: Path, tmp_path: Path, name: str) -> None:
    outcome = invoke("backup", str(tmp_path / name))
    assert outcome.code == 1
    assert "cannot be written" in outcome.err


@pytest.mark.parametrize("content", [b"", b"PK no zip"])
def test_a_file_that_is_not_a_backup_is_rejected(invoke: Invoke, filled: Path, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    for given in (file, file.with_name("missing.zip")):
        outcome = invoke("restore", str(given), "--yes")
        assert outcome.code == 1
        assert "cannot be used" in outcome.err
    assert (filled / "config.toml").read_text() == CONFIG


def test_a_backup_with_invalid_settings_is_rejected_and_changes_nothing(
    invoke: Invoke, filled: Path, file: Path
) -> None:
    (filled / "config.toml").write_text("[hub]\nprot = 1\n")
    invoke("backup", str(file))
    (filled / "config.toml").write_text(CONFIG)
    outcome = invoke("restore", str(file), "--yes")
    assert outcome.code == 1
    assert "hub.prot" in outcome.err
    assert (filled / "config.toml").read_text() == CONFIG


def test_a_backup_of_another_home_needs_from_elsewhere(invoke: Invoke, filled: Path, file: Path) -> None:
    invoke("backup", str(file))
    for path in (*filled.glob("activity.*"), filled / "config.toml"):
        path.unlink()
    asyncio.run(write_log(filled))
    outcome = invoke("restore", str(file), "--yes")
    assert outcome.code == 1
    assert "--from-elsewhere" in outcome.err
    assert invoke("restore", str(file), "--yes", "--from-elsewhere", "--json").data["log_rows"] == 2
    assert reader(filled).verify().ok


@pytest.mark.parametrize("new_home", [True, False])
def test_an_unknown_seal_is_asked_about_with_the_settings_that_the_backup_has(
    invoke: Invoke, filled: Path, file: Path, monkeypatch: pytest.MonkeyPatch, new_home: bool
) -> None:
    stranger = '[browser]\nexecutable = "/tmp/evil\\u001b[2J"\n[policy.ask_from]\nmanaged = "never"\n'
    (filled / "config.toml").write_text(stranger)
    invoke("backup", str(file))
    for path in (*filled.glob("activity.*"), filled / "config.toml"):
        path.unlink()
    if not new_home:
        asyncio.run(write_log(filled))
    monkeypatch.setattr("browser_pilot.cli.commands.backup.sys", TERMINAL)
    for arguments, answer in (((), "\n"), (("--yes",), "n\n")):
        outcome = invoke("restore", str(file), *arguments, stdin=answer)
        assert outcome.code == 1
        assert 'policy.ask_from.managed = "never"' in outcome.out
        assert r'browser.executable = "/tmp/evil\u001b[2J"' in outcome.out
        assert not (filled / "config.toml").exists()
    outcome = invoke("restore", str(file), "--yes", stdin="y\n")
    assert outcome.code == 0
    assert "Not restored, because its seal is unknown: browser.executable" in outcome.out
    assert "evil" not in (filled / "config.toml").read_text()


def test_restore_is_rejected_while_a_hub_runs(invoke: Invoke, filled: Path, file: Path) -> None:
    invoke("backup", str(file))
    with locked(filled / "run" / "hub.lock"):
        outcome = invoke("restore", str(file), "--yes")
    assert outcome.code == 1
    assert "A hub is running in this home" in outcome.err
    assert not (filled / "replaced").exists()


def test_a_running_hub_can_be_backed_up_but_not_restored(pilot: Pilot, filled: Path, file: Path) -> None:
    with running_hub(filled) as hub:
        assert pilot("backup", str(file)).code == 0
        outcome = pilot("restore", str(file), "--yes")
        assert outcome.code == 1
        assert str(hub.process.pid) in outcome.err
    assert pilot("restore", str(file), "--yes").code == 0


def test_secrets_are_included_only_on_request_and_encrypted(invoke: Invoke, filled: Path, file: Path) -> None:
    store = SecretStore(filled, Redactor(), keyring=lambda: None)
    store.set("MAIL", "correct horse", domains=["a.example"])
    assert "Your secrets are not included" in invoke("backup", str(file)).out
    assert invoke("restore", str(file), "--yes", "--with-secrets", stdin="open sesame\n").code == 1
    assert invoke("backup", str(file), "--yes", "--with-secrets", stdin="short\n").code == 1
    assert invoke("backup", str(file), "--yes", "--with-secrets", stdin="open sesame\n").code == 0
    assert b"correct horse" not in file.read_bytes()
    store.remove("MAIL")
    assert "were not restored" in invoke("restore", str(file), "--yes").out
    assert store.names() == {}
    assert invoke("restore", str(file), "--yes", "--with-secrets", stdin="wrong sesame\n").code == 1
    outcome = invoke("restore", str(file), "--yes", "--with-secrets", stdin="open sesame\n")
    assert outcome.code == 0
    assert store.names() == {"MAIL": ("a.example",)}
    assert "correct horse" not in outcome.out
