"""The implementation of the `guest` commands: install, show, remove and test guests, and notify a running hub."""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
import time
from collections import deque
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

import typer

from browser_pilot.config.settings import load_settings
from browser_pilot.errors import InvalidArgument
from browser_pilot.guests.host.grants import GrantDecision, GrantStore
from browser_pilot.guests.host.permissions import PERMISSION_DESCRIPTIONS, PERMISSION_WORDS
from browser_pilot.guests.installed.guest_secrets import GuestSecrets
from browser_pilot.guests.installed.guest_store import GuestStore, InstalledGuest, identity_of
from browser_pilot.guests.installed.manifest import GUEST_NAME, PERMISSIONS, GuestPermission
from browser_pilot.guests.installed.packages import Package, read_package
from browser_pilot.guests.installed.tool_names import SEPARATOR, exposed_names
from browser_pilot.guests.self_test import run_self_test, tools_of_guest
from browser_pilot.hub_discovery.runtime_file import read_runtime
from browser_pilot.policy.hosts import parse_address
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore

from .audit_note import write_audit_note
from .guest_prompts import Inheritance, consent_lines, inheritance_lines
from .hub_control import send_request as ask_hub
from .output import FAILURE, SUCCESS, WARNING, count_noun, print_line, progress


def add_guest(home: Path, path: Path, *, yes: bool, keep: bool = False) -> None:
    package = read_package(path)
    name = package.manifest.name
    store = GuestStore(home)
    current = store.load(name) if name in store.names() else None
    inherited = inheritable(home, package)
    is_unchanged = current is not None and current.digest == package.digest and current.problem is None
    if is_unchanged and not inherited:
        print_line(SUCCESS, f" {name} is already installed and has not changed.")
        return
    with progress(f"Inspecting {name} …"):
        tools = asyncio.run(tools_of_guest(package, home, load_settings(home=home).guests))
    for line in consent_lines(package, tools, current):
        print_line(line)
    if not yes and not typer.confirm("Add it?" if current is None else "Replace the installed version?", default=False):
        print_line(FAILURE, " Nothing was added.")
        raise typer.Exit(1)
    if inherited:
        for line in inheritance_lines(package, current, inherited):
            print_line(line)
        if not keep and not yes and is_interactive():
            keep = typer.confirm("Let the new guest have all of this?", default=False)
    added = store.install(package, tools, source=str(path.absolute()))
    _settle_inheritance(home, added, keep=keep)
    _note_added(home, added, current, inherited, kept=keep and bool(inherited))
    notify_hub(home)
    if inherited:
        print_line(WARNING, " It keeps all of this." if keep else " It keeps none of this.")
    print_line(SUCCESS, f" Added {name} {package.manifest.version} with {count_noun(len(added.tools), 'tool')}.")
    for declared in package.manifest.secrets:
        if declared.name not in _secrets(home).names(added.identity):
            print_line(
                WARNING,
                f" It needs the secret {declared.name}: browser-pilot guest secret {name} {declared.name}",
            )


def inheritable(home: Path, package: Package) -> Inheritance:
    """What earlier guests of this name have and this one would get only if the user keeps it."""
    identity = identity_of(package.manifest.name, package.digest)
    return Inheritance(GrantStore(home).of_others(identity), sorted(_secrets(home).of_others(identity)))


def is_interactive() -> bool:
    return sys.stdin.isatty()


def _settle_inheritance(home: Path, guest: InstalledGuest, *, keep: bool) -> None:
    GrantStore(home).replace_others(guest.identity, keep=keep)
    if keep:
        _secrets(home).rebind(guest.identity)
    else:
        _secrets(home).remove_others(guest.identity)


def _note_added(
    home: Path, guest: InstalledGuest, before: InstalledGuest | None, inherited: Inheritance, *, kept: bool
) -> None:
    details: dict[str, object] = {"author": guest.manifest.author, "digest": guest.digest}
    if before is not None:
        details |= {"author_before": before.manifest.author, "digest_before": before.digest}
    if inherited:
        outcome = "kept" if kept else "removed"
        details |= {f"grants_{outcome}": inherited.grants, f"names_{outcome}": list(inherited.secrets)}
    write_audit_note(home, f"The guest {guest.name} was {'added' if before is None else 'replaced'}.", details)


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
        "secrets": {
            declared.name: declared.name in _secrets(home).names(guest.identity) for declared in manifest.secrets
        },
        "tools": {tool.name: tool.description for tool in guest.tools},
        "grants": [
            {"site": grant.site, "permission": grant.permission, "decision": grant.decision, "client": grant.client}
            for grant in GrantStore(home).persistent(guest.identity)
        ],
    }


