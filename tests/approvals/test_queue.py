"""Doors, callers and watchers around one queue: who wins, who is told, and what nobody can answer."""

from __future__ import annotations

import asyncio

import pytest

from browser_pilot.approvals.board import NotOpen
from browser_pilot.approvals.questions import Answer, Choice, Event, Question
from browser_pilot.approvals.queue import MOST_EVENTS_BEHIND, ApprovalQueue
from browser_pilot.errors import ApprovalDenied, ApprovalTimeout, SettingsError
from browser_pilot.records.metrics import Metrics
from browser_pilot.vitals import count_question
from tests.approvals.matters import SHOP, matter

LONG = 30.0


class FakeDoor:
    """A door whose person answers when told; ``None`` closes it."""

    def __init__(self, name: str = "form") -> None:
        self.name = name
        self.seen: asyncio.Future[Question] = asyncio.get_running_loop().create_future()
        self.reply: asyncio.Future[Choice | None] = asyncio.get_running_loop().create_future()
        self.cancelled = asyncio.Event()

    async def put(self, question: Question) -> Choice | None:
        self.seen.set_result(question)
        try:
            return await self.reply
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


class BrokenDoor:
    name = "broken"

    async def put(self, question: Question) -> Choice | None:
        raise RuntimeError(question.id)


async def test_the_door_of_the_call_answers() -> None:
    queue, door = ApprovalQueue(), FakeDoor()
    asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG, doors=[door]))
    question = await door.seen
    assert queue.pending == (question,)
    door.reply.set_result("once")
    question_id, answer = await asking
    assert (question_id, answer.choice, answer.door) == (question.id, "once", "form")
    assert queue.pending == ()


async def test_of_two_doors_at_the_same_moment_one_wins_and_the_other_is_told() -> None:
    queue, door = ApprovalQueue(), FakeDoor()
    with queue.subscribe() as watcher:
        asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG, doors=[door]))
        question = await door.seen
        door.reply.set_result("once")
        won = queue.answer(question.id, "deny", door="command line")
        assert (await asking)[1] is won
        with pytest.raises(NotOpen, match="command line"):
            queue.answer(question.id, "once", door="side panel")
        told = [await watcher.next(), await watcher.next()]
    assert [event.kind for event in told if event] == ["asked", "answered"]
    assert told[1] is not None
    assert told[1].answer is won


async def test_the_other_doors_close_when_one_has_answered() -> None:
    queue, first, second = ApprovalQueue(), FakeDoor("first"), FakeDoor("second")
    asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG, doors=[first, second]))
    await asyncio.gather(first.seen, second.seen)
    second.reply.set_result("session")
    assert (await asking)[1].door == "second"
    await asyncio.wait_for(first.cancelled.wait(), 5)


async def test_without_any_door_the_caller_is_told_at_once_what_its_user_can_do() -> None:
    queue = ApprovalQueue()
    with pytest.raises(ApprovalDenied) as told:
        await queue.ask(matter(), timeout_seconds=LONG)
    assert not told.value.retryable
    advice = " ".join(told.value.suggestions)
    assert "browser-pilot approvals --watch" in advice
    assert "browser-pilot policy allow shop.example --without-asking" in advice
    with pytest.raises(ApprovalDenied) as told:
        await queue.ask(matter(about="site"), timeout_seconds=LONG)
    assert "`browser-pilot policy allow shop.example`" in " ".join(told.value.suggestions)


@pytest.mark.parametrize("door", [BrokenDoor, FakeDoor])
async def test_a_door_that_turns_out_to_be_closed_is_none(door: type[BrokenDoor | FakeDoor]) -> None:
    queue, tried = ApprovalQueue(), door()
    if isinstance(tried, FakeDoor):
        tried.reply.set_result(None)
    with pytest.raises(ApprovalDenied, match="nobody can be asked"):
        await queue.ask(matter(), timeout_seconds=LONG, doors=[tried])
    assert queue.pending == ()


async def test_a_closed_door_does_not_matter_while_someone_watches() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as watcher:
        asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG, doors=[BrokenDoor()]))
        event = await watcher.next()
        assert event is not None
        await asyncio.sleep(0)
        queue.answer(event.question.id, "once", door="command line")
        assert (await asking)[1].allows


async def test_no_answer_in_time_is_a_no() -> None:
    queue, door = ApprovalQueue(), FakeDoor()
    with queue.subscribe() as watcher, pytest.raises(ApprovalTimeout, match="Nobody answered"):
        await queue.ask(matter(), timeout_seconds=0.05, doors=[door])
    await asyncio.wait_for(door.cancelled.wait(), 5)
    assert [(await watcher.next()).kind for _ in range(2)] == ["asked", "expired"]  # pyright: ignore[reportOptionalMemberAccess]
    with pytest.raises(NotOpen, match="expired"):
        queue.answer((await door.seen).id, "once", door="late")


async def test_an_answer_after_the_time_is_refused_even_before_the_timer_fires() -> None:
    now = 1000.0
    queue = ApprovalQueue(clock=lambda: now)
    with queue.subscribe():
        asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG))
        await asyncio.sleep(0)
        (question,) = queue.pending
        now += LONG
        with pytest.raises(NotOpen, match="expired"):
            queue.answer(question.id, "once", door="late")
        asking.cancel()


async def test_cancelling_the_call_withdraws_the_question_everywhere() -> None:
    queue, door = ApprovalQueue(), FakeDoor()
    with queue.subscribe() as watcher:
        asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG, doors=[door]))
        question = await door.seen
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await watcher.next()
        event = await watcher.next()
        assert event is not None
        assert event.kind == "withdrawn"
    await asyncio.wait_for(door.cancelled.wait(), 5)
    with pytest.raises(NotOpen, match="no longer wants it"):
        queue.answer(question.id, "once", door="late")


