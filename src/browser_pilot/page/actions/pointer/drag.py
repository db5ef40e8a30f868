"""Dragging with the mouse, from one place over others to a last one; HTML drag and drop where the page uses it.

The browser's own drag session does not receive dispatched input, so drags are intercepted
(``Input.setInterceptDrags``). The button is always released.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from browser_pilot.page.actions.actionability_errors import actionability_error
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.frame_shield import other_frames_blocked
from browser_pilot.page.actions.mouse import Point, actionable_point, move, move_into, to_viewport
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.resolve import Target
from browser_pilot.page.actions.runner import TIMEOUT_MS, RunningAction, run_action
from browser_pilot.page.actions.wait_idle import PageReport
from browser_pilot.page.cdp import send

_PIXELS_PER_STEP = 40
_MIN_STEPS = 5
_MAX_STEPS = 25
_INTERCEPT_TIMEOUT_SECONDS = 2.0


async def drag(context: ActionContext, source: Target, *stops: Target, timeout_ms: int = TIMEOUT_MS) -> Outcome:
    """Drag an element over the ``stops`` and drop it at the last one."""

    async def execute(action: RunningAction) -> PageReport | None:
        intercepted: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def on_intercepted(event: dict[str, Any]) -> None:
            if not intercepted.done():
                intercepted.set_result(event["data"])

        action.session.on("Input.dragIntercepted", on_intercepted)
        await send(action.session, "Input.setInterceptDrags", enabled=True)
        try:
            return await _drag(action, source, stops, intercepted, timeout_ms)
        finally:
            action.session.remove_listener("Input.dragIntercepted", on_intercepted)
            await asyncio.shield(send(action.session, "Input.setInterceptDrags", enabled=False))

    outcome = await run_action(context, stops[-1], execute)
    return outcome.with_hits(source, *stops)


@dataclass(slots=True)
class _Drag:
    """A drag under way. ``data`` is what the browser's own drag carries; None while the mouse alone moves."""

    action: RunningAction
    source: Target
    intercepted: asyncio.Future[dict[str, Any]] = field(repr=False)
    at: Point
    data: dict[str, Any] | None = None

    async def follow(self) -> None:
        """Wait until the page has handled the last movement, and notice a drag of the browser's own."""
        progress = await self.action.result_of("dragProgress", frame=self.source.frame)
        if progress is None:
            return
        if progress["stopped"] is not None:
            failure = {"error": "covered", "by": progress["stopped"]}
            raise actionability_error(self.source.description, failure)
        if progress["started"] and self.data is None:
            async with asyncio.timeout(_INTERCEPT_TIMEOUT_SECONDS):
                self.data = await self.intercepted
            await self._dispatch("dragEnter", self.at)

    async def move_to(self, point: Point) -> None:
        """Move there in steps, as pages measure movements."""
        start = self.at
        steps = round(math.hypot(point.x - start.x, point.y - start.y) / _PIXELS_PER_STEP)
        steps = min(max(steps, _MIN_STEPS), _MAX_STEPS)
        for step in range(1, steps + 1):
            await self._step(_between(start, point, step / steps))
        await self.follow()

    async def drop(self) -> None:
        if self.data is not None:
            await self._dispatch("dragOver", self.at)
            await self._dispatch("drop", self.at)

    async def _step(self, point: Point) -> None:
        self.at = point
        if self.data is None:
            await move(self.action, point, buttons=1)
        else:
            await self._dispatch("dragOver", point)

    async def _dispatch(self, kind: str, point: Point) -> None:
        await send(self.action.session, "Input.dispatchDragEvent", type=kind, x=point.x, y=point.y, data=self.data)


async def _drag(
    action: RunningAction,
    source: Target,
    stops: Sequence[Target],
    intercepted: asyncio.Future[dict[str, Any]],
    timeout_ms: int,
) -> PageReport | None:
    world = action.tab.world
    prepared = await action.call_when_actionable(
        source, "prepareDrag", source.wire_ref, source.wire_position(), timeout_ms=timeout_ms
    )
    origin = await to_viewport(action, source, prepared, timeout_ms)
    for number in {
        stop.frame.number: stop.frame for stop in stops if stop.frame.number != source.frame.number
    }.values():
        await world.call(number, "startWatch", repeatable=True)
    await move_into(action, source, origin, timeout_ms)
    action.mark_sent()
    dragging = _Drag(action, source, intercepted, origin)
    try:
        async with other_frames_blocked(action, source.frame, 1):
            await _button(action, "mousePressed", origin)
            # The first small movements start the drag; the next place may move or appear because of it.
            await move(action, Point(origin.x + 4, origin.y + 4), buttons=1)
            await move(action, Point(origin.x + 9, origin.y + 9), buttons=1)
            await dragging.follow()
        for stop in stops:
            await dragging.move_to(await actionable_point(action, stop, timeout_ms))
        await dragging.drop()
    finally:
        await asyncio.shield(_button(action, "mouseReleased", dragging.at))
        await action.result_of("endDrag", frame=source.frame)
    return await action.result_of("waitIdle")


def _between(start: Point, end: Point, part: float) -> Point:
    return Point(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)


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
