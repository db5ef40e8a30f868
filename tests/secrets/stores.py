"""Secret stores with a keyring in memory: shared by the tests of secrets."""

from __future__ import annotations

from pathlib import Path

from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore

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
