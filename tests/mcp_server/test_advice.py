"""Advice of errors: it names what the caller can use, and no retry where nothing can change."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser_pilot import errors
from browser_pilot.mcp_server.advice import arguments_of, named_arguments, named_tools, usable_advice
from browser_pilot.mcp_server.tools import REGISTRY
from browser_pilot.page.actions import actionability_errors

SOURCE = Path(errors.__file__).parent
FULL, STANDARD, MINIMAL = (REGISTRY.select(profile) for profile in ("full", "standard", "minimal"))
ALL_TOOLS = {tool.name for tool in REGISTRY}
RETRY = re.compile(r"^(?:Try|Retry)(?: it)? again\b(?! (?:when|if|later|with|in a moment))", re.IGNORECASE)


def advice() -> Iterator[tuple[str, str, str]]:
    """The class, the place and the text of every suggestion in the source."""
    for path in SOURCE.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            for keyword in call.keywords:
                if keyword.arg == "suggestions":
                    kind = call.func.id if isinstance(call.func, ast.Name) else ""
                    for text in texts_in(keyword.value):
                        yield kind, f"{path.name}:{keyword.value.lineno}", text


def texts_in(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from texts_in(child)


ADVICE = list(advice())


def test_the_source_has_advice_to_check() -> None:
    assert len(ADVICE) > 200
    assert any(named_arguments(text, REGISTRY) for _, _, text in ADVICE)


def test_advice_names_tools_that_exist() -> None:
    assert [(place, text) for _, place, text in ADVICE if not named_tools(text) <= ALL_TOOLS] == []


def test_commands_of_the_shell_are_advice_for_every_tool() -> None:
    """`browser` is an argument of a tool; `browser-pilot` is none."""
    advice = (
        "Ask the user to open the dashboard (`browser-pilot dashboard`).",
        "See `browser-pilot approvals --watch`.",
    )
    for tool in REGISTRY:
        assert usable_advice(advice, tool, FULL, REGISTRY) == advice


def test_each_tool_gives_advice_that_its_caller_can_follow() -> None:
    """For every suggestion and every tool in every profile, as it would reach the client."""
    for tools in (FULL, STANDARD, MINIMAL):
        for tool in tools.values():
            for _, place, text in ADVICE:
                for shown in usable_advice([text], tool, tools, REGISTRY):
                    assert named_tools(shown) <= tools.keys(), (tool.name, place, shown)
                    others = frozenset[str]().union(*(arguments_of(tools[name]) for name in named_tools(shown)))
                    if not shown.startswith("Arguments of this tool"):
                        assert named_arguments(shown, REGISTRY) <= arguments_of(tool) | others, (
                            tool.name,
                            place,
                            shown,
                        )


@pytest.mark.parametrize(
    ("tool", "text", "kept"),
    [
        ("browser_type", "Click it first, or type with slowly: true.", True),
        ("browser_click", "Click it first, or type with slowly: true.", False),
        ("browser_navigate", "Give `wait_ms` to wait for a free session.", False),
        ("browser_session", "Give `wait_ms` to wait for a free session.", True),
        ("browser_navigate", "Close one with browser_session, or create one with `wait_ms`.", True),
        ("browser_click", "Give a larger timeout_ms.", True),
        ("browser_click", "Take a browser_snapshot.", True),
    ],
)
def test_advice_is_left_out_if_the_tool_refuses_its_argument(tool: str, text: str, kept: bool) -> None:
    assert (usable_advice([text], FULL[tool], FULL, REGISTRY) == (text,)) is kept


def test_advice_is_left_out_if_the_client_does_not_have_the_tool() -> None:
    texts = ["Use browser_upload.", "Take a browser_snapshot."]
    assert usable_advice(texts, MINIMAL["browser_interact"], MINIMAL, REGISTRY) == ("Take a browser_snapshot.",)


def test_some_advice_is_always_left() -> None:
    (left,) = usable_advice(["Use browser_upload."], MINIMAL["browser_interact"], MINIMAL, REGISTRY)
    assert "snapshot" in left


def test_no_error_that_is_final_advises_to_try_again() -> None:
    final = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.PilotError) and not kind.retryable
    }
    assert [(kind, place, text) for kind, place, text in ADVICE if kind in final and RETRY.search(text)] == []


def test_problems_of_elements_advise_tools_that_exist() -> None:
    failures = [*vars(actionability_errors)["_NOT_ACTIONABLE"], *vars(actionability_errors)["_WRONG_USE"]]
    assert failures
    for kind in failures:
        _, advised = actionability_errors.describe_problem({"error": kind})
        assert named_tools(advised) <= ALL_TOOLS
        assert not RETRY.search(advised)
