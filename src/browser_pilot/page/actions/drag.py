"""Dragging one element onto another, by mouse, with HTML drag and drop where the page uses it.

The browser's own drag session does not receive dispatched input, so drags are intercepted
(``Input.setInterceptDrags``). The button is always released.
"""

from __future__ import annotations

import asyncio
from typing import Any

from browser_pilot.page.cdp import send

from .context import ActionContext
from .mouse import Point, actionable_point, move, move_into
from .outcome import Outcome
from .resolve import Target
from .runner import TIMEOUT_MS, RunningAction, run_action
from .wait_idle import PageReport

_STEPS = 5
_INTERCEPT_TIMEOUT_SECONDS = 2.0


async def drag(context: ActionContext, source: Target, destination: Target, *, timeout_ms: int = TIMEOUT_MS) -> Outcome:
    """Drag an element to another one and drop it there."""

    async def execute(action: RunningAction) -> PageReport | None:
        intercepted: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def on_intercepted(event: dict[str, Any]) -> None:
            if not intercepted.done():
                intercepted.set_result(event["data"])

        action.session.on("Input.dragIntercepted", on_intercepted)
        await send(action.session, "Input.setInterceptDrags", enabled=True)
        try:
            return await _drag(action, source, destination, intercepted, timeout_ms)
        finally:
            action.session.remove_listener("Input.dragIntercepted", on_intercepted)
            await asyncio.shield(send(action.session, "Input.setInterceptDrags", enabled=False))

    return await run_action(context, destination, execute)


async def _drag(
    action: RunningAction, start: Target, end: Target, intercepted: asyncio.Future[dict[str, Any]], timeout_ms: int
) -> PageReport | None:
    world = action.tab.world
    origin = await actionable_point(action, start, timeout_ms, own=True)
    await world.call(start.frame, "watchDrag", repeatable=True)
    if end.frame.number != start.frame.number:
        await world.call(end.frame, "startWatch", repeatable=True)
    await move_into(action, start, origin, timeout_ms)
    action.mark_sent()
    drop_point = origin
    try:
        await _button(action, "mousePressed", origin)
        # The first small movements start the drag; the destination may move or appear because of it.
        await move(action, Point(origin.x + 4, origin.y + 4), buttons=1)
        await move(action, Point(origin.x + 9, origin.y + 9), buttons=1)
        drop_point = await actionable_point(action, end, timeout_ms)
        for step in range(1, _STEPS + 1):
            await move(action, _between(origin, drop_point, step / _STEPS), buttons=1)
        result = await action.result_of("dragResult", frame=start.frame)
        if result is not None and result["started"]:
            async with asyncio.timeout(_INTERCEPT_TIMEOUT_SECONDS):
                data = await intercepted
            await _drop(action, drop_point, data)
    finally:
        await asyncio.shield(_button(action, "mouseReleased", drop_point))
    return await action.result_of("waitIdle")


def _between(origin: Point, drop_point: Point, part: float) -> Point:
    return Point(origin.x + (drop_point.x - origin.x) * part, origin.y + (drop_point.y - origin.y) * part)


async def _button(action: RunningAction, kind: str, point: Point) -> None:
    buttons = 1 if kind == "mousePressed" else 0
    await send(
        action.session,
        "Input.dispatchMouseEvent",
        type=kind,
        x=point.x,
        y=point.y,
        button="left",
        buttons=buttons,
        clickCount=1,
    )


async def _drop(action: RunningAction, point: Point, data: dict[str, Any]) -> None:
    for kind in ("dragEnter", "dragOver", "drop"):
        await send(action.session, "Input.dispatchDragEvent", type=kind, x=point.x, y=point.y, data=data)
