"""A guest is read from a folder, a package or one manifest, and only from its own files."""

from __future__ import annotations

import base64
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.guests.installed.packages import read_package
from tests.guests.guest_factory import MANIFEST, SCRIPT


def write_guest(manifest: dict[str, Any], folder: Path) -> Path:
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "server.js").write_text(SCRIPT)
    return folder


def test_a_folder_a_package_and_an_embedded_script_are_the_same_guest(tmp_path: Path) -> None:
    folder = write_guest(MANIFEST, tmp_path / "folder")
    archive, nested = tmp_path / "guest.mcpw", tmp_path / "nested.zip"
    for path, prefix in ((archive, ""), (nested, "top/")):
        with zipfile.ZipFile(path, "w") as package:
            for file in folder.iterdir():
                package.write(file, prefix + file.name)
    embedded = tmp_path / "embedded.json"
    embedded.write_text(json.dumps({**MANIFEST, "scriptBase64": base64.b64encode(SCRIPT.encode()).decode()}))

    assert {read_package(path).digest for path in (folder, archive, nested)} == {read_package(folder).digest}
    assert read_package(embedded).code == read_package(folder).code


@pytest.mark.parametrize("name", ["../secret.js", "/etc/passwd", "link.js", "https://a.b/server.js", "absent.js"])
def test_code_is_read_from_the_guests_own_folder_only(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.js").write_text("secret")
    folder = write_guest({**MANIFEST, "scriptUrl": name}, tmp_path / "folder")
    (folder / "link.js").symlink_to(tmp_path / "secret.js")

    with pytest.raises(InvalidArgument):
        read_package(folder)


def test_a_package_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(MANIFEST))
        archive.writestr("server.js", bytes(40 << 20))

    with pytest.raises(InvalidArgument, match="larger than"):
        read_package(path)


def test_a_pipe_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(MANIFEST))
    os.mkfifo(tmp_path / "server.js")
    with pytest.raises(InvalidArgument, match="is not a file"):
        read_package(tmp_path)
