"""A backup restores everything, and one that was tampered with is refused before anything changes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tomllib
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.backup import create_backup, read_contents, restore
from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.errors import InvalidArgument, SettingsError
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore

from .logs import DONE, changing, click, modes, opened, reader

Files = dict[str, bytes]
CONFIG = '[policy]\nmode = "ask"\n'


async def fill(home: Path) -> None:
    (home / "config.toml").write_text(CONFIG)
    (home / "rules.json").write_text('{"version": 1, "rules": []}')
    async with opened(home) as log:
        for _ in range(3):
            await log.outcome(await log.intent(click()), DONE)


def unzip(path: Path) -> Files:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rezip(path: Path, files: Files) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def everything(home: Path) -> Files:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


async def test_a_backup_restores_configuration_policy_and_log(tmp_path: Path) -> None:
    home, backup = tmp_path / "home", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    assert set(create_backup(home, backup)) == {"config.toml", "rules.json", "activity.db"}
    (home / "config.toml").write_text("[hub]\nport = 1\n")
    async with opened(home) as log:
        await log.note(AuditNote("after the backup"))
    restored = restore(home, backup)
    assert (home / "config.toml").read_text() == CONFIG
    assert restored.log_rows == 6
    assert restored.replaced and (restored.replaced / "config.toml").read_text() == "[hub]\nport = 1\n"
    actions = reader(home).search()
    assert [action.intent["kind"] for action in actions] == ["intent", "intent", "intent", "note"]
    assert actions[-1].intent["text"] == "Restored from backup.zip"
    assert reader(home).verify().ok
    async with opened(home) as log:
        await log.intent(click())
        assert log.reader().verify().ok


async def test_a_backup_can_be_taken_while_the_log_is_written_and_moves_to_a_new_machine(tmp_path: Path) -> None:
    home, other, backup = tmp_path / "home", tmp_path / "other", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    log = AuditLog(home, Redactor())
    await log.start()
    await log.intent(click())
    create_backup(home, backup)
    await log.intent(click())
    await log.close()
    restored = restore(other, backup, from_elsewhere=True)
    assert (restored.log_rows, restored.replaced) == (7, None)
    assert reader(other).verify().ok
    assert set(modes(other).values()) == {0o600}


async def test_a_backup_contains_no_key_and_no_secret(tmp_path: Path) -> None:
    await fill(tmp_path)
    SecretStore(tmp_path, Redactor(), keyring=lambda: None).set("MAIL", "correct horse", domains=["a.example"])
    backup = tmp_path / "backup.zip"
    create_backup(tmp_path, backup)
    assert set(unzip(backup)) == {"manifest.json", "config.toml", "rules.json", "activity.db"}
    assert (tmp_path / "activity.key").read_bytes() not in b"".join(unzip(backup).values())
    assert backup.stat().st_mode & 0o777 == 0o600


def edit_log(files: Files, statement: str, folder: Path) -> None:
    path = folder / "edited.db"
    path.write_bytes(files["activity.db"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    files["activity.db"] = path.read_bytes()


def fix_hashes(files: Files) -> None:
    manifest = json.loads(files["manifest.json"])
    manifest["files"] = {n: hashlib.sha256(d).hexdigest() for n, d in files.items() if n != "manifest.json"}
    files["manifest.json"] = json.dumps(manifest).encode()


def change_config(files: Files, folder: Path) -> None:
    files["config.toml"] = b'[policy]\nmode = "auto"\n'


def change_config_and_manifest(files: Files, folder: Path) -> None:
    change_config(files, folder)
    fix_hashes(files)


def edit_a_row(files: Files, folder: Path) -> None:
    edit_log(files, "UPDATE entries SET body = replace(body, 'browser_click', 'browser_hover') WHERE seq = 3", folder)
    fix_hashes(files)


def cut_the_end(files: Files, folder: Path) -> None:
    edit_log(files, "DELETE FROM entries WHERE seq > 4", folder)
    fix_hashes(files)


def add_a_file(files: Files, folder: Path) -> None:
    files["../evil.toml"] = b""


def leave_out_the_log(files: Files, folder: Path) -> None:
    del files["activity.db"]


def break_the_database(files: Files, folder: Path) -> None:
    files["activity.db"] = files["activity.db"][:4200] + b"\xff" * (len(files["activity.db"]) - 4200)
    fix_hashes(files)


def break_the_manifest(files: Files, folder: Path) -> None:
    files["manifest.json"] = b"[1, 2]"


def break_the_rules(files: Files, folder: Path) -> None:
    files["rules.json"] = b"{no json"
    fix_hashes(files)


def break_the_configuration(files: Files, folder: Path) -> None:
    files["config.toml"] = b"\xff= no toml"
    fix_hashes(files)


TAMPERINGS: tuple[Callable[[Files, Path], None], ...] = (
    change_config,
    edit_a_row,
    cut_the_end,
    add_a_file,
    leave_out_the_log,
    break_the_database,
    break_the_manifest,
    break_the_configuration,
    break_the_rules,
)


@pytest.mark.parametrize(
    ("tamper", "new_machine"),
    [
        *((tamper, False) for tamper in TAMPERINGS),
        *((tamper, True) for tamper in TAMPERINGS),
        # Not detected on a new machine, which does not have the key; the seal is unknown there in any case.
        (change_config_and_manifest, False),
    ],
)
async def test_a_tampered_backup_is_refused_and_changes_nothing(
    tmp_path: Path, tamper: Callable[[Files, Path], None], new_machine: bool
) -> None:
    home, backup = tmp_path / "home", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    create_backup(home, backup)
    files = unzip(backup)
    tamper(files, tmp_path)
    rezip(backup, files)
    target = tmp_path / "other" if new_machine else home
    target.mkdir(exist_ok=True)
    before = everything(target)
    with pytest.raises(InvalidArgument):
        restore(target, backup, from_elsewhere=new_machine)
    assert everything(target) == before


async def test_a_backup_of_another_home_is_restored_only_with_from_elsewhere(tmp_path: Path) -> None:
    first, second, backup = tmp_path / "first", tmp_path / "second", tmp_path / "backup.zip"
    for home in (first, second):
        home.mkdir()
        await fill(home)
    new = tmp_path / "new"
    create_backup(first, backup)
    for home in (second, new):
        assert not read_contents(home, backup).has_own_seal
        with pytest.raises(InvalidArgument, match="another home"):
            restore(home, backup)
    assert everything(new) == {}
    restore(second, backup, from_elsewhere=True)
    assert reader(second).verify().ok


async def test_secrets_are_backed_up_encrypted_and_restored_only_with_their_passphrase(tmp_path: Path) -> None:
    home, other, backup = tmp_path / "home", tmp_path / "other", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    store = SecretStore(home, Redactor(), keyring=lambda: None)
    store.set("MAIL", "correct horse", domains=["a.example"])
    create_backup(home, backup, secrets=store.export_encrypted("open sesame"))
    assert b"correct horse" not in b"".join(unzip(backup).values())
    assert read_contents(home, backup).has_secrets
    assert read_contents(home, backup).log_rows == 6
    target = SecretStore(other, Redactor(), keyring=lambda: None)
    with pytest.raises(InvalidArgument, match="passphrase"):
        restore(other, backup, from_elsewhere=True, secrets=(target, "wrong sesame"))
    assert everything(other) == {}
    assert restore(other, backup, from_elsewhere=True).secrets == 0
    assert target.names() == {}
    target.set("OLD", "older value", domains=["b.example"])
    restored = restore(other, backup, from_elsewhere=True, secrets=(target, "open sesame"))
    assert restored.secrets == 1
    assert target.names() == {"MAIL": ("a.example",)}
    assert restored.replaced and (restored.replaced / "secrets.enc").exists()
    assert not (other / "secrets.sealed").exists()


async def test_files_that_cannot_be_used_are_refused_before_anything_changes(tmp_path: Path) -> None:
    home, backup = tmp_path / "home", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    create_backup(home, backup)
    before = everything(home)

    def check(folder: Path) -> None:
        assert (folder / "config.toml").read_text() == CONFIG
        raise SettingsError("no good")

    with pytest.raises(SettingsError):
        restore(home, backup, check=check)
    assert everything(home) == before


async def test_a_log_with_a_known_problem_can_be_backed_up_and_restored(tmp_path: Path) -> None:
    home, backup = tmp_path / "home", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    with changing(home) as connection:
        connection.execute("DELETE FROM entries WHERE seq = 2")
    create_backup(home, backup)
    restore(home, backup)
    assert not reader(home).verify().ok


def test_a_file_that_is_not_a_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK no zip")
    for name in ("x.zip", "missing.zip"):
        with pytest.raises(InvalidArgument):
            restore(tmp_path / "home", tmp_path / name)


PROGRAMS = (
    '[browser]\nexecutable = "/tmp/evil"\nargs = ["--no-sandbox"]\nheadless = true\n',
    'browser = {executable = "/tmp/evil", args = ["--no-sandbox"], headless = true}\n',
    'browser.executable = "/tmp/evil"\nbrowser.args = ["--no-sandbox"]\nbrowser.headless = true\n',
    '["browser"]\n"exec\\u0075table" = "/tmp/evil"\n\'args\' = [\n  "--no-sandbox",\n]\nheadless = true\n',
)


@pytest.mark.parametrize("config", PROGRAMS)
async def test_programs_and_arguments_are_taken_only_from_a_backup_of_this_home(tmp_path: Path, config: str) -> None:
    home, other, backup = tmp_path / "home", tmp_path / "other", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    (home / "config.toml").write_text(f"# Mine\n{config}")
    create_backup(home, backup)
    (home / "config.toml").write_text("")
    assert read_contents(home, backup).has_own_seal
    assert restore(home, backup).left_out == ()
    assert (home / "config.toml").read_text() == f"# Mine\n{config}"
    assert 'browser.executable = "/tmp/evil"' in read_contents(other, backup).settings
    assert restore(other, backup, from_elsewhere=True).left_out == ("browser.executable", "browser.args")
    text = (other / "config.toml").read_text()
    assert tomllib.loads(text) == {"browser": {"headless": True}}
    assert text.startswith("# Mine\n")


async def test_the_seal_is_checked_before_anything_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, backup = tmp_path / "home", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    create_backup(home, backup)
    files = unzip(backup)
    change_config_and_manifest(files, tmp_path)
    rezip(backup, files)
    read: list[str] = []
    original = zipfile.ZipFile.open

    def noting(archive: zipfile.ZipFile, name: str, *arguments: object, **options: object) -> object:
        read.append(name)
        return original(archive, name, *arguments, **options)  # type: ignore[call-overload,arg-type]

    monkeypatch.setattr(zipfile.ZipFile, "open", noting)
    with pytest.raises(InvalidArgument, match="seal"):
        restore(home, backup)
    assert read == ["manifest.json"]


@pytest.mark.parametrize(
    ("name", "size"),
    [("manifest.json", 65 << 10), ("config.toml", (1 << 20) + 1), ("rules.json", 2 << 20), ("activity.db", 100 << 20)],
)
async def test_files_that_are_too_large_are_refused_before_they_are_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: int
) -> None:
    home, backup = tmp_path / "home", tmp_path / "backup.zip"
    home.mkdir()
    await fill(home)
    create_backup(home, backup)
    files = unzip(backup) | {name: b" " * size}
    with zipfile.ZipFile(backup, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, data in files.items():
            archive.writestr(file, data)
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    with pytest.raises(InvalidArgument, match=f"{name} is too large"):
        read_contents(home, backup)
    with pytest.raises(InvalidArgument, match=f"{name} is too large"):
        restore(home, backup, from_elsewhere=True)


def test_what_could_not_be_restored_is_not_backed_up(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("#" * ((1 << 20) + 1))
    with pytest.raises(InvalidArgument, match=r"config\.toml is too large"):
        create_backup(tmp_path, tmp_path / "backup.zip")
    assert not (tmp_path / "backup.zip").exists()