async def test_calls_of_a_session_about_one_site_share_one_question() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as watcher:
        same = [asyncio.create_task(queue.ask(matter(about="site"), timeout_seconds=LONG)) for _ in range(10)]
        other = asyncio.create_task(queue.ask(matter(about="site", session="s2"), timeout_seconds=LONG))
        event = await watcher.next()
        assert event is not None
        await asyncio.sleep(0)
        assert len(queue.pending) == 2
        queue.answer(event.question.id, "once", door="test")
        answers = await asyncio.gather(*same)
        assert {answer.choice for _, answer in answers} == {"session"}
        assert not other.done()
        other.cancel()


async def test_calls_about_actions_never_share() -> None:
    queue = ApprovalQueue()
    with queue.subscribe():
        asking = [asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG)) for _ in range(3)]
        await asyncio.sleep(0)
        assert len(queue.pending) == 3
        queue.answer(queue.pending[0].id, "once", door="test")
        await asking[0]
        assert len(queue.pending) == 2
        for one in asking[1:]:
            one.cancel()


async def test_when_the_first_caller_goes_the_next_ones_door_is_used() -> None:
    queue, first, second = ApprovalQueue(), FakeDoor("first"), FakeDoor("second")
    leaving = asyncio.create_task(queue.ask(matter(about="site"), timeout_seconds=LONG, doors=[first]))
    await first.seen
    staying = asyncio.create_task(queue.ask(matter(about="site"), timeout_seconds=LONG, doors=[second]))
    await asyncio.sleep(0)
    assert not second.seen.done()
    leaving.cancel()
    await asyncio.wait_for(second.seen, 5)
    second.reply.set_result("deny")
    assert (await staying)[1].door == "second"


async def test_an_answer_that_cannot_be_kept_is_not_given() -> None:
    def keep(_: Question, answer: Answer) -> None:
        if answer.choice == "always":
            raise SettingsError("the disk is full")

    queue = ApprovalQueue(keep=keep)
    with queue.subscribe():
        asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG))
        await asyncio.sleep(0)
        (question,) = queue.pending
        with pytest.raises(SettingsError):
            queue.answer(question.id, "always", door="command line")
        assert queue.pending == (question,)
        queue.answer(question.id, "once", door="command line")
        assert (await asking)[1].choice == "once"


async def test_a_form_whose_answer_cannot_be_kept_tells_the_agent() -> None:
    def keep(_: Question, __: Answer) -> None:
        raise SettingsError("the disk is full")

    queue, door = ApprovalQueue(keep=keep), FakeDoor()
    door.reply.set_result("always")
    with pytest.raises(SettingsError, match="the disk is full"):
        await queue.ask(matter(), timeout_seconds=LONG, doors=[door])
    assert queue.pending == ()


async def test_a_watcher_that_comes_late_sees_what_is_open() -> None:
    queue, door = ApprovalQueue(), FakeDoor()
    asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG, doors=[door]))
    question = await door.seen
    with queue.subscribe() as watcher:
        assert queue.watchers == 1
        event = await watcher.next()
        assert event is not None
        assert event.question is question
    assert queue.watchers == 0
    asking.cancel()


async def test_a_watcher_that_never_reads_is_let_go() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as asleep, queue.subscribe() as awake:
        for _ in range(MOST_EVENTS_BEHIND):
            asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG))
            event = await awake.next()
            assert event is not None
            queue.answer(event.question.id, "deny", door="test")
            await asking
            await awake.next()
        assert queue.watchers == 1
        seen = [await asleep.next() for _ in range(MOST_EVENTS_BEHIND + 1)]
        assert seen[-1] is None


async def test_closing_ends_everything() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as watcher:
        asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG))
        await watcher.next()
        queue.close()
        with pytest.raises(ApprovalDenied, match="hub is ending"):
            await asking
        events = [await watcher.next(), await watcher.next()]
        assert events[0] is not None
        assert events[0].kind == "withdrawn"
        assert events[1] is None


async def test_every_question_has_an_id_that_can_be_typed() -> None:
    queue = ApprovalQueue()
    with queue.subscribe():
        asking = [
            asyncio.create_task(queue.ask(matter(site=SHOP, binding=str(number)), timeout_seconds=LONG))
            for number in range(50)
        ]
        await asyncio.sleep(0)
        ids = {question.id for question in queue.pending}
        assert len(ids) == 50
        assert all(len(one) == 6 and one.isalnum() and not set(one) & set("0o1li") for one in ids)
        for one in asking:
            one.cancel()


async def test_whoever_hears_of_events_is_no_door() -> None:
    heard: list[Event] = []
    queue = ApprovalQueue(on_event=heard.append)
    with pytest.raises(ApprovalDenied):
        await queue.ask(matter(), timeout_seconds=LONG)
    door = FakeDoor()
    asking = asyncio.create_task(queue.ask(matter(), timeout_seconds=LONG, doors=[door]))
    await door.seen
    door.reply.set_result("deny")
    await asking
    with queue.subscribe(), pytest.raises(ApprovalTimeout):
        await queue.ask(matter(), timeout_seconds=0.01)
    assert [event.kind for event in heard] == ["asked", "answered", "asked", "expired"]
    metrics = Metrics()
    for event in heard:
        count_question(metrics, event)
    figures = metrics.render().decode()
    assert 'approvals_total{answer="deny",door="other"} 1.0' in figures
    assert 'approvals_total{answer="expired",door="none"} 1.0' in figures
