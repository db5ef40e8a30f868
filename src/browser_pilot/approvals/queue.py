"""The one queue: a question goes to every open door, the first answer wins, and all doors see it at once.

Doors come in two kinds. A call brings its own (the form that its MCP client can show); they are open for its question
alone. Watchers (the command line, the side panel, the dashboard) subscribe and see every question. When there is
neither, nobody can answer, and the caller is told at once.

Its life is the hub's. A question lives while a caller waits for it: cancelling the last caller withdraws it.
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

from ..errors import PilotError
from .board import Board
from .questions import Answer, Choice, Event, Matter, Question
from .refusals import expired, hub_ends, nobody_can_answer

logger = logging.getLogger(__name__)

# Without letters and digits that look alike: people type these.
ID_CHARACTERS = "abcdefghjkmnpqrstuvwxyz23456789"
ID_LENGTH = 6
# A watcher that is this far behind is let go; it can come back and start from what is open then.
MOST_EVENTS_BEHIND = 1000


class Door(Protocol):
    """A way to reach a person that belongs to one call."""

    @property
    def name(self) -> str: ...

    async def put(self, question: Question) -> Choice | None:
        """Show the question and wait. None when this door turned out to be closed. Cancelled when others answered."""
        ...


@dataclass(eq=False)
class _Caller:
    doors: Sequence[Door]
    answer: asyncio.Future[Answer]


@dataclass(eq=False)
class _Open:
    """An open question with those who wait for it. Only the first caller's doors are in use."""

    question: Question
    timer: asyncio.TimerHandle
    callers: list[_Caller] = field(default_factory=list[_Caller])
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])


class Subscription:
    """What a watcher sees: first the questions that are open, then whatever happens."""

    def __init__(self, pending: Sequence[Question]) -> None:
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        for question in pending:
            self._events.put_nowait(Event("asked", question))

    @property
    def is_far_behind(self) -> bool:
        return self._events.qsize() >= MOST_EVENTS_BEHIND

    def tell(self, event: Event) -> None:
        self._events.put_nowait(event)

    def end(self) -> None:
        self._events.put_nowait(None)

    async def next(self) -> Event | None:
        """The next event; None when there will be no more."""
        return await self._events.get()


def _keep_nothing(_: Question, __: Answer) -> None:
    pass


def _tell_nobody(_: Event) -> None:
    pass