def guest_row(guest: dict[str, Any]) -> tuple[str, ...]:
    state = "changed: add it again" if guest["problem"] else "on" if guest["enabled"] else "off"
    return (guest["name"], guest["version"], guest["kind"], str(len(guest["tools"])), state)


def show_guest(home: Path, name: str) -> None:
    guest = GuestStore(home).find(name)
    data = guest_data(home, name)
    print_line(f"{data['title']} {data['version']} ({data['kind']}), added {data['added']} from {data['source']}")
    if guest.problem:
        print_line(FAILURE, " ", guest.problem)
    package = Package(guest.manifest, b"", b"")
    for line in consent_lines(package, guest.tools, None):
        print_line(line)
    for secret, given in data["secrets"].items():
        print_line(f"The secret {secret} is {'set' if given else 'not set'}.")
    for grant in data["grants"]:
        verdict = "always allow" if grant["decision"] == "allow" else "never allow"
        for_whom = f" for {grant['client']}" if grant["client"] else ""
        print_line(f"You {verdict} {grant['permission']} on {grant['site']}{for_whom}.")


def remove_guest(home: Path, name: str, *, yes: bool) -> None:
    store = GuestStore(home)
    store.require(name)
    if not yes and not typer.confirm(f"Remove {name} with its log, grants and secrets?", default=False):
        raise typer.Exit(1)
    store.remove(name)
    GrantStore(home).remove_all(name)
    _secrets(home).remove_all(name)
    write_audit_note(home, f"The guest {name} was removed.", {})
    notify_hub(home)
    print_line(SUCCESS, f" Removed {name}.")


def set_guest_enabled(home: Path, name: str, *, on: bool) -> None:
    GuestStore(home).set_enabled(name, on)
    write_audit_note(home, f"The guest {name} was {'enabled' if on else 'disabled'}.", {})
    notify_hub(home)
    print_line(SUCCESS, f" {name} is {'enabled' if on else 'disabled'}.")


def set_guest_secret(home: Path, name: str, variable: str) -> None:
    guest = GuestStore(home).find(name)
    secret_names = [declared.name for declared in guest.manifest.secrets]
    if variable not in secret_names:
        raise InvalidArgument(
            f"{name} does not use the secret {variable!r}.",
            suggestions=[f"Its secrets: {', '.join(secret_names) or 'none'}."],
        )
    if sys.stdin.isatty():
        value = cast("str", typer.prompt(f"{variable} for {name}", hide_input=True))
    else:
        value = sys.stdin.readline().rstrip("\n")
    _secrets(home).set(guest.identity, variable, value)
    write_audit_note(home, f"A secret of the guest {name} was set.", {"secret": variable})
    print_line(SUCCESS, f" Stored {variable} for {name}. It takes effect when the guest starts next:")
    print_line(f"  → browser-pilot guest restart {name}")


def save_grant(home: Path, name: str, site: str, words: list[str], verdict: GrantDecision, *, client: str = "") -> None:
    """``words`` are those of ``--can``; without any, what the manifest asks for, or everything for a denial."""
    guest = GuestStore(home).find(name)
    chosen = _permissions_of(words) if words else _default_permissions(guest, verdict)
    declared = guest.manifest.permissions
    undeclared = [one for one in chosen if declared is not None and one not in declared]
    if undeclared and verdict == "allow":
        raise InvalidArgument(
            f"The manifest of {name} does not list {', '.join(undeclared)}, so it never gets that.",
            suggestions=[f"It lists {', '.join(declared or ()) or 'no permissions'}."],
        )
    where = str(parse_address(site).site)
    GrantStore(home).save(guest.identity, chosen, where, verdict, client=client)
    details = {"site": where, "permissions": list(chosen), "client": client or "every client"}
    decided = "allowed" if verdict == "allow" else "denied"
    write_audit_note(home, f"The guest {name} was {decided} permissions.", details)
    for_whom = f" for {client}" if client else ""
    print_line(SUCCESS, f" {name} may {'always' if verdict == 'allow' else 'never'} do this on {where}{for_whom}:")
    for permission in chosen:
        print_line("  ", f"{PERMISSION_DESCRIPTIONS[permission]} ({permission})")


