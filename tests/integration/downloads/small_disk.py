"""A small disk, to fill up."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path) -> Generator[Path]:
    """A disk of 256 kB; the test is skipped where none can be mounted."""
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=256k", "browser-pilot-test", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
