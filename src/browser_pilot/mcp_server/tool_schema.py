"""A tool's arguments: the model as a JSON schema of few tokens, and their validation. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from browser_pilot.errors import InvalidArgument

MAX_VALUE_CHARACTERS = 80
MAX_TIMEOUT_MS = 600_000
# Every tool has these arguments. The server's instructions describe them once: repeating them costs 500 tokens.
UNLISTED: dict[str, JsonValue] = {"unlisted": True}


class Arguments(BaseModel):
    """The base of every tool's arguments: unknown names are rejected, not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TabArguments(Arguments):
    tab: Annotated[str | None, Field(json_schema_extra=UNLISTED)] = None
    session: Annotated[str | None, Field(json_schema_extra=UNLISTED)] = None
    timeout_ms: Annotated[int | None, Field(ge=1, le=MAX_TIMEOUT_MS, json_schema_extra=UNLISTED)] = None


A = TypeVar("A", bound=Arguments)


@cache
def lean_schema(model: type[Arguments]) -> dict[str, Any]:
    """The model's schema, reduced to what an agent needs: names, types, enums, and what is required.

    Titles, limits and empty defaults are left out: the error for a value outside a limit states the limit. The first
    value of an enum is the default.
    """
    schema = model.model_json_schema()
    definitions = cast(dict[str, Any], schema.get("$defs", {}))
    properties = cast(dict[str, dict[str, Any]], schema.get("properties", {}))
    listed = {name: facts for name, facts in properties.items() if not facts.get("unlisted")}
    lean: dict[str, Any] = {"type": "object", "properties": {name: _lean(listed[name], definitions) for name in listed}}
    if schema.get("required"):
        lean["required"] = schema["required"]
    return lean


def _lean(facts: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in facts:
        return _lean({**definitions[facts["$ref"].rpartition("/")[2]], **_without(facts, "$ref")}, definitions)
    alternatives = [kind for kind in facts.get("anyOf", ()) if kind != {"type": "null"}]
    if len(alternatives) == 1:
        return _lean({**alternatives[0], **_without(facts, "anyOf")}, definitions)
    kept = {key: facts[key] for key in ("type", "enum", "description", "required") if key in facts}
    if "enum" in kept:
        kept.pop("type", None)
    if "items" in facts:
        kept["items"] = _lean(facts["items"], definitions)
    if "properties" in facts:
        kept["properties"] = {name: _lean(inner, definitions) for name, inner in facts["properties"].items()}
    default = facts.get("default")
    if default and default != (kept.get("enum") or [None])[0]:
        kept["default"] = default
    return kept


def _without(facts: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name != key}


def parse_arguments(model: type[A], given: Mapping[str, Any]) -> A:
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        problems: list[str] = []
        for problem in error.errors(include_url=False):
            name = ".".join(str(part) for part in problem["loc"]) or "arguments"
            if problem["type"] == "extra_forbidden":
                problems.append(f"there is no argument {name!r}")
            elif problem["type"] == "missing":
                problems.append(f"{name!r} is missing")
            else:
                shown = repr(problem["input"])
                if len(shown) > MAX_VALUE_CHARACTERS:
                    shown = f"{shown[:MAX_VALUE_CHARACTERS]}…"
                problems.append(f"{name} = {shown}: {problem['msg'].removeprefix('Value error, ')}")
        expected = ", ".join(model.model_fields)
        raise InvalidArgument(f"{'; '.join(problems)}.", suggestions=[f"Arguments of this tool: {expected}."]) from None
