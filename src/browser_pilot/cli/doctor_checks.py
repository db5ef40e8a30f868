"""What `doctor` looks at: each check says how it is, and how to mend it. Nothing here repairs anything."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import platform
import shutil
import socket
import sqlite3
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.text import Text

from .. import __version__, assets
from ..config import Settings
from ..egress import EgressProxy
from ..engines.managed import ManagedEngine
from ..errors import BrowserUnavailable, HubUnavailable, RecordsUnavailable, SettingsError
from ..policy.rules import Ruleset
from ..records.database import Files
from ..records.reading import LogReader
from ..records.redaction import Redactor
from ..records.secrets import SecretStore
from ..runtime import runtime_path
from ..sessions.wishes import context_request
from .hub import find_hub, token_path
from .output import BAD, GOOD, WARNING, counted

State = Literal["ok", "warning", "problem"]
GOOD_STATE: State = "ok"
MARKS: dict[State, Text] = {"ok": GOOD, "warning": WARNING, "problem": BAD}
PACKAGES = ("mcp", "playwright", "pydantic", "starlette", "uvicorn", "wasmtime")
OLDEST_PYTHON = (3, 11)
LEAST_FREE_MB = 200
COMFORTABLE_FREE_MB = 1024
ANOTHER_BROWSER = "Try another: set browser.executable, or leave it out and run `browser-pilot setup-browser`."


@dataclass(frozen=True)
class Finding:
    what: str
    state: State
    says: str
    mend: str | None = None

    @property
    def mark(self) -> Text:
        return MARKS[self.state]


async def examine(home: Path, settings: Settings) -> list[Finding]:
    """Everything, in the order in which one would look."""
    return [
        check_python(),
        check_packages(),
        *check_assets(),
        *check_home(home),
        check_disk(home),
        *await check_browser(settings),
        *check_root(),
        check_display(settings),
        check_log(home),
        check_secrets(home),
        # In a thread, because the hub may be this very process.
        *await asyncio.to_thread(lambda: list(check_hub(home, settings))),
    ]


def check_python() -> Finding:
    says = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        return Finding("Python", "problem", says, "Browser Pilot needs Python 3.11 or newer.")
    return Finding("Python", "ok", says)


def check_packages() -> Finding:
    versions: list[str] = []
    missing: list[str] = []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("Packages", "problem", f"missing: {', '.join(missing)}", "Install browser-pilot again.")
    return Finding("Packages", "ok", f"browser-pilot {__version__}, {', '.join(versions)}")


def check_assets() -> Iterator[Finding]:
    absent = assets.missing()
    if absent:
        fetch = f"Install npm, then run: {sys.executable} -m browser_pilot.assets"
        yield Finding("Assets", "warning", f"not fetched: {', '.join(absent)}; everything else works", fetch)


def check_home(home: Path) -> Iterator[Finding]:
    what = "Home"
    try:
        details = home.stat()
    except FileNotFoundError:
        yield Finding(what, "ok", f"{home} will be made on first use")
        return
    except OSError as error:
        yield Finding(what, "problem", f"{home}: {error.strerror}", "Set BROWSER_PILOT_HOME to a folder of your own.")
        return
    if not stat.S_ISDIR(details.st_mode):
        yield Finding(what, "problem", f"{home} is not a folder", "Move it away, or set BROWSER_PILOT_HOME.")
    elif not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        yield Finding(what, "problem", f"{home} cannot be written", f"Make it yours: chown $USER '{home}'")
    elif os.name == "posix" and details.st_mode & 0o077:
        mode = stat.S_IMODE(details.st_mode)
        yield Finding(what, "warning", f"{home} is open to others (mode {mode:o})", f"chmod 700 '{home}'")
    else:
        yield Finding(what, "ok", str(home))
    for path in (token_path(home), runtime_path(home)):
        if os.name == "posix" and path.is_file() and path.stat().st_mode & 0o077:
            yield Finding(
                "Token",
                "problem",
                f"{path} can be read by others",
                f"`browser-pilot stop`, then rm '{token_path(home)}': the next start makes a new token.",
            )


def check_disk(home: Path) -> Finding:
    existing = next(folder for folder in (home, *home.parents) if folder.is_dir())
    free_mb = shutil.disk_usage(existing).free // (1024 * 1024)
    says = f"{free_mb:,} MB free at {existing}"
    if free_mb < LEAST_FREE_MB:
        return Finding("Disk", "problem", says, "Free some space: a browser needs room for its profile.")
    if free_mb < COMFORTABLE_FREE_MB:
        return Finding("Disk", "warning", says, "Free some space before you download files.")
    return Finding("Disk", "ok", says)


async def check_browser(settings: Settings) -> list[Finding]:
    """Launches the browser and ends it: a file that exists may still not start."""
    proxy = EgressProxy()
    engine = ManagedEngine(proxy)
    try:
        await engine.warm()
    except (OSError, RuntimeError) as error:
        return [Finding("Playwright", "problem", f"its driver does not start: {error}", "Install playwright again.")]
    driver = Finding("Playwright", "ok", "the driver starts")
    try:
        await engine.open(context_request(settings), Ruleset)
        facts = engine.facts()[0]
        return [
            driver,
            Finding("Browser", "ok", f"{facts.kind} {facts.version} at {facts.executable} starts"),
            Finding("Egress", "ok", "the browser reaches the network through the filtering proxy"),
        ]
    except (BrowserUnavailable, SettingsError) as error:
        mend = next((tip for tip in error.suggestions if "doctor" not in tip), ANOTHER_BROWSER)
        return [driver, Finding("Browser", "problem", error.message, mend)]
    finally:
        await engine.close()
        await proxy.close()


def check_root() -> Iterator[Finding]:
    if os.name == "posix" and os.geteuid() == 0:
        yield Finding(
            "User", "warning", "root: Chromium runs without its own sandbox", "Run Browser Pilot as a normal user."
        )


def check_display(settings: Settings) -> Finding:
    if settings.browser.headless:
        return Finding("Display", "ok", "not needed: browsers run headless")
    has_display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if sys.platform.startswith("linux") and not has_display:
        return Finding(
            "Display", "problem", "browser.headless is false, but there is no display", "Use headless, or Xvfb."
        )
    return Finding("Display", "ok", "there is one for the browser's windows")


def check_log(home: Path) -> Finding:
    """Whether it can be read and written; whether it is whole is for `log verify`, which takes longer."""
    files = Files.in_home(home)
    try:
        rows = LogReader(files).last_seq()
    except FileNotFoundError:
        if files.head.exists():
            mend = "`browser-pilot restore FILE` brings back a backup; `browser-pilot log verify` says more."
            return Finding("Log", "problem", f"{files.database} is gone", mend)
        return Finding("Log", "ok", "begins with the first action of an agent")
    except sqlite3.DatabaseError as error:
        mend = "Move it away, or `browser-pilot restore FILE`; until then nothing can be done that belongs in it."
        return Finding("Log", "problem", f"{files.database} cannot be read: {error}", mend)
    if not os.access(files.database, os.W_OK) or not os.access(home, os.W_OK):
        return Finding("Log", "problem", f"{files.database} cannot be written", f"chmod u+w '{files.database}'")
    return Finding("Log", "ok", f"{counted(rows, 'row')} so far; `browser-pilot log verify` checks that it is whole")


def check_secrets(home: Path) -> Finding:
    store = SecretStore(home, Redactor())
    try:
        count = len(store.names())
    except RecordsUnavailable as error:
        return Finding("Secrets", "problem", error.message, " ".join(error.suggestions))
    if not count:
        return Finding("Secrets", "ok", "none are set")
    place = "the system's keyring" if store.key_place == "keyring" else "a private file"
    return Finding("Secrets", "ok", f"{count}, their key in {place}")


def check_hub(home: Path, settings: Settings) -> Iterator[Finding]:
    try:
        hub = find_hub(home)
    except HubUnavailable as error:
        yield Finding("Hub", "problem", error.message, " ".join(error.suggestions))
        return
    if hub is None:
        yield Finding("Hub", "ok", "not running; it starts when a client needs it")
        yield _check_port(settings)
    elif hub.health.version != __version__:
        says = f"version {hub.health.version} runs, this is {__version__}"
        yield Finding("Hub", "warning", says, "`browser-pilot stop`: the next start uses this version.")
    else:
        says = f"version {hub.health.version} answers at {hub.mcp_url}, {len(hub.clients)} clients"
        yield Finding("Hub", "ok", says)
    for name, part in hub.health.problems.items() if hub is not None else ():
        yield Finding(f"Hub: {name}", "problem", part.says, "`browser-pilot status` shows when it is mended.")


def _check_port(settings: Settings) -> Finding:
    host, port = settings.hub.host, settings.hub.port
    if port == 0:
        return Finding("Port", "ok", "any free one (hub.port = 0)")
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        return Finding(
            "Port",
            "warning",
            f"{host}:{port} cannot be used ({error.strerror}): the hub will take another",
            "End the program that has it, or set hub.port.",
        )
    return Finding("Port", "ok", f"{host}:{port} is free")
