"""`browser-pilot dev`, which `make dev` runs: the hub and the extension, loaded anew when their files change.

For those who work on Browser Pilot in a checkout. It looks at files only; what they mean is the hub's business.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

from ..home import locate_home
from ..runtime import read_runtime
from .extension import FOLDER as EXTENSION
from .hub import ask
from .output import RUNNING, say

SOURCE = EXTENSION.parent
LOOK_SECONDS = 0.5
END_SECONDS = 15.0

Stamps = dict[Path, int]


def dev() -> None:
    """Run the hub and start it again when its source changes; reload the extension when that does."""
    hub = _start()
    seen = stamps()
    try:
        while True:
            time.sleep(LOOK_SECONDS)
            now = stamps()
            changed, seen = set(changed_files(seen, now)), now
            if any(EXTENSION in path.parents for path in changed):
                _reload_extension()
            if any(EXTENSION not in path.parents for path in changed):
                say(RUNNING, " The hub's files have changed: starting it again.")
                _end(hub)
                hub = _start()
    finally:
        _end(hub)


def stamps(folder: Path = SOURCE) -> Stamps:
    """When each file was last written; caches and files of others are left out."""
    found: Stamps = {}
    for path in folder.rglob("*"):
        if path.is_file() and not {"__pycache__", "vendor"} & set(path.parts):
            found[path] = path.stat().st_mtime_ns
    return found


def changed_files(before: Stamps, after: Stamps) -> Iterator[Path]:
    """Those that are new, gone or written again."""
    for path in {**before, **after}:
        if before.get(path) != after.get(path):
            yield path


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "browser_pilot", "serve"])


def _end(hub: subprocess.Popen[bytes]) -> None:
    hub.terminate()
    try:
        hub.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        hub.kill()
        hub.wait()


def _reload_extension() -> None:
    info = read_runtime(locate_home())
    if info is None:
        return
    try:
        ask(info, "POST", "/api/extension/reload")
        say(RUNNING, " The extension's files have changed: browsers load it again.")
    except (OSError, HTTPException) as error:
        say(f"  The extension could not be told to reload: {error}.")
