"""An encrypted file whose key is kept in the system's keyring where there is one, else in a private file beside it.

What is in the file is read and written whole. The file says where its key is, so that a keyring that is locked or out
of reach is an error, never a reason to begin anew and lose what is there.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Protocol, cast

from cryptography.fernet import Fernet, InvalidToken

from ..errors import RecordsUnavailable
from ..home import write_private

KeyPlace = Literal["keyring", "file"]

SERVICE = "browser-pilot"
ACCOUNT = "secrets"
LOWEST_PRIORITY = 1


class Keyring(Protocol):
    """The part of the ``keyring`` package that is used."""

    def get_password(self, service_name: str, username: str) -> str | None: ...
    def set_password(self, service_name: str, username: str, password: str) -> None: ...


class _SystemKeyring:
    """The keyring package's backend, whose errors (locked, cancelled, out of reach) become ours."""

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
                f"The system's keyring does not answer: {error or type(error).__name__}.",
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
    if not isinstance(priority, int | float) or priority < LOWEST_PRIORITY:
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
    def key_place(self) -> KeyPlace | None:
        """Where the key of the file that is there is kept; None when there is no file."""
        try:
            first = self._path.read_text(encoding="ascii", errors="replace").partition("\n")[0]
        except FileNotFoundError:
            return None
        return "keyring" if first == "keyring" else "file"

    def read(self) -> dict[str, object]:
        """What was written last; empty when nothing was."""
        try:
            envelope = self._path.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return {}
        place, _, sealed = envelope.partition("\n")
        key = self._find_key(cast(KeyPlace, place))
        if key is None:
            where = "the system's keyring" if place == "keyring" else str(self._key_path)
            raise RecordsUnavailable(
                f"What is in {self._path} cannot be opened: its key is not in {where}.",
                suggestions=["Unlock the keyring, or remove the file and set what was in it again."],
            )
        try:
            return cast("dict[str, object]", json.loads(Fernet(key).decrypt(sealed.strip())))
        except (InvalidToken, ValueError):
            raise RecordsUnavailable(
                f"What is in {self._path} cannot be opened: the file or its key was changed.",
                suggestions=["Restore both files, or remove them and set what was in them again."],
            ) from None

    def write(self, content: dict[str, object]) -> None:
        place, key = self._key()
        sealed = Fernet(key).encrypt(json.dumps(content).encode())
        write_private(self._path, f"{place}\n{sealed.decode('ascii')}\n")

    def _key(self) -> tuple[KeyPlace, bytes]:
        """The key of the file that is there, or a new one in the best place there is."""
        places: tuple[KeyPlace, ...] = ("keyring", "file")
        for place in places:
            key = self._find_key(place)
            if key is not None:
                return place, key
        key = Fernet.generate_key()
        if self._keyring is not None:
            self._keyring.set_password(SERVICE, ACCOUNT, key.decode("ascii"))
            return "keyring", key
        write_private(self._key_path, key.decode("ascii"))
        return "file", key

    def _find_key(self, place: KeyPlace) -> bytes | None:
        if place == "keyring":
            stored = self._keyring.get_password(SERVICE, ACCOUNT) if self._keyring is not None else None
            return None if stored is None else stored.encode("ascii")
        try:
            return self._key_path.read_bytes().strip()
        except FileNotFoundError:
            return None
