"""Receives an element that the user picked in the side panel and stores it for the agent that controls the tab."""

from __future__ import annotations

import time
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from browser_pilot.errors import InvalidArgument, NoTab
from browser_pilot.extension_bridge.bridge import Bridge
from browser_pilot.json_types import JsonObject
from browser_pilot.page.picked_element import PickedElement, resolve_picked
from browser_pilot.page.tab import Tab
from browser_pilot.sessions.registry import SessionRegistry

PickedSelector = Annotated[str, Field(min_length=1, max_length=2_000)]


class _PickedParams(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tab: int
    frame_url: Annotated[str, Field(max_length=20_000)]
    selectors: Annotated[list[PickedSelector], Field(min_length=1, max_length=10)]


class ElementPicker:
    def __init__(self, bridge: Bridge, sessions: SessionRegistry) -> None:
        self._bridge = bridge
        self._sessions = sessions

    async def pick(self, browser: str, params: JsonObject) -> JsonObject:
        """Store the element for the tab's agent; returns what that agent will see."""
        try:
            given = _PickedParams.model_validate(params)
        except ValidationError:
            raise InvalidArgument("The picked element is not valid.") from None
        tab = await self._tab(browser, given.tab)
        picked = PickedElement(time.time(), given.frame_url, tuple(given.selectors))
        found = await resolve_picked(tab, picked)
        tab.picked = picked
        return {"ref": found.ref, "role": found.role, "name": found.name, "tab": tab.id}

    async def _tab(self, browser: str, number: int) -> Tab:
        target = self._bridge.target_of(browser, number)
        for session in self._sessions if target is not None else ():
            for tab in session.tabs() if session.engine == "own" else ():
                # In Chrome the id of a page's main frame is the id of its target.
                if (await tab.world.main_frame()).id == target:
                    return tab
        raise NoTab("No agent controls this tab.", suggestions=["Connect the tab and let an agent use it."])
