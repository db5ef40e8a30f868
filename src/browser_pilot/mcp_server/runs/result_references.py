"""References of a step to the result of an earlier one: ``"$1.ref"``. Pure.

A reference is a whole text, never a part of one, and its value is a text of the result as the client sees it: sanitized
and redacted. So a reference passes on nothing that the client could not have written itself. What names one of the
user's secrets is refused: a page must not get a secret typed by showing its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from browser_pilot.errors import InvalidArgument, PermissionDenied
from browser_pilot.secrets.secret_store import has_secret_references

# The name begins with a letter: "$1.50" is an amount. "$$1.ref" is the text "$1.ref".
_REFERENCE = re.compile(r"\$(?P<escaped>\$)?(?P<step>\d{1,4})\.(?P<path>[A-Za-z_][\w-]*(?:\.[\w-]+)*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reference:
    """``path`` leads to a value in the result of an earlier step."""

    text: str
    step: int
    path: tuple[str, ...]


def parse_reference(text: str) -> Reference | None:
    found = _REFERENCE.fullmatch(text)
    if found is None or found["escaped"]:
        return None
    return Reference(text, int(found["step"]), tuple(found["path"].split(".")))


def references_in(value: object) -> Iterator[Reference]:
    if isinstance(value, str):
        if (reference := parse_reference(value)) is not None:
            yield reference
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[str, object]", value).values():
            yield from references_in(inner)
    elif isinstance(value, Sequence):
        for inner in cast("Sequence[object]", value):
            yield from references_in(inner)


def fill_in(arguments: Mapping[str, object], results: Mapping[int, Mapping[str, object]]) -> dict[str, object]:
    """The arguments with the values of their references. ``results`` are those of the steps that succeeded."""

    def value_of(text: str) -> str:
        reference = parse_reference(text)
        if reference is not None:
            return _value_of(reference, results)
        found = _REFERENCE.fullmatch(text)
        return text if found is None else text[1:]

    return {name: _mapped(value, value_of) for name, value in arguments.items()}


def _mapped(value: object, value_of: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return value_of(value)
    if isinstance(value, Mapping):
        return {name: _mapped(inner, value_of) for name, inner in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list):
        return [_mapped(inner, value_of) for inner in cast("list[object]", value)]
    return value


def _value_of(reference: Reference, results: Mapping[int, Mapping[str, object]]) -> str:
    if reference.step not in results:
        raise InvalidArgument(
            f"{reference.text} has no value: step {reference.step} failed.",
            suggestions=["Give a value, or leave this step out."],
        )
    value: object = results[reference.step]
    for name in reference.path:
        value = _inner(value, name, reference, results[reference.step])
    if isinstance(value, bool | int | float):
        value = json.dumps(value)
    if not isinstance(value, str):
        raise _no_value(reference, results[reference.step])
    if has_secret_references(value):
        raise PermissionDenied(
            f"{reference.text} names a secret. A secret is only typed where the call itself names it.",
            suggestions=["Give {{secret:NAME}} in the step."],
        )
    return value


def _inner(value: object, name: str, reference: Reference, result: Mapping[str, object]) -> object:
    """A named value, an item of a list, or a value of the first row (of a search: the first match)."""
    if isinstance(value, list):
        items = cast("list[object]", value)
        if name.isdigit() and int(name) < len(items):
            return items[int(name)]
    elif isinstance(value, Mapping):
        data = cast("Mapping[str, object]", value)
        for row in (data, _first_row(data)):
            if name in row:
                return row[name]
    raise _no_value(reference, result)


def _first_row(data: Mapping[str, object]) -> Mapping[str, object]:
    """The first row of a table; of a search, the first that matches and has a ref."""
    tables = (cast("list[object]", value) for value in data.values() if isinstance(value, list))
    rows: list[object] = next((table for table in tables if table and isinstance(table[0], Mapping)), list[object]())
    for row in cast("list[Mapping[str, object]]", rows):
        if "match" not in row or (row["match"] and row.get("ref")):
            return row
    return {}


def _no_value(reference: Reference, result: Mapping[str, object]) -> InvalidArgument:
    names = ", ".join(name for name in (*result, *_first_row(result)))[:200]
    return InvalidArgument(
        f"{reference.text} has no value that is a text.",
        suggestions=[f"The result of step {reference.step} has: {names or 'nothing'}."],
    )
