"""Describes what a guest requests, for the user's consent before it is installed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from browser_pilot.approvals.descriptions import plain_text
from browser_pilot.guests.host.permissions import PERMISSION_DESCRIPTIONS
from browser_pilot.guests.installed.guest_store import InstalledGuest
from browser_pilot.guests.installed.manifest import PERMISSIONS, GuestTool
from browser_pilot.guests.installed.packages import Package
from browser_pilot.guests.installed.tool_names import exposed_names
from browser_pilot.guests.installed.tool_texts import MAX_TITLE_CHARACTERS, schema_texts, shown_text


@dataclass(frozen=True)
class Inheritance:
    """What an earlier guest of the same name has: grants by site, and names of secrets. False when it has nothing."""

    grants: Mapping[str, Sequence[str]]
    secrets: Sequence[str]

    def __bool__(self) -> bool:
        return bool(self.grants or self.secrets)


def inheritance_lines(package: Package, before: InstalledGuest | None, had: Inheritance) -> Iterator[str]:
    """What the user would let the new guest have, and whose it was."""
    author = plain_text(package.manifest.author) or "an unnamed author"
    if before is None:
        yield f"An earlier guest named {package.manifest.name} had secrets or grants:"
    else:
        author_before = plain_text(before.manifest.author) or "an unnamed author"
        whose = f"by {author_before}, as this one claims to be" if author_before == author else f"by {author_before}"
        if author_before != author:
            yield f"It is by ANOTHER author: {author}."
        yield f"The guest that it replaces, {before.name} {plain_text(before.manifest.version)} {whose}, has:"
    for site, permissions in had.grants.items():
        yield f"  always allowed on {plain_text(site)}: {', '.join(permissions)}"
    for secret in had.secrets:
        yield f"  the secret {plain_text(secret)}"


def consent_lines(package: Package, tools: Sequence[GuestTool], before: InstalledGuest | None) -> Iterator[str]:
    """``before`` is the installed version of the guest, if any."""
    manifest = package.manifest
    author = f" by {plain_text(manifest.author)}" if manifest.author else ""
    description = plain_text(manifest.description) or "no description"
    yield f"{plain_text(manifest.title)} {plain_text(manifest.version)}{author}: {description}"
    if before is not None:
        yield f"Installed: {before.name} {plain_text(before.manifest.version)}, with different files."
    if manifest.hosts:
        everything = any(pattern.covers_everything for pattern in manifest.hosts)
        yield f"It may send requests to: {', '.join(map(str, manifest.hosts))}"
        if everything:
            yield "That is EVERY host on the internet: it can send any data that it sees anywhere."
    else:
        yield "It may not send requests of its own."
    prefix = "It may ask you to let it"
    if manifest.permissions is None:
        prefix = "It does not list its permissions, so it may ask you to let it"
    permissions = manifest.permissions if manifest.permissions is not None else PERMISSIONS
    for permission in permissions:
        if permission != "net:fetch":
            yield f"{prefix}: {PERMISSION_DESCRIPTIONS[permission]} ({permission})"
    for secret in manifest.secrets:
        optional = "" if secret.required else " (optional)"
        if secret.value is None:
            yield f"It needs the secret {secret.name}{optional}: {plain_text(secret.description)}"
        else:
            yield f"It brings a value of its own for the secret {secret.name}; yours takes its place."
    for variable in manifest.environment:
        yield f"It runs with {variable.name}={plain_text(variable.value)}"
    names = exposed_names(manifest.name, [tool.name for tool in tools])
    for tool in tools:
        yield from _tool_lines(names[tool.name], tool)


def _tool_lines(name: str, tool: GuestTool) -> Iterator[str]:
    """All that agents will read about a tool."""
    title = shown_text(tool.title, MAX_TITLE_CHARACTERS)
    yield f"Tool {name}{f' “{title}”' if title else ''}: {shown_text(tool.description)}"
    claims = [words for claim, words in _CLAIMS.items() if getattr(tool.hints, claim) is _CLAIMED[claim]]
    if claims:
        yield f"  Its author says: {', '.join(claims)}."
    for schema in (tool.schema, tool.output_schema or {}):
        for where, text in schema_texts(schema):
            yield f"  {where}: {text}" if where else f"  {text}"


# What makes a client ask less.
_CLAIMS = {"read_only": "it only reads", "destructive": "it destroys nothing", "open_world": "it contacts nobody"}
_CLAIMED = {"read_only": True, "destructive": False, "open_world": False}
