"""Manifests, packages and the store: what is taken for a guest, and what the user's yes is bound to."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import InvalidArgument, PilotError
from browser_pilot.guests.manifest import parse_manifest
from browser_pilot.guests.packages import read_package
from browser_pilot.guests.store import GuestStore

from .making import DO, package

SCRIPT = "const a = 1;"
JS: dict[str, Any] = {
    "manifestVersion": "1.0.0",
    "id": "my-guest",
    "name": "My Guest",
    "version": "2.1.0",
    "runtime": "js",
    "scriptUrl": "server.js",
    "capabilities": {"network": {"required": True, "hosts": ["api.example.com", "*.example.org"]}},
    "environment": [{"name": "MAX", "type": "number", "default": 10}, {"name": "ON", "default": True}],
    "secrets": [{"name": "KEY", "label": "Your key", "optional": True}, {"name": "TOKEN", "description": "It"}],
    "tools": [{"name": "find", "description": "Finds.", "inputSchema": {"type": "object"}}],
    "oauth": {"provider": "google"},
}


def written(manifest: dict[str, Any], folder: Path) -> Path:
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "server.js").write_text(SCRIPT)
    return folder


def test_a_manifest_of_the_open_format_is_understood() -> None:
    manifest = parse_manifest(json.dumps(JS).encode())

    assert (manifest.name, manifest.title, manifest.kind) == ("my-guest", "My Guest", "js")
    assert list(map(str, manifest.hosts)) == ["api.example.com", "*.example.org"]
    assert [(one.name, one.value) for one in manifest.environment] == [("MAX", "10"), ("ON", "true")]
    assert [(one.name, one.required) for one in manifest.secrets] == [("KEY", False), ("TOKEN", True)]
    assert [tool.name for tool in manifest.tools or ()] == ["find"]
    assert manifest.permissions is None


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": "../up", "id": None}, "no name for a guest"),
    ({"id": "a__b"}, "no name for a guest"),
    ({"id": "x" * 40}, "no name for a guest"),
    ({"manifestVersion": "7.0.0"}, "manifestVersion"),
    ({"runtime": "python"}, "runtime"),
    ({"scriptUrl": None}, "names no code"),
    ({"scriptBase64": "%%%"}, "base64"),
    ({"capabilities": {"network": {"hosts": ["*.co.uk"]}}}, "public suffix"),
    ({"capabilities": {"network": {"hosts": ["https://a.b/"]}}}, "host"),
    ({"permissions": ["browser:everything"]}, "permissions"),
    ({"tools": [{"name": "a b", "inputSchema": {}}]}, "no name for a tool"),
    ({"tools": [{"name": "a", "inputSchema": {"type": "array"}}]}, "schema"),
    ({"tools": [{"name": f"t{n}"} for n in range(100)]}, "tools"),
    ({"environment": [{"name": "A B"}]}, "no name for a variable"),
    ({"runtime": None, "wasm": {"file": "a.wasm", "wasi": {"version": "preview2"}}}, "preview1"),
    ({"version": 5}, "version"),
]


@pytest.mark.parametrize(("change", "words"), WRONG)
def test_a_wrong_manifest_is_refused_with_the_reason(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        parse_manifest(json.dumps({**JS, **change}).encode())


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_nonsense_is_never_a_manifest(data: bytes) -> None:
    with pytest.raises(InvalidArgument):
        parse_manifest(data)


def test_a_folder_a_package_and_an_embedded_script_are_the_same_guest(tmp_path: Path) -> None:
    folder = written(JS, tmp_path / "folder")
    archive, nested = tmp_path / "guest.mcpw", tmp_path / "nested.zip"
    for path, prefix in ((archive, ""), (nested, "top/")):
        with zipfile.ZipFile(path, "w") as package:
            for file in folder.iterdir():
                package.write(file, prefix + file.name)
    embedded = tmp_path / "embedded.json"
    embedded.write_text(json.dumps({**JS, "scriptBase64": base64.b64encode(SCRIPT.encode()).decode()}))

    assert {read_package(path).digest for path in (folder, archive, nested)} == {read_package(folder).digest}
    assert read_package(embedded).code == read_package(folder).code


@pytest.mark.parametrize("name", ["../secret.js", "/etc/passwd", "link.js", "https://a.b/server.js", "absent.js"])
def test_code_is_taken_from_the_guests_own_folder_only(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.js").write_text("secret")
    folder = written({**JS, "scriptUrl": name}, tmp_path / "folder")
    (folder / "link.js").symlink_to(tmp_path / "secret.js")

    with pytest.raises(InvalidArgument):
        read_package(folder)


def test_a_package_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(JS))
        archive.writestr("server.js", bytes(40 << 20))

    with pytest.raises(InvalidArgument, match="larger than"):
        read_package(path)


@pytest.mark.parametrize("file", ["code", "manifest.json"])
def test_a_changed_file_needs_a_new_yes(file: str, home: Path) -> None:
    store = GuestStore(home)
    added = store.put(package(SCRIPT), (DO,), source="here")
    assert added.problem is None

    path = added.folder / file
    path.write_bytes(path.read_bytes() + b" ")

    changed = store.load(added.name)
    assert changed.problem is not None
    with pytest.raises(InvalidArgument, match="said yes"):
        changed.read_code()


def test_guests_are_switched_and_removed(home: Path) -> None:
    store = GuestStore(home)
    store.put(package(SCRIPT), (DO,), source="here")
    before = store.stamp()

    assert not store.set_enabled("testing", False).enabled
    assert not store.load("testing").enabled
    assert store.stamp() != before
    store.remove("testing")
    assert store.names() == []
    with pytest.raises(PilotError):
        store.find("testing")


def test_a_damaged_guest_can_still_be_removed(home: Path) -> None:
    store = GuestStore(home)
    added = store.put(package(SCRIPT), (DO,), source="here")
    (added.folder / "manifest.json").write_text("nonsense")

    store.remove("testing")

    assert store.names() == []
