"""Manifests of the open format are parsed; invalid ones are refused with the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import InvalidArgument
from browser_pilot.guests.installed.manifest import ToolHints, parse_manifest
from tests.guests.guest_factory import MANIFEST


def test_a_manifest_of_the_open_format_is_parsed() -> None:
    manifest = parse_manifest(json.dumps(MANIFEST).encode())

    assert (manifest.name, manifest.title, manifest.kind) == ("my-guest", "My Guest", "js")
    assert list(map(str, manifest.hosts)) == ["api.example.com", "*.example.org"]
    assert [(one.name, one.value) for one in manifest.environment] == [("MAX", "10"), ("ON", "true")]
    assert [(one.name, one.required) for one in manifest.secrets] == [("KEY", False), ("TOKEN", True)]
    assert [tool.name for tool in manifest.tools or ()] == ["find"]
    assert manifest.permissions is None


INVALID: list[tuple[dict[str, Any], str]] = [
    ({"name": "../up", "id": None}, "not a valid name for a guest"),
    ({"id": "a__b"}, "not a valid name for a guest"),
    ({"id": "x" * 40}, "not a valid name for a guest"),
    ({"manifestVersion": "7.0.0"}, "manifestVersion"),
    ({"runtime": "python"}, "runtime"),
    ({"scriptUrl": None}, "names no code"),
    ({"scriptBase64": "%%%"}, "base64"),
    ({"capabilities": {"network": {"hosts": ["*.co.uk"]}}}, "public suffix"),
    ({"capabilities": {"network": {"hosts": ["https://a.b/"]}}}, "host"),
    ({"permissions": ["browser:everything"]}, "permissions"),
    ({"id": "browser"}, "reserved"),
    ({"id": "Browser Pilot"}, "reserved"),
    ({"tools": [{"name": "a b", "inputSchema": {}}]}, "not a valid name for a tool"),
    ({"tools": [{"name": "a", "outputSchema": {"type": "string"}}]}, "schema"),
    ({"tools": [{"name": "a", "inputSchema": {"type": "array"}}]}, "schema"),
    ({"tools": [{"name": f"t{n}"} for n in range(100)]}, "tools"),
    ({"environment": [{"name": "A B"}]}, "not a valid name for a variable"),
    ({"runtime": None, "wasm": {"file": "a.wasm", "wasi": {"version": "preview2"}}}, "preview1"),
    ({"version": 5}, "version"),
]


@pytest.mark.parametrize(("change", "message"), INVALID)
def test_an_invalid_manifest_is_refused_with_the_reason(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        parse_manifest(json.dumps({**MANIFEST, **change}).encode())


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_arbitrary_data_is_not_a_manifest(data: bytes) -> None:
    with pytest.raises(InvalidArgument):
        parse_manifest(data)


def test_unpaired_surrogates_in_a_manifest_are_replaced() -> None:
    schema = {"type": "object", "properties": {"a\ud83d": {"type": "string", "description": "\ude00"}}}
    tools = [{"name": "find", "description": "Finds \ud83d.", "inputSchema": schema}]
    parsed = parse_manifest(json.dumps({**MANIFEST, "tools": tools}).encode()).tools
    assert parsed is not None
    tool = parsed[0]
    assert tool.description == "Finds \ufffd."
    assert tool.schema["properties"] == {"a\ufffd": {"type": "string", "description": "\ufffd"}}


def test_all_that_mcp_says_about_a_tool_is_kept() -> None:
    output = {"type": "object", "properties": {"now": {"type": "string"}}}
    annotations = {"title": "The time", "readOnlyHint": True, "idempotentHint": False}
    described = {"name": "time.now", "outputSchema": output, "annotations": annotations, "description": None}
    tools = parse_manifest(json.dumps({**MANIFEST, "tools": [described]}).encode()).tools
    assert tools is not None
    tool = tools[0]

    assert (tool.name, tool.title, tool.description, tool.output_schema) == ("time.now", "The time", "", output)
    assert tool.hints == ToolHints(read_only=True, idempotent=False)


def test_values_in_a_table_of_secrets_are_the_authors_own() -> None:
    manifest = parse_manifest(json.dumps({**MANIFEST, "secrets": {"WEATHER_API_KEY": "a key"}}).encode())

    assert [(secret.name, secret.value) for secret in manifest.secrets] == [("WEATHER_API_KEY", "a key")]
