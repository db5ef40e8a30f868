"""The secrets of the user that were filled into the documents of one tab.

While a document holds one, scripts there need approval, pictures of it are masked, and its texts are searched without
the values. Lives as long as its tab. A document ends with the next navigation of its frame, but one at the same URL
counts as well: Chrome restores the values of fields when the history goes back.

Values are sent only into frames of an origin that got them already, and only into the isolated world there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from urllib.parse import urldefrag
from weakref import WeakKeyDictionary

from playwright.async_api import BrowserContext, Page

from browser_pilot.policy.hosts import Site, page_site

from .frames import Frame
from .isolated_world import FrameGone, World

# By origin. For all tabs of a context: another tab may show what was filled in this one.
_Values = dict[Site, set[str]]
_values_of: WeakKeyDictionary[BrowserContext, _Values] = WeakKeyDictionary()


class FilledSecrets:
    def __init__(self, page: Page, world: World) -> None:
        self._page = page
        self._world = world
        self._values: _Values = _values_of.setdefault(page.context, {})
        self._documents: dict[str, Site | None] = {}
        self._urls: set[str] = set()
        self._capturing = asyncio.Lock()
        world.on_new_document(self._forget_document)

    def add(self, frame: Frame, values: Iterable[str]) -> None:
        """A field of a frame is about to be filled with secrets."""
        site = page_site(frame.url)
        self._documents[frame.id] = site
        self._urls.add(urldefrag(frame.url).url)
        if site is not None:
            self._values.setdefault(site, set()).update(values)

    @property
    def in_page(self) -> bool:
        """Whether a document of this tab may hold a secret."""
        return bool(self._documents) or any(urldefrag(frame.url).url in self._urls for frame in self._page.frames)

    @property
    def sites(self) -> frozenset[Site]:
        """The sites of the documents that hold one; another tab of such a site can read them."""
        return frozenset(site for site in self._documents.values() if site is not None)

    async def hide_values(self) -> None:
        """Make the page's own search ignore the values."""
        if not self._values:
            return
        for frame in await self._world.live_frames():
            site = page_site(frame.url)
            values = self._values.get(site) if site is not None else None
            if values:
                with suppress(FrameGone):
                    await self._world.call(frame, "hideValues", sorted(values), repeatable=True)

    @asynccontextmanager
    async def masked(self) -> AsyncGenerator[None]:
        """Mask them in the page meanwhile, for a picture of it.

        One picture at a time: another one would remove the mask too early, and captures of different regions of a page
        disturb each other.
        """
        async with self._capturing:
            if not self._values:
                yield
                return
            await self.hide_values()
            try:
                await self._world.call_everywhere("maskSecrets")
                yield
            finally:
                await self._world.call_everywhere("unmaskSecrets")

    def _forget_document(self, frame_id: str) -> None:
        main = self._world.frames.last_main
        if main is None or frame_id == main.id:
            self._documents.clear()
        else:
            self._documents.pop(frame_id, None)
