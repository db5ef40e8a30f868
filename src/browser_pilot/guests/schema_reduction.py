"""Reduces a guest's JSON schema to what the hub validates: bounded in size and depth, with local references only.

Each definition that the schema refers to is reduced once and kept under ``$defs``, so that a schema may refer to
itself (a tree of comments). It may not do so without going deeper into the data: validating would never end. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from browser_pilot.errors import InvalidArgument

MAX_NODES = 2_000
MAX_DEPTH = 24
# The nodes when each reference is replaced by what it refers to.
MAX_EXPANDED_NODES = 20_000
MAX_CACHED_SCHEMAS = 64
_UNBOUNDED = frozenset(
    {"pattern", "patternProperties", "uniqueItems", "format", "$schema", "$id", "$anchor", "$dynamicAnchor",
     "$dynamicRef", "$recursiveRef", "$vocabulary", "unevaluatedProperties", "unevaluatedItems", "$defs",
     "definitions", "propertyNames"}
)  # fmt: skip
_DATA = frozenset({"enum", "const", "default", "examples"})
# Keywords whose value is a table of schemas: its names are the author's, not keywords.
_TABLES = frozenset({"properties", "dependentSchemas"})
# Keywords whose schemas apply to the same value, not to a part of it.
_SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


@dataclass(frozen=True)
class ReducedSchema:
    schema: Mapping[str, Any]
    is_recursive: bool


def invalid_schema(what: str) -> InvalidArgument:
    return InvalidArgument(f"The schema of a guest's tool cannot be used: {what}.")


def reduce_schema(schema: Mapping[str, Any]) -> ReducedSchema:
    """Raises ``InvalidArgument`` if it is too large or too deep, or has a reference that cannot be used."""
    return _reduced(json.dumps(schema))


@lru_cache(maxsize=MAX_CACHED_SCHEMAS)
def _reduced(text: str) -> ReducedSchema:
    reducer = _Reducer(json.loads(text))
    reduced = reducer.reduce_all()
    graph = _References(reduced)
    graph.require_progress()
    is_recursive = graph.is_recursive
    if not is_recursive and graph.expanded_nodes() > MAX_EXPANDED_NODES:
        raise invalid_schema("it is too large once its references are resolved")
    return ReducedSchema(reduced, is_recursive)


class _Reducer:
    """``_names`` has a name for each definition that is referred to, by its pointer."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0
        self._names: dict[str, str] = {}
        self._waiting: list[str] = []

    def reduce_all(self) -> dict[str, Any]:
        reduced = cast("dict[str, Any]", self._reduce(self._root, 0))
        definitions: dict[str, Any] = {}
        while self._waiting:
            pointer = self._waiting.pop()
            definitions[self._names[pointer]] = self._reduce(self._resolve(pointer), 0)
        return {**reduced, "$defs": definitions} if definitions else reduced

    def _reduce(self, node: Any, depth: int) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            raise invalid_schema("it is too large or too deep")
        if isinstance(node, list):
            return [self._reduce(one, depth + 1) for one in cast("list[Any]", node)]
        if not isinstance(node, dict):
            return node
        table = cast("dict[str, Any]", node)
        return {
            key: self._reduce_keyword(key, value, depth + 1) for key, value in table.items() if key not in _UNBOUNDED
        }

    def _reduce_keyword(self, key: str, value: Any, depth: int) -> Any:
        if key in _DATA:
            return value
        if key == "$ref" and isinstance(value, str):
            return self._reference(value)
        if key in _TABLES and isinstance(value, dict):
            return {name: self._reduce(one, depth + 1) for name, one in cast("dict[str, Any]", value).items()}
        return self._reduce(value, depth)

    def _reference(self, pointer: str) -> str:
        if pointer == "#":
            return pointer
        self._resolve(pointer)
        if pointer not in self._names:
            self._names[pointer] = f"d{len(self._names)}"
            self._waiting.append(pointer)
        return f"#/$defs/{self._names[pointer]}"

    def _resolve(self, pointer: str) -> Any:
        node: Any = self._root
        for part in pointer[2:].split("/") if pointer.startswith("#/") else [""]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and key.isdecimal() and int(key) < len(cast("list[Any]", node)):
                node = cast("list[Any]", node)[int(key)]
            elif isinstance(node, dict) and key in node and pointer.startswith("#/"):
                node = cast("dict[str, Any]", node)[key]
            else:
                raise invalid_schema(f"it has no definition for {pointer[:80]!r}")
        return node


class _References:
    """The definitions of a reduced schema and which refer to which; "#" is the schema itself."""

    def __init__(self, reduced: Mapping[str, Any]) -> None:
        definitions = cast("Mapping[str, Any]", reduced.get("$defs", {}))
        self._parts: dict[str, Any] = {f"#/$defs/{name}": one for name, one in definitions.items()}
        self._parts["#"] = {key: value for key, value in reduced.items() if key != "$defs"}

    def require_progress(self) -> None:
        """Raises ``InvalidArgument`` if a definition refers to itself for the same value."""
        same_value = {name: set(_applied_to_same_value(part)) for name, part in self._parts.items()}
        if _has_cycle(same_value):
            raise invalid_schema("it refers to itself without end")

    @property
    def is_recursive(self) -> bool:
        return _has_cycle({name: set(_all_references(part)) for name, part in self._parts.items()})

    def expanded_nodes(self) -> int:
        sizes: dict[str, int] = {}

        def size_of(name: str) -> int:
            if name not in sizes:
                part = self._parts[name]
                sizes[name] = _count_nodes(part) + sum(map(size_of, _all_references(part)))
            return sizes[name]

        return size_of("#")


def _applied_to_same_value(node: Any) -> Iterator[str]:
    if not isinstance(node, dict):
        return
    table = cast("dict[str, Any]", node)
    if isinstance(table.get("$ref"), str):
        yield table["$ref"]
    for key in _SAME_VALUE:
        value = table.get(key)
        if isinstance(value, list):
            for one in cast("list[Any]", value):
                yield from _applied_to_same_value(one)
        elif key == "dependentSchemas" and isinstance(value, dict):
            for one in cast("dict[str, Any]", value).values():
                yield from _applied_to_same_value(one)
        else:
            yield from _applied_to_same_value(value)


def _all_references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for one in cast("list[Any]", node):
            yield from _all_references(one)
    elif isinstance(node, dict):
        for key, value in cast("dict[str, Any]", node).items():
            if key == "$ref" and isinstance(value, str):
                yield value
            elif key not in _DATA:
                yield from _all_references(value)


def _count_nodes(node: Any) -> int:
    if isinstance(node, list):
        return 1 + sum(map(_count_nodes, cast("list[Any]", node)))
    if isinstance(node, dict):
        return 1 + sum(map(_count_nodes, cast("dict[str, Any]", node).values()))
    return 1


def _has_cycle(edges: Mapping[str, set[str]]) -> bool:
    """Whether a path leads from a node to itself: remove nodes without successors until none is left."""
    left = {name: set(targets) for name, targets in edges.items()}
    while ended := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in ended:
            del left[name]
    return bool(left)
