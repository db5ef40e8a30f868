"""`extension`: the folder, its instructions and the packed archive."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from tests.cli.conftest import Pilot


def test_it_prints_the_folder_and_how_to_load_it(pilot: Pilot) -> None:
    shown = pilot("extension")
    assert "Load unpacked" in shown.out
    folder = Path(pilot("extension", "--json").data["folder"])
    assert json.loads((folder / "manifest.json").read_text())["manifest_version"] == 3


def test_the_packed_extension_has_every_file_that_its_manifest_names(pilot: Pilot, tmp_path: Path) -> None:
    archive = tmp_path / "extension.zip"
    assert pilot("extension", "--zip", str(archive)).code == 0
    with zipfile.ZipFile(archive) as packed:
        names = set(packed.namelist())
        manifest = json.loads(packed.read("manifest.json"))
    named = {manifest["background"]["service_worker"], manifest["action"]["default_popup"], *manifest["icons"].values()}
    assert named <= names
    assert "jsconfig.json" not in names


def test_every_permission_is_documented(pilot: Pilot) -> None:
    folder = Path(pilot("extension", "--json").data["folder"])
    manifest = json.loads((folder / "manifest.json").read_text())
    text = (Path(__file__).parents[3] / "docs" / "extension.md").read_text()
    for permission in (*manifest["permissions"], *manifest["host_permissions"]):
        assert f"`{permission}`" in text, permission
