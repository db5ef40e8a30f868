"""The checks of `doctor`: each reports a state and how to fix it. Nothing is repaired here."""

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
from typing import Literal, cast

from rich.text import Text

from browser_pilot import __version__, assets
from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader
from browser_pilot.config.settings import Settings
from browser_pilot.egress import EgressProxy
from browser_pilot.egress.parent_proxy import connect_to_parent_proxy, parent_proxy_of
from browser_pilot.engines.managed import ManagedEngine
from browser_pilot.errors import BrowserUnavailable, HubUnavailable, InvalidArgument, RecordsUnavailable, SettingsError
from browser_pilot.hub_discovery.runtime_file import runtime_path
from browser_pilot.policy.rules import Ruleset
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from browser_pilot.sessions.options import context_request

from .hub_control import find_hub, token_path
from .output import FAILURE, SUCCESS, WARNING, count_noun

FindingState = Literal["ok", "warning", "problem"]
STATE_MARKS: dict[FindingState, Text] = {"ok": SUCCESS, "warning": WARNING, "problem": FAILURE}
PACKAGES = ("mcp", "playwright", "pydantic", "starlette", "uvicorn", "wasmtime")
MIN_PYTHON = (3, 11)
MIN_FREE_MB = 200
RECOMMENDED_FREE_MB = 1024
PROXY_TIMEOUT_SECONDS = 5
ANOTHER_BROWSER = "Try another browser: set browser.executable, or remove it and run `browser-pilot setup-browser`."


@dataclass(frozen=True)
class CheckResult:
    name: str
    state: FindingState
    detail: str
    fix: str | None = None

    @property
    def mark(self) -> Text:
        return STATE_MARKS[self.state]


async def run_checks(home: Path, settings: Settings) -> list[CheckResult]:
    """Run all checks, the most basic first."""
    return [
        check_python(),
        check_packages(),
        *check_assets(),
        *check_home(home),
        check_disk(home),
        *await check_browser(settings),
        await check_network(settings),
        *check_sandbox(settings),
        check_display(settings),
        check_log(home),
        check_secrets(home),
        # In a thread, because the hub may run in this process.
        *await asyncio.to_thread(lambda: list(check_hub(home, settings))),
    ]


def check_python() -> CheckResult:
    detail = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info < MIN_PYTHON:
        return CheckResult("Python", "problem", detail, "Browser Pilot needs Python 3.11 or newer.")
    return CheckResult("Python", "ok", detail)


def check_packages() -> CheckResult:
    versions: list[str] = []
    missing: list[str] = []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return CheckResult("Packages", "problem", f"missing: {', '.join(missing)}", "Reinstall browser-pilot.")
    return CheckResult("Packages", "ok", f"browser-pilot {__version__}, {', '.join(versions)}")


def check_assets() -> Iterator[CheckResult]:
    absent = assets.missing()
    if absent:
        fetch = f"Install npm, then run: {sys.executable} -m browser_pilot.assets"
        yield CheckResult("Assets", "warning", f"not downloaded: {', '.join(absent)}; everything else works", fetch)


def check_home(home: Path) -> Iterator[CheckResult]:
    name = "Home"
    try:
        details = home.stat()
    except FileNotFoundError:
        yield CheckResult(name, "ok", f"{home} will be created on first use")
        return
    except OSError as error:
        yield CheckResult(
            name, "problem", f"{home}: {error.strerror}", "Set BROWSER_PILOT_HOME to a folder that you own."
        )
        return
    if not stat.S_ISDIR(details.st_mode):
        yield CheckResult(name, "problem", f"{home} is not a folder", "Move the file, or set BROWSER_PILOT_HOME.")
    elif not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        yield CheckResult(name, "problem", f"{home} is not writable", f"Change its owner: chown $USER '{home}'")
    elif os.name == "posix" and details.st_mode & 0o077:
        mode = stat.S_IMODE(details.st_mode)
        yield CheckResult(
            name, "warning", f"{home} is accessible to other users (mode {mode:o})", f"chmod 700 '{home}'"
        )
    else:
        yield CheckResult(name, "ok", str(home))
    for path in (token_path(home), runtime_path(home)):
        if os.name == "posix" and path.is_file() and path.stat().st_mode & 0o077:
            yield CheckResult(
                "Token",
                "problem",
                f"{path} can be read by other users",
                f"Run `browser-pilot stop`, then rm '{token_path(home)}': the next start creates a new token.",
            )


def check_disk(home: Path) -> CheckResult:
    existing = next(folder for folder in (home, *home.parents) if folder.is_dir())
    free_mb = shutil.disk_usage(existing).free // (1024 * 1024)
    detail = f"{free_mb:,} MB free at {existing}"
    if free_mb < MIN_FREE_MB:
        return CheckResult("Disk", "problem", detail, "Free some space: a browser needs it for its profile.")
    if free_mb < RECOMMENDED_FREE_MB:
        return CheckResult("Disk", "warning", detail, "Free some space before you download files.")
    return CheckResult("Disk", "ok", detail)


async def check_browser(settings: Settings) -> list[CheckResult]:
    """Launch the browser and close it: an executable that exists may still fail to start."""
    proxy = EgressProxy()
    engine = ManagedEngine(proxy)
    try:
        await engine.warm_driver()
    except (OSError, RuntimeError) as error:
        return [CheckResult("Playwright", "problem", f"the driver does not start: {error}", "Reinstall playwright.")]
    driver = CheckResult("Playwright", "ok", "the driver starts")
    try:
        await engine.open(context_request(settings), Ruleset)
        facts = engine.facts()[0]
        return [
            driver,
            CheckResult("Browser", "ok", f"{facts.kind} {facts.version} at {facts.executable} starts"),
            CheckResult("Egress", "ok", "the browser connects through the egress proxy"),
        ]
    except (BrowserUnavailable, SettingsError) as error:
        fix = next((tip for tip in error.suggestions if "doctor" not in tip), ANOTHER_BROWSER)
        return [driver, CheckResult("Browser", "problem", error.message, fix)]
    finally:
        await engine.close()
        await proxy.close()


