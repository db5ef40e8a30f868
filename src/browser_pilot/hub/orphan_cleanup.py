"""Cleans up after a hub that was killed: browsers that outlived it, and their temporary files.

All temporary files of our browsers live in one folder of the home, so a process that names that folder on its
command line is ours, and none else is touched. Called only by the one hub that holds the home's lock.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import psutil

END_SECONDS = 3.0


def temporary_folder(home: Path) -> Path:
    return home / "tmp"


def end_leftovers(home: Path) -> int:
    """End orphaned browsers of this home and remove their files; the answer is how many processes there were."""
    folder = temporary_folder(home)
    marker = f"{folder}/"
    orphans = [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(marker in argument for argument in process.info["cmdline"] or ())
    ]
    for process in orphans:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(orphans, timeout=END_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)
    return len(orphans)
