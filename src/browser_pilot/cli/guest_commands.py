"""What the `guest` commands do: read, show, keep and try guests, and tell a running hub what changed."""

from __future__ import annotations

import asyncio
import http.client
import sys
import time
from collections import deque
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

import typer

from ..config import load_settings
from ..errors import InvalidArgument
from ..guests.manifest import NAME, PERMISSIONS, Permission
from ..guests.packages import Package, read_package
from ..guests.permissions import GrantBook, Verdict
from ..guests.secrets import GuestSecrets
from ..guests.store import GuestStore, Installed
from ..guests.trial import tools_of, try_out
from ..policy.hosts import parse_address
from ..records.redaction import Redactor
from ..records.secrets import SecretStore
from ..runtime import read_runtime
from .guest_words import wishes
from .hub import ask as ask_hub
from .output import BAD, GOOD, WARNING, progress, say


def add_guest(home: Path, path: Path, *, yes: bool) -> None:
    package = read_package(path)
    name = package.manifest.name
    store = GuestStore(home)
    before = store.load(name) if name in store.names() else None
    if before is not None and before.digest == package.digest and before.problem is None:
        say(GOOD, f" {name} is there already, and has not changed.")
        return
    with progress(f"Looking at {name} …"):
        tools = asyncio.run(tools_of(package, home, load_settings(home=home).guests))
    for line in wishes(package, tools, before):
        say(line)
    if not yes and not typer.confirm("Add it?" if before is None else "Use it as it is now?", default=False):
        say(BAD, " Nothing was added.")
        raise typer.Exit(1)
    added = store.put(package, tools, source=str(path.absolute()))
    tell_hub(home)
    say(GOOD, f" {name} {package.manifest.version} is added, with {_tools(len(added.tools))}.")
    for wish in package.manifest.secrets:
        if wish.name not in _secrets(home).names(name):
            say(WARNING, f" It wants the secret {wish.name}: browser-pilot guest secret {name} {wish.name}")


def guests_data(home: Path) -> list[dict[str, Any]]:
    return [guest_data(home, name) for name in GuestStore(home).names()]


def guest_data(home: Path, name: str) -> dict[str, Any]:
    guest = GuestStore(home).find(name)
    manifest = guest.manifest
    return {
        "name": name,
        "title": manifest.title,
        "version": manifest.version,
        "description": manifest.description,
        "kind": manifest.kind,
        "enabled": guest.enabled,
        "problem": guest.problem,
        "digest": guest.digest,
        "source": guest.source,
        "added": time.strftime("%Y-%m-%d %H:%M", time.localtime(guest.added_at)),
        "hosts": [str(host) for host in manifest.hosts],
        "permissions": list(manifest.permissions if manifest.permissions is not None else PERMISSIONS),
        "secrets": {wish.name: wish.name in _secrets(home).names(name) for wish in manifest.secrets},
        "tools": {tool.name: tool.description for tool in guest.tools},
        "grants": {site: dict(given) for site, given in GrantBook(home).lasting(name).items()},
    }


def guest_row(guest: dict[str, Any]) -> tuple[str, ...]:
    state = "changed: add it again" if guest["problem"] else "on" if guest["enabled"] else "off"
    return (guest["name"], guest["version"], guest["kind"], str(len(guest["tools"])), state)


def show_guest(home: Path, name: str) -> None:
    guest = GuestStore(home).find(name)
    data = guest_data(home, name)
    say(f"{data['title']} {data['version']} ({data['kind']}), added {data['added']} from {data['source']}")
    if guest.problem:
        say(BAD, " ", guest.problem)
    package = Package(guest.manifest, b"", b"")
    for line in wishes(package, guest.tools, None):
        say(line)
    for secret, given in data["secrets"].items():
        say(f"The secret {secret} is {'given' if given else 'not given'}.")
    for site, given in data["grants"].items():
        for permission, verdict in given.items():
            say(f"You {'always allow' if verdict == 'allow' else 'never allow'} {permission} on {site}.")


def remove_guest(home: Path, name: str, *, yes: bool) -> None:
    store = GuestStore(home)
    if not yes and not typer.confirm(f"Remove {name} with its log, grants and secrets?", default=False):
        raise typer.Exit(1)
    store.remove(name)
    GrantBook(home).forget(name)
    _secrets(home).forget(name)
    tell_hub(home)
    say(GOOD, f" {name} is gone.")


