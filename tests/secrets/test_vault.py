"""The vault: the file is encrypted, and a missing or changed key is an error that loses nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from browser_pilot.errors import RecordsUnavailable
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from browser_pilot.secrets.vault import Vault, system_keyring

from .stores import VALUE, MemoryKeyring, store_in


def test_an_unavailable_keyring_is_an_error_and_loses_nothing(tmp_path: Path) -> None:
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


def test_a_machine_without_a_keyring_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    assert system_keyring() is None


def test_a_locked_keyring_is_reported_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    with pytest.raises(RecordsUnavailable, match="keyring is not available: it is locked"):
        SecretStore(tmp_path, Redactor()).set("A", VALUE, domains=["a"])
    assert not (tmp_path / "secrets.enc").exists()


def test_an_empty_vault_reads_as_empty(tmp_path: Path) -> None:
    assert Vault(tmp_path / "a", tmp_path / "b", None).read() == {}
