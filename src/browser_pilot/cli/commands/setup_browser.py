"""`browser-pilot setup-browser`: makes sure that a browser is installed. Used by `make setup`.

Looks for Chrome, Chromium or Edge first. If there is none, it tries Playwright's download, then the system package if
that needs no password; otherwise it prints the command to run.
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

from browser_pilot.cli.output import SUCCESS, WARNING, err, print_line, progress
from browser_pilot.config.settings import load_settings
from browser_pilot.engines.browser_finder import FoundBrowser, find_browser
from browser_pilot.errors import BrowserUnavailable
from browser_pilot.home import locate_home

INSTALL_TIMEOUT_SECONDS = 900
VERSION_TIMEOUT_SECONDS = 60
# By default Playwright tries several hosts, several times, for 30 seconds each.
DOWNLOAD_ENVIRONMENT = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}
MANUAL_INSTALL_COMMANDS: tuple[tuple[str, str], ...] = (
    ("apt-get", "sudo apt-get install chromium"),
    ("dnf", "sudo dnf install chromium"),
    ("pacman", "sudo pacman -S chromium"),
    ("zypper", "sudo zypper install chromium"),
    ("apk", "sudo apk add chromium"),
    ("brew", "brew install --cask google-chrome"),
    ("winget", "winget install --exact --id Google.Chrome"),
)


@dataclass(frozen=True)
class InstallMethod:
    """Commands that install a browser; ``repair`` runs if the installed browser does not start."""

    description: str
    commands: tuple[tuple[str, ...], ...]
    repair: tuple[str, ...] | None = None


def setup_browser(
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing if a browser is already installed.")] = False,
) -> None:
    """Make sure that a browser is installed; install Chromium if there is none."""
    configured = load_settings(home=locate_home()).browser.executable
    try:
        found = find_browser(configured)
    except BrowserUnavailable:
        if configured is not None:
            raise
        found = _install()
    else:
        if quiet:
            return
    print_line(SUCCESS, f" {found.kind} at {found.executable}")


def _install() -> FoundBrowser:
    print_line("No Chrome, Chromium or Edge found; installing Chromium.", to=err)
    for method in install_methods():
        print_line(f"{method.description} …", to=err)
        with progress("This can take a few minutes …"):
            problem = _run_method(method)
        if problem is None:
            return find_browser()
        print_line(WARNING, " Failed: ", problem, to=err)
    raise BrowserUnavailable("No browser could be installed.", suggestions=list(manual_instructions()))


def install_methods(*, is_root: bool | None = None, platform: str = sys.platform) -> Iterator[InstallMethod]:
    is_root = (os.name == "posix" and os.geteuid() == 0) if is_root is None else is_root
    playwright = (sys.executable, "-m", "playwright")
    # Only root can install missing system libraries without a password.
    libraries = (*playwright, "install-deps", "chromium") if is_root and platform.startswith("linux") else None
    yield InstallMethod(
        "Downloading Playwright's Chromium", ((*playwright, "install", "--no-shell", "chromium"),), libraries
    )
    apt = shutil.which("apt-get")
    sudo = shutil.which("sudo")
    if apt and (is_root or sudo):
        prefix = () if is_root or sudo is None else (sudo, "-n")
        install = (*prefix, apt, "install", "-y", "--no-install-recommends", "chromium")
        yield InstallMethod("Installing the system's chromium package", ((*prefix, apt, "update"), install))


def manual_instructions() -> Iterator[str]:
    yield from (
        f"Install a browser: {command}" for program, command in MANUAL_INSTALL_COMMANDS if shutil.which(program)
    )
    yield "Or install Google Chrome from its website."
    yield "Or set browser.executable in config.toml to the path of a Chromium-based browser."


def _run_method(method: InstallMethod) -> str | None:
    """Why it failed, or None if a working browser is installed now."""
    for command in method.commands:
        problem = _run(command, timeout_seconds=INSTALL_TIMEOUT_SECONDS, environ=DOWNLOAD_ENVIRONMENT)
        if problem is not None:
            return problem
    problem = _browser_problem()
    if problem is not None and method.repair is not None:
        problem = _run(method.repair, timeout_seconds=INSTALL_TIMEOUT_SECONDS, environ={}) or _browser_problem()
    return problem


def _browser_problem() -> str | None:
    try:
        found = find_browser()
    except BrowserUnavailable as error:
        return error.message
    return _run((str(found.executable), "--version"), timeout_seconds=VERSION_TIMEOUT_SECONDS, environ={})


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
    return reason or f"{command[0]} exited with {done.returncode}"
