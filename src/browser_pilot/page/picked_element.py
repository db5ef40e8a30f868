"""An element that the user picked in their own Chrome, for the agent to use.

The extension sends selectors, the most robust first. They are resolved on each use, so that the element is found again
after the page was re-rendered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from browser_pilot.errors import ElementNotFound, InvalidArgument
from browser_pilot.page.actions.selectors import Element, Elements, parse_element

if TYPE_CHECKING:
    from .tab import Tab


@dataclass(frozen=True, slots=True)
class PickedElement:
    """``picked_at`` is in seconds since the epoch; ``frame_url`` is the URL of the element's frame."""

    picked_at: float
    frame_url: str
    selectors: tuple[str, ...]


async def resolve_picked(tab: Tab, picked: PickedElement) -> Element:
    """The current element, with its ref. Raises ElementNotFound when no selector matches exactly one."""
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
        "The picked element is no longer on the page.",
        suggestions=["Take a browser_snapshot.", "Or ask the user to pick it again in the side panel."],
    )
