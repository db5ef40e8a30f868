"""The user's secrets: stored encrypted, bound to domains, typed without being shown.

An agent writes a reference, ``{{secret:NAME}}``. It is replaced by the value directly before typing, only in a frame of
a domain that the secret is bound to, and the redactor hides the value everywhere. The policy decides which host matches
which domain: the caller passes that function. No message or log of this module contains a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from browser_pilot.errors import InvalidArgument, PermissionDenied, RecordsUnavailable
from browser_pilot.file_lock import locked
from browser_pilot.redaction.known_secrets import MIN_SECRET_CHARACTERS
from browser_pilot.redaction.redactor import Redactor

from .passphrase import encrypt
from .vault import KeyLocation, Keyring, Vault, system_keyring

LOCK_TIMEOUT_SECONDS = 5

SECRET_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
SECRET_REFERENCE = re.compile(r"\{\{\s{0,8}secret:\s{0,8}([^\s{}]{1,200})\s{0,8}\}\}")

# (domain that a secret is bound to, host of the frame) -> whether they match
DomainMatcher = Callable[[str, str], bool]


@dataclass(frozen=True)
class Secret:
    name: str
    domains: tuple[str, ...]
    value: str = field(repr=False)


def has_secret_references(text: str) -> bool:
    return SECRET_REFERENCE.search(text) is not None


def expand(text: str, secrets: Mapping[str, Secret], *, host: str, matches: DomainMatcher) -> str:
    """``text`` with references replaced by values, for a frame of ``host``; raises when one may not be used there."""

    def fill(found: re.Match[str]) -> str:
        secret = secrets.get(found[1])
        if secret is None:
            known = ", ".join(sorted(secrets)) or "none"
            raise InvalidArgument(
                f"There is no secret named {found[1]}. Known: {known}.",
                suggestions=[f"Your user can add it: browser-pilot secret set {found[1]} --domain {host}"],
            )
        if not any(matches(domain, host) for domain in secret.domains):
            raise PermissionDenied(
                f"The secret {secret.name} may not be typed on {host}; it is bound to {', '.join(secret.domains)}.",
                suggestions=["Check that this is the right site.", "Only your user can bind a secret to a domain."],
            )
        return secret.value

    return SECRET_REFERENCE.sub(fill, text)


class SecretStore:
    """Reloads the file when another process (the command line) changed it."""

    def __init__(
        self, home: Path, redactor: Redactor, *, keyring: Callable[[], Keyring | None] = system_keyring
    ) -> None:
        self._home = home
        self._redactor = redactor
        self._find_keyring = keyring
        self._vault: Vault | None = None
        self._secrets: dict[str, Secret] = {}
        self._loaded_stamp: tuple[int, int] | None = None

    def refresh(self) -> None:
        """Load changes, so that the redactor knows every value before it can appear; cheap when nothing changed."""
        stamp = self._stamp()
        if stamp == self._loaded_stamp:
            return
        content = self._open().read() if stamp else {}
        self._secrets = {name: _secret(name, entry) for name, entry in content.items()}
        self._loaded_stamp = stamp
        self._redactor.add_secrets(secret.value for secret in self._secrets.values())

    def names(self) -> dict[str, tuple[str, ...]]:
        """Each secret's name and the domains it is bound to."""
        self.refresh()
        return {name: secret.domains for name, secret in sorted(self._secrets.items())}

    @property
    def key_location(self) -> KeyLocation | None:
        """Where the encryption key is stored; None when there are no secrets."""
        return self._open().key_location

    def values(self) -> list[str]:
        """All values, for checks that none of them leaks."""
        return [secret.value for secret in self._secrets.values()]

    def values_referenced_in(self, text: str) -> list[str]:
        """The values of the secrets that a text refers to."""
        names = {found[1] for found in SECRET_REFERENCE.finditer(text)}
        return [secret.value for name, secret in self._secrets.items() if name in names]

    def expand(self, text: str, *, host: str, matches: DomainMatcher) -> str:
        if not has_secret_references(text):
            return text
        self.refresh()
        return expand(text, self._secrets, host=host, matches=matches)

    def set(self, name: str, value: str, *, domains: Sequence[str]) -> None:
        """Store a secret; replaces an older one of that name."""
        if not SECRET_NAME.fullmatch(name):
            raise InvalidArgument(f"{name!r} is not a valid name for a secret: use letters, digits, '.', '_' and '-'.")
        if len(value.strip()) < MIN_SECRET_CHARACTERS:
            raise InvalidArgument(
                f"A secret must have at least {MIN_SECRET_CHARACTERS} characters: a shorter one cannot be redacted."
            )
        if not domains:
            raise InvalidArgument("A secret must be bound to at least one domain.")
        if any(ord(character) < 32 and character not in "\t\n\r" for character in value):
            raise InvalidArgument("A secret must be text that can be typed; this one contains control characters.")
        self._change(lambda secrets: {**secrets, name: Secret(name, tuple(domains), value)})

    def remove(self, name: str) -> bool:
        """Delete a secret; False when there is none of that name."""
        self.refresh()
        exists = name in self._secrets
        if exists:
            self._change(lambda secrets: {key: secret for key, secret in secrets.items() if key != name})
        return exists

    def export_encrypted(self, passphrase: str) -> bytes:
        """All secrets, encrypted with a passphrase (see ``passphrase.decrypt``)."""
        self.refresh()
        return encrypt(_content(self._secrets), passphrase)

    def replace(self, content: dict[str, object]) -> int:
        """Replace all secrets with the content of an export; returns how many there are now."""
        secrets = {name: _secret(name, entry) for name, entry in content.items()}
        self._change(lambda _: secrets)
        return len(secrets)

    def _change(self, change: Callable[[dict[str, Secret]], dict[str, Secret]]) -> None:
        try:
            with locked(self._home / "secrets.lock", timeout_seconds=LOCK_TIMEOUT_SECONDS):
                self._loaded_stamp = None
                self.refresh()
                secrets = change(self._secrets)
                self._open().write(_content(secrets))
                self._loaded_stamp = None
                self.refresh()
        except TimeoutError:
            raise RecordsUnavailable(
                "Another program is changing the secrets.", suggestions=["Try again in a moment."]
            ) from None

    def _open(self) -> Vault:
        if self._vault is None:
            self._vault = Vault(self._home / "secrets.enc", self._home / "secrets.key", self._find_keyring())
        return self._vault

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = (self._home / "secrets.enc").stat()
        except FileNotFoundError:
            return None
        return (status.st_mtime_ns, status.st_ino)


def _content(secrets: Mapping[str, Secret]) -> dict[str, object]:
    return {name: [list(secret.domains), secret.value] for name, secret in secrets.items()}


def _secret(name: str, entry: object) -> Secret:
    domains, value = cast("tuple[list[str], str]", entry)
    return Secret(name, tuple(domains), value)
