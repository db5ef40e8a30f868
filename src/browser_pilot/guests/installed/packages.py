"""Reads a guest from its source: a folder, a ``.mcpw``/``.zip`` package, or one manifest with its code.

Runs nothing and writes nothing. Only the manifest and the code are read; the user approves their digest.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from browser_pilot.errors import InvalidArgument

from .manifest import MAX_MANIFEST_BYTES, Manifest, parse_manifest

MAX_CODE_BYTES = 32 << 20
MANIFEST_NAME = "manifest.json"
PACKAGE_SUFFIXES = (".mcpw", ".zip")

Read = Callable[[str, int], bytes]


@dataclass(frozen=True, slots=True)
class Package:
    manifest: Manifest
    manifest_bytes: bytes = field(repr=False)
    code: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        return digest_of(self.manifest_bytes, self.code)


def digest_of(manifest: bytes, code: bytes) -> str:
    return hashlib.sha256(hashlib.sha256(manifest).digest() + hashlib.sha256(code).digest()).hexdigest()


def read_package(path: Path) -> Package:
    """Raises ``InvalidArgument`` when the path holds no guest."""
    if path.is_dir():
        return _assemble(_folder_reader(path), MANIFEST_NAME)
    if not path.is_file():
        raise InvalidArgument(f"{path} does not exist.")
    if path.suffix.lower() in PACKAGE_SUFFIXES:
        return _read_zip(path)
    return _assemble(_folder_reader(path.parent), path.name)


def _assemble(read: Read, manifest_name: str) -> Package:
    data = read(manifest_name, MAX_MANIFEST_BYTES)
    manifest = parse_manifest(data)
    if manifest.code is not None:
        return Package(manifest, data, manifest.code)
    name = manifest.code_file or ""
    if "://" in name:
        raise InvalidArgument(
            f"The guest's code is at {name[:200]}, and code is not downloaded from the network.",
            suggestions=["Download it next to the manifest, and name the file in the manifest."],
        )
    return Package(manifest, data, read(name, MAX_CODE_BYTES))


def _folder_reader(folder: Path) -> Read:
    root = folder.resolve()

    def read(name: str, max_bytes: int) -> bytes:
        path = (root / name).resolve()
        if not path.is_relative_to(root):
            raise InvalidArgument(f"{name!r} is outside the guest's folder.")
        try:
            if not path.is_file():
                # A pipe or a device could be read forever.
                raise InvalidArgument(f"{path} is not a file.")
            if path.stat().st_size > max_bytes:
                raise InvalidArgument(f"{name} is larger than {max_bytes >> 20} MB.")
            return path.read_bytes()
        except OSError as error:
            raise InvalidArgument(f"{path} cannot be read: {error.strerror}.") from None

    return read


def _read_zip(path: Path) -> Package:
    try:
        with zipfile.ZipFile(path) as archive:
            return _assemble(_zip_reader(archive), MANIFEST_NAME)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise InvalidArgument(f"{path} is not a readable package: {error}.") from None


def _zip_reader(archive: zipfile.ZipFile) -> Read:
    names = archive.namelist()
    # Some tools put the folder itself into the package.
    tops = {PurePosixPath(name).parts[0] for name in names if PurePosixPath(name).parts}
    prefix = f"{tops.pop()}/" if MANIFEST_NAME not in names and len(tops) == 1 else ""

    def read(name: str, max_bytes: int) -> bytes:
        inside = prefix + str(PurePosixPath(name))
        try:
            with archive.open(inside) as file:
                # The size in the archive may be wrong.
                data = file.read(max_bytes + 1)
        except KeyError:
            raise InvalidArgument(f"The package has no {name}.") from None
        if len(data) > max_bytes:
            raise InvalidArgument(f"{name} is larger than {max_bytes >> 20} MB.")
        return data

    return read
