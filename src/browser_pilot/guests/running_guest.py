"""One running guest: calls go in as JSON-RPC, answers come back, host requests are served meanwhile.

Life: ``start``; calls, several at once; ended by ``end``, by a limit, or by itself. A guest that has ended answers no
more calls; whoever needs it starts another. It belongs to one origin, so that every host request has that of the call
it serves; one that comes while no call is open has none.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..errors import GuestFailed
from . import pacing
from .context import CallContext
from .host_errors import HostRefusal, refusal_for
from .journal import Journal
from .process import GuestProcess

logger = logging.getLogger(__name__)

START_SECONDS = 30.0
LONGEST_CALL_SECONDS = 900.0
MOST_HOST_REQUESTS_AT_ONCE = 16
# What a call asks for after its first few requests is served without haste, so that others are served as well.
PROMPT_HOST_REQUESTS = 16
UNHURRIED_SECONDS = 0.005
LONGEST_ANSWER_FROM_HOST = 16 << 20
PROTOCOL_VERSION = "2025-11-25"

Serve = Callable[[CallContext | None, str, Mapping[str, Any]], Awaitable[object]]


@dataclass(eq=False)
class _Call:
    number: int
    context: CallContext | None
    asked: int = 0
    answer: asyncio.Future[Mapping[str, Any]] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class _HostClock:
    """How long the guest has been waiting for the host in all: that is not its own time."""

    def __init__(self) -> None:
        self._open = 0
        self._since = 0.0
        self._total = 0.0

    def begin(self) -> None:
        if not self._open:
            self._since = asyncio.get_running_loop().time()
        self._open += 1

    def end(self) -> None:
        self._open -= 1
        if not self._open:
            self._total += asyncio.get_running_loop().time() - self._since

    @property
    def seconds(self) -> float:
        running = asyncio.get_running_loop().time() - self._since if self._open else 0.0
        return self._total + running

    @property
    def open(self) -> int:
        return self._open


class RunningGuest:
    def __init__(self, name: str, process: GuestProcess, serve: Serve, journal: Journal) -> None:
        self.name = name
        self._process = process
        self._serve = serve
        self._journal = journal
        self._numbers = itertools.count(1)
        self._sent = 0
        self._calls: dict[int, _Call] = {}
        self._clock = _HostClock()
        self._serving: set[asyncio.Task[None]] = set()
        self._pacing: asyncio.Task[None] | None = None
        self._lasting = 0
        self._reading: asyncio.Task[None] | None = None
        self._ended: GuestFailed | None = None
        self._quiet = asyncio.Event()

    @property
    def alive(self) -> bool:
        return self._ended is None

    @property
    def busy(self) -> bool:
        return bool(self._calls)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def start(self) -> None:
        try:
            async with asyncio.timeout(START_SECONDS):
                first = await self._process.receive()
        except TimeoutError:
            first = None
        if first is None or first.get("type") != "ready":
            await self._process.end()
            why = first.get("message") if first else "its process ended"
            raise GuestFailed(f"The guest {self.name} could not be started: {why}.")
        self._reading = asyncio.create_task(self._read())
        # Not waited for: simple guests do not know these, and say so.
        client = {"name": "browser-pilot", "version": "1"}
        params = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        self._send_line({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        self._send_line({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def request(
        self, method: str, params: Mapping[str, Any], *, seconds: float, context: CallContext | None = None
    ) -> Mapping[str, Any]:
        """The result of a JSON-RPC request. Raises ``GuestFailed``; a guest that takes too long is ended."""
        if self._ended is not None:
            raise self._ended
        request_id = next(self._numbers)
        call = self._calls[request_id] = _Call(self._sent + 1, context)
        try:
            with self._noticed_if_it_lasts():
                self._send_line({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
                return await self._wait(call, seconds)
        finally:
            self._calls.pop(request_id, None)

    @contextlib.contextmanager
    def _noticed_if_it_lasts(self) -> Generator[None]:
        """Around one call: a guest with many short ones is no reason to slow it, one that does not end is."""
        lasts = False

        def notice() -> None:
            nonlocal lasts
            lasts = True
            self._lasting += 1
            if self.alive and (self._pacing is None or self._pacing.done()):
                self._pacing = asyncio.create_task(
                    pacing.pace(self._process, lasts=lambda: self._lasting > 0, busy=lambda: self.busy)
                )

        timer = asyncio.get_running_loop().call_later(pacing.BURST_SECONDS, notice) if pacing.is_needed() else None
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
            self._lasting -= lasts

    async def settled(self, seconds: float) -> None:
        """Wait until it waits for requests itself. Raises ``GuestFailed`` when it ended meanwhile."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._quiet.wait()
        if self._ended is not None:
            raise self._ended

    async def end(self, why: GuestFailed | None = None) -> None:
        self._fail(why or GuestFailed(f"The guest {self.name} was ended."))
        if self._reading is not None:
            await asyncio.wait({self._reading})

    async def _wait(self, call: _Call, seconds: float) -> Mapping[str, Any]:
        loop = asyncio.get_running_loop()
        last_moment = loop.time() + LONGEST_CALL_SECONDS
        left = seconds
        while True:
            waited = self._clock.seconds
            done, _ = await asyncio.wait({call.answer}, timeout=min(left, last_moment - loop.time()))
            if done:
                return call.answer.result()
            left = self._clock.seconds - waited
            if left <= 0 or loop.time() >= last_moment:
                self._fail(self._failure("wall", f"it did not answer within {seconds:g} seconds"))

    async def _read(self) -> None:
        try:
            while (message := await self._process.receive()) is not None:
                self._take(message)
                if self._ended is not None:
                    break
        except (KeyError, TypeError, ValueError, AttributeError):
            self._fail(self._failure("protocol", "its process sent something that makes no sense"))
        finally:
            self._fail(self._failure("exit", "its process ended"))
            for task in [*self._serving, *([self._pacing] if self._pacing else [])]:
                task.cancel()
            await self._process.end()

    def _take(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "line":
                self._take_line(str(message["text"]))
            case "log":
                self._journal.write(str(message["level"]), str(message["text"]))
            case "host_request":
                self._begin_serving(int(message["id"]), message.get("method"), message.get("params"))
            case "idle":
                self._give_up(int(message["seen"]))
            case "end":
                self._fail(self._failure(str(message["what"]), str(message["message"])))
            case _:
                raise ValueError

    def _take_line(self, line: str) -> None:
        try:
            given: object = json.loads(line)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            self._fail(self._failure("protocol", f"it wrote a line that is not JSON-RPC: {line[:200]}"))
            return
        answer = cast("dict[str, Any]", given)
        answered = answer.get("id")
        call = self._calls.get(answered) if isinstance(answered, int) else None
        if call is None or call.answer.done() or "method" in answer:
            return
        result = answer.get("result")
        if isinstance(result, dict):
            call.answer.set_result(cast("dict[str, Any]", result))
        else:
            error: object = answer.get("error")
            words = cast("dict[str, Any]", error).get("message") if isinstance(error, dict) else None
            call.answer.set_exception(
                GuestFailed(
                    f"The guest {self.name} answered with an error: {str(words)[:1000]}"
                    if words is not None
                    else f"The guest {self.name} answered with neither a result nor an error.",
                    metadata={"guest": self.name, "why": "answer"},
                )
            )

    def _begin_serving(self, request_id: int, method: object, params: object) -> None:
        call = next((call for call in self._calls.values() if not call.answer.done()), None)
        context, asked = (call.context, call.asked) if call else (None, PROMPT_HOST_REQUESTS)
        if call:
            call.asked += 1
        self._clock.begin()
        delay = UNHURRIED_SECONDS if asked >= PROMPT_HOST_REQUESTS else 0
        task = asyncio.create_task(self._serve_one(request_id, context, method, params, delay))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve_one(
        self, request_id: int, context: CallContext | None, method: object, params: object, delay_seconds: float
    ) -> None:
        response: dict[str, object] = {"type": "host_response", "id": request_id}
        try:
            if delay_seconds:
                await asyncio.sleep(delay_seconds)
            if self._clock.open > MOST_HOST_REQUESTS_AT_ONCE:
                raise HostRefusal("ERR_PERMISSION_DENIED", "Too many host requests at once.")
            if not isinstance(method, str) or not isinstance(params, dict | None):
                raise HostRefusal("ERR_INVALID_PARAMS", "A host request has a method (text) and params (an object).")
            given = cast("dict[str, Any]", params or {})
            response["result"] = await self._serve(context, method, given)
        except Exception as error:
            refusal = refusal_for(error)
            if refusal is None:
                logger.exception("serving %s for the guest %s failed in a way that it should not", method, self.name)
                refusal = HostRefusal("ERR_NAVIGATION", "The host failed; its log has the details.")
            response["error"] = {"code": refusal.code, "message": refusal.message}
        finally:
            self._clock.end()
        self._process.send(response)

    def _give_up(self, seen: int) -> None:
        self._quiet.set()
        if any(call.number <= seen and not call.answer.done() for call in self._calls.values()):
            self._fail(self._failure("silence", "it did not answer, and waits for nothing"))

    def _fail(self, why: GuestFailed) -> None:
        if self._ended is not None:
            return
        self._ended = why
        self._quiet.set()
        self._process.kill()
        self._journal.write("error", why.message)
        for call in self._calls.values():
            if not call.answer.done():
                call.answer.set_exception(why)

    def _failure(self, what: str, words: str) -> GuestFailed:
        return GuestFailed(
            f"The guest {self.name} was ended: {words}.",
            suggestions=[f"`browser-pilot guest logs {self.name}` shows what it said."],
            metadata={"guest": self.name, "why": what},
        )

    def _send_line(self, message: Mapping[str, object]) -> None:
        self._sent += 1
        self._process.send({"type": "line", "text": json.dumps(message)})