def switch_guest(home: Path, name: str, *, on: bool) -> None:
    GuestStore(home).set_enabled(name, on)
    tell_hub(home)
    say(GOOD, f" {name} is {'on' if on else 'off'}.")


def give_secret(home: Path, name: str, variable: str) -> None:
    guest = GuestStore(home).find(name)
    wanted = [wish.name for wish in guest.manifest.secrets]
    if variable not in wanted:
        raise InvalidArgument(
            f"{name} does not ask for {variable!r}.", suggestions=[f"It asks for: {', '.join(wanted) or 'none'}."]
        )
    if sys.stdin.isatty():
        value = cast("str", typer.prompt(f"{variable} for {name}", hide_input=True))
    else:
        value = sys.stdin.readline().rstrip("\n")
    _secrets(home).give(name, variable, value)
    say(GOOD, f" {name} has its {variable}; it counts from its next start.")


def keep_grant(home: Path, name: str, site: str, permissions: list[str] | None, verdict: Verdict) -> None:
    GuestStore(home).find(name)
    unknown = [one for one in permissions or () if one not in PERMISSIONS]
    if unknown:
        raise InvalidArgument(
            f"{unknown[0]!r} is no permission.", suggestions=[f"Permissions: {', '.join(PERMISSIONS)}."]
        )
    chosen = cast("list[Permission]", permissions) or list(PERMISSIONS)
    where = str(parse_address(site).site)
    GrantBook(home).keep(name, chosen, where, verdict)
    say(GOOD, f" {name} may {'always' if verdict == 'allow' else 'never'} use {', '.join(chosen)} on {where}.")


def require_tool(home: Path, name: str, tool: str) -> None:
    guest = GuestStore(home).find(name)
    names = [one.name for one in guest.tools]
    if guest.problem:
        raise InvalidArgument(guest.problem, suggestions=[f"`browser-pilot guest add {guest.source}`"])
    if tool not in names:
        raise InvalidArgument(f"{name} has no tool {tool!r}.", suggestions=[f"Its tools: {', '.join(names)}."])


def last_lines(home: Path, name: str, count: int) -> list[str]:
    store = GuestStore(home)
    store.find(name)
    path = store.log_path(name)
    if not path.is_file():
        return []
    with path.open(encoding="utf-8") as file:
        return [line.rstrip("\n") for line in deque(file, maxlen=count)]


def test_guest(home: Path, path_or_name: str) -> None:
    path = Path(path_or_name)
    store = GuestStore(home)
    installed = path_or_name in store.names() and not path.exists()
    package = _installed_package(store.find(path_or_name)) if installed else read_package(path)
    with progress(f"Running {package.manifest.name} …"):
        trial = asyncio.run(try_out(package, home, load_settings(home=home).guests))
    for line in trial.log.splitlines():
        say("  ", line)
    ready = f"{trial.start_ms:.0f} ms and is ready {trial.list_ms:.0f} ms later"
    say(GOOD, f" It starts in {ready}, with {_tools(len(trial.tools))}.")


def make_guest(folder: Path, name: str, kind: Literal["js", "wasm"]) -> None:
    if not NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} is no name for a guest.", suggestions=["Use up to 24 small letters, digits and single hyphens."]
        )
    target = folder / name
    if target.exists():
        raise InvalidArgument(f"{target} is there already.")
    target.mkdir()
    for file in (files("browser_pilot.guests") / "templates" / kind).iterdir():
        text = file.read_text(encoding="utf-8")
        (target / file.name).write_text(text.replace('"NAME"', f'"{name}"'), encoding="utf-8")
    say(GOOD, f" {target} is a working guest.")
    if kind == "wasm":
        say(f"  → make -C {name}")
    say(f"  → browser-pilot guest add {name}")


def tell_hub(home: Path) -> None:
    """Have a running hub look again now; it would also find out by itself."""
    running = read_runtime(home)
    if running is None:
        return
    try:
        ask_hub(running, "POST", "/api/guests/refresh")
    except (OSError, http.client.HTTPException):
        say(WARNING, " The hub could not be told; it looks by itself every half minute.")


def _installed_package(guest: Installed) -> Package:
    return Package(guest.manifest, (guest.folder / "manifest.json").read_bytes(), guest.read_code())


def _secrets(home: Path) -> GuestSecrets:
    return GuestSecrets(SecretStore(home, Redactor()))


def _tools(count: int) -> str:
    return "1 tool" if count == 1 else f"{count} tools"
