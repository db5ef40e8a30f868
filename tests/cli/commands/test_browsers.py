"""`pair` and `browsers`: pair, list, rename and remove the user's own browsers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Pilot
from tests.commands import run_pilot
from tests.extension_bridge.fake_extension import FakeBrowser
from tests.hub_process import HubProcess, running_hub


async def test_a_browser_is_paired_listed_renamed_and_removed(tmp_path: Path) -> None:
    with running_hub(tmp_path / "home") as hub:
        assert "No browser is paired" in run_pilot(hub.home, "browsers").out
        browser = await pair(hub)
        assert run_pilot(hub.home, "browsers", "--json").data[0]["id"] == browser.browser
        assert run_pilot(hub.home, "browsers", "rename", "Chrome on Linux", "Work").code == 0
        assert "Work" in run_pilot(hub.home, "browsers").out
        refused = run_pilot(hub.home, "browsers", "forget", "Play")
        assert refused.code == 1
        assert "Paired: Work" in refused.err
        assert run_pilot(hub.home, "browsers", "forget", "Work").code == 0
        assert run_pilot(hub.home, "browsers", "--json").data == []


async def pair(hub: HubProcess) -> FakeBrowser:
    code = run_pilot(hub.home, "pair", "--json").data["code"]
    browser = FakeBrowser(hub.info.port, code=code)
    async with browser.socket() as socket:
        await browser.greet(socket)
    return browser


@pytest.mark.parametrize("command", [("pair", "--help"), ("browsers", "--help"), ("extension", "--help")])
def test_the_commands_have_help(pilot: Pilot, command: tuple[str, ...]) -> None:
    assert pilot(*command).code == 0
