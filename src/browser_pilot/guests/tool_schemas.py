"""JSON schemas that strangers wrote: checked, tamed, and used to check arguments. Pure.

A schema may not make the hub work hard: it is bounded in size and depth, its local references are put in place, and
keywords whose cost nobody bounds (regular expressions, uniqueness) are told to the agent but not enforced here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from ..errors import InvalidArgument

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, ValidationError

MOST_NODES = 2_000
DEEPEST = 24
_UNBOUNDED = frozenset(
    {"pattern", "patternProperties", "uniqueItems", "format", "$schema", "$id", "$anchor", "$dynamicAnchor",
     "$dynamicRef", "$recursiveRef", "$vocabulary", "unevaluatedProperties", "unevaluatedItems", "$defs",
     "definitions", "propertyNames"}
)  # fmt: skip
_DATA = frozenset({"enum", "const", "default", "examples"})
LONGEST_VALUE_SHOWN = 100
_VALIDATORS_KEPT = 64


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raises ``InvalidArgument`` for what cannot be the schema of a tool's arguments."""
    _validator(schema)


def check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raises ``InvalidArgument`` with the worst mistake."""
    errors = cast("Iterable[ValidationError]", _validator(schema).iter_errors(dict(arguments)))  # pyright: ignore[reportUnknownMemberType]
    # The shallowest mistake is the one to tell: what is inside a wrong value says little.
    problem = min(errors, key=lambda error: len(error.absolute_path), default=None)
    if problem is not None:
        where = ".".join(str(part) for part in problem.absolute_path) or "the arguments"
        names = ", ".join(cast("Mapping[str, Any]", schema.get("properties", {})))
        raise InvalidArgument(
            f"{where}: {_shortened(problem)}.", suggestions=[f"Arguments of this tool: {names or 'none'}."]
        )


def _validator(schema: Mapping[str, Any]) -> Draft202012Validator:
    try:
        return _made_once(json.dumps(schema))
    except RecursionError:
        raise _wrong("it is too deep") from None


@lru_cache(maxsize=_VALIDATORS_KEPT)
def _made_once(text: str) -> Draft202012Validator:
    schema = cast("dict[str, Any]", json.loads(text))
    # 3 MB, for those who have guests.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing import Registry

    if schema.get("type", "object") != "object":
        raise _wrong("it must be of the type object")
    tamed = _Tamer(schema).tame(schema, 0)
    try:
        Draft202012Validator.check_schema(tamed)
    except SchemaError as error:
        raise _wrong(_shortened(error)) from None
    # Without a registry of its own it would fetch what a reference names.
    return Draft202012Validator(tamed, registry=Registry())


class _Tamer:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0

    def tame(self, node: Any, depth: int) -> Any:
        self._nodes += 1
        if self._nodes > MOST_NODES or depth > DEEPEST:
            raise _wrong("it is too large, too deep, or refers to itself")
        if isinstance(node, list):
            return [self.tame(one, depth + 1) for one in cast("list[Any]", node)]
        if not isinstance(node, dict):
            return node
        table = cast("dict[str, Any]", node)
        if isinstance(table.get("$ref"), str):
            return self.tame(self._find(table["$ref"]), depth + 1)
        return {key: self._tame_keyword(key, value, depth + 1) for key, value in table.items() if key not in _UNBOUNDED}

    def _tame_keyword(self, key: str, value: Any, depth: int) -> Any:
        if key in _DATA:
            return value
        if key == "properties" and isinstance(value, dict):
            # The names in here are the author's own and no keywords.
            return {name: self.tame(one, depth + 1) for name, one in cast("dict[str, Any]", value).items()}
        return self.tame(value, depth)

    def _find(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            raise _wrong(f"it refers to {reference[:80]!r}, which is not in it")
        node: Any = self._root
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(node, dict) or key not in node:
                raise _wrong(f"it refers to {reference[:80]!r}, which is not in it")
            node = cast("dict[str, Any]", node)[key]
        return node


def _shortened(problem: ValidationError | SchemaError) -> str:
    text = problem.message
    return text if len(text) <= LONGEST_VALUE_SHOWN * 3 else text[: LONGEST_VALUE_SHOWN * 3] + "…"


def _wrong(what: str) -> InvalidArgument:
    return InvalidArgument(f"The schema of a guest's tool cannot be used: {what}.")
