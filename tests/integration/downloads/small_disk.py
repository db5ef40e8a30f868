"""A disk that is soon full."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path) -> Generator[Path]:
    """A disk of a quarter of a megabyte; the test is left out where none can be made."""
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=256k", "browser-pilot-test", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("only root can make a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
