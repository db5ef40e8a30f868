"""200 hostile guests in the real sandbox: each is ended in time, disturbs nobody, and gets nothing out."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import psutil
import pytest

from browser_pilot.config import GuestSettings
from browser_pilot.errors import GuestFailed

from . import hostile_appetites as appetites
from . import hostile_tricks as tricks
from .building import from_wat
from .hostile import Case
from .making import FakeHost, House, Lateness, context, living, package, script

FAMILIES: dict[str, list[Case]] = {
    "endless loops": appetites.LOOPS,
    "regular expression bombs": appetites.REGEXES,
    "memory bombs": appetites.MEMORIES,
    "native loops": appetites.NATIVES,
    "output floods": appetites.FLOODS,
    "deep recursion": tricks.RECURSIONS,
    "prototype games": tricks.PROTOTYPES,
    "promises that never settle": tricks.SILENCES,
    "host call floods": tricks.HOST_FLOODS,
    "malformed JSON": tricks.MALFORMED,
    "fork and file attempts": tricks.ESCAPES,
    "forged contexts": tricks.FORGERIES,
}
LIMITS = GuestSettings(
    keep_ready=False, memory_mb=32, cpu_seconds=0.4, call_seconds=3, output_kb=256, log_kb=16, host_requests=20
)
GRACE_SECONDS = 0.25
AT_ONCE = 2
# Nothing of this may ever be in what a guest answers or logs.
CANARY = "root:"


def test_there_are_two_hundred_of_them() -> None:
    names = [case.name for cases in FAMILIES.values() for case in cases]

    assert len(names) == len(set(names))
    assert len(names) >= 200


async def outcome_of(case: Case, home: Path, modules: Path, host: FakeHost) -> tuple[str, float, House]:
    """Why it ended (or "answer"), and how long that took from the call on."""
    code = from_wat(case.code) if case.is_module else case.code
    async with living(package(code), home, modules, host=host, settings=LIMITS) as guest:
        # Started first: the limit is on what the guest does, not on starting a process.
        running = await guest.house.start(guest.guest)
        began = time.monotonic()
        try:
            answer = await running.request(
                "tools/call",
                {"name": "do", "arguments": {}},
                seconds=LIMITS.call_seconds,
                context=context(),
            )
            why, said = "answer", str(answer)
        except GuestFailed as error:
            why, said = str(error.metadata["why"]), error.message
        elapsed = time.monotonic() - began
        assert CANARY not in said
        assert CANARY not in guest.log
        if why == "answer":
            assert psutil.Process(running.pid).children() == []
        await running.end()
        assert not psutil.pid_exists(running.pid)
    return why, elapsed, guest


@pytest.mark.timeout(600)
@pytest.mark.parametrize("family", FAMILIES)
async def test_hostile_guests_are_ended_in_time_and_get_nothing(family: str, tmp_path: Path, modules: Path) -> None:
    host = FakeHost()
    gate = asyncio.Semaphore(AT_ONCE)
    wrong: list[str] = []

    async def one(case: Case) -> None:
        async with gate:
            why, elapsed, _ = await outcome_of(case, tmp_path / case.name, modules, host)
        if why not in case.ends:
            wrong.append(f"{case.name} ended by {why}, not by {'/'.join(sorted(case.ends))}")
        # A busy machine is late by itself; that much is not the guest's doing.
        if elapsed > LIMITS.call_seconds + GRACE_SECONDS + lateness.worst_seconds:
            wrong.append(f"{case.name} took {elapsed:.2f} s")

    async with Lateness() as lateness, living(package(script("return args.n")), tmp_path / "good", modules) as good:
        await good.call(n=0)
        hostile = asyncio.gather(*(one(case) for case in FAMILIES[family]))
        calls = 0
        while not hostile.done():
            calls += 1
            assert await good.call(n=calls) == str(calls)
            await asyncio.sleep(0.05)
        await hostile

    assert wrong == []
    assert calls > 0
    assert all(given is None or given.origin == "client:test-1" for given, _, _ in host.asked)
