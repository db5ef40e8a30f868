"""One paired browser, as the hub speaks to it: calls out, answers and events in, across any number of connections.

Its life is that of the pairing; connections come and go. A call that is made while the browser is away waits, for a
few seconds and among a bounded number, and goes out when it is back. A call that was on its way when a connection was
cut has an unknown outcome: it is answered so, and never sent again. Answers and events are handed on at once and in
order, by plain calls: whoever receives them must not wait.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import BrowserDisconnected, OutcomeUnknown, PilotError
from .outgoing import Outgoing
from .wire import Answered, Happened, Json, Up

logger = logging.getLogger(__name__)

MOST_WAITING = 1_000
PATIENCE_SECONDS = 10.0

Reply = Callable[[Any, "PilotError | None"], None]


class ChromeRefused(PilotError):
    """Chrome, or the extension, would not make a call; nothing happened."""

    code = "BROWSER_REFUSED"


@dataclass(frozen=True, slots=True)
class _Call:
    message: Json
    reply: Reply
    deadline: float


class BrowserLink:
    def __init__(self, name: str, on_event: Callable[[Happened], None]) -> None:
        self.name = name
        self._on_event = on_event
        self._out: Outgoing[Json] | None = None
        self._under_way: dict[str, _Call] = {}
        self._waiting: list[_Call] = []
        self._expiry: asyncio.TimerHandle | None = None
        self._back = asyncio.Event()

    @property
    def connected(self) -> bool:
        return self._out is not None

    async def until_connected(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._back.wait()
        except TimeoutError:
            return False
        return True

    def post(self, name: str, args: list[Any], reply: Reply) -> None:
        """Make a call; ``reply`` is told how it went, exactly once."""
        loop = asyncio.get_running_loop()
        message = {"id": str(uuid.uuid4()), "call": name, "args": args}
        call = _Call(message, reply, loop.time() + PATIENCE_SECONDS)
        if self._out is not None:
            self._put(self._out, call)
        elif len(self._waiting) >= MOST_WAITING:
            reply(None, self._away())
        else:
            self._waiting.append(call)
            if self._expiry is None:
                self._expiry = loop.call_at(call.deadline, self._expire)

    async def call(self, name: str, *args: Any) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def reply(result: Any, error: PilotError | None) -> None:
            if answer.done():
                return
            if error is None:
                answer.set_result(result)
            else:
                answer.set_exception(error)

        self.post(name, list(args), reply)
        return await answer

    def notify(self, notice: str, data: object) -> None:
        """Tell the browser something, if it is there."""
        if self._out is not None:
            self._out.put({"notice": notice, "data": data})

    def connect(self, out: Outgoing[Json]) -> None:
        self._out = out
        self._back.set()
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            self._put(out, call)

    def disconnect(self, out: Outgoing[Json]) -> None:
        """That connection is over; another may have taken its place already."""
        if out is not self._out:
            return
        self._out = None
        self._back.clear()
        cut, self._under_way = self._under_way, {}
        for call in cut.values():
            call.reply(None, self._unknown(call.message))

    def receive(self, message: Up) -> None:
        if isinstance(message, Happened):
            self._on_event(message)
        elif isinstance(message, Answered):
            call = self._under_way.pop(message.id, None)
            if call is None:
                return  # it was given up when an earlier connection was cut
            if message.lost:
                call.reply(None, self._unknown(call.message))
            elif message.error is not None:
                call.reply(None, ChromeRefused(message.error))
            else:
                call.reply(message.result, None)

    def _put(self, out: Outgoing[Json], call: _Call) -> None:
        self._under_way[call.message["id"]] = call
        out.put(call.message)

    def _expire(self) -> None:
        loop = asyncio.get_running_loop()
        late = [call for call in self._waiting if call.deadline <= loop.time()]
        self._waiting = [call for call in self._waiting if call.deadline > loop.time()]
        self._expiry = loop.call_at(self._waiting[0].deadline, self._expire) if self._waiting else None
        for call in late:
            call.reply(None, self._away())

    def _away(self) -> BrowserDisconnected:
        return BrowserDisconnected(
            f"{self.name} is not connected.",
            suggestions=["Is it running? Its Browser Pilot button says why it is not connected."],
        )

    def _unknown(self, message: Json) -> OutcomeUnknown:
        logger.info("the connection to %s was cut while %s was under way", self.name, message["call"])
        return OutcomeUnknown(
            f"The connection to {self.name} was cut while it worked on this; it may or may not have happened.",
            suggestions=["Take a browser_snapshot to see how things stand before you go on."],
        )
