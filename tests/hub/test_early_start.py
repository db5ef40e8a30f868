"""The part of a hub that starts first: its lock, its proxy and the engine of managed browsers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from browser_pilot.config.live_reload import CurrentConfig
from browser_pilot.config.settings import NetworkSettings, Settings
from browser_pilot.hub.early_start import ManagedBrowsers, claimed_home
from browser_pilot.hub.single_instance import HubRunning

PROXIED = Settings(network=NetworkSettings(proxy="http://proxy.example:3128"))
DIRECT = Settings(network=NetworkSettings(proxy="none"))


@pytest.fixture(autouse=True)
def _own_tmpdir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``claimed_home`` moves it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))


async def test_a_home_is_claimed_once_and_free_again_afterwards(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with claimed_home(home, DIRECT) as managed:
        assert managed.egress.is_listening
        with pytest.raises(HubRunning):
            async with claimed_home(home, DIRECT):
                pass
        assert managed.egress.is_listening
    assert not managed.egress.is_listening
    async with claimed_home(home, DIRECT) as managed:
        assert managed.egress.is_listening


async def test_a_failed_start_closes_the_proxy_and_releases_the_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    claimed: list[ManagedBrowsers] = []
    with pytest.raises(ValueError, match="the rest of the hub"):
        async with claimed_home(home, DIRECT) as managed:
            claimed.append(managed)
            raise ValueError("the rest of the hub failed")
    assert not claimed[0].egress.is_listening
    async with claimed_home(home, DIRECT):
        pass


def test_the_settings_of_the_start_apply_until_the_live_ones_do(tmp_path: Path) -> None:
    managed = ManagedBrowsers(tmp_path, PROXIED)
    assert managed.egress.parent_proxy() is not None
    managed.follow(cast(CurrentConfig, SimpleNamespace(settings=DIRECT)), lambda: False)
    assert managed.egress.parent_proxy() is None
