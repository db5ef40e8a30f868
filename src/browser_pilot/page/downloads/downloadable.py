"""What there is to save: an address, or something that an element of the page draws.

Finding it changes nothing and fetches nothing; ``streams`` does that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.errors import DownloadFailed, ElementAmbiguous, ElementNotFound
from browser_pilot.pages.frames import Frame
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import ElementArgument, find, lost
from browser_pilot.policy.hosts import parse_address

FETCHED = ("http", "https", "blob", "data")


@dataclass(frozen=True, slots=True)
class Resource:
    """``url`` is where to get it, or ``ref`` what draws it, both as seen from ``frame``; ``name`` is the page's own.

    Without a frame, the browser has it already: a click has set it off.
    """

    frame: Frame | None
    url: str = ""
    ref: str = ""
    name: str = ""
    page_url: str = ""

    @property
    def source(self) -> str:
        """Where it comes from, for people: what a page draws or holds itself comes from the page."""
        if self.ref or not self.url:
            return self.page_url
        return self.url.partition(",")[0] if self.url[:5].lower() == "data:" else self.url

    @property
    def is_remote(self) -> bool:
        return self.url.partition(":")[0].lower() in ("http", "https")

    def wire(self) -> dict[str, str]:
        return {"ref": self.ref} if self.ref else {"url": self.url}


async def resource_at(tab: Tab, url: str) -> Resource:
    """What is at an address, as the page in the tab would get it."""
    frame = await tab.world.main_frame()
    if url.partition(":")[0].lower() in ("blob", "data"):
        return Resource(frame, url=url, page_url=tab.page.url)
    return Resource(frame, url=parse_address(url).href, page_url=tab.page.url)


async def resource_of(tab: Tab, element: ElementArgument, *, called: str) -> Resource:
    """What a person would mean by saving this element. ``called`` is how the caller named it."""
    try:
        target = await find(tab, element)
    except (ElementNotFound, ElementAmbiguous) as error:
        frame = await tab.world.main_frame()
        if await tab.world.call(frame, "isViewer", repeatable=True):
            return Resource(frame, url=tab.page.url, page_url=tab.page.url)
        if error.message.startswith("No element matches"):
            raise ElementNotFound(f"Element not found: {called}", suggestions=error.suggestions) from None
        raise
    answer = await tab.dialogs.unless_opened(
        tab.world.call(target.frame, "resourceOf", target.ref, repeatable=True),
    )
    if answer is None:
        raise await lost(tab.world, target)
    told = cast("dict[str, Any]", answer)
    url, ref = str(told.get("url", "")), str(told.get("ref", ""))
    if not ref and url.partition(":")[0].lower() not in FETCHED:
        raise _nothing(told)
    return Resource(target.frame, url, ref, str(told.get("name", "")), tab.page.url)


def _nothing(told: dict[str, Any]) -> DownloadFailed:
    count = told.get("many")
    suggestion = f"It holds {count} of them: name one." if count else "Name an image, a video, a link or the like."
    return DownloadFailed(
        "Element has no downloadable resource", suggestions=[suggestion], metadata={"reason": "no_resource"}
    )
