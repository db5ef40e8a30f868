"""The MCP bundle (`.mcpb`, runtime `uv`) from the wheel: ``python -m release.bundle``, a part of ``make bundle``.

The client's own uv installs Python and the dependencies, and starts the adapter. The wheel is inside: the bundle
works before the package is published, and is always the version that it says.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any, cast

from browser_pilot import __version__

from .archive import write_archive

ROOT = Path(__file__).parent.parent
ICON = ROOT / "src" / "browser_pilot" / "extension" / "icons" / "128.png"
ENTRY_POINT = "server/main.py"
MAIN = '''\
"""Starts Browser Pilot's stdio adapter."""

from browser_pilot.__main__ import main

main()
'''


def manifest() -> dict[str, object]:
    project = cast("dict[str, Any]", tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"])
    urls = project["urls"]
    return {
        "manifest_version": "0.4",
        "name": "browser-pilot",
        "display_name": "Browser Pilot",
        "version": __version__,
        "description": project["description"],
        "author": {"name": "Browser Pilot", "url": urls["Source"]},
        "repository": {"type": "git", "url": urls["Source"]},
        "documentation": urls["Documentation"],
        "support": urls["Issues"],
        "icon": "icon.png",
        "server": {
            "type": "uv",
            "entry_point": ENTRY_POINT,
            "mcp_config": {"command": "uv", "args": ["run", "--directory", "${__dirname}", ENTRY_POINT]},
        },
        "tools_generated": True,
        "keywords": project["keywords"],
        "license": "Apache-2.0",
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": project["requires-python"]},
        },
    }


def environment(wheel: str) -> str:
    """The bundle's own pyproject.toml, from which uv makes the environment."""
    return f"""\
[project]
name = "browser-pilot-bundle"
version = "{__version__}"
requires-python = ">=3.11"
dependencies = ["browser-pilot"]

[tool.uv]
package = false

[tool.uv.sources]
browser-pilot = {{ path = "{wheel}" }}
"""


def build_bundle(wheel: Path, folder: Path) -> Path:
    return write_archive(
        folder / f"browser-pilot-{__version__}.mcpb",
        {
            "manifest.json": json.dumps(manifest(), indent=2, ensure_ascii=False).encode(),
            "pyproject.toml": environment(wheel.name).encode(),
            ENTRY_POINT: MAIN.encode(),
            "icon.png": ICON.read_bytes(),
            "LICENSE": (ROOT / "LICENSE").read_bytes(),
            "NOTICE": (ROOT / "NOTICE").read_bytes(),
            wheel.name: wheel.read_bytes(),
        },
    )


def main() -> None:
    wheels = list((ROOT / "dist").glob(f"browser_pilot-{__version__}-*.whl"))
    if len(wheels) != 1:
        sys.exit("There is no wheel of this version in dist/. Run: make dist")
    print(build_bundle(wheels[0], ROOT / "dist"))


if __name__ == "__main__":
    main()
