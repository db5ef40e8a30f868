"""`guest test`: a guest must start and read requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.config.settings import GuestSettings
from browser_pilot.errors import GuestFailed
from browser_pilot.guests import self_test
from browser_pilot.guests.installed.guest_store import GuestStore
from browser_pilot.guests.self_test import run_self_test

from .guest_factory import package, script

TOOLS = [{"name": "do"}]
SETTINGS = GuestSettings(keep_ready=False)


@pytest.fixture(autouse=True)
def shared_modules(home: Path, modules: Path) -> None:
    folder = GuestStore(home).cache_folder
    folder.parent.mkdir(parents=True)
    modules.mkdir(exist_ok=True)
    folder.symlink_to(modules)


async def test_a_guest_that_reads_requests_passes_also_with_a_timer(home: Path) -> None:
    code = f"setInterval(() => {{}}, 3600_000); {script('return 1')}"
    result = await run_self_test(package(code, tools=TOOLS), home, SETTINGS)

    assert [tool.name for tool in result.tools] == ["do"]
    assert result.log == "", "a test that succeeds shows only what the guest wrote"


@pytest.mark.parametrize("code", ["console.log('I never read')", "setInterval(() => {}, 1000)"])
async def test_a_guest_that_never_reads_requests_fails(code: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_test, "LIST_TIMEOUT_SECONDS", 0.3)
    with pytest.raises(GuestFailed, match="did not wait for requests"):
        await run_self_test(package(code, tools=TOOLS), home, SETTINGS)
