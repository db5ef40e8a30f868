"""The lifetime of guests: one process per origin, a warm one, and none after the hub."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from browser_pilot.config.settings import GuestSettings
from browser_pilot.errors import InvalidArgument
from browser_pilot.guests.installed import guest_loading
from browser_pilot.guests.installed.guest_store import GuestStore
from browser_pilot.guests.manager import GuestManager
from tests.loop_blocks import ticks_during
from tests.waiting import eventually

from .guest_factory import FakeHost, context, package, running_guest, script
from .hostile_schemas import multiplying_schema


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
    gone, _ = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=60)

    assert gone or not psutil.pid_exists(pid)


async def test_a_manifest_that_takes_minutes_to_validate_does_not_stop_the_loop_and_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = GuestStore(tmp_path)
    small = package(script("return 1"), name="small", tools=[{"name": "do"}])
    store.install(small, small.manifest.tools or (), source="a test")
    _install_unchecked(tmp_path, "slow", [multiplying_schema(seed) for seed in range(64)])
    monkeypatch.setattr(guest_loading, "LOAD_TIMEOUT_SECONDS", 1.0)
    manager = GuestManager(
        tmp_path, settings=GuestSettings, host=FakeHost(), secret_of=lambda _guest, _name: None, redact=str
    )

    async with ticks_during() as ticks:
        assert await manager.refresh()

    assert ticks.count >= 5
    assert [guest.name for guest, _ in manager.tools] == ["small"]
    assert "slow is not used: its manifest cannot be validated" in caplog.text
    assert not await manager.refresh()


async def test_a_guest_that_a_worker_loads_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = GuestStore(tmp_path)
    guest = package(script("return 1"), name="other", tools=[{"name": "do"}])
    installed = store.install(guest, guest.manifest.tools or (), source="a test")
    monkeypatch.setattr(guest_loading, "MAX_INLINE_BYTES", 0)

    assert await guest_loading.load_guest(store, "other") == installed
    (installed.folder / "state.json").write_text("{")
    with pytest.raises(InvalidArgument, match="is damaged"):
        await guest_loading.load_guest(store, "other")


def _install_unchecked(home: Path, name: str, schemas: list[dict[str, object]]) -> None:
    """As ``guest add`` leaves it, without the minutes that validating takes."""
    tools = [{"name": f"t{number}", "inputSchema": schema} for number, schema in enumerate(schemas)]
    folder = GuestStore(home).folder / name
    folder.mkdir(parents=True)
    manifest = {"manifestVersion": "1.0.0", "name": name, "runtime": "js", "scriptBase64": "MQ==", "tools": tools}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "code").write_bytes(b"1")
    (folder / "state.json").write_text(json.dumps({"digest": "x", "tools": []}))
