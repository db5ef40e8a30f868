"""Scrolling the page, a box in it, or an element into view."""

from __future__ import annotations

from typing import Literal

from browser_pilot.errors import InvalidArgument
from browser_pilot.pages.action import PATIENCE_MS, Hand, perform
from browser_pilot.pages.cdp import send
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.pointer import Point, come_to, point_at
from browser_pilot.pages.settle import Reply
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import ElementArgument, Target, find
from browser_pilot.pages.troubles import trouble_error

Goal = Literal["top", "bottom", "element"]


async def scroll(
    tab: Tab,
    element: ElementArgument | None = None,
    *,
    dx: int = 0,
    dy: int = 0,
    to: Goal | None = None,
    timeout_ms: int = PATIENCE_MS,
) -> Outcome:
    """Scroll by pixels or to an end: the box that ``element`` is in, or the page. ``to="element"`` brings it into view.

    Where nothing scrolls by itself (a map, a canvas), the mouse wheel is turned instead.
    """
    if to == "element" and element is None:
        raise InvalidArgument("`to: element` needs `element`.", suggestions=["Name the element to bring into view."])
    if to is None and not (dx or dy):
        if element is None:
            raise InvalidArgument("Scroll by how much, or where to?", suggestions=["Give dy, dx or to."])
        to = "element"
    target = await find(tab, element) if element is not None else None

    async def act(hand: Hand) -> Reply | None:
        hand.acts()
        ref = target.ref if target else None
        reply = await hand.aftermath("scroll", ref, {"dx": dx, "dy": dy, "to": to})
        if reply is None:
            return None
        if target is not None and "trouble" in reply:
            raise trouble_error(target.words, reply)
        if not reply["moved"] and to is None:
            await _wheel(hand, target, dx, dy, timeout_ms)
        settled = await hand.aftermath("scrolled", ref)
        hand.notices.append(_place(settled, moved=bool(reply["moved"])))
        return settled

    return await perform(tab, target, act)


async def _wheel(hand: Hand, target: Target | None, dx: int, dy: int, timeout_ms: int) -> None:
    size = hand.tab.page.viewport_size
    middle = Point(size["width"] / 2, size["height"] / 2) if size else Point(200, 200)
    point = await point_at(hand, target, timeout_ms) if target is not None else middle
    if target is not None:
        await come_to(hand, target, point, timeout_ms)
    await send(hand.session, "Input.dispatchMouseEvent", type="mouseWheel", x=point.x, y=point.y, deltaX=dx, deltaY=dy)


def _place(settled: Reply | None, *, moved: bool) -> str:
    """Where the view is now, so that a caller knows when to stop."""
    place = settled.get("scroll") if settled else None
    if not place:
        return "Scrolled."
    top, height, whole = int(place["top"]), int(place["height"]), int(place["whole"])
    below = max(0, whole - height - top)
    where = "at the bottom" if below <= 1 else f"{below} px below"
    return f"{'Scrolled' if moved else 'Nothing moved'}: {top} px above, {where}."
