"""A tool's arguments: the model as a JSON schema of few tokens, and their validation. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from browser_pilot.errors import InvalidArgument

MAX_VALUE_CHARACTERS = 80
MAX_TIMEOUT_MS = 600_000
# Every profile accepts them; only `full` lists them, because every client pays for what is listed.
LISTED_IN_FULL: dict[str, JsonValue] = {"full": True}
# Other names that models give to an argument.
_ELEMENT_NAMES = ("ref", "selector")


class Arguments(BaseModel):
    """The base of every tool's arguments: unknown names are rejected, not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    def given(self) -> dict[str, Any]:
        """What the caller gave, under the names and in the forms of the schema."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @model_validator(mode="before")
    @classmethod
    def _use_schema_names(cls, given: object) -> object:
        """The arguments under the names of the schema, where a model wrote another usual name."""
        return _renamed(cls, cast("Mapping[str, object]", given)) if isinstance(given, Mapping) else given


class TabArguments(Arguments):
    tab: str | None = None
    session: Annotated[str | None, Field(json_schema_extra=LISTED_IN_FULL)] = None
    timeout_ms: Annotated[int | None, Field(ge=1, le=MAX_TIMEOUT_MS, json_schema_extra=LISTED_IN_FULL)] = None


A = TypeVar("A", bound=Arguments)


_KEPT = ("type", "anyOf", "enum", "description", "maximum", "minItems", "maxItems", "required")


@cache
def lean_schema(model: type[Arguments], *, full: bool = False) -> dict[str, Any]:
    """The model's schema, reduced to what an agent needs: names, types, enums, limits, and what is required.

    Titles, lower limits and most defaults are left out. The first value of an enum is the default.
    """
    schema = model.model_json_schema()
    definitions = cast(dict[str, Any], schema.get("$defs", {}))
    properties = cast(dict[str, dict[str, Any]], schema.get("properties", {}))
    listed = {name: facts for name, facts in properties.items() if full or not facts.get("full")}
    lean: dict[str, Any] = {"type": "object", "properties": {name: _lean(listed[name], definitions) for name in listed}}
    if schema.get("required"):
        lean["required"] = schema["required"]
    return {**lean, "additionalProperties": False}


def _lean(facts: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in facts:
        return _lean({**definitions[facts["$ref"].rpartition("/")[2]], **_without(facts, "$ref")}, definitions)
    alternatives = [kind for kind in facts.get("anyOf", ()) if kind != {"type": "null"}]
    if len(alternatives) == 1:
        return _lean({**alternatives[0], **_without(facts, "anyOf")}, definitions)
    if alternatives:
        facts = {**facts, "anyOf": alternatives}
    kept = {key: facts[key] for key in _KEPT if key in facts}
    if "items" in facts:
        kept["items"] = _lean(facts["items"], definitions)
    if "properties" in facts:
        kept["properties"] = {name: _lean(inner, definitions) for name, inner in facts["properties"].items()}
    default = facts.get("default")
    if default is True or ("enum" in kept and default not in (None, kept["enum"][0])):
        kept["default"] = default
    return kept


def _without(facts: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name != key}


def _renamed(model: type[Arguments], given: Mapping[str, object]) -> dict[str, object]:
    fields, renamed = model.model_fields, dict(given)
    if "element" in fields and "element" not in given:
        other = [name for name in _ELEMENT_NAMES if name in given and name not in fields]
        if len(other) == 1:
            renamed["element"] = renamed.pop(other[0])
        elif "x" in given and "y" in given and fields.keys().isdisjoint(("x", "y")):
            renamed["element"] = {"x": renamed.pop("x"), "y": renamed.pop("y")}
    if "values" in fields and "value" not in fields and "value" in given and "values" not in given:
        renamed["values"] = renamed.pop("value")
    return renamed


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
                message = problem["msg"].removeprefix("Value error, ").replace("valid tuple", "valid list")
                problems.append(f"{name} = {shown}: {message}")
        expected = ", ".join(model.model_fields)
        raise InvalidArgument(f"{'; '.join(problems)}.", suggestions=[f"Arguments of this tool: {expected}."]) from None
