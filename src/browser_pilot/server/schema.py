"""Turns a tool's argument model into a JSON schema of few tokens, and bad arguments into one clear error. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from ..errors import InvalidArgument

LONGEST_VALUE_SHOWN = 80
LONGEST_TIMEOUT_MS = 600_000
# Taken by every tool and told once, in the server's instructions: repeating them would cost 500 tokens a client.
UNLISTED: dict[str, JsonValue] = {"unlisted": True}


class Arguments(BaseModel):
    """The base of every tool's arguments: unknown names are refused, not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TabArguments(Arguments):
    tab: Annotated[str | None, Field(json_schema_extra=UNLISTED)] = None
    session: Annotated[str | None, Field(json_schema_extra=UNLISTED)] = None
    timeout_ms: Annotated[int | None, Field(ge=1, le=LONGEST_TIMEOUT_MS, json_schema_extra=UNLISTED)] = None


A = TypeVar("A", bound=Arguments)


def lean_schema(model: type[Arguments]) -> dict[str, Any]:
    """The model's schema without what an agent does not need: titles, null alternatives, null defaults."""
    schema = model.model_json_schema()
    listed = {name: value for name, value in schema.get("properties", {}).items() if not value.pop("unlisted", False)}
    lean = _lean({**schema, "properties": listed})
    # Unknown arguments are refused with a message that names the known ones; the schema need not say so.
    lean.pop("additionalProperties", None)
    lean.pop("description", None)
    return lean


def _lean(node: Any) -> Any:
    if isinstance(node, list):
        return [_lean(item) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    table = {key: value for key, value in cast(dict[str, Any], node).items() if not _is_noise(key, value)}
    alternatives = table.get("anyOf")
    if isinstance(alternatives, list):
        kept = [item for item in cast(list[Any], alternatives) if item != {"type": "null"}]
        if len(kept) == 1:
            table.pop("anyOf")
            table = {**kept[0], **table}
            table = {key: value for key, value in table.items() if not _is_noise(key, value)}
        else:
            table["anyOf"] = kept
    return {
        key: {name: _lean(inner) for name, inner in cast(dict[str, Any], value).items()}
        if key == "properties"
        else _lean(value)
        for key, value in table.items()
    }


def _is_noise(key: str, value: Any) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and value is None)


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
                if len(shown) > LONGEST_VALUE_SHOWN:
                    shown = f"{shown[:LONGEST_VALUE_SHOWN]}…"
                problems.append(f"{name} = {shown}: {problem['msg'].removeprefix('Value error, ')}")
        expected = ", ".join(model.model_fields)
        raise InvalidArgument(f"{'; '.join(problems)}.", suggestions=[f"Arguments of this tool: {expected}."]) from None
