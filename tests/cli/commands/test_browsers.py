"""The commands for one's own browsers: pair, browsers, extension."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from browser_pilot.cli.dev import changed_files, stamps
from tests.bridge.fake_browser import FakeBrowser
from tests.hub_process import HubProcess, running_hub

from .conftest import Pilot, run_pilot


def test_extension_says_where_it_is_and_how_to_load_it(pilot: Pilot) -> None:
    shown = pilot("extension")
    assert "Load unpacked" in shown.out
    folder = Path(pilot("extension", "--json").data["folder"])
    assert json.loads((folder / "manifest.json").read_text())["manifest_version"] == 3


def test_the_packed_extension_has_every_file_that_it_names(pilot: Pilot, tmp_path: Path) -> None:
    archive = tmp_path / "extension.zip"
    assert pilot("extension", "--zip", str(archive)).code == 0
    with zipfile.ZipFile(archive) as packed:
        names = set(packed.namelist())
        manifest = json.loads(packed.read("manifest.json"))
    named = {manifest["background"]["service_worker"], manifest["action"]["default_popup"], *manifest["icons"].values()}
    assert named <= names
    assert "jsconfig.json" not in names


def test_every_permission_is_explained(pilot: Pilot) -> None:
    folder = Path(pilot("extension", "--json").data["folder"])
    manifest = json.loads((folder / "manifest.json").read_text())
    text = (Path(__file__).parents[2] / "docs" / "extension.md").read_text()
    for permission in (*manifest["permissions"], *manifest["host_permissions"]):
        assert f"`{permission}`" in text, permission


async def test_a_browser_is_paired_listed_renamed_and_forgotten(tmp_path: Path) -> None:
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


def test_dev_notices_files_that_are_new_gone_or_changed(tmp_path: Path) -> None:
    for name in ("same", "changed", "gone"):
        (tmp_path / name).write_text(name)
    before = stamps(tmp_path)
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("new")
    after = {**stamps(tmp_path), tmp_path / "changed": 0}
    assert {path.name for path in changed_files(before, after)} == {"gone", "new", "changed"}


@pytest.mark.parametrize("command", [("pair", "--help"), ("browsers", "--help"), ("extension", "--help")])
def test_the_commands_explain_themselves(pilot: Pilot, command: tuple[str, ...]) -> None:
    assert pilot(*command).code == 0
