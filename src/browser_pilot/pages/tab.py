"""One open page, with what is remembered about it: its console and whether it crashed."""

from __future__ import annotations

from playwright.async_api import Error, Page

from .activity import Activity
from .console import ConsoleBuffer
from .dialogs import Dialogs
from .network import NetworkBuffer
from .sight import Sight
from .world import World


class Tab:
    def __init__(self, tab_id: str, page: Page) -> None:
        self.id = tab_id
        self.page = page
        self.console = ConsoleBuffer(page)
        self.network = NetworkBuffer(page)
        self.world = World(page)
        self.sight = Sight(self.world)
        self.activity = Activity(page)
        self.dialogs = Dialogs(page)
        # Where our mouse is in the viewport, once it was moved.
        self.mouse: tuple[float, float] | None = None
        self.crashed = False
        page.on("crash", self._note_crash)

    def _note_crash(self, _: Page) -> None:
        self.crashed = True

    async def title(self) -> str:
        """The page's title; empty when the page cannot say it just now."""
        try:
            return await self.page.title()
        except Error:
            return ""

    @property
    def open(self) -> bool:
        return not self.page.is_closed() and not self.crashed
