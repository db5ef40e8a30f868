"""Reading a guest from where its author put it: a folder, a ``.mcpw``/``.zip`` package, or one manifest with its code.

Nothing is run and nothing is written here. Only the two files that count are taken: the manifest and the code; their
digest is what the user says yes to.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ..errors import InvalidArgument
from .manifest import LARGEST_MANIFEST, Manifest, parse_manifest

LARGEST_CODE = 32 << 20
MANIFEST = "manifest.json"
PACKAGES = (".mcpw", ".zip")

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
    """Raises ``InvalidArgument`` for what is no guest."""
    if path.is_dir():
        return _assemble(_folder_reader(path), MANIFEST)
    if not path.is_file():
        raise InvalidArgument(f"There is no {path}.")
    if path.suffix.lower() in PACKAGES:
        return _read_zip(path)
    return _assemble(_folder_reader(path.parent), path.name)


def _assemble(read: Read, manifest_name: str) -> Package:
    data = read(manifest_name, LARGEST_MANIFEST)
    manifest = parse_manifest(data)
    if manifest.code is not None:
        return Package(manifest, data, manifest.code)
    name = manifest.code_file or ""
    if "://" in name:
        raise InvalidArgument(
            f"The guest's code is at {name[:200]}, and code is not fetched from the network.",
            suggestions=["Download it next to the manifest, and name the file in the manifest."],
        )
    return Package(manifest, data, read(name, LARGEST_CODE))


def _folder_reader(folder: Path) -> Read:
    root = folder.resolve()

    def read(name: str, most: int) -> bytes:
        path = (root / name).resolve()
        if not path.is_relative_to(root):
            raise InvalidArgument(f"{name!r} is outside the guest's folder.")
        try:
            if path.stat().st_size > most:
                raise InvalidArgument(f"{name} is larger than {most >> 20} MB.")
            return path.read_bytes()
        except OSError as error:
            raise InvalidArgument(f"{path} cannot be read: {error.strerror}.") from None

    return read


def _read_zip(path: Path) -> Package:
    try:
        with zipfile.ZipFile(path) as archive:
            return _assemble(_zip_reader(archive), MANIFEST)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise InvalidArgument(f"{path} is not a package that can be read: {error}.") from None


def _zip_reader(archive: zipfile.ZipFile) -> Read:
    names = archive.namelist()
    # Some tools put the folder itself into the package.
    tops = {PurePosixPath(name).parts[0] for name in names if PurePosixPath(name).parts}
    prefix = f"{tops.pop()}/" if MANIFEST not in names and len(tops) == 1 else ""

    def read(name: str, most: int) -> bytes:
        inside = prefix + str(PurePosixPath(name))
        try:
            with archive.open(inside) as file:
                # Not what the archive says of its size: it may lie.
                data = file.read(most + 1)
        except KeyError:
            raise InvalidArgument(f"The package has no {name}.") from None
        if len(data) > most:
            raise InvalidArgument(f"{name} is larger than {most >> 20} MB.")
        return data

    return read
