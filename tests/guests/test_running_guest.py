"""Calls of a running guest: cancelled, at the same time, with progress, and the host requests that serve them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.errors import GuestFailed
from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.host.host_errors import HostError
from browser_pilot.guests.running_guest import MAX_CONCURRENT_HOST_REQUESTS
from tests.waiting import eventually

from .guest_factory import DO, FakeHost, Respond, context, package, running_guest, script

ACT = """
switch (args.what) {
  case "spin": for (;;) {}
  case "wait": return await MCP.requestHost("slow");
  case "timer": await new Promise((done) => setTimeout(done, 3600_000)); return "late";
  case "request": {
    await new Promise((done) => setTimeout(done, args.ms));
    await MCP.requestHost("first"); await null;
    return (await MCP.requestHost("second")).ok;
  }
  case "many": return (await Promise.all(Array.from({ length: 60 }, () => MCP.requestHost("x")))).length;
  case "progress":
    for (const progress of [1, 2]) MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress",
      params: { progressToken: request.params._meta?.progressToken, progress, total: 2, message: "step" } }));
    return JSON.stringify(request.params._meta ?? null);
  default: return "hello";
}
"""
GUEST = package(script(ACT))


def answering(respond: Callable[[], Any]) -> Respond:
    """The same response to every host request."""

    def handle(_context: object, _method: str, _params: object) -> Any:
        return respond()

    return handle


async def start(guest: Any, **arguments: Any) -> asyncio.Task[str]:
    """A call that has reached the guest."""
    call = asyncio.create_task(guest.call(**arguments))
    await asyncio.sleep(0)
    await eventually(lambda: guest.manager.running, "a running guest")
    return call


async def test_a_cancelled_call_that_computes_ends_its_guest_and_the_next_call_starts_another(
    tmp_path: Path, modules: Path
) -> None:
    async with running_guest(GUEST, tmp_path, modules) as guest:
        await guest.call()
        [(_, _, pid)] = guest.manager.running
        call = asyncio.create_task(guest.call(what="spin"))
        await asyncio.sleep(0)
        call.cancel()
        await eventually(lambda: guest.manager.running == [], "the end of the guest")

        assert await guest.call() == "hello"
        assert guest.manager.running[0][2] != pid
        assert "a call was cancelled, and it went on working" in guest.log


@pytest.mark.parametrize("what", ["wait", "timer"])
async def test_a_cancelled_call_ends_what_serves_it(what: str, tmp_path: Path, modules: Path) -> None:
    cancelled = asyncio.Event()
    asked = asyncio.Event()

    async def respond() -> dict[str, Any]:
        asked.set()
        try:
            await asyncio.sleep(3600)
        finally:
            cancelled.set()
        return {}

    async with running_guest(GUEST, tmp_path, modules, host=FakeHost(answering(respond))) as guest:
        await guest.call()
        [(_, _, pid)] = guest.manager.running
        call = await start(guest, what=what)
        if what == "wait":
            await asked.wait()
        call.cancel()
        if what == "wait":
            await cancelled.wait()
            # It has nothing left to do, so it may go on.
            assert await guest.call() == "hello"
            assert guest.manager.running[0][2] == pid
        else:
            await eventually(lambda: guest.manager.running == [], "the end of the guest")


async def test_another_call_of_the_guest_survives_a_cancelled_one(tmp_path: Path, modules: Path) -> None:
    release = asyncio.Event()

    async def respond() -> dict[str, Any]:
        await release.wait()
        return {"ok": "released"}

    host = FakeHost(answering(respond))
    async with running_guest(GUEST, tmp_path, modules, host=host) as guest:
        kept = await start(guest, what="request", ms=0)
        await eventually(lambda: len(host.requests) == 1, "the host request")
        cancelled = asyncio.create_task(guest.call(what="timer"))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        # The time after which a guest that works on is ended.
        [running] = [instance.guest for instance in guest.manager._instances.values()]  # pyright: ignore[reportPrivateUsage]
        assert running is not None
        await running._background.wait()  # pyright: ignore[reportPrivateUsage]
        release.set()

        assert await kept == "released"


async def test_more_host_requests_at_once_than_are_served_wait_for_their_turn(tmp_path: Path, modules: Path) -> None:
    now, most = 0, 0

    async def respond() -> dict[str, Any]:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return {}

    async with running_guest(GUEST, tmp_path, modules, host=FakeHost(answering(respond))) as guest:
        assert await guest.call(what="many") == "60"
    assert most <= MAX_CONCURRENT_HOST_REQUESTS


async def test_a_host_request_has_the_context_of_the_call_that_it_serves(tmp_path: Path, modules: Path) -> None:
    seen: list[tuple[str, str]] = []

    def respond(given: CallContext | None, method: str, _: object) -> dict[str, Any]:
        assert given is not None
        seen.append((given.tool, method))
        return {"ok": given.tool}

    async with running_guest(GUEST, tmp_path, modules, host=FakeHost(respond)) as guest:
        calls = [guest.call(context=context(tool=f"testing__{n}"), what="request", ms=30 - 10 * n) for n in range(3)]
        assert await asyncio.gather(*calls) == ["testing__0", "testing__1", "testing__2"]
    assert sorted(seen) == [(f"testing__{n}", method) for n in range(3) for method in ("first", "second")]


async def test_progress_of_a_call_is_reported_if_it_was_asked_for(tmp_path: Path, modules: Path) -> None:
    reported: list[tuple[float, float | None, str]] = []

    async def report(done: float, total: float | None, text: str) -> None:
        reported.append((done, total, text))

    async with running_guest(GUEST, tmp_path, modules) as guest:
        result = await guest.manager.call("testing", DO, {"what": "progress"}, context(), report_progress=report)
        assert "progressToken" in json.loads(result["content"][0]["text"])
        await eventually(lambda: reported == [(1, 2, "step"), (2, 2, "step")], "the reports")
        assert await guest.call(what="progress") == "null"


async def test_a_restart_lets_open_calls_finish_and_the_next_call_use_a_new_process(
    tmp_path: Path, modules: Path
) -> None:
    release = asyncio.Event()

    async def respond() -> dict[str, Any]:
        await release.wait()
        return {"ok": "finished"}

    host = FakeHost(answering(respond))
    async with running_guest(GUEST, tmp_path, modules, host=host) as guest:
        call = await start(guest, what="request", ms=0)
        await eventually(lambda: len(host.requests) == 1, "the host request")
        [(_, _, pid)] = guest.manager.running
        assert guest.manager.restart("testing") == 1
        assert await guest.call() == "hello"
        assert guest.manager.running[0][2] != pid
        release.set()

        assert await call == "finished"
        assert "was stopped." in guest.log


async def test_a_stopped_guest_is_no_error_in_its_log(tmp_path: Path, modules: Path) -> None:
    async with running_guest(GUEST, tmp_path, modules) as guest:
        await guest.call()
    assert "info    The guest testing was stopped." in guest.log
    assert "error" not in guest.log


async def test_a_host_request_after_its_call_has_no_context(tmp_path: Path, modules: Path) -> None:
    def respond(given: CallContext | None, _method: str, _params: object) -> dict[str, Any]:
        if given is None:
            raise HostError("ERR_PERMISSION_DENIED", "no call")
        return {}

    later = "setTimeout(() => MCP.requestHost('late').catch((e) => console.log(e.code)), 1); return 'done'"
    host = FakeHost(respond)
    async with running_guest(package(script(later)), tmp_path, modules, host=host) as guest:
        assert await guest.call() == "done"
        await eventually(lambda: "ERR_PERMISSION_DENIED" in guest.log, "the refusal")
    assert [given for given, _, _ in host.requests] == [None]


async def test_a_guest_that_ends_fails_its_calls(tmp_path: Path, modules: Path) -> None:
    async with running_guest(package("throw new Error('no')"), tmp_path, modules) as guest:
        with pytest.raises(GuestFailed):
            await guest.call()
