"""Input: one tool per action. Each returns what changed on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, cast

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from browser_pilot.errors import ElementNotFound
from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import STANDARD, CallRequest, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import Arguments, TabArguments
from browser_pilot.page.actions import forms, keyboard, mouse
from browser_pilot.page.actions.keys import Modifier, activating_key, is_shortcut, needs_authorization
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.actions.target_facts import TargetSpec

from .arguments import DescribedElement, ElementField, as_keys, as_list, one_or_list
from .custom_lists import choose, choose_in_form
from .page_result import render_changes

MAX_KEYS = 100


def element_timeout_ms(context: ToolContext) -> int:
    """How long to wait for an element: not to the end of the call, which must still report what was in the way."""
    return context.call.timeout_ms * 4 // 5


class ClickArguments(TabArguments):
    element: DescribedElement
    button: mouse.Button = "left"
    count: Annotated[int, Field(ge=1, le=3)] = 1
    modifiers: tuple[Modifier, ...] = ()


def click_targets(arguments: ClickArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, pointing=True),)


async def click(context: ToolContext, arguments: ClickArguments) -> Outcome:
    return await mouse.click(
        context.action,
        context.action.targets[0],
        button=arguments.button,
        count=arguments.count,
        modifiers=arguments.modifiers,
        timeout_ms=element_timeout_ms(context),
    )


class TypeArguments(TabArguments):
    element: ElementField | None = None
    text: str
    submit: bool = False
    clear: bool = True
    slowly: bool = False


def type_targets(arguments: TypeArguments) -> tuple[TargetSpec, ...]:
    # A line break that is typed by a key is Enter.
    by_keys = arguments.slowly or arguments.element is None
    submits = arguments.submit or (by_keys and not {"\r", "\n"}.isdisjoint(arguments.text))
    return (TargetSpec(arguments.element, submits=submits, fills=True),)


async def type_text(context: ToolContext, arguments: TypeArguments) -> Outcome:
    if not context.action.targets:
        raise ElementNotFound("Nothing has the focus.", suggestions=["Name the field: `element`.", "Click it first."])
    return await keyboard.type_text(
        context.action,
        context.action.targets[0],
        arguments.text,
        focused=arguments.element is None,
        clear=arguments.clear,
        submit=arguments.submit,
        slowly=arguments.slowly,
        timeout_ms=element_timeout_ms(context),
    )


class SelectArguments(TabArguments):
    element: ElementField
    values: Annotated[tuple[str, ...], BeforeValidator(as_list)]


def select_targets(arguments: SelectArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, fills=True, choices=arguments.values),)


async def select_native(context: ToolContext, arguments: SelectArguments) -> Outcome:
    timeout_ms = element_timeout_ms(context)
    return await forms.select(context.action, context.action.targets[0], arguments.values, timeout_ms=timeout_ms)


SELECT = Operation(targets=select_targets, execute=select_native, render=render_changes)


async def select(request: CallRequest, arguments: SelectArguments) -> ToolResult:
    context, outcome = await request.perform(SELECT, arguments)
    if outcome.custom_lists:
        context, outcome = await choose(request, arguments, arguments.element, arguments.values)
    return await request.render(SELECT, context, arguments, outcome)


class HoverArguments(TabArguments):
    element: ElementField


def hover_targets(arguments: HoverArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, pointing=True),)


async def hover(context: ToolContext, _: HoverArguments) -> Outcome:
    return await mouse.hover(context.action, context.action.targets[0], timeout_ms=element_timeout_ms(context))


class PressArguments(TabArguments):
    key: Annotated[
        tuple[str, ...],
        BeforeValidator(as_keys),
        Field(min_length=1, max_length=MAX_KEYS),
        PlainSerializer(one_or_list),
        WithJsonSchema({"type": ["string", "array"]}),
    ]
    element: ElementField | None = None


def key_targets(keys: Sequence[str], element: ElementField | None) -> tuple[TargetSpec, ...]:
    """Enter and Space activate the element that has the focus; a shortcut may submit the form around it.

    Other keys need no authorization of their own.
    """
    activating = [key for key in keys if needs_authorization(key)]
    if not activating:
        return ()
    shortcut = any(is_shortcut(key) for key in activating)
    submits = shortcut or any(activating_key(key) == "Enter" for key in activating)
    return (TargetSpec(element, submits=submits, shortcut=shortcut),)


def press_targets(arguments: PressArguments) -> tuple[TargetSpec, ...]:
    return key_targets(arguments.key, arguments.element)


async def press(context: ToolContext, arguments: PressArguments) -> Outcome:
    return await press_keys(context, arguments.key, arguments.element)


async def press_keys(context: ToolContext, keys: Sequence[str], element: ElementField | None) -> Outcome:
    action, timeout_ms = context.action, element_timeout_ms(context)
    authorized = action.targets[0] if action.targets else None
    if element is None:
        return await keyboard.press(action, keys, focused=authorized, timeout_ms=timeout_ms)
    target = authorized or await resolve(action.tab, element)
    return await keyboard.press(action, keys, target, timeout_ms=timeout_ms)


class FormField(Arguments):
    element: ElementField
    value: Annotated[str | bool | int | float | tuple[str, ...], WithJsonSchema({})]


def as_fields(given: object) -> object:
    """``{element: value}`` in place of a list."""
    if isinstance(given, Mapping):
        pairs = cast("Mapping[object, object]", given).items()
        return [{"element": element, "value": value} for element, value in pairs]
    return given


class FillFormArguments(TabArguments):
    fields: Annotated[tuple[FormField, ...], BeforeValidator(as_fields)]
    submit: bool = False


def form_targets(arguments: FillFormArguments) -> tuple[TargetSpec, ...]:
    """The form of the last field is the one that is submitted."""
    last = len(arguments.fields) - 1
    return tuple(
        TargetSpec(field.element, submits=arguments.submit and index == last, fills=True, choices=_choices(field.value))
        for index, field in enumerate(arguments.fields)
    )


def _choices(value: str | bool | int | float | tuple[str, ...]) -> tuple[str, ...]:
    """The options that a value may select; nothing for a check box."""
    if isinstance(value, str):
        return (value,)
    return value if isinstance(value, tuple) else ()


async def fill_fields(context: ToolContext, arguments: FillFormArguments) -> Outcome:
    values = [field.value for field in arguments.fields]
    return await forms.fill_form(
        context.action,
        list(zip(context.action.targets, values, strict=True)),
        submit=arguments.submit,
        timeout_ms=element_timeout_ms(context),
    )


def submit_targets(arguments: FillFormArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.fields[-1].element, submits=True),)


async def submit_form(context: ToolContext, _: FillFormArguments) -> Outcome:
    return await forms.submit_form(context.action, context.action.targets[0])


FILL = Operation(targets=form_targets, execute=fill_fields, render=render_changes)
SUBMIT = Operation(targets=submit_targets, execute=submit_form, render=render_changes)


async def fill_form(request: CallRequest, arguments: FillFormArguments) -> ToolResult:
    """The lists that the page draws itself come after the other fields, and the submission after them."""
    context, outcome = await request.perform(FILL, arguments)
    lists = [arguments.fields[index] for index in outcome.custom_lists]
    if not lists or not outcome.complete:
        return await request.render(FILL, context, arguments, outcome)
    choices = [(field.element, _choices(field.value) or (str(field.value),)) for field in lists]
    last, chosen, problems = await choose_in_form(request, arguments, choices)
    context, notices = last or context, (*outcome.notices, *chosen.notices, *problems)
    outcome = replace(chosen, notices=notices)
    if arguments.submit and not problems:
        context, submitted = await request.perform(SUBMIT, arguments)
        outcome = replace(submitted, notices=(*notices, *submitted.notices))
    elif problems and arguments.submit:
        outcome = outcome.with_notices("The form was not submitted.")
    return await request.render(FILL, context, arguments, outcome)


TOOLS = (
    Tool(
        name="browser_click",
        title="Click",
        description="Click an element.",
        arguments=ClickArguments,
        effect="write",
        profiles=STANDARD,
        operation=Operation(targets=click_targets, execute=click, render=render_changes),
        destructive=True,
    ),
    Tool(
        name="browser_type",
        title="Type",
        description="Type into a field or the focus; `submit` presses Enter.",
        arguments=TypeArguments,
        effect="write",
        profiles=STANDARD,
        operation=Operation(targets=type_targets, execute=type_text, render=render_changes),
        destructive=True,
    ),
    Tool(
        name="browser_select",
        title="Choose options",
        description="Choose options of a list.",
        arguments=SelectArguments,
        effect="write",
        profiles=STANDARD,
        handler=select,
        destructive=True,
    ),
    Tool(
        name="browser_hover",
        title="Hover",
        description="Hover over an element.",
        arguments=HoverArguments,
        effect="write",
        profiles=STANDARD,
        operation=Operation(targets=hover_targets, execute=hover, render=render_changes),
    ),
    Tool(
        name="browser_press",
        title="Press keys",
        description="Press Enter, Control+a, … or a list of keys.",
        arguments=PressArguments,
        effect="write",
        profiles=STANDARD,
        operation=Operation(targets=press_targets, execute=press, render=render_changes),
        destructive=True,
    ),
    Tool(
        name="browser_fill_form",
        title="Fill a form",
        description="Fill many fields.",
        arguments=FillFormArguments,
        effect="write",
        profiles=STANDARD,
        handler=fill_form,
        destructive=True,
    ),
)
