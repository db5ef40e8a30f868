"""Keeps the guests' part of ``tools/list`` small: every client pays for it, whatever the guests' authors wrote. Pure.

All guests share one limit. One that wants less than its share leaves the rest to the others; of one that wants more,
what is said about its tools becomes shorter in steps, and in the end its last tools are not listed. They can still be
called, and arguments are always validated against the whole schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from browser_pilot.safe_text import cut

MAX_BYTES = 64 << 10
# What the protocol adds to a tool: its annotations and punctuation.
ENTRY_BYTES = 260


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as a client sees it."""

    name: str
    title: str
    description: str
    schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None = None

    @property
    def size(self) -> int:
        texts = (self.name, self.title, self.description)
        schemas = (self.schema, self.output_schema or {})
        return ENTRY_BYTES + sum(len(json.dumps(part).encode()) for part in (*texts, *schemas))


def fit(guests: Mapping[str, Sequence[ListedTool]], max_bytes: int = MAX_BYTES) -> dict[str, list[ListedTool]]:
    """The tools of each guest, shortened where all together are larger than ``max_bytes``."""
    sizes = {guest: sum(tool.size for tool in tools) for guest, tools in guests.items()}
    shares = _shares(sizes, max_bytes)
    return {guest: _shortened(tools, shares[guest]) for guest, tools in guests.items()}


def _shares(sizes: Mapping[str, int], max_bytes: int) -> dict[str, int]:
    """Divide the bytes: each guest in turn, the smallest first, gets at most an equal part of what is left."""
    shares: dict[str, int] = {}
    left = max_bytes
    for number, guest in enumerate(sorted(sizes, key=lambda guest: sizes[guest])):
        shares[guest] = min(sizes[guest], left // (len(sizes) - number))
        left -= shares[guest]
    return shares


def _shortened(tools: Sequence[ListedTool], max_bytes: int) -> list[ListedTool]:
    shown = list(tools)
    for shorten in _STEPS:
        if sum(tool.size for tool in shown) <= max_bytes:
            return shown
        shown = [shorten(tool) for tool in shown]
    while shown and sum(tool.size for tool in shown) > max_bytes:
        shown.pop()
    return shown


def _with_short_texts(tool: ListedTool) -> ListedTool:
    return replace(
        tool, description=cut(tool.description, 1_000), schema=_cut_texts(tool.schema, 200), output_schema=None
    )


def _without_texts(tool: ListedTool) -> ListedTool:
    return replace(tool, description=cut(tool.description, 300), schema=_cut_texts(tool.schema, 0))


def _with_names_only(tool: ListedTool) -> ListedTool:
    properties = cast("Mapping[str, Any]", tool.schema.get("properties", {}))
    types = {name: _type_of(one) for name, one in properties.items()}
    required = tool.schema.get("required", [])
    return replace(
        tool,
        description=cut(tool.description, 120),
        schema={"type": "object", "properties": types, "required": required},
    )


def _without_schema(tool: ListedTool) -> ListedTool:
    return replace(tool, title="", description=cut(tool.description, 80), schema={"type": "object"})


_STEPS: tuple[Callable[[ListedTool], ListedTool], ...] = (
    _with_short_texts,
    _without_texts,
    _with_names_only,
    _without_schema,
)
_TEXTS = ("description", "title", "$comment", "examples", "markdownDescription")


def _cut_texts(node: Any, max_characters: int) -> Any:
    """A schema with shorter texts; with none at 0."""
    if isinstance(node, list):
        return [_cut_texts(one, max_characters) for one in cast("list[Any]", node)]
    if not isinstance(node, Mapping):
        return node
    shown: dict[str, Any] = {}
    for key, value in cast("Mapping[str, Any]", node).items():
        if key not in _TEXTS or isinstance(value, Mapping):
            shown[key] = _cut_texts(value, max_characters)
        elif max_characters and isinstance(value, str):
            shown[key] = cut(value, max_characters)
    return shown


def _type_of(schema: Any) -> dict[str, Any]:
    given = cast("Mapping[str, Any]", schema).get("type") if isinstance(schema, Mapping) else None
    return {} if given is None else {"type": given}
