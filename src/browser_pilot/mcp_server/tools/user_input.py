"""Input: one tool per action. Each returns what changed on the page."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_schema import Arguments, TabArguments
from browser_pilot.page.actions import forms, keyboard, mouse
from browser_pilot.page.actions.keys import Modifier, activating_key, is_shortcut
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.actions.target_facts import TargetSpec

from .arguments import ElementField
from .page_result import render_changes


def element_timeout_ms(context: ToolContext) -> int:
    """How long to wait for an element: not to the end of the call, which must still report what was in the way."""
    return context.call.timeout_ms * 4 // 5


class ClickArguments(TabArguments):
    element: ElementField
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
    element: ElementField
    text: str
    submit: bool = False
    clear: bool = True
    slowly: bool = False


def type_targets(arguments: TypeArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, submits=arguments.submit, fills=True),)


async def type_text(context: ToolContext, arguments: TypeArguments) -> Outcome:
    return await keyboard.type_text(
        context.action,
        context.action.targets[0],
        arguments.text,
        clear=arguments.clear,
        submit=arguments.submit,
        slowly=arguments.slowly,
        timeout_ms=element_timeout_ms(context),
    )


class SelectArguments(TabArguments):
    element: ElementField
    values: Annotated[tuple[str, ...], Field(description="labels or values")]


def select_targets(arguments: SelectArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, fills=True, choices=arguments.values),)


async def select(context: ToolContext, arguments: SelectArguments) -> Outcome:
    timeout_ms = element_timeout_ms(context)
    return await forms.select(context.action, context.action.targets[0], arguments.values, timeout_ms=timeout_ms)


class HoverArguments(TabArguments):
    element: ElementField


def hover_targets(arguments: HoverArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, pointing=True),)


async def hover(context: ToolContext, _: HoverArguments) -> Outcome:
    return await mouse.hover(context.action, context.action.targets[0], timeout_ms=element_timeout_ms(context))


class PressArguments(TabArguments):
    key: Annotated[str, Field(description="Enter, Control+a")]
    element: ElementField | None = None


def key_targets(key: str, element: ElementField | None) -> tuple[TargetSpec, ...]:
    """Enter and Space activate the element that has the focus; a shortcut may submit the form around it.

    Other keys need no authorization of their own.
    """
    activating, shortcut = activating_key(key), is_shortcut(key)
    if activating is None and not shortcut:
        return ()
    return (TargetSpec(element, submits=shortcut or activating == "Enter", shortcut=shortcut),)


def press_targets(arguments: PressArguments) -> tuple[TargetSpec, ...]:
    return key_targets(arguments.key, arguments.element)


async def press(context: ToolContext, arguments: PressArguments) -> Outcome:
    return await press_key(context, arguments.key, arguments.element)


async def press_key(context: ToolContext, key: str, element: ElementField | None) -> Outcome:
    action, timeout_ms = context.action, element_timeout_ms(context)
    authorized = action.targets[0] if action.targets else None
    if element is None:
        return await keyboard.press(action, key, focused=authorized, timeout_ms=timeout_ms)
    target = authorized or await resolve(action.tab, element)
    return await keyboard.press(action, key, target, timeout_ms=timeout_ms)


class FormField(Arguments):
    element: ElementField
    value: str | bool | int | float | tuple[str, ...]


class FillFormArguments(TabArguments):
    fields: tuple[FormField, ...]
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


async def fill_form(context: ToolContext, arguments: FillFormArguments) -> Outcome:
    values = [field.value for field in arguments.fields]
    return await forms.fill_form(
        context.action,
        list(zip(context.action.targets, values, strict=True)),
        submit=arguments.submit,
        timeout_ms=element_timeout_ms(context),
    )


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
        description="Type into a field; `submit` presses Enter.",
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
        operation=Operation(targets=select_targets, execute=select, render=render_changes),
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
        title="Press a key",
        description="Press a key in an element or the focus.",
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
        operation=Operation(targets=form_targets, execute=fill_form, render=render_changes),
        destructive=True,
    ),
)
