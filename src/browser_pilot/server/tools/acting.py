"""Acting on a page: one tool per action."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import Field

from ...gateway import Intent
from ...pages import act
from ...pages.tab import Tab
from ..answers import Answer
from ..registry import STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import page_data


async def perform(call: Call, intent: Intent, action: Callable[[Tab], Awaitable[object]]) -> Answer:
    async def do(tab: Tab) -> Answer:
        await action(tab)
        return Answer(await page_data(tab))

    return await call.gateway.on_tab(intent, do)


class ClickArguments(TabArguments):
    element: Element
    button: act.Button = "left"
    count: Annotated[int, Field(ge=1, le=3, description="2 = double")] = 1
    modifiers: tuple[act.Modifier, ...] = ()


async def click(call: Call, arguments: ClickArguments) -> Answer:
    intent = call.intent(arguments)
    return await perform(
        call,
        intent,
        lambda tab: act.click(
            tab,
            arguments.element,
            button=arguments.button,
            count=arguments.count,
            modifiers=arguments.modifiers,
            timeout_ms=intent.timeout_ms,
        ),
    )


class TypeArguments(TabArguments):
    element: Element
    text: str
    submit: Annotated[bool, Field(description="press Enter after")] = False
    clear: bool = True
    slowly: Annotated[bool, Field(description="key by key")] = False


async def type_text(call: Call, arguments: TypeArguments) -> Answer:
    intent = call.intent(arguments)
    return await perform(
        call,
        intent,
        lambda tab: act.type_text(
            tab,
            arguments.element,
            arguments.text,
            clear=arguments.clear,
            submit=arguments.submit,
            slowly=arguments.slowly,
            timeout_ms=intent.timeout_ms,
        ),
    )


class PressArguments(TabArguments):
    key: Annotated[str, Field(description="Enter, ArrowDown, Control+a, …")]
    element: Element | None = None


async def press(call: Call, arguments: PressArguments) -> Answer:
    intent = call.intent(arguments)
    return await perform(
        call, intent, lambda tab: act.press(tab, arguments.key, arguments.element, timeout_ms=intent.timeout_ms)
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
