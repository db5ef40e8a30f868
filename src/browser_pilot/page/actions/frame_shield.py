"""While a click that a person agreed to is on its way, no other frame of the page may take it.

A page can move a frame of another site over a button in the moment between aiming and pressing; the guard at the button
would not even see that press. Frames that hold the target are passed through, so they are barred too: a press that ends
in them was not let through.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from browser_pilot.errors import ElementChanged
from browser_pilot.pages.action import Hand
from browser_pilot.pages.frames import Frame


@asynccontextmanager
async def other_frames_barred(hand: Hand, target: Frame, presses: int) -> AsyncGenerator[None]:
    """Inside, a press in any frame but the target's is stopped; what was stopped is told as ElementChanged."""
    if not hand.tab.agreed:
        yield
        return
    world = hand.tab.world
    others = [frame for frame in await world.live_frames() if frame.number != target.number]
    for frame in others:
        await world.call(frame, "bar", presses, repeatable=True)
    stopped: object = None
    try:
        yield
    finally:
        for frame in others:
            told = await hand.aftermath("unbar", frame=frame)
            stopped = stopped or told
    if stopped is not None:
        raise ElementChanged(
            f"Something of another frame lay over it ({stopped}), so that the click was stopped.",
            suggestions=["Take a browser_snapshot to see the page as it is."],
        )
