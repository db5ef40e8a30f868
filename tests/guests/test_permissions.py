"""Permissions of guests per site: requested once, for ten minutes, always or never, through the approval queue."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.approvals.models import Choice
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import PermissionDenied
from browser_pilot.guests.guest_store import GuestStore, InstalledGuest
from browser_pilot.guests.manifest import Permission
from browser_pilot.guests.permissions import CHOICE_LABELS, TEMPORARY_GRANT_SECONDS, GrantStore, PermissionChecker
from browser_pilot.policy.hosts import Site

from .guest_factory import DO, context, package

NEWS, OTHER = Site("https", "news.example", 443), Site("https", "other.example", 443)
READ: tuple[Permission, ...] = ("browser:tabs.create", "browser:activeTab.read")


class PermissionSetup:
    def __init__(self, home: Path, **manifest: Any) -> None:
        self.now = 1000.0
        self.queue = ApprovalQueue()
        self.grants = GrantStore(home, clock=lambda: self.now)
        self.checker = PermissionChecker(self.queue, self.grants)
        self.guest: InstalledGuest = GuestStore(home).install(package("1", **manifest), (DO,), source="")
        self.asked: list[str] = []

    async def require(self, site: Site = NEWS, permissions: tuple[Permission, ...] = READ) -> None:
        await self.checker.require(self.guest, context(), permissions, site, what="For a test.")

    async def decide(self, choice: Choice) -> None:
        """A person who makes the same decision on every approval request."""
        with self.queue.subscribe() as subscription:
            while (event := await subscription.next()) is not None:
                if event.kind == "asked":
                    self.asked.append(event.approval.request.what)
                    assert event.approval.request.choices == tuple(CHOICE_LABELS)
                    self.queue.decide(event.approval.id, choice, channel="test")


@pytest.fixture
def setup(home: Path) -> PermissionSetup:
    return PermissionSetup(home)


async def person_choosing(setup: PermissionSetup, choice: Choice) -> asyncio.Task[None]:
    person = asyncio.create_task(setup.decide(choice))
    await asyncio.sleep(0)
    return person


@pytest.mark.parametrize(("choice", "requests"), [("once", 2), ("session", 1), ("always", 1)])
async def test_a_grant_lasts_as_long_as_the_choice_says(setup: PermissionSetup, choice: Choice, requests: int) -> None:
    person = await person_choosing(setup, choice)

    await setup.require()
    await setup.require()
    person.cancel()

    assert len(setup.asked) == requests
    assert "“testing”" in setup.asked[0]
    assert "read that page with your login" in setup.asked[0]


async def test_a_temporary_grant_expires_and_a_persistent_one_does_not(setup: PermissionSetup, home: Path) -> None:
    person = await person_choosing(setup, "session")
    await setup.require()
    setup.now += TEMPORARY_GRANT_SECONDS + 1
    await setup.require()
    person.cancel()
    assert len(setup.asked) == 2

    person = await person_choosing(setup, "always")
    setup.now += TEMPORARY_GRANT_SECONDS + 1
    await setup.require()
    person.cancel()
    setup.now += 10 * TEMPORARY_GRANT_SECONDS
    await setup.require()
    assert len(setup.asked) == 3
    assert GrantStore(home).decision(setup.guest.identity, "browser:tabs.create", "news.example") == "allow"


async def test_never_is_stored_and_not_requested_again(setup: PermissionSetup) -> None:
    person = await person_choosing(setup, "block")
    for _ in range(2):
        with pytest.raises(PermissionDenied, match="does not allow"):
            await setup.require()
    person.cancel()

    assert len(setup.asked) == 1


async def test_a_grant_is_for_one_site_one_guest_and_the_requested_permissions(
    setup: PermissionSetup, home: Path
) -> None:
    setup.grants.save(setup.guest.identity, READ, "news.example", "allow")
    await setup.require()

    elsewhere: list[tuple[Site, tuple[Permission, ...]]] = [(OTHER, READ), (NEWS, ("browser:cookies.read",))]
    for site, permissions in [*elsewhere, (Site("https", "news.example", 444), READ)]:
        with pytest.raises(PermissionDenied, match="no approval channel is open"):
            await setup.require(site, permissions)
    assert setup.grants.decision("another", READ[0], "news.example") is None


async def test_a_permission_that_the_manifest_does_not_list_is_never_requested(home: Path) -> None:
    setup = PermissionSetup(home, permissions=["browser:tabs.create"])
    person = await person_choosing(setup, "always")
    with pytest.raises(PermissionDenied, match=r"does not list browser:activeTab\.read"):
        await setup.require()
    person.cancel()

    assert setup.asked == []


async def test_concurrent_requests_for_the_same_share_one_approval_request(setup: PermissionSetup) -> None:
    waiting = setup.queue.subscribe()
    with waiting:
        requests = [asyncio.create_task(setup.require()) for _ in range(5)]
        for _ in range(3):
            await asyncio.sleep(0)
        [approval] = setup.queue.pending
        setup.queue.decide(approval.id, "once", channel="test")
        await asyncio.gather(*requests)


async def test_an_approval_request_is_cancelled_with_its_last_caller(setup: PermissionSetup) -> None:
    with setup.queue.subscribe():
        request = asyncio.create_task(setup.require())
        for _ in range(3):
            await asyncio.sleep(0)
        assert len(setup.queue.pending) == 1
        request.cancel()
        for _ in range(5):
            await asyncio.sleep(0)

        assert setup.queue.pending == ()


async def test_a_change_by_the_command_line_is_noticed(setup: PermissionSetup, home: Path) -> None:
    GrantStore(home).save(setup.guest.identity, READ, "news.example", "allow")
    await setup.require()
    GrantStore(home).remove_all("testing")
    with pytest.raises(PermissionDenied):
        await setup.require()
