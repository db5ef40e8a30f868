"""The mouse: clicking and hovering, and the point at which an element receives input.

A click takes two round trips: the page names the point and sets a guard there; then movement, presses and the request
for the result are sent together. The guard stops a press that would hit another element, and the click is tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from browser_pilot.errors import StaleRef
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.page.cdp import send
from browser_pilot.page.frames import MAIN

from .actionability_errors import actionability_error
from .context import ActionContext
from .frame_shield import new_documents_blocked, other_frames_blocked
from .keys import Modifier, modifier_mask
from .outcome import Outcome
from .resolve import Target
from .runner import EXTRA_TIMEOUT_MS, TIMEOUT_MS, RunningAction, run_action
from .wait_idle import PageReport

Button = Literal["left", "right", "middle"]
BUTTON_BITS: dict[str, int] = {"left": 1, "right": 2, "middle": 4}


@dataclass(frozen=True, slots=True)
class Point:
    """A point in the main frame's viewport, in CSS pixels."""

    x: float
    y: float


async def click(
    context: ActionContext,
    target: Target,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[Modifier] = (),
    timeout_ms: int = TIMEOUT_MS,
) -> Outcome:
    """Click an element once it is actionable, and wait for the effects."""

    async def execute(action: RunningAction) -> PageReport | None:
        mask = modifier_mask(modifiers)
        return await click_target(action, target, timeout_ms, button=button, count=count, mask=mask)

    return (await run_action(context, target, execute)).with_hits(target)


async def click_target(
    action: RunningAction, target: Target, timeout_ms: int, *, button: Button = "left", count: int = 1, mask: int = 0
) -> PageReport | None:
    """The click itself, as a part of an action; returns the page's report once it has landed."""
    async with new_documents_blocked(action, target.frame):
        return await _click_when_actionable(action, target, timeout_ms, button=button, count=count, mask=mask)


async def _click_when_actionable(
    action: RunningAction, target: Target, timeout_ms: int, *, button: Button, count: int, mask: int
) -> PageReport | None:
    deadline = asyncio.get_running_loop().time() + timeout_ms / 1000
    retrying = False
    while True:
        left_ms = max(0, int((deadline - asyncio.get_running_loop().time()) * 1000))
        arguments: tuple[ReadOnlyJson, ...] = (target.wire_ref, target.wire_position(), count, action.context.approved)
        reply = await action.call_when_actionable(target, "prepareClick", *arguments, timeout_ms=left_ms)
        point = await to_viewport(action, target, reply, left_ms)
        action.mark_sent()
        nudge = retrying or bool(reply["moveFirst"])
        if nudge:
            await _nudge(action)
        if nudge or target.frame.number != MAIN:
            await move_into(action, target, point, left_ms)
        async with other_frames_blocked(action, target.frame, count):
            landed = await _press(action, _click_events(action, point, button, count, mask))
        if landed is not None and landed["unsent"]:
            raise actionability_error(target.description, {"error": "form changed"})
        if landed is None or landed["landed"] != "no":
            if landed is not None and landed["landed"] == "unseen":
                action.notices.append("The page did not report the click.")
            return landed
        if left_ms == 0:
            raise actionability_error(target.description, {"error": "covered", "by": landed["by"]})
        retrying = True


async def _press(action: RunningAction, events: list[asyncio.Task[object]]) -> PageReport | None:
    """The page's report of a click. To request it together with the input saves a round trip; but the page removes its
    guard after a time, and after that an approved click must not arrive anywhere.
    """
    if action.context.approved:
        await asyncio.gather(*events)
        return await action.result_of("clickResult")
    landing = asyncio.ensure_future(action.result_of("clickResult"))
    try:
        await asyncio.gather(*events)
        return await landing
    finally:
        landing.cancel()


