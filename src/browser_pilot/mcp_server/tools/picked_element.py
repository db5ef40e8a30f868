"""What the user pointed at: the element that they picked in the side panel of their own browser."""

from __future__ import annotations

from dataclasses import replace

from ...pages.picked import find_picked
from ...pages.tab import Tab
from ...sessions.session import Session
from ..answers import Answer
from ..registry import FULL_ONLY, Call, Tool
from ..schema import TabArguments

NOTHING = Answer(
    {
        "picked": False,
        "hint": "Ask the user to press “Pick an element” in the side panel of Browser Pilot, in their own Chrome.",
    }
)


class PickedArguments(TabArguments):
    pass


async def picked(call: Call, arguments: PickedArguments) -> Answer:
    intent = call.intent(arguments)
    tab_id = arguments.tab or call.gateway.picked_tab(call.client, arguments.session)
    if tab_id is None:
        return await call.gateway.on_session(intent, _nothing)

    async def look(tab: Tab) -> Answer:
        if tab.picked is None:
            return NOTHING
        element = await find_picked(tab, tab.picked)
        data: dict[str, object] = {"picked": True, "tab": tab.id, "url": tab.page.url, "ref": element.ref}
        data |= {"role": element.role, "name": element.name, "states": " ".join(element.states)}
        return Answer({**data, "selectors": list(tab.picked.selectors)})

    return await call.gateway.on_tab(
        replace(intent, tab=tab_id), lambda tab: tab.dialogs.undisturbed(lambda: look(tab))
    )


async def _nothing(_: Session) -> Answer:
    return NOTHING


TOOLS = (
    Tool(
        name="browser_picked",
        title="See what the user picked",
        description="The element that the user pointed at in the side panel.",
        arguments=PickedArguments,
        effect="read",
        profiles=FULL_ONLY,
        handler=picked,
    ),
)
