"""The approval queue: channels, callers and watchers; the first decision wins."""

from __future__ import annotations

import asyncio

import pytest

from browser_pilot.approvals.models import ApprovalDecision, ApprovalEvent, Choice, PendingApproval
from browser_pilot.approvals.pending import ApprovalNotPending
from browser_pilot.approvals.queue import MAX_EVENTS_BEHIND, ApprovalQueue
from browser_pilot.errors import ApprovalDenied, ApprovalTimeout, SettingsError
from browser_pilot.hub.health_checks import count_approval
from browser_pilot.metrics.prometheus import Metrics

from .requests import SHOP, approval_request

LONG = 30.0


class FakeChannel:
    """A channel that returns ``reply`` once it is set; ``None`` closes it."""

    def __init__(self, name: str = "form") -> None:
        self.name = name
        self.seen: asyncio.Future[PendingApproval] = asyncio.get_running_loop().create_future()
        self.reply: asyncio.Future[Choice | None] = asyncio.get_running_loop().create_future()
        self.cancelled = asyncio.Event()

    async def request_decision(self, approval: PendingApproval) -> Choice | None:
        self.seen.set_result(approval)
        try:
            return await self.reply
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


class BrokenChannel:
    name = "broken"

    async def request_decision(self, approval: PendingApproval) -> Choice | None:
        raise RuntimeError(approval.id)


async def test_the_channel_of_the_call_decides() -> None:
    queue, channel = ApprovalQueue(), FakeChannel()
    requesting = asyncio.create_task(
        queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[channel])
    )
    approval = await channel.seen
    assert queue.pending == (approval,)
    channel.reply.set_result("once")
    approval_id, decision = await requesting
    assert (approval_id, decision.choice, decision.channel) == (approval.id, "once", "form")
    assert queue.pending == ()


async def test_of_two_simultaneous_decisions_one_wins_and_the_other_gets_an_error() -> None:
    queue, channel = ApprovalQueue(), FakeChannel()
    with queue.subscribe() as watcher:
        requesting = asyncio.create_task(
            queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[channel])
        )
        approval = await channel.seen
        channel.reply.set_result("once")
        won = queue.decide(approval.id, "deny", channel="command line")
        assert (await requesting)[1] is won
        with pytest.raises(ApprovalNotPending, match="command line"):
            queue.decide(approval.id, "once", channel="side panel")
        events = [await watcher.next(), await watcher.next()]
    assert [event.kind for event in events if event] == ["asked", "answered"]
    assert events[1] is not None
    assert events[1].decision is won


async def test_the_other_channels_are_cancelled_after_a_decision() -> None:
    queue, first, second = ApprovalQueue(), FakeChannel("first"), FakeChannel("second")
    requesting = asyncio.create_task(
        queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[first, second])
    )
    await asyncio.gather(first.seen, second.seen)
    second.reply.set_result("session")
    assert (await requesting)[1].channel == "second"
    await asyncio.wait_for(first.cancelled.wait(), 5)


async def test_without_a_channel_the_request_fails_at_once_with_advice() -> None:
    queue = ApprovalQueue()
    with pytest.raises(ApprovalDenied) as error:
        await queue.request_decision(approval_request(), timeout_seconds=LONG)
    assert not error.value.retryable
    advice = " ".join(error.value.suggestions)
    assert "browser-pilot approvals --watch" in advice
    assert "browser-pilot policy allow shop.example --without-asking" in advice
    with pytest.raises(ApprovalDenied) as error:
        await queue.request_decision(approval_request(about="site"), timeout_seconds=LONG)
    assert "`browser-pilot policy allow shop.example`" in " ".join(error.value.suggestions)


@pytest.mark.parametrize("channel", [BrokenChannel, FakeChannel])
async def test_a_closed_or_broken_channel_does_not_count(channel: type[BrokenChannel | FakeChannel]) -> None:
    queue, tried = ApprovalQueue(), channel()
    if isinstance(tried, FakeChannel):
        tried.reply.set_result(None)
    with pytest.raises(ApprovalDenied, match="no approval channel is open"):
        await queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[tried])
    assert queue.pending == ()


async def test_a_broken_channel_is_ignored_while_a_watcher_is_subscribed() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as watcher:
        requesting = asyncio.create_task(
            queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[BrokenChannel()])
        )
        event = await watcher.next()
        assert event is not None
        await asyncio.sleep(0)
        queue.decide(event.approval.id, "once", channel="command line")
        assert (await requesting)[1].allows


