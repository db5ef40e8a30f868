"""The mouse: where to point for an element, clicking and hovering.

A click takes two steps: the page names the point and sets a guard there; then movement, presses and the question what
became of them are sent together. A press that would hit something else is stopped by the guard, and tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from browser_pilot.errors import StaleRef
from browser_pilot.pages.action import GRACE_MS, PATIENCE_MS, Hand, perform
from browser_pilot.pages.barred import other_frames_barred
from browser_pilot.pages.cdp import send
from browser_pilot.pages.frames import MAIN
from browser_pilot.pages.keys import Modifier, modifier_mask
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.settle import Reply
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import ElementArgument, Target, find
from browser_pilot.pages.troubles import trouble_error
from browser_pilot.pages.world import Json

Button = Literal["left", "right", "middle"]
BUTTON_BITS: dict[str, int] = {"left": 1, "right": 2, "middle": 4}


@dataclass(frozen=True, slots=True)
class Point:
    """A place in the main frame's viewport, in CSS pixels."""

    x: float
    y: float


async def click(
    tab: Tab,
    element: ElementArgument,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[Modifier] = (),
    timeout_ms: int = PATIENCE_MS,
) -> Outcome:
    """Click an element once it can be clicked, and wait for what that sets off."""
    target = await find(tab, element, pointing=True)

    async def act(hand: Hand) -> Reply | None:
        return await click_target(hand, target, timeout_ms, button=button, count=count, mask=modifier_mask(modifiers))

    return await perform(tab, target, act)


async def click_target(
    hand: Hand, target: Target, timeout_ms: int, *, button: Button = "left", count: int = 1, mask: int = 0
) -> Reply | None:
    """The click itself, as a part of an action: what the page says of it, once it has landed."""
    until = asyncio.get_running_loop().time() + timeout_ms / 1000
    carefully = False
    while True:
        left_ms = max(0, int((until - asyncio.get_running_loop().time()) * 1000))
        reply = await hand.ask(target, "aim", *_aimed(hand, target, count), left_ms, patience_ms=left_ms)
        point = await to_viewport(hand, target, reply, left_ms)
        hand.acts()
        stir = carefully or bool(reply["stir"])
        if stir:
            await _stir(hand)
        if stir or target.frame.number != MAIN:
            await come_to(hand, target, point, left_ms)
        async with other_frames_barred(hand, target.frame, count):
            landed = await _pressed(hand, _click_events(hand, point, button, count, mask))
        if landed is None or landed["landed"] != "no":
            if landed is not None and landed["landed"] == "unseen":
                hand.notices.append("The page gave no sign that the click arrived.")
            return landed
        if left_ms == 0:
            raise trouble_error(target.words, {"trouble": "covered", "by": landed["by"]})
        carefully = True


async def _pressed(hand: Hand, events: list[asyncio.Task[object]]) -> Reply | None:
    """What the page says of a click. Asked together with it, that saves a step; but the page lets go of its guard when
    it has waited long enough, and where a person agreed, nothing may arrive after that.
    """
    if hand.tab.agreed:
        await asyncio.gather(*events)
        return await hand.aftermath("landed")
    landing = asyncio.ensure_future(hand.aftermath("landed"))
    try:
        await asyncio.gather(*events)
        return await landing
    finally:
        landing.cancel()


def _aimed(hand: Hand, target: Target, count: int) -> tuple[Json, ...]:
    return target.aimed, target.wire_at(), count, hand.tab.agreed


async def hover(tab: Tab, element: ElementArgument, *, timeout_ms: int = PATIENCE_MS) -> Outcome:
    """Move the mouse over an element."""
    target = await find(tab, element, pointing=True)

    async def act(hand: Hand) -> Reply | None:
        point = await point_at(hand, target, timeout_ms)
        await tab.world.call(target.frame, "watch", repeatable=True)
        hand.acts()
        await come_to(hand, target, point, timeout_ms)
        return await hand.aftermath("settled")

    return await perform(tab, target, act)


async def point_at(hand: Hand, target: Target, patience_ms: int, *, own: bool = False) -> Point:
    """Where an element can be pointed at, once it can; its ``own`` points only, for whoever presses there."""
    reply = await hand.ask(target, "point", target.aimed, target.wire_at(), own, patience_ms, patience_ms=patience_ms)
    return await to_viewport(hand, target, reply, patience_ms)


async def to_viewport(hand: Hand, target: Target, spot: Reply, patience_ms: int) -> Point:
    """A point of a frame as a point of the main viewport, with a look at what may cover each frame on the way."""
    frame = target.frame
    if frame.number == MAIN:
        return Point(spot["x"], spot["y"])
    frames = {frame.number: frame for frame in await hand.tab.world.live_frames()}
    while frame.parent is not None:
        parent = frames.get(frame.parent)
        if parent is None:
            raise StaleRef(f"The frame of {target.words} is gone.", suggestions=["Take a new browser_snapshot."])
        inner = {"x": spot["x"], "y": spot["y"]}
        answer = await hand.tab.world.call(
            parent, "through", frame.number, inner, patience_ms, timeout_ms=patience_ms + GRACE_MS
        )
        spot = cast("Reply", answer)
        if "trouble" in spot:
            raise trouble_error(target.words, spot)
        frame = parent
    return Point(spot["x"], spot["y"])


async def move(hand: Hand, point: Point, *, buttons: int = 0) -> None:
    held = "left" if buttons & 1 else "none"
    hand.tab.mouse.place = point.x, point.y
    await send(
        hand.session, "Input.dispatchMouseEvent", type="mouseMoved", x=point.x, y=point.y, button=held, buttons=buttons
    )


async def come_to(hand: Hand, target: Target, point: Point, patience_ms: int) -> None:
    """Bring the mouse to an element, and make sure that the frame which holds it has felt that.

    The browser leads the mouse into frames by the last picture of them it was sent; on a busy machine that is older
    than what the frames know, and a press would go to whatever was there before.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + patience_ms / 1000
    await move(hand, point)
    while target.frame.number != MAIN:
        reply = cast("Reply", await hand.tab.world.call(target.frame, "felt", timeout_ms=GRACE_MS))
        if reply["felt"]:
            return
        if loop.time() >= until:
            raise trouble_error(target.words, {"trouble": "covered", "by": "another frame"})
        await _stir(hand)
        await move(hand, point)


async def _stir(hand: Hand) -> None:
    """Move the mouse a little where it is, so that the page has shown how it takes its coming before it gets further.

    A menu that opens under the mouse may take the first movement to be about the item that lies there. Each movement
    takes a frame, so that this is done only where it may matter.
    """
    if hand.tab.mouse.place is not None:
        x, y = hand.tab.mouse.place
        await move(hand, Point(x + 1, y + 1))


def _click_events(hand: Hand, point: Point, button: Button, count: int, mask: int) -> list[asyncio.Task[object]]:
    """All events of a click, sent at once and in order, so that no button can stay pressed."""
    hand.tab.mouse.place = point.x, point.y
    events: list[dict[str, object]] = [{"type": "mouseMoved", "button": "none", "buttons": 0}]
    for number in range(1, count + 1):
        pressed = {"button": button, "clickCount": number}
        events.append({"type": "mousePressed", "buttons": BUTTON_BITS[button], **pressed})
        events.append({"type": "mouseReleased", "buttons": 0, **pressed})
    return [
        asyncio.ensure_future(
            send(hand.session, "Input.dispatchMouseEvent", x=point.x, y=point.y, modifiers=mask, **event)
        )
        for event in events
    ]
