"""One open page, with what is remembered about it: its console and whether it crashed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.async_api import Download, Error, Page

from .activity import Activity
from .console import ConsoleBuffer
from .dialogs import DialogFacts, Dialogs
from .network import NetworkBuffer
from .picked import Picked
from .sight import Sight
from .targets import Target
from .unreached import Troubles, no_troubles
from .world import World

if TYPE_CHECKING:
    from .facts import Seen


# Text as it is to be typed, for a frame's origin: where a secret's name stands, its value.
Fill = Callable[[str, str], str]


@dataclass(slots=True)
class Mouse:
    """Where our mouse is in the viewport, once it was moved."""

    place: tuple[float, float] | None = None


def _as_it_is(text: str, _origin: str) -> str:
    return text


def _uncaught(_tab: Tab, _download: Download) -> str:
    return ""


class Tab:
    """``troubles`` tells why an address was not reached, where the browser itself cannot know.

    ``catch`` takes the downloads that the page sets off, and gives each a handle.
    """

    def __init__(
        self,
        tab_id: str,
        page: Page,
        troubles: Troubles = no_troubles,
        *,
        catch: Callable[[Tab, Download], str] = _uncaught,
    ) -> None:
        self.id = tab_id
        self.page = page
        self.troubles = troubles
        self.console = ConsoleBuffer(page)
        self.network = NetworkBuffer(page, troubles)
        self.world = World(page)
        self.activity = Activity(page, lambda download: catch(self, download))
        self.sight = Sight(self.world, self.activity)
        self.dialogs = Dialogs(page)
        self.mouse = Mouse()
        # What the user last pointed at here.
        self.picked: Picked | None = None
        # What was decided about, by the argument that named it: acting finds exactly these elements, as they were.
        self.decided: Mapping[str, Target] = {}
        self.decided_dialog: DialogFacts | None = None
        self.agreed = False
        self.fill: Fill = _as_it_is

    def cleared(self, seen: Seen, *, agreed: bool, fill: Fill) -> Tab:
        """The same tab for one call that was decided about. ``agreed`` when a person said yes to it."""
        twin = copy.copy(self)
        twin.decided, twin.decided_dialog = seen.targets, seen.dialog
        twin.agreed, twin.fill = agreed, fill
        return twin

    @property
    def crashed(self) -> bool:
        return self.world.crashed

    @property
    def lost_its_browser(self) -> bool:
        browser = self.page.context.browser
        return browser is not None and not browser.is_connected()

    async def title(self) -> str:
        """The page's title; empty when the page cannot say it just now."""
        try:
            return await self.page.title()
        except Error:
            return ""

    @property
    def open(self) -> bool:
        return not self.page.is_closed() and not self.crashed
