"""Cleans up after a hub that was killed: browser processes that outlived it, and their temporary files.

All temporary files of our browsers are in one folder of the home, so a process with that folder on its command line is
ours; no other process is touched. Only the hub that holds the home's lock may call this.
"""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

import psutil

from browser_pilot.files.file_writer import remove_partial_files
from browser_pilot.home import make_private_folder

logger = logging.getLogger(__name__)

KILL_TIMEOUT_SECONDS = 3.0


def clean_up_home(home: Path, download_dir: Path) -> None:
    """Remove what a killed hub left behind, and prepare the folder for temporary files."""
    orphans = kill_orphans(home)
    if orphans:
        logger.warning("killed %d browser processes of a hub that had been killed", orphans)
    remove_partial_files(download_dir)
    # Playwright and Chromium create their temporary profiles here, where the next start finds and removes them.
    os.environ["TMPDIR"] = str(make_private_folder(temporary_folder(home)))


def temporary_folder(home: Path) -> Path:
    return home / "tmp"


def kill_orphans(home: Path) -> int:
    """Kill the orphaned browsers of this home and remove their files; returns the number of processes."""
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
    psutil.wait_procs(orphans, timeout=KILL_TIMEOUT_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)
    return len(orphans)
