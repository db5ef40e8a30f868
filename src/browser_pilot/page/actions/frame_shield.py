"""Blocks input in all other frames, and in new documents, while an approved click or key is on its way.

A page can move a frame of another site over a button between the hit test and the press, or the focus into one before a
key; the guard at the target would not see that input. Ancestor frames of the target are blocked too: mouse events for
the target pass through them. A page can also navigate in that moment: the new document has a button at the same place,
or a focused field, and no guard.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import ElementChanged, PilotError
from browser_pilot.page.cdp import send
from browser_pilot.page.frames import Frame

from .runner import RunningAction

_WORLD = "browser-pilot-shield"
# Runs before the scripts of a new document. It expires by itself, for frames that cannot be reached afterwards.
_BLOCK_INPUT = """(() => {
  const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu',
    'keydown', 'keypress', 'keyup'];
  const stop = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const kind of kinds) window.addEventListener(kind, stop, true);
  globalThis.unblockInput = () => kinds.forEach((kind) => window.removeEventListener(kind, stop, true));
  setTimeout(globalThis.unblockInput, 1_000);
})()"""


@asynccontextmanager
async def new_documents_blocked(action: RunningAction, target: Frame) -> AsyncGenerator[None]:
    """Within it, a document that replaces the target's gets no input. Enter it before the target is checked."""
    if not action.context.approved:
        yield
        return
    sessions = [action.session] if target.session is action.session else [action.session, target.session]
    scripts = [
        await send(session, "Page.addScriptToEvaluateOnNewDocument", source=_BLOCK_INPUT, worldName=_WORLD)
        for session in sessions
    ]
    try:
        yield
    finally:
        with suppress(PlaywrightError, PilotError):
            for session, script in zip(sessions, scripts, strict=True):
                await send(session, "Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
            if action.tab.tracker.new_document(action.window):
                await _unblock_new_document(action)


async def _unblock_new_document(action: RunningAction) -> None:
    """The input is over: the document that it led to, or that came meanwhile, may be used."""
    frame = (await send(action.session, "Page.getFrameTree"))["frameTree"]["frame"]["id"]
    world = await send(action.session, "Page.createIsolatedWorld", frameId=frame, worldName=_WORLD)
    context = world["executionContextId"]
    await send(action.session, "Runtime.evaluate", expression="globalThis.unblockInput?.()", contextId=context)


@asynccontextmanager
async def other_frames_blocked(
    action: RunningAction, target: Frame, presses: int | None = None
) -> AsyncGenerator[None]:
    """Within it, a press in any frame but the target's is stopped, and then raised as ElementChanged; without a number
    of ``presses``, a key.
    """
    if not action.context.approved:
        yield
        return
    kind, arguments = ("Keys", ()) if presses is None else ("Presses", (presses,))
    world = action.tab.world
    others = [frame for frame in await world.live_frames() if frame.number != target.number]
    for frame in others:
        await world.call(frame, f"block{kind}", *arguments, repeatable=True)
    stopped: object = None
    try:
        yield
    finally:
        for frame in others:
            report = await action.result_of(f"unblock{kind}", frame=frame)
            stopped = stopped or report
    if stopped is not None:
        raise ElementChanged(
            f"An element of another frame ({stopped}) would have received the input, so it was stopped.",
            suggestions=["Take a browser_snapshot to see the page as it is."],
        )


@asynccontextmanager
async def input_blocked_elsewhere(action: RunningAction, target: Frame) -> AsyncGenerator[None]:
    """Within it, a key reaches the target's present document only. Enter it before the target is checked."""
    async with new_documents_blocked(action, target), other_frames_blocked(action, target):
        yield
