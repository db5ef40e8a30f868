"""Parses the steps of a run: each is a tool call, in a long or a short form. Pure.

Long: ``{"tool": "browser_click", "arguments": {"element": "e12"}}``. Short: ``{"click": "e12"}`` with the tool's first
argument, also as the text ``"click e12"``, or ``{"type": {"element": "e14", "text": "Ada"}}`` with several. Beside them
a step may have ``on_error``, and in the short form ``tab``, ``session`` and ``timeout_ms``. All arguments are validated
here, before any step runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.errors import InvalidArgument
from browser_pilot.mcp_server.tool_registry import Tool
from browser_pilot.mcp_server.tool_schema import TabArguments

from .result_references import fill_in, references_in

PREFIX = "browser_"
RUN_TOOL = "browser_run"
MAX_STEPS = 100
_LOCATION = tuple(TabArguments.model_fields)
_EXAMPLE = '"click e12", {"click": "e12"} or {"type": {"element": "e14", "text": "Ada"}}'


@dataclass(frozen=True)
class ParsedStep:
    """``arguments`` may have references. ``continues``: its failure does not end the run."""

    number: int
    tool: Tool[Any]
    arguments: Mapping[str, Any]
    continues: bool = False

    @property
    def has_references(self) -> bool:
        return any(references_in(self.arguments))


def parse_steps(given: Sequence[object], tools: Mapping[str, Tool[Any]], location: TabArguments) -> list[ParsedStep]:
    """``tools`` are those of the client, ``location`` is the tab and session of the steps that name none."""
    if not 1 <= len(given) <= MAX_STEPS:
        raise InvalidArgument(
            f"A run has 1 to {MAX_STEPS} steps, not {len(given):,}.", suggestions=["Split it into several runs."]
        )
    return [_parse_step(number, step, tools, location) for number, step in enumerate(given, 1)]


def _parse_step(number: int, given: object, tools: Mapping[str, Tool[Any]], location: TabArguments) -> ParsedStep:
    try:
        tool, arguments, on_error = _call_of(_from_text(given) if isinstance(given, str) else given, tools)
        if tool.name == RUN_TOOL:
            raise InvalidArgument("A run cannot be a step of a run.", suggestions=["List its steps instead."])
        if on_error not in ("stop", "continue"):
            raise InvalidArgument(
                f"on_error = {str(on_error)[:80]!r} is neither stop nor continue.", suggestions=["Leave it out."]
            )
        arguments = _located(tool, arguments, location)
        later = [one.text for one in references_in(arguments) if not 1 <= one.step < number]
        if later:
            raise InvalidArgument(
                f"{later[0]} is not the result of an earlier step.",
                suggestions=["Steps count from 1.", f'Write "${later[0]}" for that text itself.'],
            )
        _validate(tool, arguments)
    except InvalidArgument as error:
        raise InvalidArgument(
            f"Step {number}: {error.message} No step was run.",
            suggestions=error.suggestions,
            metadata={**error.metadata, "step": number},
        ) from None
    return ParsedStep(number, tool, arguments, continues=on_error == "continue")


def _from_text(text: str) -> dict[str, object]:
    name, _, value = text.strip().partition(" ")
    return {name: value.strip() or {}}


def _call_of(given: object, tools: Mapping[str, Tool[Any]]) -> tuple[Tool[Any], dict[str, Any], object]:
    """The tool, its arguments, and ``on_error``."""
    if not isinstance(given, Mapping):
        raise InvalidArgument(f"{str(given)[:80]!r} is not a step.", suggestions=[f"A step is {_EXAMPLE}."])
    step = dict(cast("Mapping[str, Any]", given))
    on_error = step.pop("on_error", "stop")
    if "tool" in step:
        name, arguments = step.pop("tool"), step.pop("arguments", {})
        if step:
            raise InvalidArgument(
                f"There is no {next(iter(step))[:80]!r} beside `tool` and `arguments`.",
                suggestions=["Arguments are in `arguments`."],
            )
        if not isinstance(arguments, Mapping):
            raise InvalidArgument("`arguments` is not an object.", suggestions=[f"A step is {_EXAMPLE}."])
        return _tool_named(str(name), tools), dict(cast("Mapping[str, Any]", arguments)), on_error
    names = [name for name in step if name not in _LOCATION] or [name for name in step if name == "session"]
    if len(names) != 1:
        raise InvalidArgument(
            f"A step names one tool; this one has {', '.join(name[:80] for name in names[:5]) or 'none'}.",
            suggestions=[f"A step is {_EXAMPLE}.", f"Tools: {_short_names(tools)}."],
        )
    tool = _tool_named(names[0], tools)
    value = step.pop(names[0])
    if step and not issubclass(tool.arguments, TabArguments):
        raise InvalidArgument(f"{tool.name} takes no `{next(iter(step))}`.", suggestions=["Leave it out."])
    return tool, {**step, **_arguments_of(tool, value)}, on_error


def _tool_named(name: str, tools: Mapping[str, Tool[Any]]) -> Tool[Any]:
    tool = tools.get(f"{PREFIX}{name}") or tools.get(name)
    if tool is None:
        raise InvalidArgument(
            f"There is no tool {name[:100]!r}.", suggestions=[f"Tools of this client: {_short_names(tools)}."]
        )
    return tool


def _short_names(tools: Mapping[str, Tool[Any]]) -> str:
    return ", ".join(name.removeprefix(PREFIX) for name in tools if name != RUN_TOOL)


def _arguments_of(tool: Tool[Any], value: object) -> dict[str, Any]:
    """The arguments of a short form: an object of them, or the value of the first one, which may be an object too."""
    fields = {field.alias or name: field for name, field in tool.arguments.model_fields.items()}
    own = [name for name in fields if name not in _LOCATION]
    if isinstance(value, Mapping):
        given = dict(cast("Mapping[str, Any]", value))
        known = {*fields, *tool.in_full_profile.arguments.model_fields}
        if not given or not own or any(name in known for name in given):
            return given
    elif value is None or (value is True and own and not fields[own[0]].is_required()):
        return {}
    if not own:
        raise InvalidArgument(f"{tool.name} needs its arguments by name.", suggestions=[f"A step is {_EXAMPLE}."])
    return {own[0]: value}


def _located(tool: Tool[Any], arguments: dict[str, Any], location: TabArguments) -> dict[str, Any]:
    """With the run's tab and session, where the tool takes them and the step names neither."""
    if not issubclass(tool.arguments, TabArguments) or "tab" in arguments or "session" in arguments:
        return arguments
    shared = {"tab": location.tab, "session": location.session}
    unlisted = {
        name: value
        for name, value in shared.items()
        # Some tools have an argument of that name with another meaning.
        if value is not None and name not in tool.arguments.__annotations__
    }
    return {**unlisted, **arguments}


def _validate(tool: Tool[Any], arguments: Mapping[str, Any]) -> None:
    """Raises what the call would raise for its arguments. A reference is a text, so it stands where one may stand."""
    if any(references_in(arguments)):
        tool.parse(arguments)
    else:
        tool.check(tool.parse(fill_in(arguments, {})))
