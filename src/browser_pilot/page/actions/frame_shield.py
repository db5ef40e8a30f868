"""Blocks input in all other frames while an approved click is on its way.

A page can move a frame of another site over a button between the hit test and the press; the click guard at the button
would not see that press. Ancestor frames of the target are blocked too: events for the target pass through them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from browser_pilot.errors import ElementChanged
from browser_pilot.page.frames import Frame

from .runner import RunningAction


@asynccontextmanager
async def other_frames_blocked(action: RunningAction, target: Frame, presses: int) -> AsyncGenerator[None]:
    """Within it, a press in any frame but the target's is stopped, and then raised as ElementChanged."""
    if not action.context.approved:
        yield
        return
    world = action.tab.world
    others = [frame for frame in await world.live_frames() if frame.number != target.number]
    for frame in others:
        await world.call(frame, "blockPresses", presses, repeatable=True)
    stopped: object = None
    try:
        yield
    finally:
        for frame in others:
            report = await action.result_of("unblockPresses", frame=frame)
            stopped = stopped or report
    if stopped is not None:
        raise ElementChanged(
            f"An element of another frame covered the target ({stopped}), so the click was stopped.",
            suggestions=["Take a browser_snapshot to see the page as it is."],
        )
