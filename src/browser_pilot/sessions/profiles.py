"""Named profiles: the storage and tabs of a session, stored encrypted; a new session can start from one.

The key is that of the user's secrets (``secrets.vault``). Any client of the hub may use any profile: all clients work
for the user who owns the home.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from browser_pilot.engines.engine import StorageState
from browser_pilot.errors import InvalidArgument
from browser_pilot.secrets.vault import Keyring, Vault, system_keyring

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True)
class Profile:
    state: StorageState
    urls: tuple[str, ...]
    saved_at: float


class Profiles(Protocol):
    async def names(self) -> list[str]: ...

    async def load(self, name: str) -> Profile:
        """Raises ``InvalidArgument`` when no profile has that name."""
        ...

    async def save(self, name: str, profile: Profile) -> None: ...


def new_profile(state: StorageState, urls: tuple[str, ...]) -> Profile:
    return Profile(state, urls, time.time())


class ProfileFolder:
    def __init__(self, home: Path, *, keyring: Callable[[], Keyring | None] = system_keyring) -> None:
        self._home = home
        self._folder = home / "profiles"
        self._find_keyring = keyring

    async def names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.enc"))

    async def load(self, name: str) -> Profile:
        if check_name(name) not in (known := await self.names()):
            raise no_profile(name, known)
        return from_content(self._vault(name).read())

    async def save(self, name: str, profile: Profile) -> None:
        self._vault(check_name(name)).write(to_content(profile))

    def _vault(self, name: str) -> Vault:
        return Vault(self._folder / f"{name}.enc", self._home / "secrets.key", self._find_keyring())


def check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name[:80]!r} is not a valid profile name.",
            suggestions=["Use letters, digits, '.', '_' and '-', at most 64."],
        )
    return name


def no_profile(name: str, known: list[str]) -> InvalidArgument:
    return InvalidArgument(
        f"There is no profile {name!r}.",
        suggestions=[f"Profiles: {', '.join(known) or 'none'}.", "browser_session save creates one from a session."],
    )


def to_content(profile: Profile) -> dict[str, object]:
    return {"state": dict(profile.state), "urls": list(profile.urls), "saved_at": profile.saved_at}


def from_content(content: dict[str, object]) -> Profile:
    return Profile(
        state=cast("StorageState", content["state"]),
        urls=tuple(cast("list[str]", content["urls"])),
        saved_at=cast("float", content["saved_at"]),
    )
