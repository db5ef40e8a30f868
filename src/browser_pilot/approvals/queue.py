"""The approval queue: a request goes to every open channel, the first decision wins, and all channels see it.

There are two kinds of channels. A call brings its own (elicitation in its MCP client), for its request only. Watchers
(the command line, the side panel, the dashboard) subscribe and see every request. Without any channel the request fails
immediately.

The queue lives as long as the hub. An approval is pending while a caller waits for it: cancelling the last caller
withdraws it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import PilotError

from .errors import hub_stopping_error, no_channel_error, timeout_error, unseen_error
from .models import ApprovalDecision, ApprovalEvent, ApprovalRequest, Choice, PendingApproval
from .pending import PendingApprovals

logger = logging.getLogger(__name__)

# Without letters and digits that look alike, because people type the ids.
ID_CHARACTERS = "abcdefghjkmnpqrstuvwxyz23456789"
ID_LENGTH = 6
# A subscription that is this far behind is ended; the watcher can subscribe again and gets the pending approvals.
MAX_EVENTS_BEHIND = 1000


class ApprovalChannel(Protocol):
    """A way to ask a person that belongs to one call, such as elicitation."""

    @property
    def name(self) -> str: ...

    async def request_decision(self, approval: PendingApproval) -> Choice | None:
        """Show the approval and wait for a choice; None when the channel is closed. Cancelled when others decide."""
        ...


@dataclass(eq=False)
class _Caller:
    channels: Sequence[ApprovalChannel]
    decision: asyncio.Future[ApprovalDecision]


@dataclass(eq=False)
class _QueueEntry:
    """A pending approval with its callers. Only the first caller's channels are in use."""

    approval: PendingApproval
    timer: asyncio.TimerHandle
    callers: list[_Caller] = field(default_factory=list[_Caller])
    channel_tasks: BackgroundTasks = field(default_factory=lambda: BackgroundTasks("the approval queue"))


class Subscription:
    """A watcher's events: first the pending approvals, then every change."""

    def __init__(self, pending: Sequence[PendingApproval]) -> None:
        self._events: asyncio.Queue[ApprovalEvent | None] = asyncio.Queue()
        for approval in pending:
            self._events.put_nowait(ApprovalEvent("asked", approval))

    @property
    def is_lagging(self) -> bool:
        return self._events.qsize() >= MAX_EVENTS_BEHIND

    def send(self, event: ApprovalEvent) -> None:
        self._events.put_nowait(event)

    def end(self) -> None:
        self._events.put_nowait(None)

    async def next(self) -> ApprovalEvent | None:
        """The next event; None at the end."""
        return await self._events.get()


def _persist_nothing(_: PendingApproval, __: ApprovalDecision) -> None:
    pass


def _ignore_event(_: ApprovalEvent) -> None:
    pass


