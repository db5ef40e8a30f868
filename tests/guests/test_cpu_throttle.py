"""A guest that computes on and on gets a part of a core; one that does something useful is only slower."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from browser_pilot.config import GuestSettings
from browser_pilot.guests import pacing
from browser_pilot.guests.process import GuestProcess

from .making import living, package, script

UNTIL_CLOCK = "const end = Date.now() + args.ms; while (Date.now() < end) {}; return 'done'"


@pytest.fixture(autouse=True)
def few_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "is_needed", lambda: True)


async def test_a_guest_that_computes_on_and_on_gets_half_a_core_at_most_and_still_answers(
    tmp_path: Path, modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes: list[GuestProcess] = []
    start = GuestProcess.start

    async def noted(*, longest_line: int) -> GuestProcess:
        processes.append(await start(longest_line=longest_line))
        return processes[-1]

    monkeypatch.setattr(GuestProcess, "start", noted)
    async with living(package(script(UNTIL_CLOCK)), tmp_path, modules) as guest:
        await guest.call(ms=1)
        process = processes[-1]
        began, computed = time.monotonic(), process.computed_seconds()
        assert await guest.call(ms=1_000) == "done"
        share = (process.computed_seconds() - computed) / (time.monotonic() - began)
        assert 0 < share < 0.5


async def test_a_guest_with_many_short_calls_is_never_stopped(
    tmp_path: Path, modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops = 0

    def stop(_: GuestProcess) -> None:
        nonlocal stops
        stops += 1

    monkeypatch.setattr(pacing, "BURST_SECONDS", 1.0)
    async with living(package(script(UNTIL_CLOCK)), tmp_path, modules) as guest:
        await guest.call(ms=1)
        monkeypatch.setattr(GuestProcess, "stop", stop)
        until = time.monotonic() + 1.5
        while time.monotonic() < until:
            await guest.call(ms=5)
        assert stops == 0
        await guest.call(ms=1_500)
        assert stops > 0


async def test_it_is_ended_by_the_limit_of_its_call_though_it_stands_still(tmp_path: Path, modules: Path) -> None:
    settings = GuestSettings(keep_ready=False, cpu_seconds=60, call_seconds=0.5)
    async with living(package(script("for (;;) {}")), tmp_path, modules, settings=settings) as guest:
        running = await guest.house.start(guest.guest)
        with pytest.raises(Exception, match="did not answer within"):
            async with asyncio.timeout(20):
                await running.request("tools/call", {"name": "do", "arguments": {}}, seconds=0.5)
        await running.end()
