"""One running guest: sends calls as JSON-RPC, receives responses, and serves host requests in between.

Lifecycle: ``start``; calls, several at once; ended by ``stop``, by a limit, or by itself. An ended guest takes no more
calls; the manager starts another. It belongs to one origin, so that every host request has the context of the call it
serves; a host request without an open call has none. The child names that call; a guest that lied about it would only
name another call of the same origin.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import GuestFailed
from browser_pilot.guests.host.host_errors import HostError, host_error_for
from browser_pilot.safe_text import parse_json

from . import cpu_throttle
from .call_context import CallContext
from .log_file import GuestLog
from .process import GuestProcess

logger = logging.getLogger(__name__)

START_TIMEOUT_SECONDS = 30.0
MAX_CALL_SECONDS = 900.0
MAX_CONCURRENT_HOST_REQUESTS = 16
# After a cancelled call a guest that still computes, or still works on nothing else, is ended.
CANCEL_GRACE_SECONDS = 0.7
# Host requests of a call beyond the first few are delayed, so that others are served as well.
UNTHROTTLED_HOST_REQUESTS = 16
THROTTLE_DELAY_SECONDS = 0.005
MAX_PROGRESS_CHARACTERS = 500
PROTOCOL_VERSION = "2025-11-25"

ServeHostRequest = Callable[[CallContext | None, str, Mapping[str, Any]], Awaitable[object]]
# (done so far, total where it is known, text)
ReportProgress = Callable[[float, float | None, str], Coroutine[Any, Any, None]]


@dataclass(eq=False)
class _GuestCall:
    line_number: int
    context: CallContext | None
    report_progress: ReportProgress | None = None
    host_requests: int = 0
    serving: set[asyncio.Task[object]] = field(default_factory=set[asyncio.Task[object]])
    response: asyncio.Future[Mapping[str, Any]] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class _HostWaitClock:
    """The total time that the guest has waited for the host, which does not count for its timeout."""

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
    def __init__(
        self,
        name: str,
        process: GuestProcess,
        serve: ServeHostRequest,
        log: GuestLog,
        *,
        full_speed_seconds: float = cpu_throttle.FULL_SPEED_SECONDS,
    ) -> None:
        """``full_speed_seconds``: how long a call may compute before the process is throttled."""
        self.name = name
        self._full_speed_seconds = full_speed_seconds
        self._process = process
        self._serve = serve
        self._log = log
        self._request_ids = itertools.count(1)
        self._lines_sent = 0
        self._calls: dict[int, _GuestCall] = {}
        self._clock = _HostWaitClock()
        self._host_requests = BackgroundTasks("host requests of a guest")
        self._background = BackgroundTasks("progress and cancellation of a guest's calls")
        self._host_slots = asyncio.Semaphore(MAX_CONCURRENT_HOST_REQUESTS)
        self._pongs = itertools.count(1)
        self._pong: dict[int, asyncio.Event] = {}
        self._idle_since_line = 0
        self._throttling: asyncio.Task[None] | None = None
        self._long_calls = 0
        self._reader: asyncio.Task[None] | None = None
        self._end_reason: GuestFailed | None = None
        self._reading = asyncio.Event()

    @property
    def alive(self) -> bool:
        return self._end_reason is None

    @property
    def busy(self) -> bool:
        return bool(self._calls)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def end_cause(self) -> str:
        """What ended it: the limit or the kind of failure; empty while it runs, and when it was stopped."""
        return "" if self._end_reason is None else str(self._end_reason.metadata.get("why", ""))

    async def start(self) -> None:
        try:
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                first = await self._process.receive()
        except TimeoutError:
            first = None
        if first is None or first.get("type") != "ready":
            await self._process.terminate()
            why = first.get("message") if first else "its process ended"
            raise GuestFailed(f"The guest {self.name} could not be started: {why}.")
        self._reader = asyncio.create_task(self._read())
        # The response is not awaited: simple guests do not implement these and respond with an error.
        client = {"name": "browser-pilot", "version": "1"}
        params = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        self._send_line({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        self._send_line({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout_seconds: float,
        context: CallContext | None = None,
        report_progress: ReportProgress | None = None,
    ) -> Mapping[str, Any]:
        """The result of a JSON-RPC request. Raises ``GuestFailed``; a guest that exceeds the timeout is killed."""
        if self._end_reason is not None:
            raise self._end_reason
        request_id = next(self._request_ids)
        call = self._calls[request_id] = _GuestCall(self._lines_sent + 1, context, report_progress)
        if report_progress is not None:
            params = {**params, "_meta": {"progressToken": request_id}}
        try:
            with self._throttled_if_long():
                self._send_line({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}, request_id)
                return await self._wait(call, timeout_seconds)
        except asyncio.CancelledError:
            self._cancel(request_id)
            raise
        finally:
            self._calls.pop(request_id, None)
            for task in call.serving:
                task.cancel()

    def _cancel(self, request_id: int) -> None:
        """Tell the guest that nobody waits for the response, and end it unless it stops working on it."""
        if self._end_reason is None:
            params = {"requestId": request_id, "reason": "The client cancelled the call."}
            self._send_line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
            self._background.spawn(self._end_unless_quiet(self._lines_sent))

    async def _end_unless_quiet(self, line_number: int) -> None:
        """Its process responds at once unless the guest computes; with no other call it has nothing left to do."""
        ping = next(self._pongs)
        pong = self._pong[ping] = asyncio.Event()
        self._process.send({"type": "ping", "id": ping})
        await asyncio.sleep(CANCEL_GRACE_SECONDS)
        del self._pong[ping]
        is_quiet = bool(self._calls) or self._idle_since_line >= line_number
        if not (pong.is_set() and is_quiet):
            self._fail(self._failure("cancelled", "a call was cancelled, and it went on working"))

    @contextlib.contextmanager
    def _throttled_if_long(self) -> Generator[None]:
        """Throttle the process when this call computes for long; many short calls are not throttled."""
        is_long = False

        def on_long() -> None:
            nonlocal is_long
            is_long = True
            self._long_calls += 1
            if self.alive and (self._throttling is None or self._throttling.done()):
                self._throttling = asyncio.create_task(
                    cpu_throttle.throttle(
                        self._process,
                        full_speed_seconds=self._full_speed_seconds,
                        is_long_call=lambda: self._long_calls > 0,
                        is_busy=lambda: self.busy,
                    )
                )

        timer = (
            asyncio.get_running_loop().call_later(
                min(cpu_throttle.LONG_CALL_SECONDS, self._full_speed_seconds), on_long
            )
            if cpu_throttle.is_needed()
            else None
        )
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
            self._long_calls -= is_long

    async def wait_reading(self, timeout_seconds: float) -> bool:
        """Wait until it reads requests; False at the timeout. Raises ``GuestFailed`` if it has ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await self._reading.wait()
        if self._end_reason is not None:
            raise self._end_reason
        return self._reading.is_set()

    async def stop(self, *, when_idle: bool = False) -> None:
        """End it, now or after its open calls."""
        if when_idle:
            await asyncio.wait([call.response for call in self._calls.values()] or [_done()])
        self._end(GuestFailed(f"The guest {self.name} was stopped."), log_level="info")
        if self._reader is not None:
            await asyncio.wait({self._reader})

    async def _wait(self, call: _GuestCall, timeout_seconds: float) -> Mapping[str, Any]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + MAX_CALL_SECONDS
        left = timeout_seconds
        while True:
            waited = self._clock.seconds
            done, _ = await asyncio.wait({call.response}, timeout=min(left, deadline - loop.time()))
            if done:
                return call.response.result()
            left = self._clock.seconds - waited
            if left <= 0 or loop.time() >= deadline:
                self._fail(self._failure("wall", f"it did not respond within {timeout_seconds:g} seconds"))

    async def _read(self) -> None:
        try:
            while (message := await self._process.receive()) is not None:
                if message["type"] == "log":
                    await self._log.write_output(str(message["level"]), str(message["text"]))
                else:
                    self._handle(message)
                if self._end_reason is not None:
                    break
        except (KeyError, TypeError, ValueError, AttributeError):
            self._fail(self._failure("protocol", "its process sent an invalid message"))
        finally:
            self._fail(self._failure("exit", "its process ended"))
            self._host_requests.cancel()
            self._background.cancel()
            if self._throttling is not None:
                self._throttling.cancel()
            await self._process.terminate()

    def _handle(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "line":
                self._handle_line(str(message["text"]))
            case "host_request":
                self._start_host_request(message)
            case "pong":
                if (pong := self._pong.get(int(message["id"]))) is not None:
                    pong.set()
            case "reading":
                self._reading.set()
            case "idle":
                self._on_idle(int(message["seen"]))
            case "end":
                self._fail(self._failure(str(message["what"]), str(message["message"])))
            case _:
                raise ValueError

    def _handle_line(self, line: str) -> None:
        try:
            given: object = parse_json(line)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            self._fail(self._failure("protocol", f"it wrote a line that is not JSON-RPC: {line[:200]}"))
            return
        response = cast("dict[str, Any]", given)
        if response.get("method") == "notifications/progress":
            self._on_progress(response.get("params"))
            return
        request_id = response.get("id")
        call = self._calls.get(request_id) if isinstance(request_id, int) else None
        if call is None or call.response.done() or "method" in response:
            return
        result = response.get("result")
        if isinstance(result, dict):
            call.response.set_result(cast("dict[str, Any]", result))
        else:
            error: object = response.get("error")
            message = cast("dict[str, Any]", error).get("message") if isinstance(error, dict) else None
            call.response.set_exception(
                GuestFailed(
                    f"The guest {self.name} returned an error: {str(message)[:1000]}"
                    if message is not None
                    else f"The guest {self.name} returned neither a result nor an error.",
                    metadata={"guest": self.name, "why": "answer"},
                )
            )

    def _on_progress(self, params: object) -> None:
        given = cast("dict[str, Any]", params) if isinstance(params, dict) else {}
        token, done, total = given.get("progressToken"), given.get("progress"), given.get("total")
        call = self._calls.get(token) if isinstance(token, int) else None
        if call is None or call.report_progress is None or not isinstance(done, int | float):
            return
        message = str(given.get("message") or "")[:MAX_PROGRESS_CHARACTERS]
        self._background.spawn(call.report_progress(done, total if isinstance(total, int | float) else None, message))

    def _start_host_request(self, message: Mapping[str, Any]) -> None:
        number = message.get("call")
        call = self._calls.get(number) if isinstance(number, int) else None
        if call is not None and call.response.done():
            call = None
        earlier = call.host_requests if call else UNTHROTTLED_HOST_REQUESTS
        if call:
            call.host_requests += 1
        self._clock.begin()
        delay = THROTTLE_DELAY_SECONDS if earlier >= UNTHROTTLED_HOST_REQUESTS else 0
        context = call.context if call else None
        task = self._host_requests.spawn(self._serve_host_request(message, context, delay))
        if call:
            call.serving.add(task)
            task.add_done_callback(call.serving.discard)

    async def _serve_host_request(
        self, message: Mapping[str, Any], context: CallContext | None, delay_seconds: float
    ) -> None:
        response: dict[str, object] = {"type": "host_response", "id": int(message["id"])}
        method, params = message.get("method"), message.get("params")
        try:
            if delay_seconds:
                await asyncio.sleep(delay_seconds)
            if not isinstance(method, str) or not isinstance(params, dict | None):
                raise HostError("ERR_INVALID_PARAMS", "A host request has a method (text) and params (an object).")
            given = cast("dict[str, Any]", params or {})
            async with self._host_slots:
                response["result"] = await self._serve(context, method, given)
        except asyncio.CancelledError:
            response["error"] = {"code": "ERR_CANCELLED", "message": "The call that this request served has ended."}
            raise
        except Exception as error:
            host_error = host_error_for(error)
            if host_error is None:
                logger.exception("host request %s of the guest %s failed unexpectedly", method, self.name)
                host_error = HostError("ERR_NAVIGATION", "The host failed; its log has the details.")
            response["error"] = {"code": host_error.code, "message": host_error.message}
        finally:
            self._clock.end()
            self._process.send(response)

    def _on_idle(self, lines_delivered: int) -> None:
        self._idle_since_line = lines_delivered
        if any(call.line_number <= lines_delivered and not call.response.done() for call in self._calls.values()):
            self._fail(self._failure("silence", "it did not respond, and waits for nothing"))

    def _fail(self, why: GuestFailed) -> None:
        self._end(why, log_level="error")

    def _end(self, why: GuestFailed, *, log_level: str) -> None:
        if self._end_reason is not None:
            return
        self._end_reason = why
        self._reading.set()
        self._process.kill()
        self._log.write(log_level, why.message)
        for call in self._calls.values():
            if not call.response.done():
                call.response.set_exception(why)

    def _failure(self, why: str, message: str) -> GuestFailed:
        return GuestFailed(
            f"The guest {self.name} was stopped: {message}.",
            suggestions=[f"`browser-pilot guest logs {self.name}` shows its output."],
            metadata={"guest": self.name, "why": why},
        )

    def _send_line(self, message: Mapping[str, object], call: int | None = None) -> None:
        """``call`` is what the child reports with the host requests that follow from this line."""
        self._lines_sent += 1
        self._process.send({"type": "line", "text": json.dumps(message), "call": call})


def _done() -> asyncio.Future[None]:
    done = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done
