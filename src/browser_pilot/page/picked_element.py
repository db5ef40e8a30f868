"""An element that the user pointed at in their own browser, for the agent to use.

It comes as selectors that the extension made, the most robust first. They are looked up when they are needed, so that
the element is found again on a page that was drawn anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from browser_pilot.errors import ElementNotFound, InvalidArgument
from browser_pilot.pages.elements import Element, Elements, parse_element

if TYPE_CHECKING:
    from browser_pilot.pages.tab import Tab


@dataclass(frozen=True, slots=True)
class Picked:
    """``at`` is when, in seconds since the epoch; ``frame_url`` the address of the frame that it is in."""

    at: float
    frame_url: str
    selectors: tuple[str, ...]


async def find_picked(tab: Tab, picked: Picked) -> Element:
    """The element as it is now, with its ref. Raises ElementNotFound when no selector finds exactly one."""
    elements = Elements(tab.world)
    for selector in picked.selectors:
        try:
            found, _ = await elements.match(parse_element(selector))
        except InvalidArgument:
            continue
        here = [element for element in found if element.frame.url == picked.frame_url] or found
        if len(here) == 1:
            return here[0]
    raise ElementNotFound(
        "What the user picked is no longer on the page.",
        suggestions=["Take a browser_snapshot.", "Or ask the user to pick it again in the side panel."],
    )
