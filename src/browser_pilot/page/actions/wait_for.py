"""Waiting for something on the page: a text, an element's state, an address, a load state, a function, or some time.

The page itself looks, whenever it changes, and answers at once; every frame is asked, and asked anew when frames come,
go or navigate.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Coroutine
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Literal, cast

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from browser_pilot.errors import InvalidArgument, PilotError, Timeout
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.page.frames import Frame
from browser_pilot.page.isolated_world import CutOff, FrameGone
from browser_pilot.page.playwright_errors import translated
from browser_pilot.page.tab import Tab
from browser_pilot.upstream_errors import script_error

from .resolve import ElementArgument
from .selectors import parse_element, unreadable

State = Literal["visible", "hidden", "attached", "detached", "enabled", "disabled", "checked", "unchecked", "focused"]
LoadState = Literal["load", "domcontentloaded", "networkidle"]

DEFAULT_TIMEOUT_MS = 10_000
_GRACE_MS = 2_000
_ABSENT = ("hidden", "detached")

_ids = itertools.count(1)
_stopping: set[asyncio.Task[None]] = set()


async def wait_for(
    tab: Tab,
    *,
    text: str | None = None,
    text_gone: str | None = None,
    element: ElementArgument | None = None,
    state: State = "visible",
    url: str | None = None,
    load: LoadState | None = None,
    function: str | None = None,
    ms: int | None = None,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
) -> None:
    """Wait until the one thing that was given is so. Raises Timeout, which says what it was."""
    given = [value for value in (text, text_gone, element, url, load, function, ms) if value is not None]
    if len(given) != 1:
        raise InvalidArgument(
            "Give exactly one thing to wait for.",
            suggestions=["One of text, text_gone, element (with state), url, load, function, ms."],
        )
    tab.dialogs.require_none()
    await tab.tracker.subscribe(await tab.world.frames.main_session())
    if ms is not None:
        if ms > timeout_ms:
            raise InvalidArgument(
                f"ms = {ms} is more than timeout_ms = {timeout_ms}.", suggestions=["Give a larger timeout_ms."]
            )
        await asyncio.sleep(ms / 1000)
        return
    work, words = _work(tab, text, text_gone, element, state, url, load, function, timeout_ms)
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            so = await tab.dialogs.unless_opened(work)
    except TimeoutError:
        so = False
    if not so:
        raise Timeout(
            f"Waited {timeout_ms} ms for {words}, in vain.",
            suggestions=["Take a browser_snapshot to see the page as it is.", "Give a larger timeout_ms."],
        )


def _work(
    tab: Tab,
    text: str | None,
    text_gone: str | None,
    element: ElementArgument | None,
    state: State,
    url: str | None,
    load: LoadState | None,
    function: str | None,
    timeout_ms: int,
) -> tuple[Coroutine[object, object, bool], str]:
    """What waits, and for what in words."""
    until = asyncio.get_running_loop().time() + timeout_ms / 1000
    if text is not None:
        return _in_page(tab, {"text": text}, until, absent=False), f"the text {text!r} to appear"
    if text_gone is not None:
        return _in_page(tab, {"text": text_gone, "gone": True}, until, absent=True), f"the text {text_gone!r} to go"
    if element is not None:
        selector = parse_element(element)
        awaited: dict[str, ReadOnlyJson] = {"wanted": selector.wire(), "state": state}
        return _in_page(tab, awaited, until, absent=state in _ABSENT), f"{selector} to be {state}"
    if url is not None:
        return tab.tracker.wait_until(lambda: address_matches(url, tab.page.url), until), f"the address {url!r}"
    if load is not None:
        return _load(tab, load, timeout_ms), f"the page to reach {load!r}"
    return _function(tab, function or "", timeout_ms), f"{function!r} to be true"


def address_matches(wanted: str, address: str) -> bool:
    """``/pattern/`` is a regular expression, ``*`` stands for anything, all else is a part of the address."""
    if len(wanted) > 2 and wanted[0] == wanted[-1] == "/" and "//" not in wanted:
        try:
            return re.search(wanted[1:-1], address) is not None
        except re.error as error:
            raise InvalidArgument(
                f"url = {wanted!r} is not a regular expression: {error}.", suggestions=["Leave out the slashes."]
            ) from None
    if "*" in wanted:
        return fnmatchcase(address, wanted) or fnmatchcase(address, f"*{wanted}")
    return wanted in address


async def _in_page(tab: Tab, awaited: dict[str, ReadOnlyJson], until: float, *, absent: bool) -> bool:
    """Ask every frame to watch; one that finds it is enough, but what should be gone must be gone from all."""
    loop = asyncio.get_running_loop()
    while loop.time() < until:
        frames = await tab.world.live_frames()
        changes = tab.tracker.frame_changes
        wait_id = next(_ids)
        left_ms = max(1, int((until - loop.time()) * 1000))
        looks = [asyncio.ensure_future(_look(tab, frame, wait_id, awaited, left_ms)) for frame in frames]
        moved = asyncio.ensure_future(tab.tracker.wait_until(lambda: tab.tracker.frame_changes != changes, until))  # noqa: B023
        try:
            if await _decide(looks, moved, absent=absent):
                return True
        finally:
            moved.cancel()
            _stop(tab, frames, wait_id, looks)
        if not moved.done():
            await tab.tracker.wait_until(lambda: tab.tracker.frame_changes != changes, min(until, loop.time() + 0.1))  # noqa: B023
    return False


async def _decide(looks: list[asyncio.Task[bool | None]], moved: asyncio.Task[bool], *, absent: bool) -> bool:
    """Whether the frames say yes; no as soon as frames have come, gone or navigated."""
    waiting: set[asyncio.Task[bool | None]] = set(looks)
    while waiting and not moved.done():
        done, _ = await asyncio.wait({*waiting, moved}, return_when=asyncio.FIRST_COMPLETED)
        waiting -= {task for task in waiting if task in done}
        answers = [task.result() for task in looks if task.done()]
        if not absent and True in answers:
            return True
        if absent and not waiting:
            return all(answer is not False for answer in answers)
    return False


async def _look(tab: Tab, frame: Frame, wait_id: int, awaited: dict[str, ReadOnlyJson], left_ms: int) -> bool | None:
    """What one frame says; None when it went away."""
    try:
        answer = await tab.world.call(
            frame, "waitForCondition", wait_id, awaited, left_ms, repeatable=True, timeout_ms=left_ms + _GRACE_MS
        )
    except (FrameGone, CutOff):
        return None
    if isinstance(answer, dict):
        raise unreadable(str(cast("dict[str, ReadOnlyJson]", answer)["invalid"]))
    return bool(answer)


def _stop(tab: Tab, frames: tuple[Frame, ...], wait_id: int, looks: list[asyncio.Task[bool | None]]) -> None:
    """Let the frames that still watch know that nobody needs it any more."""
    watching = [frame for frame, look in zip(frames, looks, strict=True) if not look.done()]
    for look in looks:
        look.cancel()

    async def tell(frame: Frame) -> None:
        with suppress(PilotError, PlaywrightError):
            await tab.world.call(frame, "cancelWait", wait_id)

    for frame in watching:
        task = asyncio.ensure_future(tell(frame))
        _stopping.add(task)
        task.add_done_callback(_stopping.discard)


async def _load(tab: Tab, state: LoadState, timeout_ms: int) -> bool:
    try:
        await tab.page.wait_for_load_state(state, timeout=timeout_ms)
    except PlaywrightTimeout:
        return False
    return True


async def _function(tab: Tab, function: str, timeout_ms: int) -> bool:
    with translated("Waiting for the function"):
        try:
            await tab.page.wait_for_function(function, timeout=timeout_ms)
        except PlaywrightTimeout:
            return False
        except PlaywrightError as error:
            if thrown := script_error(error.message):
                raise InvalidArgument(
                    f"The function cannot be run: {thrown}",
                    suggestions=["Give an expression or a function that becomes true."],
                ) from error
            raise
    return True
