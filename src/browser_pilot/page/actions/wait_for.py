"""Waits for a condition: a text, the state of an element, a URL, a load state, a function, or a time.

Each frame evaluates text and element conditions itself, whenever its DOM changes. When frames are attached, detached or
navigated, the wait starts again in all frames.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Literal, cast

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import InvalidArgument, PilotError, StaleRef, Timeout
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.page.bounded_regex import matches_glob, search_texts
from browser_pilot.page.frames import Frame
from browser_pilot.page.isolated_world import CallInterrupted, FrameGone
from browser_pilot.page.tab import Tab

from .context import ActionContext
from .resolve import ElementArgument
from .selectors import Element, Elements, Selector, invalid_element, parse_element
from .wait_function import wait_for_function

ElementState = Literal[
    "visible", "hidden", "attached", "detached", "enabled", "disabled", "checked", "unchecked", "focused"
]
LoadState = Literal["load", "domcontentloaded", "networkidle"]

DEFAULT_TIMEOUT_MS = 10_000
_EXTRA_TIMEOUT_MS = 2_000
_CANCEL_TIMEOUT_MS = 1_000
_ABSENT = ("hidden", "detached")
MAX_FOUND = 3

_ids = itertools.count(1)
_cancelling = BackgroundTasks("waits that ended early")


async def wait_for(
    tab: Tab,
    *,
    text: str | None = None,
    text_gone: str | None = None,
    element: ElementArgument | None = None,
    state: ElementState = "visible",
    url: str | None = None,
    load: LoadState | None = None,
    function: str | None = None,
    ms: int | None = None,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
    context: ActionContext | None = None,
) -> None:
    """Wait until the given condition is true. Raises Timeout, which names the condition.

    ``context`` says where and how a function was authorized to run.
    """
    given = [value for value in (text, text_gone, element, url, load, function, ms) if value is not None]
    if len(given) != 1:
        raise InvalidArgument(
            "Give exactly one condition to wait for.",
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
    if function is not None:
        waiting = wait_for_function(context or ActionContext(tab), function, timeout_ms)
        description = f"{function!r} to be true"
    else:
        waiting, description = _start(tab, text, text_gone, element, state, url, load, timeout_ms)
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            is_met = await tab.dialogs.unless_opened(waiting)
    except TimeoutError:
        is_met = False
    if not is_met:
        raise Timeout(
            f"Waited {timeout_ms} ms for {description}.",
            suggestions=["Take a browser_snapshot to see the page as it is.", "Give a larger timeout_ms."],
        )


async def find_awaited(
    tab: Tab, *, text: str | None, element: ElementArgument | None, state: ElementState
) -> tuple[Element, ...]:
    """The first elements that a wait ended for, unless they are gone again or a search for them could take long."""
    if text is None and (element is None or state in _ABSENT):
        return ()
    selector = Selector(text=text) if element is None else parse_element(element)
    if selector.regex:
        return ()
    try:
        if selector.ref is not None:
            return (await Elements(tab.world).resolve(selector),)
        return tuple((await Elements(tab.world).match(selector))[0][:MAX_FOUND])
    except (StaleRef, Timeout, FrameGone, CallInterrupted):
        return ()


def _start(
    tab: Tab,
    text: str | None,
    text_gone: str | None,
    element: ElementArgument | None,
    state: ElementState,
    url: str | None,
    load: LoadState | None,
    timeout_ms: int,
) -> tuple[Coroutine[object, object, bool], str]:
    """The coroutine that waits, and a description of the condition."""
    until = asyncio.get_running_loop().time() + timeout_ms / 1000
    if text is not None:
        return _in_page(tab, {"text": text}, until, absent=False), f"the text {text!r} to appear"
    if text_gone is not None:
        gone: dict[str, ReadOnlyJson] = {"text": text_gone, "gone": True}
        return _in_page(tab, gone, until, absent=True), f"the text {text_gone!r} to disappear"
    if element is not None:
        selector = parse_element(element)
        condition: dict[str, ReadOnlyJson] = {"wanted": selector.wire(), "state": state}
        return _in_page(tab, condition, until, absent=state in _ABSENT), f"{selector} to be {state}"
    if url is not None:
        return _wait_for_url(tab, url, until), f"the address {url!r}"
    load = load or "load"
    return _load(tab, load, timeout_ms), f"the page to reach {load!r}"


async def _wait_for_url(tab: Tab, pattern: str, until: float) -> bool:
    while not await url_matches(pattern, address := tab.page.url):
        if not await tab.tracker.wait_until(lambda: tab.page.url != address, until):
            return False
    return True


async def url_matches(pattern: str, url: str) -> bool:
    """``/pattern/`` is a regular expression, ``*`` matches anything, anything else is a part of the URL."""
    if len(pattern) > 2 and pattern[0] == pattern[-1] == "/" and "//" not in pattern:
        try:
            return bool(await search_texts(pattern[1:-1], [url]))
        except InvalidArgument as error:
            raise InvalidArgument(
                f"url = {pattern!r}: {error.message}", suggestions=["Leave out the slashes."]
            ) from None
    if "*" in pattern:
        return await matches_glob((pattern, f"*{pattern}"), url)
    return pattern in url


async def _in_page(tab: Tab, condition: dict[str, ReadOnlyJson], until: float, *, absent: bool) -> bool:
    """Wait in all frames: one frame is enough, but with ``absent`` the condition must be true in all of them."""
    loop = asyncio.get_running_loop()
    wanted = condition.get("wanted")
    is_regex = isinstance(wanted, Mapping) and bool(wanted.get("regex"))
    while loop.time() < until:
        await tab.secrets.hide_values()
        frames = await tab.world.live_frames()
        changes = tab.tracker.frame_changes
        wait_id = next(_ids)
        left_ms = max(1, int((until - loop.time()) * 1000))
        waits = [asyncio.ensure_future(_wait_in_frame(tab, frame, wait_id, condition, left_ms)) for frame in frames]
        changed = asyncio.ensure_future(tab.tracker.wait_until(lambda: tab.tracker.frame_changes != changes, until))  # noqa: B023
        try:
            if await _first_result(waits, changed, absent=absent):
                return True
        finally:
            changed.cancel()
            _cancel_waits(tab, frames, wait_id, waits, is_regex=is_regex)
        if not changed.done():
            await tab.tracker.wait_until(lambda: tab.tracker.frame_changes != changes, min(until, loop.time() + 0.1))  # noqa: B023
    return False


async def _first_result(waits: list[asyncio.Task[bool | None]], changed: asyncio.Task[bool], *, absent: bool) -> bool:
    """Whether the condition is true; False as soon as frames were attached, detached or navigated."""
    waiting: set[asyncio.Task[bool | None]] = set(waits)
    while waiting and not changed.done():
        done, _ = await asyncio.wait({*waiting, changed}, return_when=asyncio.FIRST_COMPLETED)
        waiting -= {task for task in waiting if task in done}
        results = [task.result() for task in waits if task.done()]
        if not absent and True in results:
            return True
        if absent and not waiting:
            return all(result is not False for result in results)
    return False


async def _wait_in_frame(
    tab: Tab, frame: Frame, wait_id: int, condition: dict[str, ReadOnlyJson], left_ms: int
) -> bool | None:
    """The result of one frame; None when it is gone."""
    try:
        result = await tab.world.call(
            frame,
            "waitForCondition",
            wait_id,
            condition,
            left_ms,
            repeatable=True,
            timeout_ms=left_ms + _EXTRA_TIMEOUT_MS,
        )
    except (FrameGone, CallInterrupted):
        return None
    if isinstance(result, dict):
        raise invalid_element(str(cast("dict[str, ReadOnlyJson]", result)["invalid"]))
    return bool(result)


def _cancel_waits(
    tab: Tab,
    frames: tuple[Frame, ...],
    wait_id: int,
    waits: list[asyncio.Task[bool | None]],
    *,
    is_regex: bool,
) -> None:
    """Cancel the wait in the frames where it still runs; end it where it does not respond, as in an endless regex."""
    waiting_frames = [frame for frame, wait in zip(frames, waits, strict=True) if not wait.done()]
    for wait in waits:
        wait.cancel()

    async def cancel(frame: Frame) -> None:
        with suppress(PilotError, PlaywrightError):
            try:
                await tab.world.call(frame, "cancelWait", wait_id, timeout_ms=_CANCEL_TIMEOUT_MS)
            except Timeout:
                if is_regex:
                    await tab.world.terminate_scripts([frame])

    for frame in waiting_frames:
        _cancelling.spawn(cancel(frame))


async def _load(tab: Tab, state: LoadState, timeout_ms: int) -> bool:
    try:
        await tab.page.wait_for_load_state(state, timeout=timeout_ms)
    except PlaywrightTimeout:
        return False
    return True
