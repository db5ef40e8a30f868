"""The schemas of tools: every argument is typed and declared, and what models usually write is accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.mcp_server.tool_registry import Tool
from browser_pilot.mcp_server.tools import REGISTRY

FULL, STANDARD, MINIMAL = (REGISTRY.select(profile) for profile in ("full", "standard", "minimal"))
ALL = [*FULL.values(), *STANDARD.values(), *MINIMAL.values()]


def tool(name: str) -> Tool[Any]:
    return FULL[name]


def arguments_of(tool: Tool[Any]) -> Mapping[str, Mapping[str, Any]]:
    return cast("Mapping[str, Mapping[str, Any]]", tool.schema["properties"])


def untyped(schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if not {"type", "anyOf"} & schema.keys():
        yield where
    if "items" in schema:
        yield from untyped(schema["items"], f"{where}[]")


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_every_argument_has_a_type_and_no_other_is_allowed(one: Tool[Any]) -> None:
    assert one.schema["additionalProperties"] is False
    assert not [found for name, facts in arguments_of(one).items() for found in untyped(facts, name)]


@pytest.mark.parametrize("one", FULL.values(), ids=lambda one: one.name)
def test_the_full_profile_lists_every_argument_that_a_tool_accepts(one: Tool[Any]) -> None:
    accepted = {facts.alias or name for name, facts in one.arguments.model_fields.items()}
    assert set(arguments_of(one)) == accepted


def test_every_tool_of_a_page_lists_its_tab() -> None:
    assert all("tab" in arguments_of(one) for one in STANDARD.values())


def test_limits_are_stated() -> None:
    assert arguments_of(tool("browser_click"))["count"]["maximum"] == 3
    assert arguments_of(tool("browser_console"))["limit"]["maximum"] == 1000
    assert arguments_of(tool("browser_dom"))["max_nodes"]["maximum"] == 20_000
    assert arguments_of(tool("browser_wait_for"))["timeout_ms"]["maximum"] == 600_000


def test_the_shape_of_fields_and_the_forms_of_a_download_are_declared() -> None:
    field = arguments_of(tool("browser_fill_form"))["fields"]["items"]
    assert set(field["properties"]) == {"element", "value"}
    assert field["required"] == ["element", "value"]
    assert {"url", "element", "index", "selector", "ref", "id", "cancel"} <= set(arguments_of(tool("browser_download")))


@pytest.mark.parametrize(
    ("name", "written", "understood"),
    [
        ("browser_click", {"ref": "e12"}, {"element": "e12"}),
        ("browser_click", {"selector": "#go"}, {"element": "#go"}),
        ("browser_click", {"x": 10, "y": 20}, {"element": {"x": 10, "y": 20}}),
        ("browser_click", {"element": "e1", "count": "2"}, {"element": "e1", "count": 2}),
        ("browser_scroll", {"dy": "300"}, {"dy": 300}),
        ("browser_type", {"element": "e1", "text": 42}, {"element": "e1", "text": "42"}),
        (
            "browser_type",
            {"element": "e1", "text": "a", "submit": "true"},
            {"element": "e1", "text": "a", "submit": True},
        ),
        ("browser_select", {"element": "e1", "value": "Red"}, {"element": "e1", "values": ["Red"]}),
        ("browser_select", {"element": "e1", "values": "Red"}, {"element": "e1", "values": ["Red"]}),
        ("browser_console", {"level": "warn"}, {"level": "warning"}),
        ("browser_console", {"level": "log"}, {"level": "info"}),
        ("browser_network", {"status": 404}, {"status": "404"}),
        ("browser_fill_form", {"fields": {"#name": "Ada"}}, {"fields": [{"element": "#name", "value": "Ada"}]}),
        (
            "browser_fill_form",
            {"fields": [{"ref": "e1", "value": "Ada"}]},
            {"fields": [{"element": "e1", "value": "Ada"}]},
        ),
        (
            "browser_session",
            {"action": "create", "viewport": {"width": "800", "height": 600}},
            {"action": "create", "viewport": [800, 600]},
        ),
        ("browser_drag", {"from": {"x": 1, "y": 2}, "to": "e2"}, {"from": {"x": 1, "y": 2}, "to": "e2"}),
    ],
)
def test_what_models_usually_write_is_understood(
    name: str, written: dict[str, Any], understood: dict[str, Any]
) -> None:
    assert tool(name).parse(written).given() == understood


@pytest.mark.parametrize(
    ("name", "written", "wrong"),
    [
        ("browser_click", {"ref": "e1", "selector": "#go"}, "no argument 'ref'"),
        ("browser_click", {"element": "e1", "ref": "e2"}, "no argument 'ref'"),
        ("browser_click", {"element": "e1", "x": 1, "y": 2}, "no argument 'x'"),
        ("browser_select", {"element": "e1", "values": ["a"], "value": "b"}, "no argument 'value'"),
        ("browser_fill_form", {"fields": "Ada"}, "list"),
        ("browser_session", {"action": "create", "viewport": {"width": 800}}, "list"),
    ],
)
def test_what_contradicts_itself_is_refused(name: str, written: dict[str, Any], wrong: str) -> None:
    with pytest.raises(InvalidArgument, match=wrong):
        tool(name).parse(written)
