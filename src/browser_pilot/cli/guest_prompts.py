"""What a guest asks for, in words, before the user says yes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..approvals.words import plain
from ..guests.manifest import PERMISSIONS, GuestTool
from ..guests.packages import Package
from ..guests.permissions import WORDS
from ..guests.store import Installed

LONGEST_DESCRIPTION = 120


def wishes(package: Package, tools: Sequence[GuestTool], before: Installed | None) -> Iterator[str]:
    """``before`` is the same guest as it was added earlier."""
    manifest = package.manifest
    author = f" by {plain(manifest.author)}" if manifest.author else ""
    description = plain(manifest.description) or "no description"
    yield f"{plain(manifest.title)} {plain(manifest.version)}{author}: {description}"
    if before is not None:
        yield f"You have {before.name} {plain(before.manifest.version)}; its files are not the same."
    if manifest.hosts:
        everything = any(pattern.is_everything for pattern in manifest.hosts)
        yield f"It may send requests to: {', '.join(map(str, manifest.hosts))}"
        if everything:
            yield "That is EVERY host on the internet: whatever it learns, it can send anywhere."
    else:
        yield "It may send no requests of its own."
    said = "It may ask you to let it"
    if manifest.permissions is None:
        said = "It does not say what it needs, so it may ask you to let it"
    wanted = manifest.permissions if manifest.permissions is not None else PERMISSIONS
    for permission in wanted:
        if permission != "net:fetch":
            yield f"{said}: {WORDS[permission]} ({permission})"
    for wish in manifest.secrets:
        yield f"It wants the secret {wish.name}{'' if wish.required else ' (optional)'}: {plain(wish.description)}"
    for variable in manifest.environment:
        yield f"It runs with {variable.name}={plain(variable.value)}"
    for tool in tools:
        words = plain(tool.description)
        short = words if len(words) <= LONGEST_DESCRIPTION else words[: LONGEST_DESCRIPTION - 1] + "…"
        yield f"Tool {manifest.name}__{tool.name}: {short}"
