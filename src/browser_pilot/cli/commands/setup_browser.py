"""`browser-pilot setup-browser`: makes sure that there is a browser. Used by `make setup`.

Looks for Chrome, Chromium or Edge first. When there is none it tries Playwright's own download, then the system's
package where that needs no question to be asked; elsewhere it says what to type.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from ..config import load_settings
from ..engines.finder import FoundBrowser, find_browser
from ..errors import BrowserUnavailable
from ..home import locate_home
from .output import GOOD, WARNING, err, progress, say

INSTALL_SECONDS = 900
TRY_SECONDS = 60
# Playwright waits half a minute for each of several hosts, several times, before it gives up.
DOWNLOAD_ENVIRONMENT = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}
BY_HAND: tuple[tuple[str, str], ...] = (
    ("apt-get", "sudo apt-get install chromium"),
    ("dnf", "sudo dnf install chromium"),
    ("pacman", "sudo pacman -S chromium"),
    ("zypper", "sudo zypper install chromium"),
    ("apk", "sudo apk add chromium"),
    ("brew", "brew install --cask google-chrome"),
    ("winget", "winget install --exact --id Google.Chrome"),
)


@dataclass(frozen=True)
class Way:
    """One way to get a browser: commands that must all succeed, and one more if it then does not run."""

    doing: str
    commands: tuple[tuple[str, ...], ...]
    repair: tuple[str, ...] | None = None


def setup_browser(
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing when a browser is already there.")] = False,
) -> None:
    """Make sure that a browser is installed; fetch a Chromium when none is."""
    wanted = load_settings(home=locate_home()).browser.executable
    try:
        found = find_browser(wanted)
    except BrowserUnavailable:
        if wanted is not None:
            raise
        found = _install()
    else:
        if quiet:
            return
    say(GOOD, f" {found.kind} at {found.executable}")


def _install() -> FoundBrowser:
    say("No Chrome, Chromium or Edge was found; a Chromium is fetched now.", to=err)
    for way in ways():
        say(f"{way.doing} …", to=err)
        with progress("This can take a few minutes …"):
            problem = _try(way)
        if problem is None:
            return find_browser()
        say(WARNING, " That did not work: ", problem, to=err)
    raise BrowserUnavailable("No browser could be installed.", suggestions=list(by_hand()))


def ways(*, is_root: bool | None = None, platform: str = sys.platform) -> Iterator[Way]:
    is_root = (os.name == "posix" and os.geteuid() == 0) if is_root is None else is_root
    playwright = (sys.executable, "-m", "playwright")
    # Only root can install the libraries that a bare system lacks without being asked for a password.
    libraries = (*playwright, "install-deps", "chromium") if is_root and platform.startswith("linux") else None
    yield Way("Downloading Playwright's Chromium", ((*playwright, "install", "--no-shell", "chromium"),), libraries)
    apt = shutil.which("apt-get")
    sudo = shutil.which("sudo")
    if apt and (is_root or sudo):
        prefix = () if is_root or sudo is None else (sudo, "-n")
        install = (*prefix, apt, "install", "-y", "--no-install-recommends", "chromium")
        yield Way("Installing the system's chromium package", ((*prefix, apt, "update"), install))


def by_hand() -> Iterator[str]:
    yield from (f"Install one: {command}" for program, command in BY_HAND if shutil.which(program))
    yield "Or install Google Chrome from its web page."
    yield "Or set browser.executable in config.toml to the path of a Chromium-based browser."


def _try(way: Way) -> str | None:
    """Why it failed, or None when there is a browser that runs now."""
    for command in way.commands:
        problem = _run(command, timeout_seconds=INSTALL_SECONDS, environ=DOWNLOAD_ENVIRONMENT)
        if problem is not None:
            return problem
    problem = _does_not_run()
    if problem is not None and way.repair is not None:
        problem = _run(way.repair, timeout_seconds=INSTALL_SECONDS, environ={}) or _does_not_run()
    return problem


def _does_not_run() -> str | None:
    try:
        found = find_browser()
    except BrowserUnavailable as error:
        return error.message
    return _run((str(found.executable), "--version"), timeout_seconds=TRY_SECONDS, environ={})


def _run(command: Sequence[str], *, timeout_seconds: float, environ: Mapping[str, str]) -> str | None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_seconds,
            check=False,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", **environ},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    reason = next((line.strip() for line in reversed(lines) if "rror" in line), lines[-1].strip() if lines else "")
    return reason or f"{command[0]} ended with {done.returncode}"