async def check_network(settings: Settings) -> CheckResult:
    """Connect to the user's proxy, if there is one."""
    network = settings.network
    source = "the environment" if network.proxy == "env" else "network.proxy"
    try:
        proxy = parent_proxy_of(network.proxy, network.no_proxy, os.environ)
    except InvalidArgument:
        return CheckResult(
            "Network",
            "problem",
            "the environment's proxy is not the URL of a proxy",
            'Correct HTTPS_PROXY, or set network.proxy = "none".',
        )
    if proxy is None:
        return CheckResult("Network", "ok", "browsers connect directly, without a proxy")
    try:
        async with asyncio.timeout(PROXY_TIMEOUT_SECONDS):
            transport = (await connect_to_parent_proxy(proxy, _ProxyConnection, tunnel_to=None)).transport
        transport.abort()
    except OSError as error:
        detail = str(error) or f"the proxy {proxy.url} does not respond"
        return CheckResult("Network", "problem", detail, f"Check the proxy, which {source} names.")
    return CheckResult("Network", "ok", f"browsers connect through {proxy.url}, from {source}")


class _ProxyConnection(asyncio.Protocol):
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)


def check_sandbox(settings: Settings) -> Iterator[CheckResult]:
    if "--no-sandbox" in settings.browser.args:
        yield CheckResult(
            "Sandbox",
            "warning",
            "browser.args switches Chromium's sandbox off",
            "Remove --no-sandbox from browser.args.",
        )
    if os.name == "posix" and os.geteuid() == 0:
        yield CheckResult(
            "User", "warning", "root: Chromium runs without its sandbox", "Run Browser Pilot as a normal user."
        )


def check_display(settings: Settings) -> CheckResult:
    if settings.browser.headless:
        return CheckResult("Display", "ok", "not needed: browsers run headless")
    has_display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if sys.platform.startswith("linux") and not has_display:
        return CheckResult(
            "Display", "problem", "browser.headless is false, but there is no display", "Use headless mode, or Xvfb."
        )
    return CheckResult("Display", "ok", "available for the browser's windows")


def check_log(home: Path) -> CheckResult:
    """Whether the audit log is readable and writable; `log verify` checks its integrity, which takes longer."""
    files = AuditLogFiles.in_home(home)
    try:
        rows = AuditLogReader(files).last_seq()
    except FileNotFoundError:
        if files.head.exists():
            fix = "`browser-pilot restore FILE` restores a backup; `browser-pilot log verify` shows details."
            return CheckResult("Log", "problem", f"{files.database} is missing", fix)
        return CheckResult("Log", "ok", "empty; starts with the first action of an agent")
    except sqlite3.DatabaseError as error:
        fix = "Move the file, or run `browser-pilot restore FILE`; until then agents cannot execute actions."
        return CheckResult("Log", "problem", f"{files.database} cannot be read: {error}", fix)
    if not os.access(files.database, os.W_OK) or not os.access(home, os.W_OK):
        return CheckResult("Log", "problem", f"{files.database} is not writable", f"chmod u+w '{files.database}'")
    return CheckResult("Log", "ok", f"{count_noun(rows, 'row')}; `browser-pilot log verify` checks its integrity")


def check_secrets(home: Path) -> CheckResult:
    store = SecretStore(home, Redactor())
    try:
        count = len(store.names())
    except RecordsUnavailable as error:
        return CheckResult("Secrets", "problem", error.message, " ".join(error.suggestions))
    if not count:
        return CheckResult("Secrets", "ok", "none stored")
    location = "the system keyring" if store.key_location == "keyring" else "a private file"
    return CheckResult("Secrets", "ok", f"{count}, encrypted with a key in {location}")


def check_hub(home: Path, settings: Settings) -> Iterator[CheckResult]:
    try:
        hub = find_hub(home)
    except HubUnavailable as error:
        yield CheckResult("Hub", "problem", error.message, " ".join(error.suggestions))
        return
    if hub is None:
        yield CheckResult("Hub", "ok", "not running; it starts when a client needs it")
        yield _check_port(settings)
    elif hub.health.version != __version__:
        detail = f"version {hub.health.version} is running, this command is {__version__}"
        yield CheckResult("Hub", "warning", detail, "Run `browser-pilot stop`: the next start uses this version.")
    else:
        detail = f"version {hub.health.version} is running at {hub.mcp_url}, {count_noun(len(hub.clients), 'client')}"
        yield CheckResult("Hub", "ok", detail)
    for name, part in hub.health.problems.items() if hub is not None else ():
        yield CheckResult(f"Hub: {name}", "problem", part.says, "`browser-pilot status` shows the current state.")


def _check_port(settings: Settings) -> CheckResult:
    host, port = settings.hub.host, settings.hub.port
    if port == 0:
        return CheckResult("Port", "ok", "any free one (hub.port = 0)")
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        if settings.hub.is_port_chosen:
            return CheckResult(
                "Port",
                "problem",
                f"{host}:{port} is not available ({error.strerror}): the hub cannot start",
                "Stop the program that uses it, or choose another hub.port.",
            )
        return CheckResult(
            "Port",
            "warning",
            f"{host}:{port} is not available ({error.strerror}): the hub will use another port",
            "Stop the program that uses it, or set hub.port.",
        )
    return CheckResult("Port", "ok", f"{host}:{port} is free")
