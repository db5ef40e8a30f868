"""Finds the browser to measure with and describes the machine."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil

from browser_pilot.config.settings import load_settings

from . import cache
from .competitors.base import Chromium

_NAMES = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "microsoft-edge")
_COMMAND_TIMEOUT_SECONDS = 20


class BrowserNotFound(Exception):
    """No Chrome, Chromium or Edge in the settings or on PATH."""


def find_chromium() -> Chromium:
    """Searches as Browser Pilot does: the setting first, then PATH."""
    settings = load_settings().browser
    found = settings.executable or next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise BrowserNotFound("No browser found; install Chromium or set BROWSER_PILOT_BROWSER__EXECUTABLE.")
    # Chromium's sandbox refuses to start as root.
    sandbox = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
    return Chromium(
        executable=Path(found), version=_number(_output_of(found, "--version")), args=(*sandbox, *settings.args)
    )


def describe(chromium: Chromium) -> Mapping[str, str]:
    return {
        "browser": f"{chromium.executable.name} {chromium.version}",
        "machine": f"{psutil.cpu_count()} cores, {psutil.virtual_memory().total / 2**30:.0f} GB, {platform.machine()}",
        "system": platform.platform(),
        "python": sys.version.split()[0],
        "node": _output_of(str(cache.node_folder() / "node"), "--version"),
        "load at start": f"{psutil.getloadavg()[0]:.1f}",
    }


def _number(text: str) -> str:
    match = re.search(r"\d+(\.\d+)+", text)
    return match.group() if match else text


def _output_of(command: str, option: str) -> str:
    done = subprocess.run(
        [command, option], capture_output=True, text=True, timeout=_COMMAND_TIMEOUT_SECONDS, check=False
    )
    return done.stdout.strip()
