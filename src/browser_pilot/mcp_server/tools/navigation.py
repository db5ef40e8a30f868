"""Going to pages, and the tabs they are in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...errors import InvalidArgument
from ...pages.navigate import WaitUntil, open_address, step
from ...pages.outcome import Outcome
from ...pages.tab import Tab
from ...policy.hosts import Address
from ...sessions.session import Session
from ..answers import Answer
from ..registry import EVERYWHERE, STANDARD, Call, Tool
from ..schema import TabArguments
from .pages import page_data, whole_page


class NavigateArguments(TabArguments):
    url: str | None = None
    action: Literal["goto", "back", "forward", "reload"] = "goto"
    wait_until: WaitUntil | None = None
    snapshot: bool = False


async def navigate(call: Call, arguments: NavigateArguments) -> Answer:
    intent = call.intent(arguments)
    wait_until, timeout_ms = arguments.wait_until, intent.timeout_ms

    async def answer(tab: Tab, outcome: Outcome) -> Answer:
        if arguments.snapshot:
            max_tokens = call.client.settings.tools.max_tokens
            page = await whole_page(tab, outcome, max_tokens=max_tokens, timeout_ms=timeout_ms)
            return Answer({"tab": tab.id, **page})
        return Answer({**await page_data(tab, outcome.title), **outcome.facts()})

    async def go(tab: Tab, address: Address) -> Answer:
        return await answer(tab, await open_address(tab, address.href, wait_until=wait_until, timeout_ms=timeout_ms))

    action = arguments.action
    if action == "goto":
        if arguments.url is None:
            raise InvalidArgument("`url` is missing.", suggestions=["Give the address to open."])
        return await call.gateway.navigate(intent, arguments.url, go)
    if arguments.url is not None:
        raise InvalidArgument(f"`url` does not go with action {action!r}.", suggestions=["Leave out `action`."])

    async def move(tab: Tab) -> Answer:
        return await answer(tab, await step(tab, action, wait_until=wait_until, timeout_ms=timeout_ms))

    return await call.gateway.on_tab(intent, move)


class TabsArguments(TabArguments):
    action: Literal["list", "open", "select", "close"] = "list"
    tab: Annotated[str | None, Field(description="t1, t2, …")] = None
    url: str | None = None


async def tabs(call: Call, arguments: TabsArguments) -> Answer:
    match arguments.action:
        case "list":
            return await call.gateway.on_session(call.intent(arguments, effect="read"), _list)
        case "open":
            intent = call.intent(arguments, effect="navigate")

            async def go(tab: Tab, address: Address) -> Answer:
                outcome = await open_address(tab, address.href, timeout_ms=intent.timeout_ms)
                return Answer({**await page_data(tab, outcome.title), **outcome.facts()})

            return await call.gateway.open_tab(intent, arguments.url or "about:blank", go)
        case "select":

            async def select(session: Session) -> Answer:
                if arguments.tab is None:
                    raise InvalidArgument("`tab` is missing.", suggestions=["Name the tab to select."])
                return Answer(await page_data(session.select(arguments.tab)))

            return await call.gateway.on_session(call.intent(arguments, effect="read"), select)
        case "close":

            async def close(session: Session) -> Answer:
                await session.close_tab(arguments.tab)
                return await _list(session)

            return await call.gateway.on_session(call.intent(arguments, effect="navigate"), close)


async def _list(session: Session) -> Answer:
    rows = [
        {"tab": tab.id, "url": tab.page.url, "title": await tab.title(), "current": tab.id == session.current_tab_id}
        for tab in session.tabs()
    ]
    return Answer({"tabs": rows})


TOOLS = (
    Tool(
        name="browser_navigate",
        title="Open a page",
        description="Open a URL, or go back, forward, reload.",
        arguments=NavigateArguments,
        effect="navigate",
        profiles=EVERYWHERE,
        handler=navigate,
    ),
    Tool(
        name="browser_tabs",
        title="Tabs",
        description="List, open, select or close tabs.",
        arguments=TabsArguments,
        effect="navigate",
        profiles=STANDARD,
        handler=tabs,
    ),
)
