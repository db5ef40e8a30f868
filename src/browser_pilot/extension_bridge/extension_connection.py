"""The connection to one paired browser: calls out, responses and events in, across any number of sockets.

Lives as long as the pairing; sockets come and go. A call that is made while the browser is disconnected waits, for a
few seconds and in a bounded queue, and is sent on reconnect. A call that was in flight when a socket was lost has an
unknown outcome: it is answered so, and never sent again. Responses and events are passed on at once and in order, by
plain calls: a receiver must not block.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from browser_pilot.errors import BrowserDisconnected, OutcomeUnknown, PilotError
from browser_pilot.json_types import JsonObject

from .protocol import Event, ExtensionMessage, ExtensionResponse
from .send_queue import SendQueue

logger = logging.getLogger(__name__)

MAX_QUEUED_CALLS = 1_000
QUEUE_TIMEOUT_SECONDS = 10.0

T = TypeVar("T")
Reply = Callable[[Any, "PilotError | None"], None]


class ChromeRefused(PilotError):
    """Chrome, or the extension, rejected a call; nothing happened."""

    code = "BROWSER_REFUSED"


def pending_reply(on_result: Callable[[Any], T]) -> tuple[asyncio.Future[T], Reply]:
    """A reply callback, and the future that it completes with the value of ``on_result``.

    ``on_result`` runs inside the callback, in order with the events before and after; it may raise a ``PilotError``.
    """
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def reply(result: Any, error: PilotError | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
            return
        try:
            future.set_result(on_result(result))
        except PilotError as failure:
            future.set_exception(failure)
        except (KeyError, TypeError, ValueError, AttributeError):
            future.set_exception(ChromeRefused("The browser sent an invalid response."))

    return future, reply


def _unchanged(result: Any) -> Any:
    return result


@dataclass(frozen=True, slots=True)
class _ExtensionCall:
    message: JsonObject
    reply: Reply
    deadline: float


class ExtensionConnection:
    def __init__(self, name: str, on_event: Callable[[Event], None]) -> None:
        self.name = name
        self._on_event = on_event
        self._out: SendQueue[JsonObject] | None = None
        self._in_flight: dict[str, _ExtensionCall] = {}
        self._waiting: list[_ExtensionCall] = []
        self._expiry: asyncio.TimerHandle | None = None

    @property
    def connected(self) -> bool:
        return self._out is not None

    def post(self, name: str, args: list[Any], reply: Reply) -> None:
        """Make a call; ``reply`` is called with its result or error, exactly once."""
        loop = asyncio.get_running_loop()
        message = {"id": str(uuid.uuid4()), "call": name, "args": args}
        call = _ExtensionCall(message, reply, loop.time() + QUEUE_TIMEOUT_SECONDS)
        if self._out is not None:
            self._put(self._out, call)
        elif len(self._waiting) >= MAX_QUEUED_CALLS:
            reply(None, self._disconnected())
        else:
            self._waiting.append(call)
            if self._expiry is None:
                self._expiry = loop.call_at(call.deadline, self._expire)

    async def call(self, name: str, *args: Any) -> Any:
        result, reply = pending_reply(_unchanged)
        self.post(name, list(args), reply)
        return await result

    def notify(self, notice: str, data: object) -> None:
        """Send a notification, if the browser is connected."""
        if self._out is not None:
            self._out.put({"notice": notice, "data": data})

    def connect(self, out: SendQueue[JsonObject]) -> None:
        self._out = out
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            self._put(out, call)

    def disconnect(self, out: SendQueue[JsonObject]) -> None:
        """That socket is closed; another may have replaced it already."""
        if out is not self._out:
            return
        self._out = None
        interrupted, self._in_flight = self._in_flight, {}
        for call in interrupted.values():
            call.reply(None, self._outcome_unknown(call.message))

    def receive(self, message: ExtensionMessage) -> None:
        if isinstance(message, Event):
            self._on_event(message)
        elif isinstance(message, ExtensionResponse):
            call = self._in_flight.pop(message.id, None)
            if call is None:
                return  # it got its reply when an earlier socket was lost
            if message.lost:
                call.reply(None, self._outcome_unknown(call.message))
            elif message.error is not None:
                call.reply(None, ChromeRefused(message.error))
            else:
                call.reply(message.result, None)

    def _put(self, out: SendQueue[JsonObject], call: _ExtensionCall) -> None:
        self._in_flight[call.message["id"]] = call
        out.put(call.message)

    def _expire(self) -> None:
        loop = asyncio.get_running_loop()
        late = [call for call in self._waiting if call.deadline <= loop.time()]
        self._waiting = [call for call in self._waiting if call.deadline > loop.time()]
        self._expiry = loop.call_at(self._waiting[0].deadline, self._expire) if self._waiting else None
        for call in late:
            call.reply(None, self._disconnected())

    def _disconnected(self) -> BrowserDisconnected:
        return BrowserDisconnected(
            f"{self.name} is not connected.",
            suggestions=["Is it running? Its Browser Pilot button says why it is not connected."],
        )

    def _outcome_unknown(self, message: JsonObject) -> OutcomeUnknown:
        logger.info("lost the connection to %s while %s was in flight", self.name, message["call"])
        return OutcomeUnknown(
            f"The connection to {self.name} was lost during this call; it may or may not have taken effect.",
            suggestions=["Take a browser_snapshot to check the page's state before you go on."],
        )