async def hover(context: ActionContext, target: Target, *, timeout_ms: int = TIMEOUT_MS) -> Outcome:
    """Move the mouse over an element."""

    async def execute(action: RunningAction) -> PageReport | None:
        point = await actionable_point(action, target, timeout_ms)
        await action.tab.world.call(target.frame, "startWatch", repeatable=True)
        action.mark_sent()
        await move_into(action, target, point, timeout_ms)
        return await action.result_of("waitIdle")

    return (await run_action(context, target, execute)).with_hits(target)


async def actionable_point(action: RunningAction, target: Target, timeout_ms: int) -> Point:
    """The point at which an element receives input, once it does."""
    arguments: tuple[ReadOnlyJson, ...] = (target.wire_ref, target.wire_position())
    reply = await action.call_when_actionable(target, "hoverPoint", *arguments, timeout_ms=timeout_ms)
    return await to_viewport(action, target, reply, timeout_ms)


async def to_viewport(action: RunningAction, target: Target, spot: PageReport, timeout_ms: int) -> Point:
    """Convert a point of a frame to the main viewport; raises when an element covers one of the frames on the way."""
    frame = target.frame
    if frame.number == MAIN:
        return Point(spot["x"], spot["y"])
    frames = {frame.number: frame for frame in await action.tab.world.live_frames()}
    while frame.parent is not None:
        parent = frames.get(frame.parent)
        if parent is None:
            raise StaleRef(f"The frame of {target.description} is gone.", suggestions=["Take a new browser_snapshot."])
        inner = {"x": spot["x"], "y": spot["y"]}
        response = await action.tab.world.call(
            parent, "pointThroughFrame", frame.number, inner, timeout_ms, timeout_ms=timeout_ms + EXTRA_TIMEOUT_MS
        )
        spot = cast("PageReport", response)
        if "error" in spot:
            raise actionability_error(target.description, spot)
        frame = parent
    return Point(spot["x"], spot["y"])


async def move(action: RunningAction, point: Point, *, buttons: int = 0) -> None:
    held = "left" if buttons & 1 else "none"
    action.tab.mouse.position = point.x, point.y
    await send(
        action.session,
        "Input.dispatchMouseEvent",
        type="mouseMoved",
        x=point.x,
        y=point.y,
        button=held,
        buttons=buttons,
    )


async def move_into(action: RunningAction, target: Target, point: Point, timeout_ms: int) -> None:
    """Move the mouse to an element, and make sure that its frame has received the movement.

    The browser routes input into cross-process frames by the last compositor frame. On a busy machine that is older
    than the layout in the frames, and a press would go to what was there before.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_ms / 1000
    await move(action, point)
    while target.frame.number != MAIN:
        reply = cast(
            "PageReport", await action.tab.world.call(target.frame, "mouseArrived", timeout_ms=EXTRA_TIMEOUT_MS)
        )
        if reply["arrived"]:
            return
        if loop.time() >= deadline:
            raise actionability_error(target.description, {"error": "covered", "by": "another frame"})
        await _nudge(action)
        await move(action, point)


async def _nudge(action: RunningAction) -> None:
    """Move the mouse a little where it is, so that the page has handled its arrival before it moves on.

    A menu that opens under the mouse may apply the first movement to the item there. Each movement takes a
    frame, so this is done only where it may matter.
    """
    if action.tab.mouse.position is not None:
        x, y = action.tab.mouse.position
        await move(action, Point(x + 1, y + 1))


def _click_events(
    action: RunningAction, point: Point, button: Button, count: int, mask: int
) -> list[asyncio.Task[object]]:
    """All events of a click, sent at once and in order, so that no button can stay pressed."""
    action.tab.mouse.position = point.x, point.y
    events: list[dict[str, object]] = [{"type": "mouseMoved", "button": "none", "buttons": 0}]
    for number in range(1, count + 1):
        pressed = {"button": button, "clickCount": number}
        events.append({"type": "mousePressed", "buttons": BUTTON_BITS[button], **pressed})
        events.append({"type": "mouseReleased", "buttons": 0, **pressed})
    return [
        asyncio.ensure_future(
            send(action.session, "Input.dispatchMouseEvent", x=point.x, y=point.y, modifiers=mask, **event)
        )
        for event in events
    ]
