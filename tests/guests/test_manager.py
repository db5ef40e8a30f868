"""The lifetime of guests: one process per origin, a warm one, and none after the hub."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil

from browser_pilot.config.settings import GuestSettings
from tests.waiting import eventually

from .guest_factory import context, package, running_guest, script


async def test_two_origins_share_no_memory(tmp_path: Path, modules: Path) -> None:
    act = "globalThis.seen ??= []; seen.push(args.who); return seen"
    async with running_guest(package(script(act)), tmp_path, modules) as guest:
        await guest.call(who="one", context=context(origin="client:one"))
        assert json.loads(await guest.call(who="two", context=context(origin="client:two"))) == ["two"]
        assert json.loads(await guest.call(who="again", context=context(origin="client:one"))) == ["one", "again"]


async def test_guests_end_with_the_manager(tmp_path: Path, modules: Path) -> None:
    async with running_guest(package(script("return 1")), tmp_path, modules) as guest:
        await guest.call()
        [(_, _, pid)] = guest.manager.running
        assert psutil.pid_exists(pid)

    assert not psutil.pid_exists(pid)


async def test_a_warm_process_is_used_for_the_next_start_and_ends_with_the_manager(
    tmp_path: Path, modules: Path
) -> None:
    before = set(psutil.Process().children())
    async with running_guest(package(script("return 1")), tmp_path, modules, settings=GuestSettings()) as guest:
        await guest.call()
        await eventually(lambda: len(set(psutil.Process().children()) - before) == 2, "a warm process")
        [(_, _, first)] = guest.manager.running
        [warm] = [child.pid for child in set(psutil.Process().children()) - before if child.pid != first]

        await guest.call(context=context(origin="client:other"))
        assert warm in {pid for _, _, pid in guest.manager.running}

    assert set(psutil.Process().children()) <= before


KILLED_HUB = """
import asyncio, os, sys
from pathlib import Path
from browser_pilot.config.settings import GuestSettings
from tests.guests.guest_factory import running_guest, package, script
async def main():
    settings = GuestSettings(keep_ready=True)
    home, modules = map(Path, sys.argv[1:])
    async with running_guest(package(script("return 1")), home, modules, settings=settings) as guest:
        await guest.call()
        print(guest.manager.running[0][2], flush=True)
        os.kill(os.getpid(), 9)
asyncio.run(main())
"""


async def test_guests_end_with_a_hub_that_is_killed(tmp_path: Path, modules: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED_HUB, str(tmp_path), str(modules)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    pid = int(done.stdout)
    gone, _ = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=20)

    assert gone or not psutil.pid_exists(pid)
