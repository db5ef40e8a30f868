"""The user's secrets: named, bound to domains, typed without being seen.

An agent writes ``{{secret:NAME}}``; the value is filled in at the last moment, only in a frame of a domain that the
secret is bound to, and the redactor hides it wherever it would show up. Which host fits which domain is for the policy
to say: it is passed in. Nothing here ever shows a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from ..errors import InvalidArgument, PermissionDenied, RecordsUnavailable
from ..locks import held
from .known import SHORTEST_KNOWN
from .redaction import Redactor
from .sealing import seal
from .vault import KeyPlace, Keyring, Vault, system_keyring

LOCK_SECONDS = 5

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
PLACEHOLDER = re.compile(r"\{\{\s{0,8}secret:\s{0,8}([^\s{}]{1,200})\s{0,8}\}\}")

# (a domain that a secret is bound to, the host of the frame) -> whether it fits
Matcher = Callable[[str, str], bool]


@dataclass(frozen=True)
class Secret:
    name: str
    domains: tuple[str, ...]
    value: str = field(repr=False)


def has_placeholders(text: str) -> bool:
    return PLACEHOLDER.search(text) is not None


def expand(text: str, secrets: Mapping[str, Secret], *, host: str, matches: Matcher) -> str:
    """``text`` with every placeholder filled in, for a frame of ``host``; refused when one does not belong there."""

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
                f"The secret {secret.name} may not be typed on {host}; it belongs to {', '.join(secret.domains)}.",
                suggestions=["Check that this is the right site.", "Only your user can bind a secret to a domain."],
            )
        return secret.value

    return PLACEHOLDER.sub(fill, text)


class SecretStore:
    """Reads the file again when another process (the command line) changed it."""

    def __init__(
        self, home: Path, redactor: Redactor, *, keyring: Callable[[], Keyring | None] = system_keyring
    ) -> None:
        self._home = home
        self._redactor = redactor
        self._find_keyring = keyring
        self._vault: Vault | None = None
        self._secrets: dict[str, Secret] = {}
        self._seen: tuple[int, int] | None = None

    def refresh(self) -> None:
        """Take in what changed, so that the redactor knows every value before it shows up; cheap if nothing did."""
        seen = self._stamp()
        if seen == self._seen:
            return
        content = self._open().read() if seen else {}
        self._secrets = {name: _secret(name, entry) for name, entry in content.items()}
        self._seen = seen
        self._redactor.know(secret.value for secret in self._secrets.values())

    def names(self) -> dict[str, tuple[str, ...]]:
        """Each secret's name and the domains it is bound to."""
        self.refresh()
        return {name: secret.domains for name, secret in sorted(self._secrets.items())}

    @property
    def key_place(self) -> KeyPlace | None:
        """Where the key that opens them is kept; None when there are no secrets."""
        return self._open().key_place

    def values(self) -> list[str]:
        """All values, for whoever has to keep them from going astray."""
        return [secret.value for secret in self._secrets.values()]

    def values_named_in(self, text: str) -> list[str]:
        """The values of the secrets that a text names."""
        names = {found[1] for found in PLACEHOLDER.finditer(text)}
        return [secret.value for name, secret in self._secrets.items() if name in names]

    def expand(self, text: str, *, host: str, matches: Matcher) -> str:
        if not has_placeholders(text):
            return text
        self.refresh()
        return expand(text, self._secrets, host=host, matches=matches)

    def set(self, name: str, value: str, *, domains: Sequence[str]) -> None:
        """Keep a secret, in place of an older one of that name."""
        if not NAME.fullmatch(name):
            raise InvalidArgument(f"{name!r} is no name for a secret: use letters, digits, '.', '_' and '-'.")
        if len(value.strip()) < SHORTEST_KNOWN:
            raise InvalidArgument(
                f"A secret must have at least {SHORTEST_KNOWN} characters: a shorter one could not be hidden on a page."
            )
        if not domains:
            raise InvalidArgument("A secret must be bound to at least one domain.")
        if any(ord(sign) < 32 and sign not in "\t\n\r" for sign in value):
            raise InvalidArgument("A secret must be text that can be typed; this has control characters in it.")
        self._change(lambda secrets: {**secrets, name: Secret(name, tuple(domains), value)})

    def remove(self, name: str) -> bool:
        """Forget a secret; False when there was none of that name."""
        self.refresh()
        there = name in self._secrets
        if there:
            self._change(lambda secrets: {key: secret for key, secret in secrets.items() if key != name})
        return there

    def sealed(self, passphrase: str) -> bytes:
        """A copy of all of them that opens with the passphrase, wherever it is (``sealing.open_sealed``)."""
        self.refresh()
        return seal(_content(self._secrets), passphrase)

    def replace(self, content: dict[str, object]) -> int:
        """Keep what a sealed copy held in place of all that is here; how many there are now."""
        secrets = {name: _secret(name, entry) for name, entry in content.items()}
        self._change(lambda _: secrets)
        return len(secrets)

    def _change(self, change: Callable[[dict[str, Secret]], dict[str, Secret]]) -> None:
        try:
            with held(self._home / "secrets.lock", timeout_seconds=LOCK_SECONDS):
                self._seen = None
                self.refresh()
                secrets = change(self._secrets)
                self._open().write(_content(secrets))
                self._seen = None
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
