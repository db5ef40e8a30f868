"""`browser-pilot extension`: the extension's folder, and how to load or pack it."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from browser_pilot.cli.output import SUCCESS, print_json, print_line
from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.errors import BrowserUnavailable

from .status import AsJson

FOLDER = Path(__file__).parents[2] / "extension"
EXTENSIONS_PAGE = "chrome://extensions"
# Files that the browser does not need.
EXCLUDED_FILES = frozenset({"jsconfig.json", "content/globals.d.ts"})
# A fixed timestamp, so that the same files make an identical archive.
ZIP_TIMESTAMP = (2020, 1, 1, 0, 0, 0)


def extension(
    open_page: Annotated[bool, typer.Option("--open", help=f"Open {EXTENSIONS_PAGE} in your browser.")] = False,
    archive: Annotated[
        Path | None, typer.Option("--zip", metavar="FILE", help="Pack it into a zip file for the Chrome Web Store.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the extension's folder and how to load it."""
    version = str(json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["version"])
    if archive is not None:
        pack(archive)
    if as_json:
        print_json({"folder": str(FOLDER), "version": version, "zip": None if archive is None else str(archive)})
        return
    if archive is not None:
        print_line(SUCCESS, f" Packed version {version} into {archive}.")
        return
    print_line("The extension is in ", str(FOLDER))
    print_line("")
    print_line(f"  1. Open {EXTENSIONS_PAGE} (in Edge: edge://extensions) and switch on “Developer mode”.")
    print_line("  2. Press “Load unpacked” and choose the folder above.")
    print_line("  3. Run `browser-pilot pair`, press the Browser Pilot button in the toolbar, and type the code.")
    if open_page:
        _open()


def pack(archive: Path) -> None:
    """Pack the extension into one file; the key in its manifest keeps the extension id that the hub expects."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(FOLDER.rglob("*")):
            name = path.relative_to(FOLDER).as_posix()
            if path.is_file() and name not in EXCLUDED_FILES:
                packed.writestr(zipfile.ZipInfo(name, ZIP_TIMESTAMP), path.read_bytes())


def _open() -> None:
    browser = find_browser()
    try:
        # If the browser is already running, it opens the page and this process exits.
        subprocess.Popen(
            [str(browser.executable), EXTENSIONS_PAGE],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise BrowserUnavailable(f"{browser.executable} could not be started: {error.strerror}.") from error
