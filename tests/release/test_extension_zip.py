"""The extension as web stores take it: without the key, and with every file that it names."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

from browser_pilot import __version__
from release.extension_zip import SOURCES, build_store_archives, store_files

MAX_DESCRIPTION = 132


def manifest(files: dict[str, bytes]) -> dict[str, Any]:
    return json.loads(files["manifest.json"])


def test_a_store_gets_the_extension_without_its_key_and_without_files_of_developers(tmp_path: Path) -> None:
    archives = build_store_archives(tmp_path)
    assert [path.name for path in archives] == [
        f"browser-pilot-extension-{store}-{__version__}.zip" for store in ("chrome", "edge")
    ]
    for path in archives:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            data = json.loads(archive.read("manifest.json"))
        assert "key" not in data
        assert "jsconfig.json" not in names
        assert data == {name: value for name, value in manifest(dict(on_disk())).items() if name != "key"}


def on_disk() -> list[tuple[str, bytes]]:
    return [("manifest.json", (SOURCES / "manifest.json").read_bytes())]


def test_every_file_that_the_manifest_names_is_there_and_the_version_is_ours() -> None:
    files = store_files()
    data = manifest(files)
    assert data["version"] == __version__
    named = re.findall(r'"((?:pages|background|icons|content)/[^"]+)"', files["manifest.json"].decode())
    assert named
    assert [name for name in named if name not in files] == []
    assert f"_locales/{data['default_locale']}/messages.json" in files


def test_the_descriptions_are_short_enough_for_a_store() -> None:
    for name, content in store_files().items():
        if name.endswith("messages.json"):
            assert len(json.loads(content)["description"]["message"]) <= MAX_DESCRIPTION, name