class ApprovalQueue:
    """``persist`` is called with each decision before it is reported: it writes the rule for "always" and "block".

    When it raises, the decision is not made and the approval stays pending. ``on_event`` gets every event, and does not
    count as a channel.
    """

    def __init__(
        self,
        *,
        persist: Callable[[PendingApproval, ApprovalDecision], None] = _persist_nothing,
        on_event: Callable[[ApprovalEvent], None] = _ignore_event,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._persist = persist
        self._on_event = on_event
        self._clock = clock
        self._pending = PendingApprovals()
        self._entries: dict[str, _QueueEntry] = {}
        self._subscriptions: set[Subscription] = set()

    @property
    def pending(self) -> tuple[PendingApproval, ...]:
        return self._pending.pending

    @property
    def watcher_count(self) -> int:
        return len(self._subscriptions)

    async def request_decision(
        self, request: ApprovalRequest, *, timeout_seconds: float, channels: Sequence[ApprovalChannel] = ()
    ) -> tuple[str, ApprovalDecision]:
        """Return the approval's id and decision. Raises ``ApprovalTimeout``, or ``ApprovalDenied`` without a channel.

        Calls of one session about the same site share one approval.
        """
        if not channels and not self._subscriptions:
            raise no_channel_error(request)
        entry = self._find_same_site(request) or self._add(request, timeout_seconds)
        caller = _Caller(channels, asyncio.get_running_loop().create_future())
        entry.callers.append(caller)
        if len(entry.callers) == 1:
            self._open_channels(entry, caller)
        try:
            return entry.approval.id, await caller.decision
        finally:
            self._remove_caller(entry, caller)

    def decide(self, approval_id: str, choice: Choice, *, channel: str) -> ApprovalDecision:
        """Make a person's decision. Raises ``ApprovalNotPending`` when it comes too late.

        "Once" for a site means this session: opening a page and reading it are two actions.
        """
        approval = next((one for one in self._pending.pending if one.id == approval_id), None)
        if choice == "once" and approval is not None and approval.request.about == "site":
            choice = "session"
        decision = ApprovalDecision(choice, channel, self._clock())
        self._persist(self._pending.check(approval_id, choice, decision.at), decision)
        self._pending.decide(approval_id, decision)
        self._end(approval_id, ApprovalEvent("answered", self._entries[approval_id].approval, decision))
        return decision

    def report_unseen(self, approval_id: str) -> None:
        """A watcher's user cannot see an approval: fail its callers at once if that watcher was the only channel."""
        entry = self._entries.get(approval_id)
        if entry is not None and len(self._subscriptions) <= 1 and not len(entry.channel_tasks):
            self._withdraw(approval_id, unseen_error(entry.approval.request))

    @contextlib.contextmanager
    def subscribe(self) -> Generator[Subscription]:
        """Receive all events inside the ``with`` block; a subscription counts as a channel."""
        subscription = Subscription(self._pending.pending)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def close(self) -> None:
        """Withdraw every pending approval and end every subscription."""
        for approval in self._pending.pending:
            self._withdraw(approval.id, hub_stopping_error())
        for subscription in self._subscriptions:
            subscription.end()

    def _find_same_site(self, request: ApprovalRequest) -> _QueueEntry | None:
        if request.about != "site":
            return None
        key = (request.client, request.session, request.site)
        return next(
            (
                entry
                for entry in self._entries.values()
                if (other := entry.approval.request).about == "site"
                and (other.client, other.session, other.site) == key
            ),
            None,
        )

    def _add(self, request: ApprovalRequest, timeout_seconds: float) -> _QueueEntry:
        approval_id = "".join(secrets.choice(ID_CHARACTERS) for _ in range(ID_LENGTH))
        now = self._clock()
        approval = PendingApproval(id=approval_id, request=request, requested_at=now, expires_at=now + timeout_seconds)
        self._pending.add(approval)
        timer = asyncio.get_running_loop().call_later(timeout_seconds, self._expire, approval_id)
        entry = self._entries[approval_id] = _QueueEntry(approval, timer)
        self._publish(ApprovalEvent("asked", approval))
        return entry

    def _open_channels(self, entry: _QueueEntry, caller: _Caller) -> None:
        for channel in caller.channels:
            entry.channel_tasks.spawn(self._run_channel(channel, entry.approval))

    async def _run_channel(self, channel: ApprovalChannel, approval: PendingApproval) -> None:
        try:
            choice = await channel.request_decision(approval)
        except Exception:
            logger.exception("the approval channel %s failed", channel.name)
            choice = None
        if approval.id not in self._pending:
            return
        if choice is None:
            self._on_channel_closed(approval)
            return
        try:
            self.decide(approval.id, choice, channel=channel.name)
        except PilotError as error:
            # The channel has closed and cannot show the error, so it goes to the agent.
            self._withdraw(approval.id, error)

    def _on_channel_closed(self, approval: PendingApproval) -> None:
        # The channel that has just closed still counts: its task is the one that runs this.
        if len(self._entries[approval.id].channel_tasks) <= 1 and not self._subscriptions:
            self._withdraw(approval.id, no_channel_error(approval.request))

    def _remove_caller(self, entry: _QueueEntry, caller: _Caller) -> None:
        was_first = entry.callers[0] is caller
        entry.callers.remove(caller)
        if entry.approval.id not in self._pending:
            return
        if not entry.callers:
            self._withdraw(entry.approval.id)
        elif was_first:
            entry.channel_tasks.cancel()
            self._open_channels(entry, entry.callers[0])

    def _withdraw(self, approval_id: str, error: PilotError | None = None) -> None:
        approval = self._pending.withdraw(approval_id)
        if approval is not None:
            self._end(approval_id, ApprovalEvent("withdrawn", approval), error)

    def _expire(self, approval_id: str) -> None:
        approval = self._pending.expire(approval_id)
        if approval is not None:
            self._end(approval_id, ApprovalEvent("expired", approval), timeout_error(approval))

    def _end(self, approval_id: str, event: ApprovalEvent, error: PilotError | None = None) -> None:
        entry = self._entries.pop(approval_id)
        entry.timer.cancel()
        entry.channel_tasks.cancel()
        for caller in entry.callers:
            if caller.decision.done():
                continue
            if event.decision is not None:
                caller.decision.set_result(event.decision)
            elif error is not None:
                caller.decision.set_exception(error)
        self._publish(event)

    def _publish(self, event: ApprovalEvent) -> None:
        self._on_event(event)
        for subscription in list(self._subscriptions):
            if subscription.is_lagging:
                self._subscriptions.discard(subscription)
                subscription.end()
            else:
                subscription.send(event)
