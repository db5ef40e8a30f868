"""JSON with comments: what is parsed, and that setting one member leaves the rest of the text as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.cli.mcp_clients.jsonc import JsoncError, parse_jsonc, set_member
from browser_pilot.json_types import Json

SETTINGS = """\
// Settings of mine
{
    "theme": "One", // light
    /* servers
       of mine */
    "servers": {
        "other": {"command": "x", "args": ["a", "b",],}, // keep "this" // and this
    },
    "url": "http://a//b"
}
"""
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_comments_and_trailing_commas_are_accepted() -> None:
    assert parse_jsonc(SETTINGS) == {
        "theme": "One",
        "servers": {"other": {"command": "x", "args": ["a", "b"]}},
        "url": "http://a//b",
    }
    assert parse_jsonc("\ufeff[1.5, true, null] // end") == [1.5, True, None]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ('{"a" 1}', 1),
        ('{"a": 1\n"b": 2}', 2),
        ("{'a': 1}", 1),
        ('{"a": tru}', 1),
        ("[1 2]", 1),
        ("{} {}", 1),
        ('{\n\n"a": "x\ny"}', 3),
        ("[" * 200, 1),
    ],
)
def test_an_error_names_the_line(text: str, line: int) -> None:
    with pytest.raises(JsoncError, match=f"^line {line}: "):
        parse_jsonc(text)


def test_a_member_is_added_after_the_others_in_their_style() -> None:
    added = set_member(SETTINGS, ("servers", "pilot"), {"command": "y"})
    expected = SETTINGS.replace(
        '// keep "this" // and this\n',
        '// keep "this" // and this\n        "pilot": {\n            "command": "y"\n        }\n',
    )
    assert added == expected


def test_a_member_is_replaced_in_place() -> None:
    replaced = set_member(SETTINGS, ("servers", "other"), 1)
    assert replaced == SETTINGS.replace('{"command": "x", "args": ["a", "b",],}', "1")


@pytest.mark.parametrize("text", ["{}", "{ }", "{\n}\n", '{"a": {}}', '{"a": 1}', '{"a": {}, }', "// x\n{ // y\n}"])
def test_objects_on_the_way_are_created(text: str) -> None:
    path = ("new", "b", "c")
    before = parse_jsonc(text)
    assert isinstance(before, dict)
    assert parse_jsonc(set_member(text, path, [1])) == {**before, "new": {"b": {"c": [1]}}}


@pytest.mark.parametrize("text", ["[]", "1", '{"a": 1}', '{"a": []}'])
def test_something_else_on_the_way_is_refused(text: str) -> None:
    with pytest.raises(JsoncError, match="is not an object"):
        set_member(text, ("a", "b"), 1)


@given(st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=4), st.text(max_size=5), JSON_VALUES, st.booleans())
def test_any_document_keeps_its_other_members(
    document: dict[str, Json], name: str, value: Json, indented: bool
) -> None:
    text = json.dumps(document, indent=2 if indented else None, ensure_ascii=False)
    changed = set_member(text, (name,), value)
    assert parse_jsonc(changed) == json.loads(changed) == {**document, name: value}
