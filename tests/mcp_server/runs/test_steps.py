"""The steps of a run: long and short form, their validation, and references to earlier results."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ConfigDict

from browser_pilot.errors import InvalidArgument, PermissionDenied
from browser_pilot.mcp_server.runs.result_references import fill_in
from browser_pilot.mcp_server.runs.steps import MAX_STEPS, ParsedStep, parse_steps
from browser_pilot.mcp_server.tool_registry import EVERYWHERE, CallRequest, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import Arguments, TabArguments
from browser_pilot.mcp_server.tools import REGISTRY

STANDARD = REGISTRY.select("standard")
FULL = REGISTRY.select("full")


def parsed(*steps: object, tab: str | None = None, session: str | None = None) -> list[ParsedStep]:
    return parse_steps(steps, FULL, TabArguments(tab=tab, session=session))


CALLS: list[tuple[object, str, dict[str, Any]]] = [
    ({"click": "e12"}, "browser_click", {"element": "e12"}),
    ({"browser_click": "e12"}, "browser_click", {"element": "e12"}),
    ({"click": {"element": "e12", "count": 2}}, "browser_click", {"element": "e12", "count": 2}),
    ({"click": {"role": "button", "name": "Next"}}, "browser_click", {"element": {"role": "button", "name": "Next"}}),
    ({"type": {"element": "e14", "text": "Ada"}}, "browser_type", {"element": "e14", "text": "Ada"}),
    ({"wait_for": {"text": "Saved"}}, "browser_wait_for", {"text": "Saved"}),
    ({"wait_for": "Saved"}, "browser_wait_for", {"text": "Saved"}),
    ({"find": "Balance"}, "browser_find", {"query": "Balance"}),
    ({"navigate": "https://example.com"}, "browser_navigate", {"url": "https://example.com"}),
    ({"press": "Enter"}, "browser_press", {"key": "Enter"}),
    ({"drag": {"from": "e1", "to": "e2"}}, "browser_drag", {"from": "e1", "to": "e2"}),
    ({"dialog": True}, "browser_dialog", {"accept": True}),
    ({"dialog": False}, "browser_dialog", {"accept": False}),
    ({"snapshot": {}}, "browser_snapshot", {}),
    ({"snapshot": True}, "browser_snapshot", {}),
    ({"snapshot": None}, "browser_snapshot", {}),
    ("snapshot", "browser_snapshot", {}),
    ("click e12", "browser_click", {"element": "e12"}),
    ("find  two words ", "browser_find", {"query": "two words"}),
    (
        {"fill_form": [{"element": "e1", "value": "x"}]},
        "browser_fill_form",
        {"fields": [{"element": "e1", "value": "x"}]},
    ),
    ({"click": "e12", "tab": "t2"}, "browser_click", {"element": "e12", "tab": "t2"}),
    ({"click": "e12", "timeout_ms": 500}, "browser_click", {"element": "e12", "timeout_ms": 500}),
    ({"session": {"action": "list"}}, "browser_session", {"action": "list"}),
    ({"session": "list"}, "browser_session", {"action": "list"}),
    ({"click": "e1", "session": "s2"}, "browser_click", {"element": "e1", "session": "s2"}),
    ({"tool": "browser_click", "arguments": {"element": "e12"}}, "browser_click", {"element": "e12"}),
    ({"tool": "click", "arguments": {"element": "e12"}}, "browser_click", {"element": "e12"}),
    ({"tool": "browser_snapshot"}, "browser_snapshot", {}),
]


@pytest.mark.parametrize(("given", "tool", "arguments"), CALLS)
def test_a_step_is_a_call_in_a_long_or_a_short_form(given: object, tool: str, arguments: dict[str, Any]) -> None:
    (step,) = parsed(given)
    assert (step.number, step.tool.name, step.arguments, step.continues) == (1, tool, arguments, False)


def test_on_error_is_beside_the_call_in_both_forms() -> None:
    short = {"click": "e1", "on_error": "continue"}
    long = {"tool": "browser_click", "arguments": {"element": "e1"}, "on_error": "continue"}
    assert [step.continues for step in parsed(short, long, {"click": "e1", "on_error": "stop"})] == [True, True, False]


WRONG: list[tuple[object, str]] = [
    (7, "'7' is not a step"),
    ([], "is not a step"),
    (None, "is not a step"),
    ({}, "A step names one tool; this one has none"),
    ({"tab": "t1"}, "A step names one tool"),
    ({"click": "e1", "hover": "e2"}, "this one has click, hover"),
    ({"fly": "e1"}, "There is no tool 'fly'"),
    ("__class__", "There is no tool '__class__'"),
    ({"tool": "browser_fly"}, "There is no tool 'browser_fly'"),
    ({"tool": "browser_click", "element": "e1"}, "There is no 'element' beside"),
    ({"tool": "browser_click", "arguments": "e1"}, "`arguments` is not an object"),
    ({"tool": ["browser_click"], "arguments": {}}, "There is no tool"),
    ({"click": {}}, "'element' is missing"),
    ({"type": "e1"}, "'text' is missing"),
    ({"click": {"element": "e1", "buton": "left"}}, "there is no argument 'buton'"),
    ({"click": {"element": "e1", "button": "nose"}}, "button = 'nose'"),
    ({"click": {"element": "e1", "count": 9}}, "count = 9"),
    ({"click": "e1", "timeout_ms": -1}, "timeout_ms = -1"),
    ({"click": "e1", "on_error": "retry"}, "on_error = 'retry' is neither"),
    ({"navigate": {}}, "`url` is missing"),
    ({"run": {"steps": []}}, "A run cannot be a step of a run"),
    ({"tool": "browser_run", "arguments": {"steps": []}}, "A run cannot be a step of a run"),
    ({"click": "$1.ref"}, "$1.ref is not the result of an earlier step"),
    ({"click": "$0.ref"}, "$0.ref is not the result of an earlier step"),
    ({"click": {"element": {"css": "$9.name"}}}, "$9.name is not the result of an earlier step"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_a_wrong_step_is_rejected_before_any_step_runs(given: object, message: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        parse_steps([given], FULL, TabArguments())
    assert error.value.message.startswith("Step 1: ")
    assert message in error.value.message
    assert error.value.message.endswith("No step was run.")
    assert error.value.metadata["step"] == 1


def test_the_error_names_the_step() -> None:
    with pytest.raises(InvalidArgument, match="Step 3: ") as error:
        parsed({"click": "e1"}, {"find": "x"}, {"click": {}})
    assert error.value.metadata["step"] == 3


@pytest.mark.parametrize("count", [0, MAX_STEPS + 1, 100_000])
def test_a_run_has_a_limited_number_of_steps(count: int) -> None:
    with pytest.raises(InvalidArgument, match="A run has 1 to 100 steps"):
        parsed(*[{"click": "e1"}] * count)
    assert len(parsed(*[{"click": "e1"}] * MAX_STEPS)) == MAX_STEPS


def test_a_tool_outside_of_the_profile_is_no_step() -> None:
    with pytest.raises(InvalidArgument, match="There is no tool 'evaluate'"):
        parse_steps([{"evaluate": "1"}], STANDARD, TabArguments())
    with pytest.raises(InvalidArgument, match="`function` of browser_wait_for is available in the tool profile"):
        parse_steps([{"wait_for": {"function": "() => true"}}], STANDARD, TabArguments())


def test_the_tab_of_the_run_is_that_of_its_steps() -> None:
    steps = parsed({"click": "e1"}, {"click": "e1", "tab": "t9"}, {"tabs": "list"}, {"session": "list"}, tab="t2")
    assert [step.arguments.get("tab") for step in steps] == ["t2", "t9", None, "t2"]
    named = parsed({"click": "e1"}, {"session": {"action": "close"}}, session="s1")
    assert [step.arguments.get("session") for step in named] == ["s1", None]


class AnyArguments(Arguments):
    model_config = ConfigDict(extra="allow", frozen=True)


def test_a_guests_tool_takes_its_arguments_by_name_only() -> None:
    async def search(_: CallRequest, __: AnyArguments) -> ToolResult:
        return ToolResult({})

    guest = Tool(
        name="news__search",
        title="",
        description="",
        arguments=AnyArguments,
        effect="script",
        profiles=EVERYWHERE,
        handler=search,
    )
    tools: dict[str, Tool[Any]] = {guest.name: guest}
    (step,) = parse_steps([{"news__search": {"query": "x", "tab": 1}}], tools, TabArguments(tab="t1"))
    assert step.arguments == {"query": "x", "tab": 1}
    wrong_steps: list[dict[str, object]] = [{"news__search": "x"}, {"news__search": {}, "tab": "t1"}]
    for wrong in wrong_steps:
        with pytest.raises(InvalidArgument):
            parse_steps([wrong], tools, TabArguments())


def test_a_step_may_refer_to_an_earlier_one() -> None:
    steps = parsed({"find": "Next"}, {"click": "$1.ref"}, {"type": {"element": "e1", "text": "$1.name"}})
    assert [step.has_references for step in steps] == [False, True, True]


FOUND = {
    "refs": ["e3", "e4"],
    "elements": [{"ref": "e3", "role": "button", "name": "Next"}, {"ref": "e4", "role": "link", "name": "More"}],
    "url": "https://example.com/?a=b",
    "pages": 4,
    "result": {"price": {"value": 9.5, "text": "9,50"}, "tags": ["a", "b"]},
    "empty": [],
    "stolen": "{{secret:BANK}}",
}


def test_a_search_is_referred_to_by_its_first_match_with_a_ref() -> None:
    near = {"match": "", "ref": "e3", "name": "Near"}
    heading, button = {"match": "*", "ref": "", "name": "Add"}, {"match": "*", "ref": "e4", "name": "Add"}
    found = {1: {"matches": 2, "elements": [near, heading, button]}}
    assert fill_in({"element": "$1.ref"}, found) == {"element": "e4"}
    with pytest.raises(InvalidArgument, match=r"\$1.ref has no value"):
        fill_in({"element": "$1.ref"}, {1: {"matches": 0, "searched_rows": 7}})


VALUES: list[tuple[str, str]] = [
    ("$1.ref", "e3"),
    ("$1.name", "Next"),
    ("$1.elements.1.ref", "e4"),
    ("$1.refs.1", "e4"),
    ("$1.url", "https://example.com/?a=b"),
    ("$1.pages", "4"),
    ("$1.result.price.text", "9,50"),
    ("$1.result.price.value", "9.5"),
    ("$1.result.tags.1", "b"),
    ("$1.50", "$1.50"),
    ("$100", "$100"),
    ("Pay $1.ref now", "Pay $1.ref now"),
    ("$$1.ref", "$1.ref"),
    ("$$$1.ref", "$$$1.ref"),
    ("$1.ref\n", "$1.ref\n"),
    ("$٣.ref", "$٣.ref"),
]


@pytest.mark.parametrize(("given", "value"), VALUES)
def test_a_reference_is_a_whole_text_and_has_the_value_of_a_result(given: str, value: str) -> None:
    results = {1: FOUND}
    filled = fill_in({"text": given, "deep": [{"text": given}]}, results)
    assert filled == {"text": value, "deep": [{"text": value}]}


@pytest.mark.parametrize(
    "given", ["$1.nothing", "$1.elements", "$1.elements.7.ref", "$1.empty.0", "$1.result.price", "$1.url.0", "$2.ref"]
)
def test_a_reference_without_a_text_is_an_error(given: str) -> None:
    with pytest.raises(InvalidArgument, match=r"has no value"):
        fill_in({"text": given}, {1: FOUND})


def test_a_page_cannot_have_a_secret_typed_by_naming_it() -> None:
    with pytest.raises(PermissionDenied, match="names a secret"):
        fill_in({"element": "e1", "text": "$1.stolen"}, {1: FOUND})
    assert fill_in({"text": "{{secret:BANK}}"}, {1: FOUND}) == {"text": "{{secret:BANK}}"}
