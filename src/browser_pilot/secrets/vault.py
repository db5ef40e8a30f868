"""An encrypted file whose key is in the system's keyring, or without one in a private file beside it.

The content is read and written as a whole. The file records where its key is, so that a locked or unavailable keyring
is an error, and never causes a new file that replaces the stored secrets.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Protocol, cast

from cryptography.fernet import Fernet, InvalidToken

from browser_pilot.errors import RecordsUnavailable
from browser_pilot.home import write_private

KeyLocation = Literal["keyring", "file"]

SERVICE = "browser-pilot"
ACCOUNT = "secrets"
MIN_PRIORITY = 1


class Keyring(Protocol):
    """The part of the ``keyring`` package that is used."""

    def get_password(self, service_name: str, username: str) -> str | None: ...
    def set_password(self, service_name: str, username: str, password: str) -> None: ...


class _SystemKeyring:
    """The backend of the keyring package; translates its errors (locked, cancelled, unavailable)."""

    def __init__(self, backend: Keyring, error: type[Exception]) -> None:
        self._backend = backend
        self._error = error

    def get_password(self, service_name: str, username: str) -> str | None:
        with self._translated():
            return self._backend.get_password(service_name, username)

    def set_password(self, service_name: str, username: str, password: str) -> None:
        with self._translated():
            self._backend.set_password(service_name, username, password)

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except self._error as error:
            raise RecordsUnavailable(
                f"The system's keyring is not available: {error or type(error).__name__}.",
                suggestions=["Unlock the keyring and try again."],
            ) from None


def system_keyring() -> Keyring | None:
    """The system's keyring, or None when the package or a real keyring behind it is missing."""
    try:
        package = importlib.import_module("keyring")
        errors = importlib.import_module("keyring.errors")
    except ImportError:
        return None
    backend: object = package.get_keyring()
    priority = getattr(backend, "priority", 0)
    if not isinstance(priority, int | float) or priority < MIN_PRIORITY:
        return None
    return _SystemKeyring(cast(Keyring, backend), cast("type[Exception]", errors.KeyringError))


class Vault:
    def __init__(self, path: Path, key_path: Path, keyring: Keyring | None) -> None:
        self._path = path
        self._key_path = key_path
        self._keyring = keyring

    @property
    def path(self) -> Path:
        return self._path

    @property
    def key_location(self) -> KeyLocation | None:
        """Where the key of the file is stored; None when there is no file."""
        try:
            first = self._path.read_text(encoding="ascii", errors="replace").partition("\n")[0]
        except FileNotFoundError:
            return None
        return "keyring" if first == "keyring" else "file"

    def read(self) -> dict[str, object]:
        """The content; empty when there is no file."""
        try:
            envelope = self._path.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return {}
        location, _, encrypted = envelope.partition("\n")
        key = self._find_key(cast(KeyLocation, location))
        if key is None:
            where = "the system's keyring" if location == "keyring" else str(self._key_path)
            raise RecordsUnavailable(
                f"{self._path} cannot be decrypted: its key is not in {where}.",
                suggestions=["Unlock the keyring, or remove the file and set your secrets again."],
            )
        try:
            return cast("dict[str, object]", json.loads(Fernet(key).decrypt(encrypted.strip())))
        except (InvalidToken, ValueError):
            raise RecordsUnavailable(
                f"{self._path} cannot be decrypted: the file or its key was changed.",
                suggestions=["Restore both files, or remove them and set your secrets again."],
            ) from None

    def write(self, content: dict[str, object]) -> None:
        location, key = self._key()
        encrypted = Fernet(key).encrypt(json.dumps(content).encode())
        write_private(self._path, f"{location}\n{encrypted.decode('ascii')}\n")

    def _key(self) -> tuple[KeyLocation, bytes]:
        """The existing key, or a new one in the keyring if there is one."""
        locations: tuple[KeyLocation, ...] = ("keyring", "file")
        for location in locations:
            key = self._find_key(location)
            if key is not None:
                return location, key
        key = Fernet.generate_key()
        if self._keyring is not None:
            self._keyring.set_password(SERVICE, ACCOUNT, key.decode("ascii"))
            return "keyring", key
        write_private(self._key_path, key.decode("ascii"))
        return "file", key

    def _find_key(self, location: KeyLocation) -> bytes | None:
        if location == "keyring":
            stored = self._keyring.get_password(SERVICE, ACCOUNT) if self._keyring is not None else None
            return None if stored is None else stored.encode("ascii")
        try:
            return self._key_path.read_bytes().strip()
        except FileNotFoundError:
            return None
