"""Acting on a page: one tool per action."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import Field

from ...gateway import Intent
from ...pages import forms, keyboard, pointer
from ...pages.action import PATIENCE_MS
from ...pages.keys import Modifier
from ...pages.outcome import Outcome
from ...pages.tab import Tab
from ..answers import Answer
from ..registry import STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import outcome_data


async def perform(call: Call, intent: Intent, action: Callable[[Tab], Awaitable[Outcome]]) -> Answer:
    async def do(tab: Tab) -> Answer:
        return Answer(await outcome_data(tab, await action(tab)))

    return await call.gateway.on_tab(intent, do)


def patience_ms(arguments: TabArguments) -> int:
    """How long an action waits for its element: not as long as a whole call may take, unless the caller says so."""
    return arguments.timeout_ms or PATIENCE_MS


class ClickArguments(TabArguments):
    element: Element
    button: pointer.Button = "left"
    count: Annotated[int, Field(ge=1, le=3, description="2 = double")] = 1
    modifiers: tuple[Modifier, ...] = ()


async def click(call: Call, arguments: ClickArguments) -> Answer:
    return await perform(
        call,
        call.intent(arguments),
        lambda tab: pointer.click(
            tab,
            arguments.element,
            button=arguments.button,
            count=arguments.count,
            modifiers=arguments.modifiers,
            timeout_ms=patience_ms(arguments),
        ),
    )


class TypeArguments(TabArguments):
    element: Element
    text: str
    submit: Annotated[bool, Field(description="press Enter after")] = False
    clear: bool = True
    slowly: Annotated[bool, Field(description="key by key")] = False


async def type_text(call: Call, arguments: TypeArguments) -> Answer:
    return await perform(
        call,
        call.intent(arguments),
        lambda tab: keyboard.type_text(
            tab,
            arguments.element,
            arguments.text,
            clear=arguments.clear,
            submit=arguments.submit,
            slowly=arguments.slowly,
            timeout_ms=patience_ms(arguments),
        ),
    )


class PressArguments(TabArguments):
    key: Annotated[str, Field(description="Enter, ArrowDown, Control+a, …")]
    element: Element | None = None


async def press(call: Call, arguments: PressArguments) -> Answer:
    return await perform(
        call,
        call.intent(arguments),
        lambda tab: keyboard.press(tab, arguments.key, arguments.element, timeout_ms=patience_ms(arguments)),
    )


class SelectArguments(TabArguments):
    element: Element
    values: Annotated[tuple[str, ...], Field(description="labels or values")]


async def select(call: Call, arguments: SelectArguments) -> Answer:
    return await perform(
        call,
        call.intent(arguments),
        lambda tab: forms.select(tab, arguments.element, arguments.values, timeout_ms=patience_ms(arguments)),
    )


class HoverArguments(TabArguments):
    element: Element


async def hover(call: Call, arguments: HoverArguments) -> Answer:
    return await perform(
        call,
        call.intent(arguments),
        lambda tab: pointer.hover(tab, arguments.element, timeout_ms=patience_ms(arguments)),
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
        destructive=True,
    ),
    Tool(
        name="browser_type",
        title="Type",
        description="Type text into a field.",
        arguments=TypeArguments,
        effect="write",
        profiles=STANDARD,
        handler=type_text,
        destructive=True,
    ),
    Tool(
        name="browser_select",
        title="Select",
        description="Choose options of a drop-down list.",
        arguments=SelectArguments,
        effect="write",
        profiles=STANDARD,
        handler=select,
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
    ),
    Tool(
        name="browser_press",
        title="Press a key",
        description="Press a key, in an element or where the focus is.",
        arguments=PressArguments,
        effect="write",
        profiles=STANDARD,
        handler=press,
        destructive=True,
    ),
)
