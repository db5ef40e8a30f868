"""Acting on a page: one tool per action. Each answers with what changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import Field

from ...pages import forms, keyboard, pointer
from ...pages.facts import Aim
from ...pages.keys import Modifier, activating_key
from ...pages.outcome import Outcome
from ...pages.tab import Tab
from ..answers import Answer
from ..registry import STANDARD, Call, Tool
from ..schema import Arguments, TabArguments
from .arguments import Element
from .pages import action_data


def patience_ms(timeout_ms: int) -> int:
    """How long to wait for an element: not to the end of the call, which must still say what was in the way."""
    return timeout_ms * 4 // 5


async def act(call: Call, arguments: TabArguments, action: Callable[[Tab, int], Awaitable[Outcome]]) -> Answer:
    """Run an action in the tab, which gets the time it may take, and answer with what changed."""
    intent = call.intent(arguments)

    async def do(tab: Tab) -> Answer:
        outcome = await action(tab, patience_ms(intent.timeout_ms))
        max_tokens = call.client.settings.tools.max_tokens
        return Answer(await action_data(tab, outcome, max_tokens=max_tokens, timeout_ms=intent.timeout_ms))

    return await call.gateway.on_tab(intent, do)


class ClickArguments(TabArguments):
    element: Element
    button: pointer.Button = "left"
    count: Annotated[int, Field(ge=1, le=3)] = 1
    modifiers: tuple[Modifier, ...] = ()


async def click(call: Call, arguments: ClickArguments) -> Answer:
    return await act(
        call,
        arguments,
        lambda tab, timeout_ms: pointer.click(
            tab,
            arguments.element,
            button=arguments.button,
            count=arguments.count,
            modifiers=arguments.modifiers,
            timeout_ms=timeout_ms,
        ),
    )


class TypeArguments(TabArguments):
    element: Element
    text: str
    submit: bool = False
    clear: bool = True
    slowly: bool = False


async def type_text(call: Call, arguments: TypeArguments) -> Answer:
    return await act(
        call,
        arguments,
        lambda tab, timeout_ms: keyboard.type_text(
            tab,
            arguments.element,
            arguments.text,
            clear=arguments.clear,
            submit=arguments.submit,
            slowly=arguments.slowly,
            timeout_ms=timeout_ms,
        ),
    )


class SelectArguments(TabArguments):
    element: Element
    values: Annotated[tuple[str, ...], Field(description="labels or values")]


async def select(call: Call, arguments: SelectArguments) -> Answer:
    return await act(
        call,
        arguments,
        lambda tab, timeout_ms: forms.select(tab, arguments.element, arguments.values, timeout_ms=timeout_ms),
    )


class HoverArguments(TabArguments):
    element: Element


async def hover(call: Call, arguments: HoverArguments) -> Answer:
    return await act(
        call, arguments, lambda tab, timeout_ms: pointer.hover(tab, arguments.element, timeout_ms=timeout_ms)
    )


class PressArguments(TabArguments):
    key: Annotated[str, Field(description="Enter, Control+a, …")]
    element: Element | None = None


def key_aims(key: str, element: Element | None) -> tuple[Aim, ...]:
    """Enter and Space press what has the focus; other keys do nothing to decide about."""
    pressed = activating_key(key)
    return () if pressed is None else (Aim(element, sends=pressed == "Enter"),)


async def press(call: Call, arguments: PressArguments) -> Answer:
    return await act(
        call,
        arguments,
        lambda tab, timeout_ms: keyboard.press(tab, arguments.key, arguments.element, timeout_ms=timeout_ms),
    )


class FormField(Arguments):
    element: Element
    value: str | bool | int | float | tuple[str, ...]


class FillFormArguments(TabArguments):
    fields: tuple[FormField, ...]
    submit: bool = False


def form_aims(arguments: FillFormArguments) -> tuple[Aim, ...]:
    """The last field's form is the one that is sent."""
    last = len(arguments.fields) - 1
    return tuple(
        Aim(field.element, sends=arguments.submit and index == last, fills=True)
        for index, field in enumerate(arguments.fields)
    )


async def fill_form(call: Call, arguments: FillFormArguments) -> Answer:
    fields = [(field.element, field.value) for field in arguments.fields]
    return await act(
        call,
        arguments,
        lambda tab, timeout_ms: forms.fill_form(tab, fields, submit=arguments.submit, timeout_ms=timeout_ms),
    )


TOOLS = (
    Tool(
        name="browser_click",
        title="Click",
        description="Click an element.",
        arguments=ClickArguments,
        effect="write",
        profiles=STANDARD,
        handler=click,
        aims=lambda arguments: (Aim(arguments.element),),
        destructive=True,
    ),
    Tool(
        name="browser_type",
        title="Type",
        description="Type text into a field; `submit` presses Enter.",
        arguments=TypeArguments,
        effect="write",
        profiles=STANDARD,
        handler=type_text,
        aims=lambda arguments: (Aim(arguments.element, sends=arguments.submit, fills=True),),
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
        aims=lambda arguments: (Aim(arguments.element, fills=True),),
        destructive=True,
    ),
    Tool(
        name="browser_hover",
        title="Hover",
        description="Move the mouse over an element.",
        arguments=HoverArguments,
        effect="write",
        profiles=STANDARD,
        handler=hover,
        aims=lambda arguments: (Aim(arguments.element),),
    ),
    Tool(
        name="browser_press",
        title="Press a key",
        description="Press a key, in an element or where the focus is.",
        arguments=PressArguments,
        effect="write",
        profiles=STANDARD,
        handler=press,
        aims=lambda arguments: key_aims(arguments.key, arguments.element),
        destructive=True,
    ),
    Tool(
        name="browser_fill_form",
        title="Fill a form",
        description="Fill many fields in one call.",
        arguments=FillFormArguments,
        effect="write",
        profiles=STANDARD,
        handler=fill_form,
        aims=form_aims,
        destructive=True,
    ),
)
