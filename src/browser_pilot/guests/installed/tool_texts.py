"""Texts of guests' tools, made safe to show: to agents, and to the user who decides whether to add the guest.

The author's texts can say anything, but not move a cursor, start a line that looks like ours, hide characters, or be
endless. Names and values that a call must repeat keep their characters, except for hidden and control characters. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from browser_pilot.approvals.descriptions import plain_text
from browser_pilot.safe_text import cut, sanitize

MAX_DESCRIPTION_CHARACTERS = 4_000
MAX_TITLE_CHARACTERS = 200
MAX_SCHEMA_TEXT_CHARACTERS = 1_000
MAX_SCHEMA_VALUE_CHARACTERS = 500
# Keywords whose value is a text for readers.
_TEXTS = frozenset({"title", "description", "$comment", "markdownDescription"})
# Keywords whose value is a table: its names are the author's, not keywords.
_TABLES = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_SAME_PLACE = frozenset({"items", "anyOf", "oneOf", "allOf"})
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def shown_text(text: str, max_characters: int = MAX_DESCRIPTION_CHARACTERS) -> str:
    return cut(plain_text(text[: 2 * max_characters]), max_characters)


def shown_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as agents see it."""
    return cast("dict[str, Any]", _shown(schema))


def schema_texts(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """All that a schema says to its readers: where, and the text. Also values that they may repeat."""
    yield from _texts_in(shown_schema(schema), "")


def _shown(node: Any) -> Any:
    if isinstance(node, str):
        return _shown_value(node)
    if isinstance(node, list):
        return [_shown(one) for one in cast("list[Any]", node)]
    if not isinstance(node, Mapping):
        return node
    shown: dict[str, Any] = {}
    for key, value in cast("Mapping[str, Any]", node).items():
        if key in _TEXTS and isinstance(value, str):
            shown[key] = shown_text(value, MAX_SCHEMA_TEXT_CHARACTERS)
        elif key in _TABLES and isinstance(value, Mapping):
            parts = cast("Mapping[str, Any]", value).items()
            shown[key] = {_shown_value(name): _shown(one) for name, one in parts}
        else:
            shown[_shown_value(key)] = _shown(value)
    return shown


def _shown_value(text: str) -> str:
    return cut(_CONTROL.sub("", sanitize(text)), MAX_SCHEMA_VALUE_CHARACTERS)


def _texts_in(node: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, str):
        # A word or two, such as a type or a name, says nothing.
        if " " in node:
            yield where, plain_text(node)
    elif isinstance(node, Mapping):
        for key, value in cast("Mapping[str, Any]", node).items():
            if key in _TABLES and isinstance(value, Mapping):
                for name, part in cast("Mapping[str, Any]", value).items():
                    yield from _texts_in(part, _below(where, name))
            elif key in _TEXTS or key in _SAME_PLACE:
                yield from _texts_in(value, where)
            else:
                yield from _texts_in(value, _below(where, key))
    elif isinstance(node, Sequence):
        for one in cast("Sequence[Any]", node):
            yield from _texts_in(one, where)


def _below(where: str, name: str) -> str:
    return plain_text(f"{where}.{name}" if where else name)
