"""Explains invalid settings: one line per key, with its value, its origin and what to write instead. Pure."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from browser_pilot.errors import SettingsError

# What pydantic says in words of Python, by its type of error.
_REQUIREMENTS = {
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "string_type": "must be text in quotes",
    "path_type": "must be a path in quotes",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
}


def settings_error(error: ValidationError, origins: Mapping[tuple[str, ...], str], root: BaseModel) -> SettingsError:
    """``root``: default settings, which show the form of a value."""
    problems = cast("list[Mapping[str, Any]]", error.errors(include_url=False))
    lines = sorted({_line(problem, origins, root) for problem in problems})
    message = lines[0] if len(lines) == 1 else "\n".join([f"{len(lines)} settings are invalid:", *lines])
    return SettingsError(message, suggestions=["Correct the value, or remove it to use the default."])


def _line(problem: Mapping[str, Any], origins: Mapping[tuple[str, ...], str], root: BaseModel) -> str:
    location = tuple(str(part) for part in problem["loc"])
    origin = next((origins[location[:n]] for n in range(len(location), 0, -1) if location[:n] in origins), None)
    where = f" (from {origin})" if origin else ""
    key = ".".join(location)
    if problem["type"] == "extra_forbidden":
        return f"{key}{where} is not a setting; {_similar(location, root)}."
    if isinstance(problem["input"], Mapping) and problem["type"] == "value_error":
        # A rule about several settings: it names them.
        return f"{_requirement(problem, location, root)}."
    return f"{key} = {as_toml(problem['input'])}{where}: {_requirement(problem, location, root)}."


def _requirement(problem: Mapping[str, Any], location: tuple[str, ...], root: BaseModel) -> str:
    kind = problem["type"]
    if kind == "value_error":
        return problem["msg"].removeprefix("Value error, ")
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"is a section, with settings of its own: [{'.'.join(location)}]"
    if kind in ("tuple_type", "missing", "too_long"):
        *_, example = _values(location, root)
        return f"must be a list such as {as_toml(example or ['example'])}"
    requirement = _REQUIREMENTS.get(kind)
    return requirement.format_map(problem.get("ctx", {})) if requirement else problem["msg"]


def _similar(location: tuple[str, ...], root: BaseModel) -> str:
    """What the user may have meant: a similar name beside it, or in another section; else the known names."""
    section, *_ = [value for value in _values(location, root) if isinstance(value, BaseModel)][-1:] or [root]
    known = list(type(section).model_fields)
    prefix = location[:-1]
    close = difflib.get_close_matches(location[-1], known, 1)
    if close:
        return f"did you mean {'.'.join((*prefix, *close))}?"
    elsewhere = [
        f"{name}.{location[-1]}"
        for name in type(root).model_fields
        if isinstance(value := getattr(root, name), BaseModel) and location[-1] in type(value).model_fields
    ]
    if elsewhere:
        return f"did you mean {' or '.join(elsewhere)}?"
    return f"known here: {', '.join(known)}"


def _values(location: tuple[str, ...], root: BaseModel) -> Iterator[object]:
    """The default values on the way to a location; ends at the last one that is a setting."""
    value: object = root
    yield value
    for name in location:
        if not isinstance(value, BaseModel) or name not in type(value).model_fields:
            return
        value = getattr(value, name)
        yield value


def as_toml(value: Any) -> str:
    """A value as it would be in the file; texts with the quotes that need no escapes."""
    if isinstance(value, bool | list | tuple | int | float):
        return json.dumps(value, ensure_ascii=False, default=repr)
    return repr(value)
