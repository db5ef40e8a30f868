"""Invalid values for every argument, derived from the schema of its tool. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from browser_pilot.mcp_server.tool_registry import Tool

LONG = "x" * 100_000
# Invalid values by type, without those that can be converted to the type.
BY_TYPE: dict[str, tuple[object, ...]] = {
    "string": (True, [], ["x"], {}, {"x": "y"}),
    "boolean": ("maybe", 7, [], {}, None),
    "integer": ("many", 1.5, [], {}, None, 10**30),
    "number": ("many", [], {}),
    "array": ("x", 7, True, {}, None, [None], [[]]),
    "object": ("x", 7, True, [], ["x"]),
    "time": ("nonsense", [], ["x"], {}),
    "keys": (True, [], {}, [[]], [{}]),
    "element": (
        True,
        [],
        ["e1"],
        {},
        {"foo": "bar"},
        {"ref": ""},
        {"ref": "x"},
        {"css": 7},
        {"role": []},
        "",
        "  ",
    ),
}

SEVERAL_TYPES: dict[tuple[str, ...], str] = {
    ("string", "object"): "element",
    ("number", "string"): "time",
    ("string", "array"): "keys",
}


def invalid_calls(tool: Tool[Any], valid: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Calls that differ from a valid one in one argument. They must be refused without an effect."""
    schema = tool.arguments.model_json_schema()
    facts_of = cast(dict[str, dict[str, Any]], schema["properties"])
    for name in schema.get("required", ()):
        yield {key: value for key, value in valid.items() if key != name}
        yield {**valid, name: None}
    yield {**valid, "no_such_argument": 1}
    yield {**valid, LONG: 1}
    for name, facts in facts_of.items():
        for value in _invalid_values(facts, schema):
            yield {**valid, name: value}


