"""200 hostile guests in the real sandbox: each ends in time, affects no other guest, and gets nothing."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import psutil
import pytest

from browser_pilot.config.settings import GuestSettings
from browser_pilot.errors import GuestFailed

from . import hostile_resource_use as resource_use
from . import hostile_tricks as tricks
from .guest_factory import FakeHost, Lateness, TestGuest, context, package, running_guest, script
from .hostile import Case
from .wasm_builder import from_wat

FAMILIES: dict[str, list[Case]] = {
    "endless loops": resource_use.LOOPS,
    "regular expression bombs": resource_use.REGEXES,
    "memory bombs": resource_use.MEMORIES,
    "native loops": resource_use.NATIVES,
    "output floods": resource_use.FLOODS,
    "deep recursion": tricks.RECURSIONS,
    "prototype pollution": tricks.PROTOTYPES,
    "promises that never settle": tricks.SILENCES,
    "host call floods": tricks.HOST_FLOODS,
    "malformed JSON": tricks.MALFORMED,
    "fork and file attempts": tricks.ESCAPES,
    "forged contexts": tricks.FORGERIES,
}
LIMITS = GuestSettings(
    keep_ready=False, memory_mb=32, cpu_seconds=0.4, call_seconds=3, output_kb=256, log_kb=16, host_requests=20
)
EXTRA_SECONDS = 0.25
CONCURRENT = 2
# May not be in any response or log of a guest.
CANARY = "root:"


def test_there_are_two_hundred_hostile_guests() -> None:
    names = [case.name for cases in FAMILIES.values() for case in cases]

    assert len(names) == len(set(names))
    assert len(names) >= 200


async def outcome_of(case: Case, home: Path, modules: Path, host: FakeHost) -> tuple[str, float, TestGuest]:
    """The cause of its end (or "answer"), and the time from the call to it."""
    code = from_wat(case.code) if case.is_module else case.code
    async with running_guest(package(code), home, modules, host=host, settings=LIMITS) as guest:
        # Started first: the limit does not include starting a process.
        running = await guest.manager.start(guest.guest)
        began = time.monotonic()
        try:
            result = await running.request(
                "tools/call",
                {"name": "do", "arguments": {}},
                timeout_seconds=LIMITS.call_seconds,
                context=context(),
            )
            why, text = "answer", str(result)
        except GuestFailed as error:
            why, text = str(error.metadata["why"]), error.message
        elapsed = time.monotonic() - began
        assert CANARY not in text
        assert CANARY not in guest.log
        if why == "answer":
            assert psutil.Process(running.pid).children() == []
        await running.stop()
        assert not psutil.pid_exists(running.pid)
    return why, elapsed, guest


@pytest.mark.timeout(600)
@pytest.mark.parametrize("family", FAMILIES)
async def test_hostile_guests_end_in_time_and_get_nothing(family: str, tmp_path: Path, modules: Path) -> None:
    host = FakeHost()
    slots = asyncio.Semaphore(CONCURRENT)
    wrong: list[str] = []

    async def one(case: Case) -> None:
        async with slots:
            why, elapsed, _ = await outcome_of(case, tmp_path / case.name, modules, host)
        if why not in case.ends:
            wrong.append(f"{case.name} ended by {why}, not by {'/'.join(sorted(case.ends))}")
        # The delay of a busy machine is not the guest's.
        if elapsed > LIMITS.call_seconds + EXTRA_SECONDS + lateness.worst_seconds:
            wrong.append(f"{case.name} took {elapsed:.2f} s")

    async with (
        Lateness() as lateness,
        running_guest(package(script("return args.n")), tmp_path / "good", modules) as good,
    ):
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
    assert all(given is None or given.origin == "client:test-1" for given, _, _ in host.requests)
