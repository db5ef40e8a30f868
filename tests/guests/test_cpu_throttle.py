"""A guest that computes without a pause gets a part of a core; one with short calls is not affected."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from browser_pilot.config.settings import GuestSettings
from browser_pilot.guests import cpu_throttle
from browser_pilot.guests.process import GuestProcess

from .guest_factory import package, running_guest, script

UNTIL_CLOCK = "const end = Date.now() + args.ms; while (Date.now() < end) {}; return 'done'"


@pytest.fixture(autouse=True)
def few_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_throttle, "is_needed", lambda: True)


async def test_a_guest_that_computes_without_a_pause_gets_less_than_half_a_core_and_responds(
    tmp_path: Path, modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes: list[GuestProcess] = []
    start = GuestProcess.start

    async def recorded(*, max_line_bytes: int) -> GuestProcess:
        processes.append(await start(max_line_bytes=max_line_bytes))
        return processes[-1]

    monkeypatch.setattr(GuestProcess, "start", recorded)
    async with running_guest(package(script(UNTIL_CLOCK)), tmp_path, modules) as guest:
        await guest.call(ms=1)
        process = processes[-1]
        began, computed = time.monotonic(), process.cpu_seconds()
        assert await guest.call(ms=1_000) == "done"
        share = (process.cpu_seconds() - computed) / (time.monotonic() - began)
        assert 0 < share < 0.5


async def test_a_guest_with_many_short_calls_is_never_suspended(
    tmp_path: Path, modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspensions = 0

    def suspend(_: GuestProcess) -> None:
        nonlocal suspensions
        suspensions += 1

    monkeypatch.setattr(cpu_throttle, "UNTHROTTLED_SECONDS", 1.0)
    async with running_guest(package(script(UNTIL_CLOCK)), tmp_path, modules) as guest:
        await guest.call(ms=1)
        monkeypatch.setattr(GuestProcess, "suspend", suspend)
        until = time.monotonic() + 1.5
        while time.monotonic() < until:
            await guest.call(ms=5)
        assert suspensions == 0
        await guest.call(ms=1_500)
        assert suspensions > 0


async def test_a_suspended_guest_is_ended_at_the_timeout_of_its_call(tmp_path: Path, modules: Path) -> None:
    settings = GuestSettings(keep_ready=False, cpu_seconds=60, call_seconds=0.5)
    async with running_guest(package(script("for (;;) {}")), tmp_path, modules, settings=settings) as guest:
        running = await guest.manager.start(guest.guest)
        with pytest.raises(Exception, match="did not respond within"):
            async with asyncio.timeout(20):
                await running.request("tools/call", {"name": "do", "arguments": {}}, timeout_seconds=0.5)
        await running.stop()