async def test_a_request_that_nobody_can_see_fails_at_once() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as browser:
        requesting = asyncio.create_task(queue.request_decision(approval_request(), timeout_seconds=LONG))
        event = await browser.next()
        assert event is not None
        queue.report_unseen(event.approval.id)
        with pytest.raises(ApprovalDenied, match="cannot see the request"):
            await requesting
        queue.report_unseen(event.approval.id)


async def test_an_unseen_request_stays_pending_on_another_channel() -> None:
    queue, channel = ApprovalQueue(), FakeChannel()
    with queue.subscribe():
        requesting = asyncio.create_task(
            queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[channel])
        )
        queue.report_unseen((await channel.seen).id)
        channel.reply.set_result("once")
        assert (await requesting)[1].choice == "once"
        with queue.subscribe():
            other = asyncio.create_task(queue.request_decision(approval_request(), timeout_seconds=LONG))
            while not queue.pending:
                await asyncio.sleep(0)
            queue.report_unseen(queue.pending[0].id)
            assert queue.pending
            other.cancel()
            await asyncio.wait({other})


async def test_an_approval_times_out() -> None:
    queue, channel = ApprovalQueue(), FakeChannel()
    with queue.subscribe() as watcher, pytest.raises(ApprovalTimeout, match="timed out"):
        await queue.request_decision(approval_request(), timeout_seconds=0.05, channels=[channel])
    await asyncio.wait_for(channel.cancelled.wait(), 5)
    assert [(await watcher.next()).kind for _ in range(2)] == ["asked", "expired"]  # pyright: ignore[reportOptionalMemberAccess]
    with pytest.raises(ApprovalNotPending, match="expired"):
        queue.decide((await channel.seen).id, "once", channel="late")


async def test_a_decision_after_expiry_is_rejected_even_before_the_timer_fires() -> None:
    now = 1000.0
    queue = ApprovalQueue(clock=lambda: now)
    with queue.subscribe():
        requesting = asyncio.create_task(queue.request_decision(approval_request(), timeout_seconds=LONG))
        await asyncio.sleep(0)
        (approval,) = queue.pending
        now += LONG
        with pytest.raises(ApprovalNotPending, match="expired"):
            queue.decide(approval.id, "once", channel="late")
        requesting.cancel()


async def test_cancelling_the_call_withdraws_the_approval_from_all_channels() -> None:
    queue, channel = ApprovalQueue(), FakeChannel()
    with queue.subscribe() as watcher:
        requesting = asyncio.create_task(
            queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[channel])
        )
        approval = await channel.seen
        requesting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await requesting
        await watcher.next()
        event = await watcher.next()
        assert event is not None
        assert event.kind == "withdrawn"
    await asyncio.wait_for(channel.cancelled.wait(), 5)
    with pytest.raises(ApprovalNotPending, match="agent withdrew it"):
        queue.decide(approval.id, "once", channel="late")


async def test_calls_of_a_session_about_one_site_share_one_approval() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as watcher:
        same = [
            asyncio.create_task(queue.request_decision(approval_request(about="site"), timeout_seconds=LONG))
            for _ in range(10)
        ]
        other = asyncio.create_task(
            queue.request_decision(approval_request(about="site", session="s2"), timeout_seconds=LONG)
        )
        event = await watcher.next()
        assert event is not None
        await asyncio.sleep(0)
        assert len(queue.pending) == 2
        queue.decide(event.approval.id, "once", channel="test")
        decisions = await asyncio.gather(*same)
        assert {decision.choice for _, decision in decisions} == {"session"}
        assert not other.done()
        other.cancel()


async def test_calls_about_actions_do_not_share_an_approval() -> None:
    queue = ApprovalQueue()
    with queue.subscribe():
        requesting = [
            asyncio.create_task(queue.request_decision(approval_request(), timeout_seconds=LONG)) for _ in range(3)
        ]
        await asyncio.sleep(0)
        assert len(queue.pending) == 3
        queue.decide(queue.pending[0].id, "once", channel="test")
        await requesting[0]
        assert len(queue.pending) == 2
        for one in requesting[1:]:
            one.cancel()


async def test_when_the_first_caller_leaves_the_next_ones_channel_is_used() -> None:
    queue, first, second = ApprovalQueue(), FakeChannel("first"), FakeChannel("second")
    leaving = asyncio.create_task(
        queue.request_decision(approval_request(about="site"), timeout_seconds=LONG, channels=[first])
    )
    await first.seen
    staying = asyncio.create_task(
        queue.request_decision(approval_request(about="site"), timeout_seconds=LONG, channels=[second])
    )
    await asyncio.sleep(0)
    assert not second.seen.done()
    leaving.cancel()
    await asyncio.wait_for(second.seen, 60)
    second.reply.set_result("deny")
    assert (await staying)[1].channel == "second"


