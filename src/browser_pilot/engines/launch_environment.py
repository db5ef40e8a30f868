"""The environment variables of a managed browser.

Chromium creates a Unix socket in its temporary folder, and a socket's path may have about a hundred bytes. With a
longer TMPDIR it exits without a helpful message, so it gets a folder with a short path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from browser_pilot.errors import BrowserUnavailable

SHORT_FOLDERS = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))  # noqa: S108  Chromium makes its own private one in it
# 104 bytes on macOS and 108 on Linux, of which Chromium needs "/org.chromium.Chromium.XXXXXX/SingletonSocket".
MAX_TMPDIR_BYTES = 104 - 48


def browser_environment(
    environ: Mapping[str, str], *, short_folders: tuple[Path, ...] = SHORT_FOLDERS
) -> dict[str, str | float | bool]:
    """``environ`` with a usable temporary folder. Raises ``BrowserUnavailable`` when there is none."""
    chosen = environ.get("TMPDIR", "")
    if os.name != "posix" or len(os.fsencode(chosen)) <= MAX_TMPDIR_BYTES:
        return dict(environ)
    for folder in short_folders:
        if os.access(folder, os.W_OK | os.X_OK):
            return {**environ, "TMPDIR": str(folder)}
    raise BrowserUnavailable(
        f"The browser cannot use the temporary folder {chosen}: its path is too long for a socket.",
        suggestions=[f"Set TMPDIR to a folder with a path of at most {MAX_TMPDIR_BYTES} bytes, such as /tmp."],
    )
