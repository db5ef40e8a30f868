"""Permissions of guests per site: once, for ten minutes, always or never; requested through the approval queue.

``grants`` has what the user decided. A guest whose manifest lists permissions gets no others. Concurrent requests for
the same share one approval request. A guest cannot wear a person down: a denial, or no decision in time, holds for the
rest of the call and a while after it, at most three requests of a guest are open, and after three denials in one call
nothing more is asked in it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from browser_pilot.approvals.descriptions import plain_text
from browser_pilot.approvals.models import ApprovalRequest, Choice, digest
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import ApprovalDenied, ApprovalTimeout, PermissionDenied
from browser_pilot.guests.call_context import CallContext, RecordGuestNote, discard_note
from browser_pilot.guests.installed.guest_store import InstalledGuest
from browser_pilot.guests.installed.manifest import PERMISSIONS, GuestPermission
from browser_pilot.policy.hosts import Site, address_class
from browser_pilot.policy.types import Effect, Risk

from .grants import GrantDecision, GrantStore

DENIAL_SECONDS = 60.0
MAX_OPEN_REQUESTS = 3
MAX_DENIALS_PER_CALL = 3
# A person is shown all of a request's address, or is not asked.
MAX_SHOWN_CHARACTERS = 2_000
CHOICE_LABELS: dict[Choice, str] = {
    "once": "Allow once",
    "session": "Allow for ten minutes",
    "always": "Always allow this guest here, for all agents",
    "deny": "Deny",
    "block": "Never allow this guest here",
}
PERMISSION_DESCRIPTIONS: dict[GuestPermission, str] = {
    "browser:tabs.create": "open a page in the background",
    "browser:activeTab.read": "read that page with your login",
    "browser:cookies.read": "see the site's cookies, which let it act as you",
    "browser:login": "sign in there",
    "net:fetch": "send requests there",
}
# What `guest allow --can` calls them.
PERMISSION_WORDS: dict[str, tuple[GuestPermission, ...]] = {
    "read": ("browser:tabs.create", "browser:activeTab.read"),
    "cookies": ("browser:tabs.create", "browser:cookies.read"),
    "login": ("browser:tabs.create", "browser:login"),
    "fetch": ("net:fetch",),
}
_RISKS: dict[GuestPermission, Risk] = {
    "browser:tabs.create": "low",
    "browser:activeTab.read": "medium",
    "browser:cookies.read": "high",
    "browser:login": "high",
    "net:fetch": "low",
}
_EFFECTS: dict[GuestPermission, Effect] = {
    "browser:tabs.create": "navigate",
    "browser:activeTab.read": "capture",
    "browser:cookies.read": "cookies",
    "browser:login": "write",
    "net:fetch": "read",
}


@dataclass(eq=False)
class _OpenRequest:
    """An open approval request and the number of calls that wait for it; at none it is cancelled."""

    task: asyncio.Task[Choice]
    waiting: int = 0


class PermissionChecker:
    def __init__(
        self,
        queue: ApprovalQueue,
        grants: GrantStore,
        *,
        record: RecordGuestNote = discard_note,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._record = record
        self._grants = grants
        self._clock = clock
        self._open_requests: dict[tuple[str, str, tuple[GuestPermission, ...]], _OpenRequest] = {}
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._denied_until: dict[tuple[str, str, str, GuestPermission], float] = {}

    async def require(
        self,
        guest: InstalledGuest,
        context: CallContext,
        permissions: Sequence[GuestPermission],
        site: Site,
        *,
        what: str,
    ) -> None:
        """Raises ``PermissionDenied`` unless all are granted on the site; requests approval for undecided ones."""
        declared = guest.manifest.permissions
        for permission in permissions:
            if declared is not None and permission not in declared:
                raise PermissionDenied(f"The manifest of the guest {guest.name} does not list {permission}.")
        undecided = self._undecided(guest, context, permissions, site)
        if not undecided:
            return
        choice = await self._request_approval(guest, context, undecided, site, what)
        decision = {"permissions": list(undecided), "site": str(site), "answer": choice, "origin": context.origin}
        await self._record(guest.name, "A person decided on a guest's permissions", decision)
        if choice == "session":
            self._grants.grant_temporarily(guest.identity, undecided, str(site), origin=context.origin)
        elif choice in ("always", "block"):
            self._grants.save(guest.identity, undecided, str(site), "allow" if choice == "always" else "deny")
        if choice in ("deny", "block"):
            self._note_denial(guest, context, undecided, site)
            raise _denied(guest, site)

    def _undecided(
        self, guest: InstalledGuest, context: CallContext, permissions: Sequence[GuestPermission], site: Site
    ) -> tuple[GuestPermission, ...]:
        """Those to ask about. Raises ``PermissionDenied`` where the decision is no."""
        verdicts: list[tuple[GuestPermission, GrantDecision | None]] = [
            (
                one,
                self._grants.decision(
                    guest.identity, one, str(site), client=context.client_name, origin=context.origin
                ),
            )
            for one in permissions
        ]
        if any(verdict == "deny" for _, verdict in verdicts):
            raise _denied(guest, site)
        undecided: tuple[GuestPermission, ...] = tuple(one for one, verdict in verdicts if verdict is None)
        if any(self._was_denied(guest, context, one, site) for one in undecided):
            raise PermissionDenied(
                f"This was denied to the guest {guest.name} on {site} a moment ago.",
                suggestions=_how_to_allow(guest, undecided, site),
            )
        if undecided and len(context.denials) >= MAX_DENIALS_PER_CALL:
            raise PermissionDenied(
                f"{MAX_DENIALS_PER_CALL} requests of the guest {guest.name} were denied in this call; that is enough.",
                suggestions=_how_to_allow(guest, undecided, site),
            )
        return undecided

    def _was_denied(self, guest: InstalledGuest, context: CallContext, permission: GuestPermission, site: Site) -> bool:
        if any(permission in permissions and site == denied for denied, permissions in context.denials):
            return True
        return self._denied_until.get((guest.identity, context.origin, str(site), permission), 0.0) > self._clock()

    def _note_denial(
        self, guest: InstalledGuest, context: CallContext, permissions: tuple[GuestPermission, ...], site: Site
    ) -> None:
        if (site, permissions) not in context.denials:
            context.denials.append((site, permissions))
        now = self._clock()
        self._denied_until = {key: until for key, until in self._denied_until.items() if until > now}
        for permission in permissions:
            self._denied_until[guest.identity, context.origin, str(site), permission] = now + DENIAL_SECONDS

    async def _request_approval(
        self,
        guest: InstalledGuest,
        context: CallContext,
        permissions: tuple[GuestPermission, ...],
        site: Site,
        what: str,
    ) -> Choice:
        key = (f"{guest.identity} {context.origin}", str(site), permissions)
        open_request = self._open_requests.get(key)
        if open_request is None:
            request = _approval_request(guest, context, permissions, site, what)
            open_request = self._open_requests[key] = _OpenRequest(
                asyncio.ensure_future(self._submit(guest, request, context, permissions, site))
            )
            open_request.task.add_done_callback(lambda _: self._open_requests.pop(key, None))
        open_request.waiting += 1
        try:
            return await asyncio.shield(open_request.task)
        except ApprovalDenied as error:
            raise PermissionDenied(error.message, suggestions=_how_to_allow(guest, permissions, site)) from None
        finally:
            open_request.waiting -= 1
            if not open_request.waiting:
                open_request.task.cancel()

    async def _submit(
        self,
        guest: InstalledGuest,
        request: ApprovalRequest,
        context: CallContext,
        permissions: tuple[GuestPermission, ...],
        site: Site,
    ) -> Choice:
        async with self._slots.setdefault(guest.identity, asyncio.Semaphore(MAX_OPEN_REQUESTS)):
            # A decision that was made while this one waited may be about the same.
            if not self._undecided(guest, context, permissions, site):
                return "once"
            try:
                _, decision = await self._queue.request_decision(
                    request, timeout_seconds=context.approval_timeout_seconds, channels=context.approval_channels
                )
            except ApprovalTimeout:
                self._note_denial(guest, context, permissions, site)
                raise
            if decision.choice in ("deny", "block"):
                # Before the next request takes the slot.
                self._note_denial(guest, context, permissions, site)
        return decision.choice


def _denied(guest: InstalledGuest, site: Site) -> PermissionDenied:
    return PermissionDenied(f"The user does not allow the guest {guest.name} to do this on {site}.")


def _how_to_allow(guest: InstalledGuest, permissions: Sequence[GuestPermission], site: Site) -> list[str]:
    """The command that grants these permissions and no others."""
    words = [
        word
        for word, granted in PERMISSION_WORDS.items()
        if any(permission in granted for permission in permissions if permission != "browser:tabs.create")
    ]
    can = ",".join(words or ["read"])
    return [f"`browser-pilot guest allow {guest.name} {site} --can {can}` grants it in advance."]


def _approval_request(
    guest: InstalledGuest, context: CallContext, permissions: Sequence[GuestPermission], site: Site, what: str
) -> ApprovalRequest:
    if len(what) > MAX_SHOWN_CHARACTERS:
        raise PermissionDenied(
            f"The address is longer than {MAX_SHOWN_CHARACTERS} characters, so that no person can be asked about it."
        )
    riskiest = max(permissions, key=lambda one: ("low", "medium", "high").index(_RISKS[one]))
    risk = _RISKS[riskiest]
    network = ""
    kind = address_class(site.host)
    if kind is not None and kind.is_local:
        risk = "high" if risk == "high" else "medium"
        network = f" {site.host} is {kind.description}: your own network."
    descriptions = ", and ".join(
        PERMISSION_DESCRIPTIONS[permission] for permission in PERMISSIONS if permission in permissions
    )
    caller = plain_text(context.client_name) or context.client
    return ApprovalRequest(
        client=context.client,
        client_name=context.client_name,
        session=f"guest {guest.name}",
        tool=context.tool,
        effect=_EFFECTS[riskiest],
        what=f"Let the guest “{guest.name}” {descriptions}",
        site=str(site),
        about="action",
        risk=risk,
        reason=f"{caller} called {context.tool}, a tool of the guest {guest.name}, which is a third-party program. "
        f"{plain_text(what)}{network}",
        rule="the guest's permissions",
        binding=digest(guest.digest, permissions, str(site), what),
        scope="",
        labels=CHOICE_LABELS,
    )
