"""Secrets are typed without being seen, only where they belong, and kept encrypted."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_pilot.errors import InvalidArgument, PermissionDenied, RecordsUnavailable
from browser_pilot.locks import held
from browser_pilot.records import secrets
from browser_pilot.records.redaction import Redactor
from browser_pilot.records.sealing import open_sealed
from browser_pilot.records.secrets import Secret, SecretStore, expand, has_placeholders
from browser_pilot.records.vault import Vault, system_keyring

from .logs import all_bytes, modes

VALUE = "correct horse"


def same(domain: str, host: str) -> bool:
    return domain == host


class MemoryKeyring:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service_name: str, username: str) -> str | None:
        return self.kept.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self.kept[service_name, username] = password


def store_in(home: Path, redactor: Redactor | None = None, keyring: MemoryKeyring | None = None) -> SecretStore:
    return SecretStore(home, redactor or Redactor(), keyring=lambda: keyring)


SECRETS = {"MAIL": Secret("MAIL", ("mail.example", "b.example"), VALUE)}


def test_a_placeholder_is_filled_in_on_its_domain() -> None:
    text = "user {{secret:MAIL}} and {{ secret:MAIL }} again"
    assert expand(text, SECRETS, host="b.example", matches=same) == f"user {VALUE} and {VALUE} again"


def test_a_secret_is_refused_on_another_domain() -> None:
    with pytest.raises(PermissionDenied, match=r"mail\.example, b\.example") as refused:
        expand("{{secret:MAIL}}", SECRETS, host="evil.example", matches=same)
    assert VALUE not in str(refused.value)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"no secret named NOPE\. Known: MAIL\."):
        expand("{{secret:NOPE}}", SECRETS, host="b.example", matches=same)


def test_one_refused_secret_fills_in_none() -> None:
    with pytest.raises(InvalidArgument):
        expand("{{secret:MAIL}} {{secret:NOPE}}", SECRETS, host="b.example", matches=same)


def test_a_value_that_looks_like_a_placeholder_is_not_filled_in_again() -> None:
    nested = {"A": Secret("A", ("a",), "{{secret:B}}"), "B": Secret("B", ("b",), "other")}
    assert expand("{{secret:A}}", nested, host="a", matches=same) == "{{secret:B}}"


@settings(deadline=None)
@given(st.text())
def test_text_without_placeholders_stays_as_it_is(text: str) -> None:
    if not has_placeholders(text):
        assert expand(text, SECRETS, host="x", matches=same) == text


def test_a_secret_shows_its_value_nowhere() -> None:
    assert VALUE not in repr(SECRETS)


@pytest.mark.parametrize("keyring", [None, MemoryKeyring()])
def test_secrets_are_kept_encrypted_and_private(tmp_path: Path, keyring: MemoryKeyring | None) -> None:
    store_in(tmp_path, keyring=keyring).set("MAIL", VALUE, domains=["b.example"])
    assert VALUE.encode() not in all_bytes(tmp_path)
    assert set(modes(tmp_path).values()) == {0o600}
    assert ("secrets.key" in modes(tmp_path)) == (keyring is None)
    again = store_in(tmp_path, keyring=keyring)
    assert again.names() == {"MAIL": ("b.example",)}
    assert again.expand("{{secret:MAIL}}", host="b.example", matches=same) == VALUE


def test_every_value_is_known_to_the_redactor_before_it_can_show_up(tmp_path: Path) -> None:
    redactor = Redactor()
    hub = store_in(tmp_path, redactor)
    hub.refresh()
    store_in(tmp_path).set("MAIL", VALUE, domains=["b.example"])
    hub.refresh()
    assert redactor.text(f"page says {VALUE}") == "page says [redacted:secret]"
    hub.set("OTHER", "battery staple", domains=["b.example"])
    assert redactor.text("battery staple") == "[redacted:secret]"


def test_what_another_process_changed_is_seen(tmp_path: Path) -> None:
    hub, command_line = store_in(tmp_path), store_in(tmp_path)
    assert hub.names() == {}
    command_line.set("A", "value one", domains=["a"])
    command_line.set("B", "value two", domains=["b"])
    assert hub.names() == {"A": ("a",), "B": ("b",)}
    assert hub.remove("A")
    assert not hub.remove("A")
    assert command_line.names() == {"B": ("b",)}
    with pytest.raises(InvalidArgument):
        command_line.expand("{{secret:A}}", host="a", matches=same)


@pytest.mark.parametrize(
    ("name", "value", "domains"),
    [("1A", VALUE, ["a"]), ("a b", VALUE, ["a"]), ("", VALUE, ["a"]), ("A", "abc", ["a"]), ("A", VALUE, [])],
)
def test_a_secret_that_could_not_be_held_is_refused(tmp_path: Path, name: str, value: str, domains: list[str]) -> None:
    with pytest.raises(InvalidArgument):
        store_in(tmp_path).set(name, value, domains=domains)
    assert not (tmp_path / "secrets.enc").exists()


def test_a_keyring_out_of_reach_is_an_error_and_loses_nothing(tmp_path: Path) -> None:
    keyring = MemoryKeyring()
    store_in(tmp_path, keyring=keyring).set("A", VALUE, domains=["a"])
    without = store_in(tmp_path)
    with pytest.raises(RecordsUnavailable, match="keyring"):
        without.names()
    with pytest.raises(RecordsUnavailable):
        without.set("B", VALUE, domains=["a"])
    assert store_in(tmp_path, keyring=keyring).names() == {"A": ("a",)}


@pytest.mark.parametrize("victim", ["secrets.enc", "secrets.key"])
def test_a_changed_file_is_an_error_and_not_overwritten(tmp_path: Path, victim: str) -> None:
    store_in(tmp_path).set("A", VALUE, domains=["a"])
    changed = (tmp_path / victim).read_text()[:-8] + "AAAAAAA\n"
    (tmp_path / victim).write_text(changed)
    with pytest.raises(RecordsUnavailable):
        store_in(tmp_path).set("B", VALUE, domains=["a"])
    assert (tmp_path / victim).read_text() == changed


def test_two_changes_at_once_do_not_lose_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "LOCK_SECONDS", 0)
    with held(tmp_path / "secrets.lock"), pytest.raises(RecordsUnavailable):
        store_in(tmp_path).set("A", VALUE, domains=["a"])
    assert store_in(tmp_path).names() == {}


def test_a_machine_without_a_keyring_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    assert system_keyring() is None


def test_a_keyring_that_is_locked_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Locked(Exception):
        pass

    class LockedKeyring:
        priority = 5

        def get_password(self, service_name: str, username: str) -> str | None:
            raise Locked("it is locked")

    package, errors = ModuleType("keyring"), ModuleType("keyring.errors")
    package.get_keyring = LockedKeyring  # pyright: ignore[reportAttributeAccessIssue]
    errors.KeyringError = Locked  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "keyring", package)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    with pytest.raises(RecordsUnavailable, match="keyring does not answer: it is locked"):
        SecretStore(tmp_path, Redactor()).set("A", VALUE, domains=["a"])
    assert not (tmp_path / "secrets.enc").exists()


def test_a_sealed_copy_opens_with_its_passphrase_only(tmp_path: Path) -> None:
    first, second = store_in(tmp_path / "first"), store_in(tmp_path / "second")
    first.set("MAIL", VALUE, domains=["b.example"])
    copy = first.sealed("a long passphrase")
    assert VALUE.encode() not in copy
    with pytest.raises(InvalidArgument, match="passphrase"):
        open_sealed(copy, "another passphrase")
    with pytest.raises(InvalidArgument):
        open_sealed(b"no such thing", "a long passphrase")
    second.set("OLD", VALUE, domains=["a"])
    second.replace(open_sealed(copy, "a long passphrase"))
    assert second.names() == {"MAIL": ("b.example",)}
    assert second.expand("{{secret:MAIL}}", host="b.example", matches=same) == VALUE


def test_an_empty_vault_reads_as_empty(tmp_path: Path) -> None:
    assert Vault(tmp_path / "a", tmp_path / "b", None).read() == {}