def _permissions_of(words: list[str]) -> tuple[GuestPermission, ...]:
    chosen: dict[GuestPermission, None] = {}
    for word in (word.strip() for given in words for word in given.split(",")):
        named = (word,) if word in PERMISSIONS else PERMISSION_WORDS.get(word)
        if named is None:
            raise InvalidArgument(
                f"{word!r} is not a permission.",
                suggestions=[f"Use {', '.join(PERMISSION_WORDS)}, or {', '.join(PERMISSIONS)}."],
            )
        chosen |= dict.fromkeys(named)
    return tuple(chosen)


def _default_permissions(guest: InstalledGuest, verdict: GrantDecision) -> tuple[GuestPermission, ...]:
    if verdict == "deny":
        return PERMISSIONS
    declared = guest.manifest.permissions
    if declared is None:
        raise InvalidArgument(
            f"The manifest of {guest.name} does not say which permissions it asks for.",
            suggestions=[f"Choose them: --can {','.join(PERMISSION_WORDS)}, or some of these."],
        )
    if not declared:
        raise InvalidArgument(f"The manifest of {guest.name} asks for no permissions.")
    return declared


def require_tool(home: Path, name: str, tool: str) -> str:
    """The name of the tool for agents. ``tool`` is the guest's own name of it, or that one without the guest's."""
    guest = GuestStore(home).find(name)
    names = exposed_names(name, [one.name for one in guest.tools])
    if guest.problem:
        raise InvalidArgument(guest.problem, suggestions=[f"`browser-pilot guest add {guest.source}`"])
    found = names.get(tool) or next((shown for shown in names.values() if shown == f"{name}{SEPARATOR}{tool}"), None)
    if found is None:
        raise InvalidArgument(f"{name} has no tool {tool!r}.", suggestions=[f"Its tools: {', '.join(names)}."])
    return found


def restart_guest(home: Path, name: str) -> None:
    GuestStore(home).find(name)
    running = read_runtime(home)
    if running is None:
        print_line(SUCCESS, f" {name} does not run; its next call starts it.")
        return
    _, body = ask_hub(running, "POST", f"/api/guests/{name}/restart")
    count: int = json.loads(body)["restarted"]
    print_line(SUCCESS, f" {name} starts anew at its next call; it ran for {count_noun(count, 'client')}.")


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
    is_installed = path_or_name in store.names() and not path.exists()
    package = _installed_package(store.find(path_or_name)) if is_installed else read_package(path)
    with progress(f"Running {package.manifest.name} …"):
        result = asyncio.run(run_self_test(package, home, load_settings(home=home).guests))
    for line in result.log.splitlines():
        print_line("  ", line)
    ready = f"{result.start_ms:.0f} ms and is ready {result.list_ms:.0f} ms later"
    print_line(SUCCESS, f" It starts in {ready}, with {count_noun(len(result.tools), 'tool')}.")


def create_guest(folder: Path, name: str, kind: Literal["js", "wasm"]) -> None:
    if not GUEST_NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} is not a valid guest name.",
            suggestions=["Use up to 24 lower-case letters, digits and single hyphens."],
        )
    target = folder / name
    if target.exists():
        raise InvalidArgument(f"{target} already exists.")
    target.mkdir()
    for file in (files("browser_pilot.guests") / "templates" / kind).iterdir():
        text = file.read_text(encoding="utf-8")
        (target / file.name).write_text(text.replace('"NAME"', f'"{name}"'), encoding="utf-8")
    print_line(SUCCESS, f" Created the guest {target}.")
    if kind == "wasm":
        print_line(f"  → make -C {name}")
    print_line(f"  → browser-pilot guest add {name}")


def notify_hub(home: Path) -> None:
    """Make a running hub reload its guests now; it also polls for changes."""
    running = read_runtime(home)
    if running is None:
        return
    try:
        ask_hub(running, "POST", "/api/guests/refresh")
    except (OSError, http.client.HTTPException):
        print_line(WARNING, " The hub could not be notified; it checks for changes every 30 seconds.")


def _installed_package(guest: InstalledGuest) -> Package:
    return Package(guest.manifest, (guest.folder / "manifest.json").read_bytes(), guest.read_code())


def _secrets(home: Path) -> GuestSecrets:
    return GuestSecrets(SecretStore(home, Redactor()))