async def test_a_decision_that_cannot_be_persisted_is_not_made() -> None:
    def keep(_: PendingApproval, decision: ApprovalDecision) -> None:
        if decision.choice == "always":
            raise SettingsError("the disk is full")

    queue = ApprovalQueue(persist=keep)
    with queue.subscribe():
        requesting = asyncio.create_task(queue.request_decision(approval_request(), timeout_seconds=LONG))
        await asyncio.sleep(0)
        (approval,) = queue.pending
        with pytest.raises(SettingsError):
            queue.decide(approval.id, "always", channel="command line")
        assert queue.pending == (approval,)
        queue.decide(approval.id, "once", channel="command line")
        assert (await requesting)[1].choice == "once"


async def test_a_channels_decision_that_cannot_be_persisted_fails_the_call() -> None:
    def keep(_: PendingApproval, __: ApprovalDecision) -> None:
        raise SettingsError("the disk is full")

    queue, channel = ApprovalQueue(persist=keep), FakeChannel()
    channel.reply.set_result("always")
    with pytest.raises(SettingsError, match="the disk is full"):
        await queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[channel])
    assert queue.pending == ()


async def test_a_new_watcher_gets_the_pending_approvals() -> None:
    queue, channel = ApprovalQueue(), FakeChannel()
    requesting = asyncio.create_task(
        queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[channel])
    )
    approval = await channel.seen
    with queue.subscribe() as watcher:
        assert queue.watcher_count == 1
        event = await watcher.next()
        assert event is not None
        assert event.approval is approval
    assert queue.watcher_count == 0
    requesting.cancel()


async def test_a_subscription_that_falls_too_far_behind_is_ended() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as lagging, queue.subscribe() as reading:
        for _ in range(MAX_EVENTS_BEHIND):
            requesting = asyncio.create_task(queue.request_decision(approval_request(), timeout_seconds=LONG))
            event = await reading.next()
            assert event is not None
            queue.decide(event.approval.id, "deny", channel="test")
            await requesting
            await reading.next()
        assert queue.watcher_count == 1
        seen = [await lagging.next() for _ in range(MAX_EVENTS_BEHIND + 1)]
        assert seen[-1] is None


async def test_closing_withdraws_approvals_and_ends_subscriptions() -> None:
    queue = ApprovalQueue()
    with queue.subscribe() as watcher:
        requesting = asyncio.create_task(queue.request_decision(approval_request(), timeout_seconds=LONG))
        await watcher.next()
        queue.close()
        with pytest.raises(ApprovalDenied, match="hub is stopping"):
            await requesting
        events = [await watcher.next(), await watcher.next()]
        assert events[0] is not None
        assert events[0].kind == "withdrawn"
        assert events[1] is None


async def test_every_approval_has_an_id_that_is_easy_to_type() -> None:
    queue = ApprovalQueue()
    with queue.subscribe():
        requesting = [
            asyncio.create_task(
                queue.request_decision(approval_request(site=SHOP, binding=str(number)), timeout_seconds=LONG)
            )
            for number in range(50)
        ]
        await asyncio.sleep(0)
        ids = {approval.id for approval in queue.pending}
        assert len(ids) == 50
        assert all(len(one) == 6 and one.isalnum() and not set(one) & set("0o1li") for one in ids)
        for one in requesting:
            one.cancel()


async def test_the_event_callback_does_not_count_as_a_channel() -> None:
    events: list[ApprovalEvent] = []
    queue = ApprovalQueue(on_event=events.append)
    with pytest.raises(ApprovalDenied):
        await queue.request_decision(approval_request(), timeout_seconds=LONG)
    channel = FakeChannel()
    requesting = asyncio.create_task(
        queue.request_decision(approval_request(), timeout_seconds=LONG, channels=[channel])
    )
    await channel.seen
    channel.reply.set_result("deny")
    await requesting
    with queue.subscribe(), pytest.raises(ApprovalTimeout):
        await queue.request_decision(approval_request(), timeout_seconds=0.01)
    assert [event.kind for event in events] == ["asked", "answered", "asked", "expired"]
    metrics = Metrics()
    for event in events:
        count_approval(metrics, event)
    figures = metrics.render().decode()
    assert 'approvals_total{answer="deny",door="other"} 1.0' in figures
    assert 'approvals_total{answer="expired",door="none"} 1.0' in figures
