"""What each guest may do on which site: once, for ten minutes, always or never; asked through the approval queue.

"Always" and "never" are in the home, where the command line can change them too; ten minutes live in memory. A guest
whose manifest lists its permissions never gets another. Several requests for the same wait for one question.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from ..approvals.questions import Choice, Matter, digest
from ..approvals.queue import ApprovalQueue
from ..errors import ApprovalDenied, PermissionDenied
from ..home import write_private
from ..policy.hosts import Site
from ..policy.vocabulary import Effect, Risk
from .context import CallContext, Record, no_record
from .manifest import PERMISSIONS, Permission
from .store import Installed

Verdict = Literal["allow", "deny"]
SOME_SECONDS = 600.0
LABELS: dict[Choice, str] = {
    "once": "Allow once",
    "session": "Allow for ten minutes",
    "always": "Always allow this guest here",
    "deny": "Deny",
    "block": "Never allow this guest here",
}
WORDS: dict[Permission, str] = {
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
Key = tuple[str, str, str]


class GrantBook:
    """The lasting answers, in a file that is read again when it was changed."""

    def __init__(self, home: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = home / "guests" / ".grants.json"
        self._clock = clock
        self._lasting: dict[str, dict[str, dict[str, Verdict]]] = {}
        self._seen: int | None = None
        self._until: dict[Key, float] = {}

    def verdict(self, guest: str, permission: Permission, site: str) -> Verdict | None:
        self._refresh()
        lasting = self._lasting.get(guest, {}).get(site, {}).get(permission)
        if lasting is None and self._until.get((guest, permission, site), 0.0) > self._clock():
            return "allow"
        return lasting

    def lasting(self, guest: str) -> Mapping[str, Mapping[str, Verdict]]:
        """By site, then by permission."""
        self._refresh()
        return self._lasting.get(guest, {})

    def allow_for_a_while(self, guest: str, permissions: Sequence[Permission], site: str) -> None:
        for permission in permissions:
            self._until[guest, permission, site] = self._clock() + SOME_SECONDS

    def keep(self, guest: str, permissions: Sequence[Permission], site: str, verdict: Verdict) -> None:
        self._refresh()
        here = self._lasting.setdefault(guest, {}).setdefault(site, {})
        here.update(dict.fromkeys(permissions, verdict))
        self._write()

    def forget(self, guest: str) -> None:
        """Everything about a guest: a new one of the same name starts with nothing."""
        self._refresh()
        self._until = {key: until for key, until in self._until.items() if key[0] != guest}
        if self._lasting.pop(guest, None) is not None:
            self._write()

    def _refresh(self) -> None:
        seen = self._path.stat().st_mtime_ns if self._path.exists() else None
        if seen != self._seen:
            content: object = json.loads(self._path.read_bytes()) if seen is not None else {}
            self._lasting = cast("dict[str, dict[str, dict[str, Verdict]]]", content)
            self._seen = seen

    def _write(self) -> None:
        write_private(self._path, json.dumps(self._lasting, indent=1, sort_keys=True))
        self._seen = self._path.stat().st_mtime_ns


@dataclass(eq=False)
class _Asking:
    """A question that is open, and how many wait for it; without any it is withdrawn."""

    task: asyncio.Task[Choice]
    waiting: int = 0


class Permits:
    def __init__(self, queue: ApprovalQueue, book: GrantBook, *, record: Record = no_record) -> None:
        self._queue = queue
        self._record = record
        self._book = book
        self._asking: dict[tuple[str, str, tuple[Permission, ...]], _Asking] = {}

    async def require(
        self, guest: Installed, context: CallContext, permissions: Sequence[Permission], site: Site, *, what: str
    ) -> None:
        """Raises ``PermissionDenied`` unless the guest may do all of this on the site, asking where nobody said so."""
        declared = guest.manifest.permissions
        for permission in permissions:
            if declared is not None and permission not in declared:
                raise PermissionDenied(f"The manifest of the guest {guest.name} does not ask for {permission}.")
        verdicts: list[tuple[Permission, Verdict | None]] = [
            (one, self._book.verdict(guest.name, one, str(site))) for one in permissions
        ]
        if any(verdict == "deny" for _, verdict in verdicts):
            raise PermissionDenied(f"The user does not allow the guest {guest.name} to do this on {site}.")
        open_ones: tuple[Permission, ...] = tuple(one for one, verdict in verdicts if verdict is None)
        if not open_ones:
            return
        choice = await self._ask(guest, context, open_ones, site, what)
        answered = {"permissions": list(open_ones), "site": str(site), "answer": choice, "origin": context.origin}
        await self._record(guest.name, "A person answered what a guest may do", answered)
        if choice == "session":
            self._book.allow_for_a_while(guest.name, open_ones, str(site))
        elif choice in ("always", "block"):
            self._book.keep(guest.name, open_ones, str(site), "allow" if choice == "always" else "deny")
        if choice in ("deny", "block"):
            raise PermissionDenied(f"The user does not allow the guest {guest.name} to do this on {site}.")

    async def _ask(
        self, guest: Installed, context: CallContext, permissions: tuple[Permission, ...], site: Site, what: str
    ) -> Choice:
        key = (f"{guest.name} {context.origin}", str(site), permissions)
        asking = self._asking.get(key)
        if asking is None:
            matter = _matter(guest, context, permissions, site, what)
            asking = self._asking[key] = _Asking(asyncio.ensure_future(self._put(matter, context)))
            asking.task.add_done_callback(lambda _: self._asking.pop(key, None))
        asking.waiting += 1
        try:
            return await asyncio.shield(asking.task)
        except ApprovalDenied as error:
            raise PermissionDenied(
                error.message,
                suggestions=[f"`browser-pilot guest allow {guest.name} {site}` answers it beforehand."],
            ) from None
        finally:
            asking.waiting -= 1
            if not asking.waiting:
                asking.task.cancel()

    async def _put(self, matter: Matter, context: CallContext) -> Choice:
        _, answer = await self._queue.ask(matter, timeout_seconds=context.approval_seconds, doors=context.doors)
        return answer.choice


def _matter(guest: Installed, context: CallContext, permissions: Sequence[Permission], site: Site, what: str) -> Matter:
    riskiest = max(permissions, key=lambda one: ("low", "medium", "high").index(_RISKS[one]))
    wishes = ", and ".join(WORDS[permission] for permission in PERMISSIONS if permission in permissions)
    return Matter(
        client=context.client,
        client_name=context.client_name,
        session=f"guest {guest.name}",
        tool=context.tool,
        effect=_EFFECTS[riskiest],
        what=f"Let the guest “{guest.name}” {wishes}",
        site=str(site),
        about="action",
        risk=_RISKS[riskiest],
        reason=f"The guest {guest.name} is a third-party program. {what}",
        rule="the guest's permissions",
        binding=digest(guest.digest, permissions, str(site)),
        scope="",
        labels=LABELS,
    )
