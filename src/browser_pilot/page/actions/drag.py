"""Dragging one element onto another, by mouse, with HTML drag and drop where the page uses it.

The browser would start a drag of its own that no events reach, so it is told to hand such drags over. The button is
let go whatever happens.
"""

from __future__ import annotations

import asyncio
from typing import Any

from browser_pilot.pages.action import PATIENCE_MS, Hand, perform
from browser_pilot.pages.cdp import send
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.pointer import Point, come_to, move, point_at
from browser_pilot.pages.settle import Reply
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import ElementArgument, Target, find

_STEPS = 5
_HANDED_OVER_SECONDS = 2.0


async def drag(
    tab: Tab, source: ElementArgument, destination: ElementArgument, *, timeout_ms: int = PATIENCE_MS
) -> Outcome:
    """Drag an element to another and drop it there."""
    start = await find(tab, source, pointing=True)
    end = await find(tab, destination, pointing=True)

    async def act(hand: Hand) -> Reply | None:
        taken: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def take(event: dict[str, Any]) -> None:
            if not taken.done():
                taken.set_result(event["data"])

        hand.session.on("Input.dragIntercepted", take)
        await send(hand.session, "Input.setInterceptDrags", enabled=True)
        try:
            return await _drag(hand, start, end, taken, timeout_ms)
        finally:
            hand.session.remove_listener("Input.dragIntercepted", take)
            await asyncio.shield(send(hand.session, "Input.setInterceptDrags", enabled=False))

    return await perform(tab, end, act)


async def _drag(
    hand: Hand, start: Target, end: Target, taken: asyncio.Future[dict[str, Any]], timeout_ms: int
) -> Reply | None:
    world = hand.tab.world
    here = await point_at(hand, start, timeout_ms, own=True)
    await world.call(start.frame, "watchDrag", repeatable=True)
    if end.frame.number != start.frame.number:
        await world.call(end.frame, "watch", repeatable=True)
    await come_to(hand, start, here, timeout_ms)
    hand.acts()
    there = here
    try:
        await _button(hand, "mousePressed", here)
        # The first small moves are what begins a drag; the destination may move or appear because of it.
        await move(hand, Point(here.x + 4, here.y + 4), buttons=1)
        await move(hand, Point(here.x + 9, here.y + 9), buttons=1)
        there = await point_at(hand, end, timeout_ms)
        for step in range(1, _STEPS + 1):
            await move(hand, _between(here, there, step / _STEPS), buttons=1)
        began = await hand.aftermath("dragBegan", frame=start.frame)
        if began is not None and began["began"]:
            async with asyncio.timeout(_HANDED_OVER_SECONDS):
                data = await taken
            await _drop(hand, there, data)
    finally:
        await asyncio.shield(_button(hand, "mouseReleased", there))
    return await hand.aftermath("settled")


def _between(here: Point, there: Point, part: float) -> Point:
    return Point(here.x + (there.x - here.x) * part, here.y + (there.y - here.y) * part)


async def _button(hand: Hand, kind: str, point: Point) -> None:
    buttons = 1 if kind == "mousePressed" else 0
    await send(
        hand.session,
        "Input.dispatchMouseEvent",
        type=kind,
        x=point.x,
        y=point.y,
        button="left",
        buttons=buttons,
        clickCount=1,
    )


async def _drop(hand: Hand, point: Point, data: dict[str, Any]) -> None:
    for kind in ("dragEnter", "dragOver", "drop"):
        await send(hand.session, "Input.dispatchDragEvent", type=kind, x=point.x, y=point.y, data=data)
