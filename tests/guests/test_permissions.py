"""What a guest may do where: asked for once, for ten minutes, always or never, through the one approval queue."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.approvals.questions import Choice
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import PermissionDenied
from browser_pilot.guests.manifest import Permission
from browser_pilot.guests.permissions import LABELS, SOME_SECONDS, GrantBook, Permits
from browser_pilot.guests.store import GuestStore, Installed
from browser_pilot.policy.hosts import Site

from .making import DO, context, package

NEWS, OTHER = Site("https", "news.example", 443), Site("https", "other.example", 443)
READ: tuple[Permission, ...] = ("browser:tabs.create", "browser:activeTab.read")


class World:
    def __init__(self, home: Path, **manifest: Any) -> None:
        self.now = 1000.0
        self.queue = ApprovalQueue()
        self.book = GrantBook(home, clock=lambda: self.now)
        self.permits = Permits(self.queue, self.book)
        self.guest: Installed = GuestStore(home).put(package("1", **manifest), (DO,), source="")
        self.asked: list[str] = []

    async def require(self, site: Site = NEWS, permissions: tuple[Permission, ...] = READ) -> None:
        await self.permits.require(self.guest, context(), permissions, site, what="For a test.")

    async def answering(self, choice: Choice) -> None:
        """A person who answers every question the same way."""
        with self.queue.subscribe() as subscription:
            while (event := await subscription.next()) is not None:
                if event.kind == "asked":
                    self.asked.append(event.question.matter.what)
                    assert event.question.matter.choices == tuple(LABELS)
                    self.queue.answer(event.question.id, choice, door="test")


@pytest.fixture
def world(home: Path) -> World:
    return World(home)


async def asked_with(world: World, choice: Choice) -> asyncio.Task[None]:
    person = asyncio.create_task(world.answering(choice))
    await asyncio.sleep(0)
    return person


@pytest.mark.parametrize(("choice", "questions"), [("once", 2), ("session", 1), ("always", 1)])
async def test_a_yes_holds_as_long_as_it_says(world: World, choice: Choice, questions: int) -> None:
    person = await asked_with(world, choice)

    await world.require()
    await world.require()
    person.cancel()

    assert len(world.asked) == questions
    assert "“testing”" in world.asked[0]
    assert "read that page with your login" in world.asked[0]


async def test_ten_minutes_end_and_always_does_not(world: World, home: Path) -> None:
    person = await asked_with(world, "session")
    await world.require()
    world.now += SOME_SECONDS + 1
    await world.require()
    person.cancel()
    assert len(world.asked) == 2

    person = await asked_with(world, "always")
    world.now += SOME_SECONDS + 1
    await world.require()
    person.cancel()
    world.now += 10 * SOME_SECONDS
    await world.require()
    assert len(world.asked) == 3
    assert GrantBook(home).verdict("testing", "browser:tabs.create", "news.example") == "allow"


async def test_never_is_kept_and_not_asked_again(world: World) -> None:
    person = await asked_with(world, "block")
    for _ in range(2):
        with pytest.raises(PermissionDenied, match="does not allow"):
            await world.require()
    person.cancel()

    assert len(world.asked) == 1


async def test_an_answer_holds_for_one_site_one_guest_and_what_was_asked(world: World, home: Path) -> None:
    world.book.keep("testing", READ, "news.example", "allow")
    await world.require()

    elsewhere: list[tuple[Site, tuple[Permission, ...]]] = [(OTHER, READ), (NEWS, ("browser:cookies.read",))]
    for site, permissions in [*elsewhere, (Site("https", "news.example", 444), READ)]:
        with pytest.raises(PermissionDenied, match="nobody can be asked"):
            await world.require(site, permissions)
    assert world.book.verdict("another", READ[0], "news.example") is None


async def test_what_the_manifest_does_not_list_is_never_asked(home: Path) -> None:
    world = World(home, permissions=["browser:tabs.create"])
    person = await asked_with(world, "always")
    with pytest.raises(PermissionDenied, match=r"does not ask for browser:activeTab\.read"):
        await world.require()
    person.cancel()

    assert world.asked == []


async def test_many_requests_for_the_same_are_one_question(world: World) -> None:
    waiting = world.queue.subscribe()
    with waiting:
        requests = [asyncio.create_task(world.require()) for _ in range(5)]
        for _ in range(3):
            await asyncio.sleep(0)
        [question] = world.queue.pending
        world.queue.answer(question.id, "once", door="test")
        await asyncio.gather(*requests)


async def test_a_question_goes_away_with_those_who_asked(world: World) -> None:
    with world.queue.subscribe():
        request = asyncio.create_task(world.require())
        for _ in range(3):
            await asyncio.sleep(0)
        assert len(world.queue.pending) == 1
        request.cancel()
        for _ in range(5):
            await asyncio.sleep(0)

        assert world.queue.pending == ()


async def test_a_change_by_the_command_line_is_seen(world: World, home: Path) -> None:
    GrantBook(home).keep("testing", READ, "news.example", "allow")
    await world.require()
    GrantBook(home).forget("testing")
    with pytest.raises(PermissionDenied):
        await world.require()
