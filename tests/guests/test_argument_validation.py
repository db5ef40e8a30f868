"""Schemas of guests' tools check arguments and cannot make the hub work hard."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import InvalidArgument
from browser_pilot.guests import argument_validation
from browser_pilot.guests.argument_validation import check_arguments, check_schema, validate_arguments
from tests.loop_blocks import ticks_during

from .hostile_schemas import NUMBERS, multiplying_schema, nested_any_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "url": {"type": "string"},
        "n": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["a", "b"]},
        "pattern": {"type": "string"},
        "where": {"$ref": "#/$defs/place"},
    },
    "required": ["url"],
    "additionalProperties": False,
    "$defs": {"place": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
}


@pytest.mark.parametrize(
    "arguments",
    [{"url": "x"}, {"url": "x", "n": 1, "kind": "b", "pattern": "p"}, {"url": "x", "where": {"x": 1.5}}],
)
def test_valid_arguments_pass(arguments: dict[str, Any]) -> None:
    check_arguments(SCHEMA, arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "'url' is a required property"),
        ({"url": 5}, "url: 5 is not of type 'string'"),
        ({"url": "x", "n": 0}, "n: 0 is less than"),
        ({"url": "x", "kind": "c"}, "kind"),
        ({"url": "x", "other": 1}, "other"),
        ({"url": "x", "pattern": 1}, "pattern"),
        ({"url": "x", "where": {}}, "where: 'x' is a required property"),
    ],
)
def test_invalid_arguments_are_refused_with_the_reason(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        check_arguments(SCHEMA, arguments)


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def branching(levels: int) -> dict[str, Any]:
    """Small, but huge once its references are inlined."""
    places = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 4} for n in range(levels)}
    return {"type": "object", "$defs": places, "properties": {"a": {"$ref": "#/$defs/d0"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"type": ["object", "null"]},
        {"type": "object", "properties": 5},
        {"type": "object", "properties": {"a": {"type": "nonsense"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
        {"type": "object", "allOf": [{"$ref": "#"}]},
        {"type": "object", "properties": {"a": {"anyOf": [{"not": {"$ref": "#/properties/a"}}, {"type": "null"}]}}},
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/schema.json"}}},
        {"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/absent"}}},
        {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(5000)}},
        nested(100),
        branching(30),
    ],
)
def test_an_invalid_or_expensive_schema_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        check_schema(schema)


TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"root": {"$ref": "#/definitions/comment"}},
    "definitions": {
        "comment": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "replies": {"type": "array", "items": {"$ref": "#/definitions/comment"}},
            },
            "required": ["text"],
        }
    },
}


def comments(levels: int, leaf: dict[str, Any]) -> dict[str, Any]:
    node = leaf
    for _ in range(levels):
        node = {"text": "x", "replies": [node]}
    return {"root": node}


async def test_a_schema_of_a_tree_validates_every_level_of_it() -> None:
    check_schema(TREE)
    await validate_arguments(TREE, comments(5, {"text": "leaf"}))
    with pytest.raises(InvalidArgument, match=r"root\.replies\.0\.replies\.0\.text: 5 is not of type 'string'"):
        await validate_arguments(TREE, comments(2, {"text": 5}))


async def test_a_schema_that_refers_to_itself_is_validated_outside_of_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such a schema can multiply with the depth of small arguments."""
    twice = {"anyOf": [{"$ref": "#/$defs/d"}, {"$ref": "#/$defs/d"}]}
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/d"}},
        "$defs": {"d": {"properties": {"a": twice}, "required": ["a"]}},
    }
    arguments: dict[str, Any] = {}
    for _ in range(40):
        arguments = {"a": arguments}
    monkeypatch.setattr(argument_validation, "VALIDATION_TIMEOUT_SECONDS", 0.5)
    async with ticks_during() as ticks:
        with pytest.raises(InvalidArgument, match="within 0"):
            await validate_arguments(schema, arguments)
    assert ticks.count >= 5


def test_a_regular_expression_in_a_schema_is_never_run() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    began = time.process_time()

    check_arguments(schema, {"a": "a" * 60 + "!"})

    assert time.process_time() - began < 2


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.none(), max_size=4))
def test_arbitrary_arguments_pass_or_are_refused_with_suggestions(arguments: dict[str, Any]) -> None:
    try:
        check_arguments(SCHEMA, arguments)
    except InvalidArgument as error:
        assert error.suggestions
    else:
        assert isinstance(arguments["url"], str)


def test_a_very_deep_schema_is_refused_without_a_recursion_error() -> None:
    deep: dict[str, object] = {}
    for _ in range(20_000):
        deep = {"properties": {"a": deep}}
    with pytest.raises(InvalidArgument, match="too deep"):
        check_schema({"type": "object", **deep})


@pytest.mark.parametrize("schema", [multiplying_schema(), nested_any_of()], ids=["contains", "any of"])
async def test_a_schema_that_takes_minutes_ends_at_a_deadline_while_the_loop_goes_on(
    schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(argument_validation, "VALIDATION_TIMEOUT_SECONDS", 0.5)
    async with ticks_during() as ticks:
        with pytest.raises(InvalidArgument, match="within 0"):
            await validate_arguments(schema, {"rows": NUMBERS * 10})
    assert ticks.count >= 5


async def test_large_arguments_are_validated_by_the_same_rules() -> None:
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "integer"}}}}
    await validate_arguments(schema, {"rows": NUMBERS})
    with pytest.raises(InvalidArgument, match=r"rows\.3000: 'x' is not of type 'integer'"):
        await validate_arguments(schema, {"rows": [*NUMBERS, "x"]})
