"""The Playwright driver that the managed engine starts."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import psutil
import pytest

from browser_pilot.config.settings import Settings
from browser_pilot.egress import EgressProxy
from browser_pilot.engines.managed import ManagedEngine
from browser_pilot.errors import BrowserUnavailable
from browser_pilot.policy.rules import Ruleset
from browser_pilot.sessions.options import context_request


@pytest.mark.parametrize("chosen", [None, "--no-warnings"])
async def test_the_driver_gets_lean_node_options_next_to_the_users(
    monkeypatch: pytest.MonkeyPatch, chosen: str | None
) -> None:
    for name in ("NODE_OPTIONS", "MALLOC_ARENA_MAX"):
        monkeypatch.delenv(name, raising=False)
    if chosen:
        monkeypatch.setenv("NODE_OPTIONS", chosen)
    engine = ManagedEngine(EgressProxy())
    await engine.warm_driver()
    try:
        options = [child.environ().get("NODE_OPTIONS", "") for child in psutil.Process().children()]
        assert any("--max-semi-space-size=1" in each and (chosen or "") in each for each in options)
        assert os.environ.get("NODE_OPTIONS") == chosen
        assert "MALLOC_ARENA_MAX" not in os.environ
    finally:
        await engine.close()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
async def test_the_folder_of_the_compile_cache_is_private(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cache = tmp_path / "driver-cache"
    monkeypatch.setenv("NODE_COMPILE_CACHE", str(cache))
    engine = ManagedEngine(EgressProxy(), code_cache=cache)
    old = os.umask(0)
    try:
        await engine.warm_driver()
    finally:
        os.umask(old)
        await engine.close()
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


@pytest.mark.browser
@pytest.mark.skipif(os.name != "posix", reason="root is POSIX")
async def test_chromium_runs_in_its_sandbox_unless_the_user_is_root(monkeypatch: pytest.MonkeyPatch) -> None:
    is_root = os.geteuid() == 0
    monkeypatch.setattr("browser_pilot.engines.managed.os.geteuid", lambda: 1000)
    proxy = EgressProxy()
    await proxy.start()
    engine = ManagedEngine(proxy)
    try:
        if is_root:
            # Chromium refuses to start as root with its sandbox on.
            with pytest.raises(BrowserUnavailable) as refused:
                await engine.open(context_request(Settings()), Ruleset)
            assert "sandbox does not work here" in refused.value.suggestions[0]
        else:
            await engine.open(context_request(Settings()), Ruleset)
            commands = [child.cmdline() for child in psutil.Process().children(recursive=True)]
            assert not any("--no-sandbox" in command for command in commands)
    finally:
        await engine.close()
        await proxy.close()
