"""Takes an element that the user picked in the side panel and hands it to the agent whose tab it is in."""

from __future__ import annotations

import time
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..bridge.bridge import Bridge
from ..bridge.wire import Json
from ..errors import InvalidArgument, NoTab
from ..pages.picked import Picked, find_picked
from ..pages.tab import Tab
from ..sessions.registry import SessionRegistry

Selector = Annotated[str, Field(min_length=1, max_length=2_000)]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tab: int
    frame_url: Annotated[str, Field(max_length=20_000)]
    selectors: Annotated[list[Selector], Field(min_length=1, max_length=10)]


class Picking:
    def __init__(self, bridge: Bridge, sessions: SessionRegistry) -> None:
        self._bridge = bridge
        self._sessions = sessions

    async def take(self, browser: str, params: Json) -> Json:
        """Keep the element for its tab's agent; answers with what the agent will be told."""
        try:
            given = _Given.model_validate(params)
        except ValidationError:
            raise InvalidArgument("What was picked cannot be understood.") from None
        tab = await self._tab(browser, given.tab)
        picked = Picked(time.time(), given.frame_url, tuple(given.selectors))
        found = await find_picked(tab, picked)
        tab.picked = picked
        return {"ref": found.ref, "role": found.role, "name": found.name, "tab": tab.id}

    async def _tab(self, browser: str, number: int) -> Tab:
        target = self._bridge.target_of(browser, number)
        for session in self._sessions if target is not None else ():
            for tab in session.tabs() if session.engine == "own" else ():
                # Chrome calls a page's main frame by the name of its target.
                if (await tab.world.main_frame()).id == target:
                    return tab
        raise NoTab("No agent has this tab.", suggestions=["Connect the tab, and let an agent use it."])
