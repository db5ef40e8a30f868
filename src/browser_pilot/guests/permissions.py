"""Permissions of guests per site: once, for ten minutes, always or never; requested through the approval queue.

"Always" and "never" are stored in the home, where the command line can change them too; ten minutes are in memory.
What is allowed is bound to the guest's identity (``InstalledGuest.identity``), so that another guest of the same name,
or other content, is allowed nothing until the user keeps it. What is denied holds for every guest of that name. A
guest whose manifest lists permissions gets no others. Concurrent requests for the same share one approval request.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from browser_pilot.approvals.models import ApprovalRequest, Choice, digest
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import ApprovalDenied, PermissionDenied
from browser_pilot.home import write_private
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.types import Effect, Risk

from .call_context import CallContext, RecordNote, discard_note
from .guest_store import InstalledGuest
from .manifest import PERMISSIONS, Permission

GrantDecision = Literal["allow", "deny"]
TEMPORARY_GRANT_SECONDS = 600.0
CHOICE_LABELS: dict[Choice, str] = {
    "once": "Allow once",
    "session": "Allow for ten minutes",
    "always": "Always allow this guest here",
    "deny": "Deny",
    "block": "Never allow this guest here",
}
PERMISSION_DESCRIPTIONS: dict[Permission, str] = {
    "browser:tabs.create": "open a page in the background",
    "browser:activeTab.read": "read that page with your login",
    "browser:cookies.read": "see the site's cookies, which let it act as you",
    "browser:login": "sign in there",
    "net:fetch": "send requests there",
}
_RISKS: dict[Permission, Risk] = {
    "browser:tabs.create": "low",
    "browser:activeTab.read": "medium",
    "browser:cookies.read": "high",
    "browser:login": "high",
    "net:fetch": "low",
}
_EFFECTS: dict[Permission, Effect] = {
    "browser:tabs.create": "navigate",
    "browser:activeTab.read": "capture",
    "browser:cookies.read": "cookies",
    "browser:login": "write",
    "net:fetch": "read",
}

# (guest, permission, site)
GrantKey = tuple[str, str, str]


class GrantStore:
    """Persistent grants, in a file that is read again when it changes, and temporary ones in memory."""

    def __init__(self, home: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = home / "guests" / ".grants.json"
        self._clock = clock
        self._persistent: dict[str, dict[str, dict[str, GrantDecision]]] = {}
        self._mtime_ns: int | None = None
        self._temporary: dict[GrantKey, float] = {}

    def decision(self, guest: str, permission: Permission, site: str) -> GrantDecision | None:
        self._refresh()
        if any(given.get(site, {}).get(permission) == "deny" for given in self._of_name(guest).values()):
            return "deny"
        persistent = self._persistent.get(guest, {}).get(site, {}).get(permission)
        if persistent is None and self._temporary.get((guest, permission, site), 0.0) > self._clock():
            return "allow"
        return persistent

    def persistent(self, guest: str) -> Mapping[str, Mapping[str, GrantDecision]]:
        """Persistent decisions by site, then by permission."""
        self._refresh()
        return self._persistent.get(guest, {})

    def grant_temporarily(self, guest: str, permissions: Sequence[Permission], site: str) -> None:
        for permission in permissions:
            self._temporary[guest, permission, site] = self._clock() + TEMPORARY_GRANT_SECONDS

    def of_others(self, guest: str) -> dict[str, list[str]]:
        """What earlier guests of the same name are always allowed: permissions by site."""
        found: dict[str, list[str]] = {}
        for identity, sites in self._of_name(guest).items():
            for site, given in sites.items() if identity != guest else ():
                allowed = [permission for permission, verdict in given.items() if verdict == "allow"]
                if allowed:
                    found.setdefault(site, []).extend(allowed)
        return found

    def replace_others(self, guest: str, *, keep: bool) -> None:
        """End the grants of earlier guests of the same name; with ``keep`` this guest gets them. Denials stay."""
        self._refresh()
        own = self._persistent.setdefault(guest, {})
        for identity in [one for one in self._of_name(guest) if one != guest]:
            for site, given in self._persistent.pop(identity).items():
                kept: dict[str, GrantDecision] = {
                    permission: verdict for permission, verdict in given.items() if keep or verdict == "deny"
                }
                for permission, verdict in kept.items():
                    here = own.setdefault(site, {})
                    if here.get(permission) != "deny":
                        here[permission] = verdict
        if not own:
            del self._persistent[guest]
        self._write()

    def _of_name(self, guest: str) -> dict[str, dict[str, dict[str, GrantDecision]]]:
        """The grants of all guests of this name, by their identities."""
        self._refresh()
        name = guest.partition("#")[0]
        return {one: sites for one, sites in self._persistent.items() if one.partition("#")[0] == name}

    def save(self, guest: str, permissions: Sequence[Permission], site: str, verdict: GrantDecision) -> None:
        self._refresh()
        here = self._persistent.setdefault(guest, {}).setdefault(site, {})
        here.update(dict.fromkeys(permissions, verdict))
        self._write()

    def remove_all(self, guest: str) -> None:
        """Remove all grants of guests of this name: a new one starts with none."""
        self._refresh()
        name = guest.partition("#")[0]
        self._temporary = {key: until for key, until in self._temporary.items() if key[0].partition("#")[0] != name}
        removed = list(self._of_name(guest))
        for identity in removed:
            del self._persistent[identity]
        if removed:
            self._write()

    def _refresh(self) -> None:
        mtime_ns = self._path.stat().st_mtime_ns if self._path.exists() else None
        if mtime_ns != self._mtime_ns:
            content: object = json.loads(self._path.read_bytes()) if mtime_ns is not None else {}
            self._persistent = cast("dict[str, dict[str, dict[str, GrantDecision]]]", content)
            self._mtime_ns = mtime_ns

    def _write(self) -> None:
        write_private(self._path, json.dumps(self._persistent, indent=1, sort_keys=True))
        self._mtime_ns = self._path.stat().st_mtime_ns


@dataclass(eq=False)
class _OpenRequest:
    """An open approval request and the number of calls that wait for it; at none it is cancelled."""

    task: asyncio.Task[Choice]
    waiting: int = 0


class PermissionChecker:
    def __init__(self, queue: ApprovalQueue, book: GrantStore, *, record: RecordNote = discard_note) -> None:
        self._queue = queue
        self._record = record
        self._grants = book
        self._open_requests: dict[tuple[str, str, tuple[Permission, ...]], _OpenRequest] = {}

    async def require(
        self, guest: InstalledGuest, context: CallContext, permissions: Sequence[Permission], site: Site, *, what: str
    ) -> None:
        """Raises ``PermissionDenied`` unless all are granted on the site; requests approval for undecided ones."""
        declared = guest.manifest.permissions
        for permission in permissions:
            if declared is not None and permission not in declared:
                raise PermissionDenied(f"The manifest of the guest {guest.name} does not list {permission}.")
        verdicts: list[tuple[Permission, GrantDecision | None]] = [
            (one, self._grants.decision(guest.identity, one, str(site))) for one in permissions
        ]
        if any(verdict == "deny" for _, verdict in verdicts):
            raise PermissionDenied(f"The user does not allow the guest {guest.name} to do this on {site}.")
        undecided: tuple[Permission, ...] = tuple(one for one, verdict in verdicts if verdict is None)
        if not undecided:
            return
        choice = await self._request_approval(guest, context, undecided, site, what)
        decision = {"permissions": list(undecided), "site": str(site), "answer": choice, "origin": context.origin}
        await self._record(guest.name, "A person decided on a guest's permissions", decision)
        if choice == "session":
            self._grants.grant_temporarily(guest.identity, undecided, str(site))
        elif choice in ("always", "block"):
            self._grants.save(guest.identity, undecided, str(site), "allow" if choice == "always" else "deny")
        if choice in ("deny", "block"):
            raise PermissionDenied(f"The user does not allow the guest {guest.name} to do this on {site}.")

    async def _request_approval(
        self, guest: InstalledGuest, context: CallContext, permissions: tuple[Permission, ...], site: Site, what: str
    ) -> Choice:
        key = (f"{guest.identity} {context.origin}", str(site), permissions)
        open_request = self._open_requests.get(key)
        if open_request is None:
            request = _approval_request(guest, context, permissions, site, what)
            open_request = self._open_requests[key] = _OpenRequest(
                asyncio.ensure_future(self._submit(request, context))
            )
            open_request.task.add_done_callback(lambda _: self._open_requests.pop(key, None))
        open_request.waiting += 1
        try:
            return await asyncio.shield(open_request.task)
        except ApprovalDenied as error:
            raise PermissionDenied(
                error.message,
                suggestions=[f"`browser-pilot guest allow {guest.name} {site}` grants it in advance."],
            ) from None
        finally:
            open_request.waiting -= 1
            if not open_request.waiting:
                open_request.task.cancel()

    async def _submit(self, request: ApprovalRequest, context: CallContext) -> Choice:
        _, decision = await self._queue.request_decision(
            request, timeout_seconds=context.approval_timeout_seconds, channels=context.approval_channels
        )
        return decision.choice


def _approval_request(
    guest: InstalledGuest, context: CallContext, permissions: Sequence[Permission], site: Site, what: str
) -> ApprovalRequest:
    riskiest = max(permissions, key=lambda one: ("low", "medium", "high").index(_RISKS[one]))
    descriptions = ", and ".join(
        PERMISSION_DESCRIPTIONS[permission] for permission in PERMISSIONS if permission in permissions
    )
    return ApprovalRequest(
        client=context.client,
        client_name=context.client_name,
        session=f"guest {guest.name}",
        tool=context.tool,
        effect=_EFFECTS[riskiest],
        what=f"Let the guest “{guest.name}” {descriptions}",
        site=str(site),
        about="action",
        risk=_RISKS[riskiest],
        reason=f"The guest {guest.name} is a third-party program. {what}",
        rule="the guest's permissions",
        binding=digest(guest.digest, permissions, str(site)),
        scope="",
        labels=CHOICE_LABELS,
    )
