"""Validates the arguments of guests' tools against their JSON schemas, which are untrusted.

A schema must not cost the hub much time: it is bounded in size and depth (``schema_reduction``), and keywords of
unbounded cost (regular expressions, uniqueness) are shown to the agent but not enforced here. What is left can still
multiply: the work grows with the product of schema and arguments, and with a schema that refers to itself beyond that.
So the event loop validates small ones only (``validate_arguments``); a worker process with a deadline does the rest.
A guest's structured results are validated against its output schema in the same way (``validate_result``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from browser_pilot.errors import InvalidArgument
from browser_pilot.worker_processes import run_in_worker

from .schema_reduction import invalid_schema, reduce_schema

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, ValidationError

R = TypeVar("R")

MAX_VALUE_CHARS = 100
MAX_CACHED_VALIDATORS = 64
# Characters of the schema, and of the schema times those of the arguments: some milliseconds in the event loop.
MAX_INLINE_SCHEMA_CHARS = 1_500
MAX_INLINE_WORK = 150_000
VALIDATION_TIMEOUT_SECONDS = 5.0


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raises ``InvalidArgument`` if this cannot be the schema of a tool's arguments or structured results."""
    _validator(schema)


async def validate_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """``check_arguments`` for the event loop. Raises ``InvalidArgument``, also when validating takes too long."""
    try:
        await _within_deadline(check_arguments, schema, arguments)
    except RecursionError:
        raise InvalidArgument("The arguments are nested too deeply.", suggestions=["Send flatter data."]) from None
    except TimeoutError:
        raise InvalidArgument(
            f"The guest's schema cannot validate these arguments within {VALIDATION_TIMEOUT_SECONDS:g} seconds.",
            suggestions=["Send less at a time.", "Report it to the guest's author: its schema is too expensive."],
        ) from None


async def validate_result(schema: Mapping[str, Any], result: Mapping[str, Any]) -> str | None:
    """Why a structured result does not match its tool's output schema; None if it does."""
    try:
        return await _within_deadline(problem_of, schema, result)
    except RecursionError:
        return "it is nested too deeply"
    except TimeoutError:
        return f"it cannot be validated within {VALIDATION_TIMEOUT_SECONDS:g} seconds"


def check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raises ``InvalidArgument`` with one error."""
    problem = problem_of(schema, arguments)
    if problem is not None:
        names = ", ".join(cast("Mapping[str, Any]", schema.get("properties", {})))
        raise InvalidArgument(f"{problem}.", suggestions=[f"Arguments of this tool: {names or 'none'}."])


def problem_of(schema: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """The first reason why the data does not match the schema."""
    errors = cast("Iterable[ValidationError]", _validator(schema).iter_errors(dict(data)))  # pyright: ignore[reportUnknownMemberType]
    # The shallowest error is the most helpful one.
    problem = min(errors, key=lambda error: len(error.absolute_path), default=None)
    if problem is None:
        return None
    where = ".".join(str(part) for part in problem.absolute_path) or "the arguments"
    return f"{where}: {_short_message(problem)}"


async def _within_deadline(
    check: Callable[[Mapping[str, Any], Mapping[str, Any]], R], schema: Mapping[str, Any], data: Mapping[str, Any]
) -> R:
    """Raises ``TimeoutError``, ``RecursionError`` and what ``check`` raises."""
    text = json.dumps(schema)
    is_small = len(text) <= MAX_INLINE_SCHEMA_CHARS and len(text) * len(json.dumps(data)) <= MAX_INLINE_WORK
    if is_small and not reduce_schema(schema).is_recursive:
        return check(schema, data)
    return await run_in_worker(check, dict(schema), dict(data), timeout_seconds=VALIDATION_TIMEOUT_SECONDS)


def _validator(schema: Mapping[str, Any]) -> Draft202012Validator:
    try:
        return _validator_of(json.dumps(schema))
    except RecursionError:
        raise invalid_schema("it is too deep") from None


@lru_cache(maxsize=MAX_CACHED_VALIDATORS)
def _validator_of(text: str) -> Draft202012Validator:
    schema = cast("dict[str, Any]", json.loads(text))
    # Imported only where there are guests: 3 MB.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing import Registry

    if schema.get("type", "object") != "object":
        raise invalid_schema("it must be of the type object")
    reduced = reduce_schema(schema).schema
    try:
        Draft202012Validator.check_schema(reduced)
    except SchemaError as error:
        raise invalid_schema(_short_message(error)) from None
    # The default registry would fetch remote references.
    return Draft202012Validator(reduced, registry=Registry())


def _short_message(problem: ValidationError | SchemaError) -> str:
    text = problem.message
    return text if len(text) <= MAX_VALUE_CHARS * 3 else text[: MAX_VALUE_CHARS * 3] + "…"
