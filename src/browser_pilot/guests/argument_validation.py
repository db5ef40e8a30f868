"""Validates the arguments of guests' tools against their JSON schemas, which are untrusted.

A schema must not cost the hub much time: it is bounded in size and depth, its local references are inlined, and
keywords of unbounded cost (regular expressions, uniqueness) are shown to the agent but not enforced here. What is left
can still multiply: the work grows with the product of schema and arguments. So the event loop validates small ones
only (``validate_arguments``); a worker process with a deadline does the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from browser_pilot.errors import InvalidArgument
from browser_pilot.worker_processes import run_in_worker

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, ValidationError

MAX_NODES = 2_000
MAX_DEPTH = 24
_UNBOUNDED = frozenset(
    {"pattern", "patternProperties", "uniqueItems", "format", "$schema", "$id", "$anchor", "$dynamicAnchor",
     "$dynamicRef", "$recursiveRef", "$vocabulary", "unevaluatedProperties", "unevaluatedItems", "$defs",
     "definitions", "propertyNames"}
)  # fmt: skip
_DATA = frozenset({"enum", "const", "default", "examples"})
MAX_VALUE_CHARS = 100
MAX_CACHED_VALIDATORS = 64
# Characters of the schema, and of the schema times those of the arguments: some milliseconds in the event loop.
MAX_INLINE_SCHEMA_CHARS = 1_500
MAX_INLINE_WORK = 150_000
VALIDATION_TIMEOUT_SECONDS = 5.0


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raises ``InvalidArgument`` if this cannot be the schema of a tool's arguments."""
    _validator(schema)


async def validate_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """``check_arguments`` for the event loop. Raises ``InvalidArgument``, also when validating takes too long."""
    try:
        schema_chars = len(json.dumps(schema))
        if schema_chars <= MAX_INLINE_SCHEMA_CHARS and schema_chars * len(json.dumps(arguments)) <= MAX_INLINE_WORK:
            check_arguments(schema, arguments)
            return
        await run_in_worker(check_arguments, dict(schema), dict(arguments), timeout_seconds=VALIDATION_TIMEOUT_SECONDS)
    except RecursionError:
        raise InvalidArgument("The arguments are nested too deeply.", suggestions=["Send flatter data."]) from None
    except TimeoutError:
        raise InvalidArgument(
            f"The guest's schema cannot validate these arguments within {VALIDATION_TIMEOUT_SECONDS:g} seconds.",
            suggestions=["Send less at a time.", "Report it to the guest's author: its schema is too expensive."],
        ) from None


def check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raises ``InvalidArgument`` with one error."""
    errors = cast("Iterable[ValidationError]", _validator(schema).iter_errors(dict(arguments)))  # pyright: ignore[reportUnknownMemberType]
    # The shallowest error is the most helpful one.
    problem = min(errors, key=lambda error: len(error.absolute_path), default=None)
    if problem is not None:
        where = ".".join(str(part) for part in problem.absolute_path) or "the arguments"
        names = ", ".join(cast("Mapping[str, Any]", schema.get("properties", {})))
        raise InvalidArgument(
            f"{where}: {_short_message(problem)}.", suggestions=[f"Arguments of this tool: {names or 'none'}."]
        )


def _validator(schema: Mapping[str, Any]) -> Draft202012Validator:
    try:
        return _validator_of(json.dumps(schema))
    except RecursionError:
        raise _invalid("it is too deep") from None


@lru_cache(maxsize=MAX_CACHED_VALIDATORS)
def _validator_of(text: str) -> Draft202012Validator:
    schema = cast("dict[str, Any]", json.loads(text))
    # Imported only where there are guests: 3 MB.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing import Registry

    if schema.get("type", "object") != "object":
        raise _invalid("it must be of the type object")
    reduced = _SchemaReducer(schema).reduce(schema, 0)
    try:
        Draft202012Validator.check_schema(reduced)
    except SchemaError as error:
        raise _invalid(_short_message(error)) from None
    # The default registry would fetch remote references.
    return Draft202012Validator(reduced, registry=Registry())


class _SchemaReducer:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0

    def reduce(self, node: Any, depth: int) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            raise _invalid("it is too large, too deep, or refers to itself")
        if isinstance(node, list):
            return [self.reduce(one, depth + 1) for one in cast("list[Any]", node)]
        if not isinstance(node, dict):
            return node
        table = cast("dict[str, Any]", node)
        if isinstance(table.get("$ref"), str):
            return self.reduce(self._resolve(table["$ref"]), depth + 1)
        return {
            key: self._reduce_keyword(key, value, depth + 1) for key, value in table.items() if key not in _UNBOUNDED
        }

    def _reduce_keyword(self, key: str, value: Any, depth: int) -> Any:
        if key in _DATA:
            return value
        if key == "properties" and isinstance(value, dict):
            # These names are the author's, not keywords.
            return {name: self.reduce(one, depth + 1) for name, one in cast("dict[str, Any]", value).items()}
        return self.reduce(value, depth)

    def _resolve(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            raise _invalid(f"it has no definition for {reference[:80]!r}")
        node: Any = self._root
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(node, dict) or key not in node:
                raise _invalid(f"it has no definition for {reference[:80]!r}")
            node = cast("dict[str, Any]", node)[key]
        return node


def _short_message(problem: ValidationError | SchemaError) -> str:
    text = problem.message
    return text if len(text) <= MAX_VALUE_CHARS * 3 else text[: MAX_VALUE_CHARS * 3] + "…"


def _invalid(what: str) -> InvalidArgument:
    return InvalidArgument(f"The schema of a guest's tool cannot be used: {what}.")
