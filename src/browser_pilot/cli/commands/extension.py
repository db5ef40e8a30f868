"""`browser-pilot extension`: where the extension is, and how it gets into your browser."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from ..engines.finder import find_browser
from ..errors import BrowserUnavailable
from .output import GOOD, print_json, say
from .status import AsJson

FOLDER = Path(__file__).parents[1] / "extension"
PAGE = "chrome://extensions"
# What the browser does not need.
LEFT_OUT = frozenset({"jsconfig.json", "injected.d.ts"})
# The same moment in every archive, so that the same files make the same archive.
MOMENT = (2020, 1, 1, 0, 0, 0)


def extension(
    open_page: Annotated[bool, typer.Option("--open", help=f"Open {PAGE} in your browser.")] = False,
    archive: Annotated[
        Path | None, typer.Option("--zip", metavar="FILE", help="Pack it into an archive for a store.")
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
        say(GOOD, f" {archive} holds version {version}, ready for a store.")
        return
    say("The extension is in ", str(FOLDER))
    say("")
    say(f"  1. Open {PAGE} (in Edge: edge://extensions) and switch on “Developer mode”.")
    say("  2. Press “Load unpacked” and choose the folder above.")
    say("  3. Run `browser-pilot pair`, press the Browser Pilot button in the toolbar, and type the code.")
    if open_page:
        _open()


def pack(archive: Path) -> None:
    """The extension as one file; the key in its manifest keeps the id that the hub knows it by."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(FOLDER.rglob("*")):
            name = path.relative_to(FOLDER).as_posix()
            if path.is_file() and name not in LEFT_OUT:
                packed.writestr(zipfile.ZipInfo(name, MOMENT), path.read_bytes())


def _open() -> None:
    browser = find_browser()
    try:
        # A browser that runs already opens the page and lets this process end.
        subprocess.Popen(
            [str(browser.executable), PAGE],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise BrowserUnavailable(f"{browser.executable} could not be started: {error.strerror}.") from error
