"""Names of guests' tools as agents see them: ``<guest>__<tool>``, in the characters and the length that all APIs take.

MCP allows dots and slashes in names, and up to 128 characters; several model APIs allow neither, and 64. Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

SEPARATOR = "__"
MAX_NAME_CHARACTERS = 64
_DIGEST_CHARACTERS = 6
_REPLACED = re.compile(r"[^A-Za-z0-9_-]")


def exposed_names(guest: str, tools: Iterable[str]) -> dict[str, str]:
    """The name that agents see for each of a guest's tools; two tools never share one.

    A digest of the guest's own name marks a name that is cut, or that another tool has already.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    plain = {tool: _REPLACED.sub("_", tool) for tool in tools}
    # Names that need no change come first: another tool must not take them.
    for tool in sorted(plain, key=lambda tool: plain[tool] != tool):
        name = f"{guest}{SEPARATOR}{plain[tool]}"
        if len(name) > MAX_NAME_CHARACTERS or name in taken:
            digest = hashlib.sha256(tool.encode()).hexdigest()[:_DIGEST_CHARACTERS]
            name = f"{name[: MAX_NAME_CHARACTERS - _DIGEST_CHARACTERS - 1]}_{digest}"
        taken.add(name)
        names[tool] = name
    return {tool: names[tool] for tool in plain}
