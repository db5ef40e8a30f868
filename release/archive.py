"""Zip archives whose bytes depend on their content only."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

DATE = (2020, 1, 1, 0, 0, 0)
REGULAR_FILE = 0o100644


def write_archive(path: Path, files: Mapping[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = REGULAR_FILE << 16
            archive.writestr(entry, files[name], compresslevel=9)
    return path