def _invalid_values(facts: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[object]:
    kinds = [_resolved(kind, schema) for kind in facts.get("anyOf", [facts])]
    is_optional = any(kind.get("type") == "null" for kind in kinds)
    for kind in kinds:
        if kind.get("type") == "null":
            continue
        if "enum" in kind:
            yield from ("nonsense", "", str(kind["enum"][0]).upper(), LONG, 7, [])
            continue
        of_type = cast("str | list[str]", kind["type"])
        invalid = BY_TYPE[of_type if isinstance(of_type, str) else SEVERAL_TYPES[tuple(of_type)]]
        yield from (value for value in invalid if not (value is None and is_optional))
        yield from _out_of_range(kind)


def _out_of_range(kind: Mapping[str, Any]) -> Iterator[object]:
    if "minimum" in kind:
        yield kind["minimum"] - 1
    if "maximum" in kind:
        yield kind["maximum"] + 1
    if kind.get("minItems"):
        yield []


def _resolved(kind: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = kind.get("$ref")
    return schema["$defs"][reference.rpartition("/")[2]] if reference else kind


COOKIE = {"name": "a", "value": "1", "domain": "a.test", "path": "/"}
# Arguments that are valid one by one, but conflict, are incomplete, or name something unknown.
CONFLICTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("browser_navigate", {}),
    ("browser_navigate", {"url": ""}),
    ("browser_navigate", {"url": LONG}),
    ("browser_navigate", {"action": "reload", "url": "http://127.0.0.1/"}),
    ("browser_tabs", {"action": "select"}),
    ("browser_snapshot", {"cursor": "nonsense"}),
    ("browser_snapshot", {"element": {"css": "p", "at": [1, 1]}}),
    ("browser_find", {}),
    ("browser_find", {"regex": "("}),
    ("browser_click", {"element": {"ref": "e1", "css": "p"}}),
    ("browser_click", {"element": {"css": "p", "name": "x"}}),
    ("browser_click", {"element": "p["}),
    ("browser_click", {"element": LONG}),
    ("browser_click", {"element": {"css": "#go", "at": [1, 99_999]}}),
    ("browser_type", {"element": "#size", "text": "x"}),
    ("browser_type", {"element": "#box", "text": "x"}),
    ("browser_type", {"element": "#text", "text": "x"}),
    ("browser_type", {"element": "#file", "text": "x"}),
    ("browser_select", {"element": "#size", "values": []}),
    ("browser_select", {"element": "#size", "values": ["Huge"]}),
    ("browser_select", {"element": "#size", "values": ["Small", "Large"]}),
    ("browser_select", {"element": "#go", "values": ["Small"]}),
    ("browser_press", {"key": ""}),
    ("browser_press", {"key": "NoSuchKey"}),
    ("browser_press", {"key": LONG}),
    ("browser_fill_form", {"fields": []}),
    ("browser_fill_form", {"fields": [{"element": "#name"}]}),
    ("browser_fill_form", {"fields": [{"element": "#name", "value": "x"}, {"element": "#none", "value": "x"}]}),
    ("browser_fill_form", {"fields": [{"element": "#name", "value": "x", "colour": "red"}]}),
    ("browser_scroll", {}),
    ("browser_scroll", {"to": "element"}),
    ("browser_upload", {"element": "#file", "paths": ["no/such/file"]}),
    ("browser_upload", {"element": "#file", "paths": ["."]}),
    ("browser_upload", {"element": "#file", "paths": [LONG]}),
    ("browser_upload", {"element": "#file", "paths": ["\u0000"]}),
    ("browser_dialog", {"accept": True}),
    ("browser_click", {"element": {"x": 1}}),
    ("browser_click", {"element": {"x": 1, "y": "far"}}),
    ("browser_click", {"element": {"x": -5, "y": 100_000}}),
    ("browser_click", {"element": {"x": 1, "y": 1, "ref": "e1"}}),
    ("browser_type", {"element": {"x": 1, "y": 1}, "text": "x"}),
    ("browser_drag", {"from": "#from", "to": "#nothing"}),
    ("browser_drag", {"from": "#from", "to": "#to", "via": "#to"}),
    ("browser_drag", {"from": "#from", "to": "#to", "via": [{"x": 1}]}),
    ("browser_wait_for", {}),
    ("browser_wait_for", {"text": "a", "ms": 1}),
    ("browser_wait_for", {"ms": 5_000, "timeout_ms": 10}),
    ("browser_wait_for", {"url": "/(/"}),
    ("browser_wait_for", {"function": "not ( javascript"}),
    ("browser_read", {"cursor": "nonsense"}),
    ("browser_screenshot", {"quality": 50}),
    ("browser_screenshot", {"element": "#go", "full_page": True}),
    ("browser_screenshot", {"path": "../out.png"}),
    ("browser_screenshot", {"path": LONG}),
    ("browser_screenshot", {"path": ""}),
    ("browser_network", {"id": 99_999}),
    ("browser_pdf", {"path": "/etc/out.pdf"}),
    ("browser_pdf", {"path": "\u0000"}),
    ("browser_evaluate", {"expression": "not ( javascript"}),
    ("browser_evaluate", {"expression": ""}),
    ("browser_cookies", {"action": "set"}),
    ("browser_cookies", {"action": "set", "name": "a"}),
    ("browser_cookies", {"action": "set", "name": "a", "value": "1", "url": "http://a.test/", "domain": "a.test"}),
    ("browser_cookies", {"action": "set", "name": "a", "value": "1", "url": "nonsense"}),
    ("browser_cookies", {"action": "get", "url": "nonsense"}),
    ("browser_cookies", {"action": "delete"}),
    *(
        ("browser_cookies", {"action": "set", "name": "a", "value": "1", **field})
        for field in (
            {"name": "a\r\nX: 1"},
            {"name": "a\0b"},
            {"value": "1\r\nSet-Cookie: b=2"},
            {"value": "1\n2"},
            {"path": "/\rx"},
            {"domain": "a.test\r\n"},
            {"url": "http://a.test/\r\nx"},
        )
    ),
    ("browser_cookies", {"action": "delete", "name": "a\n"}),
    ("browser_storage", {"action": "set", "key": "k"}),
    ("browser_storage", {"action": "set", "value": "v"}),
    ("browser_storage", {"action": "delete"}),
    ("browser_storage", {"action": "get", "value": "v"}),
    ("browser_trace", {"action": "stop"}),
    ("browser_session", {"action": "use"}),
    ("browser_session", {"action": "save"}),
    ("browser_session", {"action": "save", "profile": "../elsewhere"}),
    ("browser_session", {"action": "create", "profile": "unknown"}),
    ("browser_session", {"action": "create", "session": "one"}),
    ("browser_session", {"action": "create", "device": "Abacus"}),
    ("browser_session", {"action": "create", "timezone": "Europe/Nowhere"}),
    ("browser_session", {"action": "create", "allowed_domains": ["*.co.uk"]}),
    ("browser_session", {"action": "create", "browser": "/bin/sh"}),
    ("browser_session", {"action": "create", "proxy": "socks9://x"}),
    ("browser_session", {"action": "create", "storage_state": {"cookies": [{"name": "x"}]}}),
    ("browser_session", {"action": "create", "storage_state": {"cookies": [{**COOKIE, "value": "1\r\nX: 1"}]}}),
    ("browser_session", {"action": "create", "storage_state": {"cookies": [{**COOKIE, "name": "a\0"}]}}),
    *(
        ("browser_session", {"action": "create", name: value})
        for end in ("\r\nX: 1", "\n", "\r", "\0")
        for name, value in (
            ("user_agent", f"Mine/1{end}"),
            ("locale", f"de-DE{end}"),
            ("timezone", f"Asia/Tokyo{end}"),
            ("device", f"iPhone 15{end}"),
            ("proxy", f"http://proxy.test{end}:3128"),
            ("browser", f"chrome{end}"),
            ("profile", f"work{end}"),
            ("allowed_domains", [f"a.test{end}"]),
        )
    ),
    ("browser_interact", {"action": "click"}),
    ("browser_interact", {"action": "type", "element": "#name"}),
    ("browser_interact", {"action": "select", "element": "#size"}),
    ("browser_interact", {"action": "press"}),
)
