"""Finds the browser to launch: the user's choice, else Chrome, Chromium, Edge, else the one Playwright downloaded.

Reads the file system only; it starts nothing.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from browser_pilot.errors import BrowserUnavailable

Kind = Literal["chrome", "chromium", "edge", "playwright", "custom"]

NAMES_ON_PATH: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("chrome", ("google-chrome-stable", "google-chrome", "chrome")),
    ("chromium", ("chromium", "chromium-browser")),
    ("edge", ("microsoft-edge-stable", "microsoft-edge", "msedge")),
)
MAC_APPLICATIONS: tuple[tuple[Kind, str], ...] = (
    ("chrome", "Google Chrome.app/Contents/MacOS/Google Chrome"),
    ("chromium", "Chromium.app/Contents/MacOS/Chromium"),
    ("edge", "Microsoft Edge.app/Contents/MacOS/Microsoft Edge"),
)
WINDOWS_PROGRAMS: tuple[tuple[Kind, str], ...] = (
    ("chrome", r"Google\Chrome\Application\chrome.exe"),
    ("chromium", r"Chromium\Application\chrome.exe"),
    ("edge", r"Microsoft\Edge\Application\msedge.exe"),
)
PLAYWRIGHT_BINARIES = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)


@dataclass(frozen=True)
class FoundBrowser:
    kind: Kind
    executable: Path


def find_browser(wanted: str | None = None, environ: Mapping[str, str] | None = None) -> FoundBrowser:
    """The browser to launch. ``wanted`` is a path, or one of the kinds by name."""
    environ = os.environ if environ is None else environ
    installed = list(_installed(environ))
    if wanted is None:
        if installed:
            return installed[0]
        raise BrowserUnavailable(
            "No Chrome, Chromium or Edge was found on this machine.",
            suggestions=[
                "Install one with `browser-pilot setup-browser`.",
                "Or set browser.executable in config.toml to the path of a Chromium-based browser.",
            ],
        )
    for browser in installed:
        if browser.kind == wanted:
            return browser
    path = Path(wanted).expanduser()
    if path.is_file() and os.access(path, os.X_OK):
        return FoundBrowser("custom", path)
    found = ", ".join(f"{browser.kind} ({browser.executable})" for browser in installed) or "none"
    raise BrowserUnavailable(
        f"The browser {wanted!r} is neither an executable file nor an installed browser.",
        suggestions=[f"Installed here: {found}.", "Give a path, or one of: chrome, chromium, edge, playwright."],
    )


def _installed(environ: Mapping[str, str]) -> Iterator[FoundBrowser]:
    for kind, names in NAMES_ON_PATH:
        for name in names:
            path = shutil.which(name, path=environ.get("PATH"))
            if path:
                yield FoundBrowser(kind, Path(path))
                break
    if sys.platform == "darwin":
        for folder in (Path("/Applications"), Path.home() / "Applications"):
            yield from (
                FoundBrowser(kind, folder / part) for kind, part in MAC_APPLICATIONS if (folder / part).is_file()
            )
    if sys.platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            base = environ.get(variable)
            if base:
                programs = ((kind, Path(base) / part) for kind, part in WINDOWS_PROGRAMS)
                yield from (FoundBrowser(kind, path) for kind, path in programs if path.is_file())
    yield from _downloaded_by_playwright(environ)


def _downloaded_by_playwright(environ: Mapping[str, str]) -> Iterator[FoundBrowser]:
    chosen = environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if chosen and chosen != "0":
        folder = Path(chosen)
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches" / "ms-playwright"
    elif sys.platform == "win32":
        folder = Path(environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "ms-playwright"
    else:
        folder = Path.home() / ".cache" / "ms-playwright"
    for pattern in PLAYWRIGHT_BINARIES:
        for path in sorted(folder.glob(pattern), key=_revision, reverse=True):
            if os.access(path, os.X_OK):
                yield FoundBrowser("playwright", path)


def _revision(path: Path) -> int:
    number = next((part.partition("-")[2] for part in path.parts if part.startswith("chromium-")), "")
    return int(number) if number.isdigit() else 0
