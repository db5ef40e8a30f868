"""`browser-pilot dev` (`make dev`): runs the hub and reloads hub and extension when their files change.

For development of Browser Pilot in a checkout. It only watches files and restarts processes.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

from browser_pilot.cli.hub_control import send_request
from browser_pilot.cli.output import RUNNING, print_line
from browser_pilot.home import locate_home
from browser_pilot.hub_discovery.runtime_file import read_runtime

from .extension import FOLDER as EXTENSION

SOURCE = EXTENSION.parent
POLL_SECONDS = 0.5
STOP_TIMEOUT_SECONDS = 15.0

ModificationTimes = dict[Path, int]


def dev() -> None:
    """Run the hub and restart it when its source changes; reload the extension when its files change."""
    hub = _start()
    previous = modification_times()
    try:
        while True:
            time.sleep(POLL_SECONDS)
            current = modification_times()
            changed, previous = set(changed_files(previous, current)), current
            if any(EXTENSION in path.parents for path in changed):
                _reload_extension()
            if any(EXTENSION not in path.parents for path in changed):
                print_line(RUNNING, " The hub's files have changed: restarting it.")
                _stop(hub)
                hub = _start()
    finally:
        _stop(hub)


def modification_times(folder: Path = SOURCE) -> ModificationTimes:
    """The modification time of each file, without caches and vendored files."""
    found: ModificationTimes = {}
    for path in folder.rglob("*"):
        if path.is_file() and not {"__pycache__", "vendor"} & set(path.parts):
            found[path] = path.stat().st_mtime_ns
    return found


def changed_files(before: ModificationTimes, after: ModificationTimes) -> Iterator[Path]:
    """The files that were added, deleted or modified."""
    for path in {**before, **after}:
        if before.get(path) != after.get(path):
            yield path


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "browser_pilot", "serve"])


def _stop(hub: subprocess.Popen[bytes]) -> None:
    hub.terminate()
    try:
        hub.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        hub.kill()
        hub.wait()


def _reload_extension() -> None:
    info = read_runtime(locate_home())
    if info is None:
        return
    try:
        send_request(info, "POST", "/api/extension/reload")
        print_line(RUNNING, " The extension's files have changed: reloading it in connected browsers.")
    except (OSError, HTTPException) as error:
        print_line(f"  The extension could not be reloaded: {error}.")