class ApprovalQueue:
    """``keep`` is called with each answer before anyone is told of it: it writes the rule that a lasting answer makes.

    When it raises, the answer has not been given and the question is still open. ``on_event`` hears of everything that
    happens, and is no door.
    """

    def __init__(
        self,
        *,
        keep: Callable[[Question, Answer], None] = _keep_nothing,
        on_event: Callable[[Event], None] = _tell_nobody,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._keep = keep
        self._on_event = on_event
        self._clock = clock
        self._board = Board()
        self._open: dict[str, _Open] = {}
        self._subscriptions: set[Subscription] = set()

    @property
    def pending(self) -> tuple[Question, ...]:
        return self._board.pending

    @property
    def watchers(self) -> int:
        return len(self._subscriptions)

    async def ask(self, matter: Matter, *, timeout_seconds: float, doors: Sequence[Door] = ()) -> tuple[str, Answer]:
        """The question's id and a person's answer. Raises ``ApprovalTimeout``, or ``ApprovalDenied`` if none can come.

        Calls of one session about the same site share one question.
        """
        if not doors and not self._subscriptions:
            raise nobody_can_answer(matter)
        waiting = self._same_site(matter) or self._put_up(matter, timeout_seconds)
        caller = _Caller(doors, asyncio.get_running_loop().create_future())
        waiting.callers.append(caller)
        if len(waiting.callers) == 1:
            self._use_doors(waiting, caller)
        try:
            return waiting.question.id, await caller.answer
        finally:
            self._leave(waiting, caller)

    def answer(self, question_id: str, choice: Choice, *, door: str) -> Answer:
        """Give a person's answer. Raises ``NotOpen`` for whoever comes too late.

        "Once" on a question about a site means this session: a page that is opened is also looked at.
        """
        question = next((one for one in self._board.pending if one.id == question_id), None)
        if choice == "once" and question is not None and question.matter.about == "site":
            choice = "session"
        answer = Answer(choice, door, self._clock())
        self._keep(self._board.check(question_id, choice, answer.at), answer)
        self._board.answer(question_id, answer)
        self._end(question_id, Event("answered", self._open[question_id].question, answer))
        return answer

    @contextlib.contextmanager
    def subscribe(self) -> Generator[Subscription]:
        """Watch all questions while inside; whoever does so can be asked."""
        subscription = Subscription(self._board.pending)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def close(self) -> None:
        """Withdraw every question and end every subscription."""
        for question in self._board.pending:
            self._withdraw(question.id, hub_ends())
        for subscription in self._subscriptions:
            subscription.end()

    def _same_site(self, matter: Matter) -> _Open | None:
        if matter.about != "site":
            return None
        key = (matter.client, matter.session, matter.site)
        return next(
            (
                waiting
                for waiting in self._open.values()
                if (other := waiting.question.matter).about == "site"
                and (other.client, other.session, other.site) == key
            ),
            None,
        )

    def _put_up(self, matter: Matter, timeout_seconds: float) -> _Open:
        question_id = "".join(secrets.choice(ID_CHARACTERS) for _ in range(ID_LENGTH))
        now = self._clock()
        question = Question(id=question_id, matter=matter, asked_at=now, expires_at=now + timeout_seconds)
        self._board.open(question)
        timer = asyncio.get_running_loop().call_later(timeout_seconds, self._expire, question_id)
        waiting = self._open[question_id] = _Open(question, timer)
        self._tell(Event("asked", question))
        return waiting

    def _use_doors(self, waiting: _Open, caller: _Caller) -> None:
        for door in caller.doors:
            task = asyncio.create_task(self._wait_at(door, waiting.question))
            waiting.tasks.add(task)
            task.add_done_callback(waiting.tasks.discard)

    async def _wait_at(self, door: Door, question: Question) -> None:
        try:
            choice = await door.put(question)
        except Exception:
            logger.exception("the %s failed while it showed a question", door.name)
            choice = None
        if question.id not in self._board:
            return
        if choice is None:
            self._door_closed(question)
            return
        try:
            self.answer(question.id, choice, door=door.name)
        except PilotError as error:
            # Nobody stands at this door any more who could be told, so that the agent is.
            self._withdraw(question.id, error)

    def _door_closed(self, question: Question) -> None:
        waiting = self._open[question.id]
        others = [task for task in waiting.tasks if task is not asyncio.current_task()]
        if not others and not self._subscriptions:
            self._withdraw(question.id, nobody_can_answer(question.matter))

    def _leave(self, waiting: _Open, caller: _Caller) -> None:
        was_first = waiting.callers[0] is caller
        waiting.callers.remove(caller)
        if waiting.question.id not in self._board:
            return
        if not waiting.callers:
            self._withdraw(waiting.question.id)
        elif was_first:
            _cancel(waiting.tasks)
            self._use_doors(waiting, waiting.callers[0])

    def _withdraw(self, question_id: str, error: PilotError | None = None) -> None:
        question = self._board.withdraw(question_id)
        if question is not None:
            self._end(question_id, Event("withdrawn", question), error)

    def _expire(self, question_id: str) -> None:
        question = self._board.expire(question_id)
        if question is not None:
            self._end(question_id, Event("expired", question), expired(question))

    def _end(self, question_id: str, event: Event, error: PilotError | None = None) -> None:
        waiting = self._open.pop(question_id)
        waiting.timer.cancel()
        _cancel(waiting.tasks)
        for caller in waiting.callers:
            if caller.answer.done():
                continue
            if event.answer is not None:
                caller.answer.set_result(event.answer)
            elif error is not None:
                caller.answer.set_exception(error)
        self._tell(event)

    def _tell(self, event: Event) -> None:
        self._on_event(event)
        for subscription in list(self._subscriptions):
            if subscription.is_far_behind:
                self._subscriptions.discard(subscription)
                subscription.end()
            else:
                subscription.tell(event)


def _cancel(tasks: set[asyncio.Task[None]]) -> None:
    for task in list(tasks):
        if task is not asyncio.current_task():
            task.cancel()
