"""Waiting for one thing on a page."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...pages.outcome import Outcome
from ...pages.tab import Tab
from ...pages.waiting import LoadState, State, wait_for
from ..answers import Answer
from ..registry import STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import action_data

# The wait itself ends at its time; the call must not end before it.
MARGIN_MS = 1_000


class WaitArguments(TabArguments):
    text: str | None = None
    text_gone: str | None = None
    element: Element | None = None
    state: State = "visible"
    url: str | None = None
    load: LoadState | None = None
    function: str | None = None
    ms: Annotated[int | None, Field(ge=0, le=600_000)] = None


async def wait(call: Call, arguments: WaitArguments) -> Answer:
    timeout_ms = call.timeout_ms(arguments)
    longer = arguments.model_copy(update={"timeout_ms": timeout_ms + MARGIN_MS})
    intent = call.intent(longer, effect="script" if arguments.function is not None else None)

    async def do(tab: Tab) -> Answer:
        await wait_for(
            tab,
            text=arguments.text,
            text_gone=arguments.text_gone,
            element=arguments.element,
            state=arguments.state,
            url=arguments.url,
            load=arguments.load,
            function=arguments.function,
            ms=arguments.ms,
            timeout_ms=timeout_ms,
        )
        if not tab.sight.knows_page:
            return Answer({"url": tab.page.url})
        max_tokens = call.client.settings.tools.max_tokens
        return Answer(await action_data(tab, Outcome(), max_tokens=max_tokens, timeout_ms=timeout_ms))

    return await call.gateway.on_tab(intent, do)


TOOLS = (
    Tool(
        name="browser_wait_for",
        title="Wait",
        description="Wait for one thing.",
        arguments=WaitArguments,
        effect="read",
        profiles=STANDARD,
        handler=wait,
    ),
)
