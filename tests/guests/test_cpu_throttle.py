"""A guest that computes without a pause gets a part of a core; one with short calls is not affected."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil
import pytest

from browser_pilot.config.settings import GuestSettings
from browser_pilot.errors import GuestFailed
from browser_pilot.guests import cpu_throttle
from browser_pilot.guests.process import GuestProcess

from .guest_factory import package, running_guest, script

UNTIL_COMPUTED = "let n = 0; for (let r = 0; r < args.rounds; r++) for (let i = 0; i < 2e4; i++) n += i; return 'done'"


@pytest.fixture(autouse=True)
def few_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_throttle, "is_needed", lambda: True)


@pytest.fixture
def suspensions(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The CPU time of the process at each suspension."""
    seen: list[float] = []
    suspend = GuestProcess.suspend

    def recorded(process: GuestProcess) -> None:
        seen.append(process.cpu_seconds())
        suspend(process)

    monkeypatch.setattr(GuestProcess, "suspend", recorded)
    return seen


async def test_a_guest_computes_at_full_speed_first_and_then_gets_half_a_core_and_responds(
    tmp_path: Path, modules: Path, suspensions: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu_throttle, "FULL_SPEED_SECONDS", 0.2)
    monkeypatch.setattr(cpu_throttle, "LONG_CALL_SECONDS", 0.05)
    monkeypatch.setattr(cpu_throttle, "RUN_SECONDS", 0.01)
    async with running_guest(package(script(UNTIL_COMPUTED)), tmp_path, modules) as guest:
        await guest.call(rounds=1)
        running = next(iter(guest.manager.running))
        started = psutil.Process(running[2]).cpu_times().user
        assert await guest.call(rounds=1000) == "done"

    assert suspensions
    assert suspensions[0] - started >= 0.15
    assert len(suspensions) > 1


async def test_a_guest_with_many_short_calls_is_never_suspended(
    tmp_path: Path, modules: Path, suspensions: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu_throttle, "FULL_SPEED_SECONDS", 0.3)
    async with running_guest(package(script(UNTIL_COMPUTED)), tmp_path, modules) as guest:
        for _ in range(40):
            await guest.call(rounds=3)
    assert suspensions == []


async def test_a_guest_that_had_to_be_ended_is_throttled_at_once_for_a_while(
    tmp_path: Path, modules: Path, suspensions: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = GuestSettings(keep_ready=False, cpu_seconds=0.3)
    async with running_guest(package(script(UNTIL_COMPUTED)), tmp_path, modules, settings=settings) as guest:
        with pytest.raises(GuestFailed, match="computed for too long"):
            await guest.call(rounds=1e9)
        assert suspensions == []
        with pytest.raises(GuestFailed, match="computed for too long"):
            await guest.call(rounds=1e9)
        assert suspensions


def test_an_offender_is_forgotten_after_a_while() -> None:
    now = 100.0
    offenders = cpu_throttle.Offenders(lambda: now)
    offenders.add("bad")
    assert offenders.full_speed_seconds("bad") == 0
    assert offenders.full_speed_seconds("good") == cpu_throttle.FULL_SPEED_SECONDS
    now += cpu_throttle.OFFENDER_SECONDS + 1
    assert offenders.full_speed_seconds("bad") == cpu_throttle.FULL_SPEED_SECONDS


async def test_a_suspended_guest_is_ended_at_the_timeout_of_its_call(tmp_path: Path, modules: Path) -> None:
    settings = GuestSettings(keep_ready=False, cpu_seconds=60, call_seconds=0.5)
    async with running_guest(package(script("for (;;) {}")), tmp_path, modules, settings=settings) as guest:
        running = await guest.manager.start(guest.guest)
        with pytest.raises(Exception, match="did not respond within"):
            async with asyncio.timeout(20):
                await running.request("tools/call", {"name": "do", "arguments": {}}, timeout_seconds=0.5)
        await running.stop()
