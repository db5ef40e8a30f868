"""Grants: what the user decided that a guest may do on a site. Persistent ones are in the home, temporary in memory.

What is allowed is bound to the guest's identity (``InstalledGuest.identity``), so that another guest of the same name,
or other content, is allowed nothing until the user keeps it. What is denied holds for every guest of that name. A grant
may be bound to a client, by the name that the client gives itself; a temporary one is bound to the client's connection.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from browser_pilot.guests.installed.manifest import GuestPermission
from browser_pilot.home import write_private

GrantDecision = Literal["allow", "deny"]
TEMPORARY_GRANT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Grant:
    """``client`` empty: for every client."""

    guest: str
    site: str
    permission: GuestPermission
    decision: GrantDecision
    client: str = ""

    @property
    def guest_name(self) -> str:
        return self.guest.partition("#")[0]

    def replaces(self, other: Grant) -> bool:
        return replace(self, decision=other.decision) == other


class GrantStore:
    """The file is read again when it changes: the command line writes it too."""

    def __init__(self, home: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = home / "guests" / ".grants.json"
        self._clock = clock
        self._persistent: tuple[Grant, ...] = ()
        self._mtime_ns: int | None = None
        self._temporary: dict[tuple[str, GuestPermission, str, str], float] = {}

    def decision(
        self, guest: str, permission: GuestPermission, site: str, *, client: str = "", origin: str = ""
    ) -> GrantDecision | None:
        """``client`` is the name of the calling client, ``origin`` its connection."""
        found = [
            grant
            for grant in self._of_name(guest)
            if (grant.permission, grant.site) == (permission, site) and grant.client in ("", client)
        ]
        if any(grant.decision == "deny" for grant in found):
            return "deny"
        is_allowed = any(grant.guest == guest for grant in found)
        if not is_allowed:
            is_allowed = self._temporary.get((guest, permission, site, origin), 0.0) > self._clock()
        return "allow" if is_allowed else None

    def persistent(self, guest: str) -> list[Grant]:
        """The persistent decisions for this guest."""
        return [grant for grant in self._of_name(guest) if grant.guest == guest]

    def grant_temporarily(
        self, guest: str, permissions: Sequence[GuestPermission], site: str, *, origin: str = ""
    ) -> None:
        now = self._clock()
        self._temporary = {key: until for key, until in self._temporary.items() if until > now}
        for permission in permissions:
            self._temporary[guest, permission, site, origin] = now + TEMPORARY_GRANT_SECONDS

    def of_others(self, guest: str) -> dict[str, list[str]]:
        """What earlier guests of the same name are always allowed: permissions by site."""
        found: dict[str, list[str]] = {}
        for grant in self._of_name(guest):
            if grant.guest != guest and grant.decision == "allow":
                found.setdefault(grant.site, []).append(grant.permission)
        return found

    def replace_others(self, guest: str, *, keep: bool) -> None:
        """End the grants of earlier guests of the same name; with ``keep`` this guest gets them. Denials stay."""
        others = [grant for grant in self._of_name(guest) if grant.guest != guest]
        inherited = [replace(grant, guest=guest) for grant in others if keep or grant.decision == "deny"]
        # A denial, of this guest or of an earlier one, is stronger.
        inherited.sort(key=lambda grant: grant.decision == "deny")
        denied = [grant for grant in self.persistent(guest) if grant.decision == "deny"]
        self._write(_merged((grant for grant in self._persistent if grant not in others), (*inherited, *denied)))

    def save(
        self,
        guest: str,
        permissions: Sequence[GuestPermission],
        site: str,
        decision: GrantDecision,
        *,
        client: str = "",
    ) -> None:
        self._refresh()
        added = [Grant(guest, site, permission, decision, client) for permission in permissions]
        self._write(_merged(self._persistent, added))

    def remove_all(self, guest: str) -> None:
        """Remove all grants of guests of this name: a new one starts with none."""
        removed = self._of_name(guest)
        name = guest.partition("#")[0]
        self._temporary = {key: until for key, until in self._temporary.items() if key[0].partition("#")[0] != name}
        if removed:
            self._write([grant for grant in self._persistent if grant not in removed])

    def _of_name(self, guest: str) -> list[Grant]:
        """The grants of all guests of this name."""
        self._refresh()
        name = guest.partition("#")[0]
        return [grant for grant in self._persistent if grant.guest_name == name]

    def _refresh(self) -> None:
        mtime_ns = self._path.stat().st_mtime_ns if self._path.exists() else None
        if mtime_ns != self._mtime_ns:
            content: object = json.loads(self._path.read_bytes()) if mtime_ns is not None else []
            self._persistent = tuple(_parsed(content))
            self._mtime_ns = mtime_ns

    def _write(self, grants: Iterable[Grant]) -> None:
        self._persistent = tuple(grants)
        write_private(self._path, json.dumps([asdict(grant) for grant in self._persistent], indent=1))
        self._mtime_ns = self._path.stat().st_mtime_ns


def _merged(grants: Iterable[Grant], added: Iterable[Grant]) -> list[Grant]:
    merged = list(grants)
    for new in added:
        merged = [*(grant for grant in merged if not new.replaces(grant)), new]
    return merged


def _parsed(content: object) -> list[Grant]:
    if isinstance(content, list):
        return [Grant(**one) for one in cast("list[dict[str, Any]]", content)]
    # Older versions: a table by guest, site and permission.
    tables = cast("Mapping[str, Mapping[str, Mapping[GuestPermission, GrantDecision]]]", content)
    return [
        Grant(guest, site, permission, decision)
        for guest, sites in tables.items()
        for site, given in sites.items()
        for permission, decision in given.items()
    ]
