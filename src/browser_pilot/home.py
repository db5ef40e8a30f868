"""The home: one private folder with everything of one user.

Standard library only, because the adapter imports it. ``BROWSER_PILOT_HOME`` sets it; otherwise it is the platform's
folder for user data (a test compares it with platformdirs).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def locate_home(environ: Mapping[str, str] | None = None) -> Path:
    """The home's path; it need not exist yet."""
    environ = os.environ if environ is None else environ
    chosen = environ.get("BROWSER_PILOT_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        base = environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "browser-pilot"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "browser-pilot"
    data_home = environ.get("XDG_DATA_HOME", "").strip()
    return (Path(data_home) if data_home else Path.home() / ".local" / "share") / "browser-pilot"


def make_private_folder(path: Path) -> Path:
    """Create ``path`` (and its parents) with access for the owner only."""
    path.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(PRIVATE_FOLDER)
    return path


def write_private(path: Path, content: str | bytes) -> None:
    """Write a file that only the owner can read, atomically."""
    make_private_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(temporary, flags, PRIVATE_FILE), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    temporary.replace(path)
