"""The extension as web stores take it: ``python -m release.extension_zip``, a part of ``make bundle``.

The key that gives the unpacked extension its id stays out: a store has keys of its own, and refuses one. The id of the
store must then be added to ``extension_bridge/protocol.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

from browser_pilot import __version__

from .archive import write_archive

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "browser_pilot" / "extension"
# For developers only.
LEFT_OUT = frozenset({"jsconfig.json"})
STORES = ("chrome", "edge")


def store_files() -> dict[str, bytes]:
    files = {
        path.relative_to(SOURCES).as_posix(): path.read_bytes()
        for path in SOURCES.rglob("*")
        if path.is_file() and path.name not in LEFT_OUT and not path.name.startswith(".")
    }
    manifest: dict[str, object] = json.loads(files["manifest.json"])
    del manifest["key"]
    files["manifest.json"] = json.dumps(manifest, indent=2, ensure_ascii=False).encode()
    return files


def build_store_archives(folder: Path) -> list[Path]:
    files = store_files()
    return [write_archive(folder / f"browser-pilot-extension-{store}-{__version__}.zip", files) for store in STORES]


def main() -> None:
    for path in build_store_archives(ROOT / "dist"):
        print(path)


if __name__ == "__main__":
    main()
