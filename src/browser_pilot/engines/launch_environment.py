"""The environment that a managed browser runs in.

Chromium puts a Unix socket into its temporary folder, and the path of a socket may be no longer than about a hundred
bytes. A longer TMPDIR makes it end without a word that would help, so it gets a folder whose path is short.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..errors import BrowserUnavailable

SHORT_FOLDERS = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))  # noqa: S108  Chromium makes its own private one in it
# 104 bytes on macOS and 108 on Linux, of which Chromium needs "/org.chromium.Chromium.XXXXXX/SingletonSocket".
LONGEST_BYTES = 104 - 48


def browser_environment(
    environ: Mapping[str, str], *, short_folders: tuple[Path, ...] = SHORT_FOLDERS
) -> dict[str, str | float | bool]:
    """``environ`` with a temporary folder that Chromium can use. Raises ``BrowserUnavailable`` when there is none."""
    chosen = environ.get("TMPDIR", "")
    if os.name != "posix" or len(os.fsencode(chosen)) <= LONGEST_BYTES:
        return dict(environ)
    for folder in short_folders:
        if os.access(folder, os.W_OK | os.X_OK):
            return {**environ, "TMPDIR": str(folder)}
    raise BrowserUnavailable(
        f"The browser cannot use the temporary folder {chosen}: its path is too long for a socket.",
        suggestions=[f"Set TMPDIR to a folder with a path of at most {LONGEST_BYTES} bytes, such as /tmp."],
    )
