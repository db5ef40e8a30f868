"""Waits for the effects of an action, and for nothing else.

When ``wait_idle`` returns:

- at least one frame has passed without a DOM change (or ten, on a page that changes in each);
- a navigation that the action began has committed, and its document is usable;
- requests that it caused (fetch, XHR, scripts, documents), and requests that their responses caused, have ended and
  their effects are visible;
- a socket message that it sent had half a second for its reply.

All of this takes at most ``MAX_WAIT_SECONDS``; the outcome lists what is then still loading. Not awaited: what a timer
does later without a request before it, polling, event streams and images; ``wait_for`` is for those.

A plain navigation (``wait_loaded``) returns sooner: when the page is loaded, or usable without the rest. The next read,
if it is soon, waits for the rest and for scripts that the page adds (``finish_waiting``).
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from browser_pilot.errors import Timeout
from browser_pilot.page.cdp import send
from browser_pilot.page.frames import MAIN, Frame
from browser_pilot.page.isolated_world import CallInterrupted, FrameGone
from browser_pilot.page.observe.proxy_errors import short_reason
from browser_pilot.page.tab import MAX_TITLE_CHARACTERS, Tab
from browser_pilot.safe_text import cut, sanitize

from .action_window import ActionWindow
from .dialogs import DialogAppeared
from .network_tracker import SOCKET_TIMEOUT_SECONDS
from .outcome import Outcome

MAX_WAIT_SECONDS = 5.0
NAVIGATION_START_TIMEOUT_SECONDS = 0.5
DOWNLOAD_START_TIMEOUT_SECONDS = 0.5
TAB_OPEN_TIMEOUT_SECONDS = 2.0
# A document that is still being parsed after this time is usable as far as it has come.
PARSE_TIMEOUT_MS = 2_500
# If a page has not loaded after this time, a call into it waits until it is usable.
FAST_LOAD_TIMEOUT_SECONDS = 0.3
DEFERRED_TYPES = frozenset({"script"})

PageReport = dict[str, Any]


async def wait_idle(tab: Tab, window: ActionWindow, frame: Frame, reply: PageReport | None) -> Outcome:
    """Wait for the effects of an action in ``frame``; ``reply`` is the page's report, None if its document is gone."""
    tracker = tab.tracker
    loop = asyncio.get_running_loop()
    window.end_input(loop.time())
    until = loop.time() + MAX_WAIT_SECONDS
    _apply_page_report(tab, window, reply)
    downloading = reply is not None and bool(reply.get("downloading"))
    reply = await _wait_for_effects(tab, window, frame, reply, until)
    if downloading and not window.downloads:
        await tracker.wait_until(lambda: bool(window.downloads), min(until, loop.time() + TAB_OPEN_TIMEOUT_SECONDS))
    if len(window.opening) > len(window.tabs):
        await tracker.wait_until(
            lambda: len(window.tabs) >= len(window.opening), min(until, loop.time() + TAB_OPEN_TIMEOUT_SECONDS)
        )
    return summarize(tab, window, busy=loop.time() >= until, title=reply.get("title"))


async def wait_loaded(tab: Tab, window: ActionWindow, frame: Frame, reply: PageReport | None) -> Outcome:
    """The same for a plain navigation: until the page is loaded, with the data that it requested."""
    tracker = tab.tracker
    window.end_input(asyncio.get_running_loop().time())
    if tracker.new_document(window) and not window.navigation_pending:
        title = await _load(tab, frame)
        awaited = any(request.resource_type not in DEFERRED_TYPES for request, _ in tracker.awaited(window))
        if title is not None and not awaited and not window.navigation_pending and not tracker.navigating(window):
            tracker.leave_open(window)
            return summarize(tab, window, title=title)
    return await wait_idle(tab, window, frame, reply)


async def finish_waiting(tab: Tab) -> None:
    """Wait for what the last navigation left loading, if it was just now."""
    window = tab.tracker.left_open
    if window is None:
        return
    frame = tab.world.frames.last_main or await tab.world.main_frame()
    until = asyncio.get_running_loop().time() + MAX_WAIT_SECONDS
    try:
        await tab.dialogs.unless_opened(_wait_for_effects(tab, window, frame, None, until))
    except DialogAppeared:
        return
    finally:
        tab.tracker.close_window(window)


async def _load(tab: Tab, frame: Frame) -> str | None:
    """The title of a new document once it is loaded or, where that takes long, usable.

    No call into the page before that: CDP has the title too, and a page that has not rendered yet is busy.
    """
    tracker, now = tab.tracker, asyncio.get_running_loop().time
    if not await tracker.wait_until(lambda: tracker.loaded, now() + FAST_LOAD_TIMEOUT_SECONDS):
        until = now() + MAX_WAIT_SECONDS
        in_page = asyncio.ensure_future(_wait_in_page(tab, frame, until, new=True))
        # When the page loads first, the result of this request does not matter.
        in_page.add_done_callback(lambda done: done.cancelled() or done.exception())
        loading = asyncio.ensure_future(tracker.wait_until(lambda: tracker.loaded, until))
        try:
            await asyncio.wait({in_page, loading}, return_when=asyncio.FIRST_COMPLETED)
            if not tracker.loaded:
                return (await in_page).get("title")
        finally:
            in_page.cancel()
            loading.cancel()
    history = await send(await tab.world.frames.main_session(), "Page.getNavigationHistory")
    title = str(history["entries"][int(history["currentIndex"])]["title"])
    return sanitize(cut(title, MAX_TITLE_CHARACTERS))


async def _wait_for_effects(
    tab: Tab, window: ActionWindow, frame: Frame, reply: PageReport | None, until: float
) -> PageReport:
    tracker = tab.tracker
    loop = asyncio.get_running_loop()
    while True:
        if window.navigation_pending or tracker.navigating(window):
            await _wait_for_navigation(tab, window, until)
            reply = None
        if reply is None:
            reply = await _wait_in_page(tab, frame, until, new=tracker.new_document(window))
            _apply_page_report(tab, window, reply)
            if window.navigation_pending or tracker.navigating(window):
                continue
        if window.socket_sent is not None:
            socket_until = min(until, window.socket_sent + SOCKET_TIMEOUT_SECONDS)
            if await tracker.wait_until(lambda: window.socket_sent is None or tracker.navigating(window), socket_until):
                reply = None
            window.socket_sent = None
            continue
        awaited = tracker.awaited(window)
        if not awaited or loop.time() >= until:
            return reply
        first_end = min(until, *(end for _, end in awaited))
        await tracker.wait_until(lambda: not tracker.awaited(window) or tracker.navigating(window), first_end)
        reply = None


def _apply_page_report(tab: Tab, window: ActionWindow, reply: PageReport | None) -> None:
    """The page reports a navigation before the browser does."""
    if reply is None or not reply.get("navigating") or reply.get("sameDocument"):
        return
    if not tab.tracker.new_document(window):
        window.navigation_pending = True


async def _wait_in_page(tab: Tab, frame: Frame, until: float, *, new: bool) -> PageReport:
    """Wait for a frame without DOM changes, in the frame of the action or, once that is gone, in the main frame. A
    ``new`` document may also be idle because it is loaded and runs no tasks.
    """
    for number in (frame.number, MAIN):
        # The main frame stays the same across documents; a call notices where it does not.
        candidate = tab.world.frames.last_main if number == MAIN else await tab.world.frames.get(number)
        if candidate is None:
            continue
        budget_ms = max(200, int((until - asyncio.get_running_loop().time()) * 1000))
        call = tab.world.call(
            candidate, "waitUsable", PARSE_TIMEOUT_MS, budget_ms, new, repeatable=True, timeout_ms=budget_ms + 2_000
        )
        try:
            reply = await call
        except (FrameGone, CallInterrupted):
            continue
        except Timeout:
            break  # Page scripts are still busy at the deadline; the action itself has completed.
        return cast("PageReport", reply)
    return {}


async def _wait_for_navigation(tab: Tab, window: ActionWindow, until: float) -> None:
    """Wait until a pending or started navigation has a document, or has ended without one."""
    tracker = tab.tracker
    documents = tracker.documents
    pending, window.navigation_pending = window.navigation_pending, False
    if pending and not tracker.navigating(window):
        begins = min(until, asyncio.get_running_loop().time() + NAVIGATION_START_TIMEOUT_SECONDS)
        await tracker.wait_until(lambda: tracker.navigating(window) or tracker.documents > documents, begins)
    await tracker.wait_until(lambda: tracker.documents > documents or not tracker.navigating(window), until)
    if tracker.documents == documents and window.status not in (None, 204, 205):
        # It ended without a document though the server responded: a download is about to start.
        begins = min(until, asyncio.get_running_loop().time() + DOWNLOAD_START_TIMEOUT_SECONDS)
        await tracker.wait_until(lambda: bool(window.downloads) or tracker.navigating(window), begins)


def summarize(tab: Tab, window: ActionWindow, *, busy: bool = False, title: str | None = None) -> Outcome:
    """The effects of the action so far; ``title`` if the page has just reported it."""
    tracker, current_url = tab.tracker, tab.page.url
    new_document = tracker.new_document(window)
    notices = [*tab.dialogs.take_notices(), *tracker.dropped_events.take_notices()]
    unreachable = (tracker.unreachable or window.proxy_response_url) if new_document else None
    if unreachable is not None:
        reason = tab.last_network_error(unreachable)
        why = "" if reason is None else f" ({short_reason(reason)})"
        notices.append(f"{unreachable} could not be loaded{why}.")
    waiting = [f"A new tab is opening: {url}" for url in window.opening[len(window.tabs) :]]
    loading = tracker.loading() if new_document or busy else ()
    return Outcome(
        navigated=current_url if new_document or current_url != window.url else None,
        new_document=new_document,
        title=title,
        status=window.status if new_document else None,
        new_tabs=tuple(window.tabs),
        downloads=tuple(window.downloads),
        still_loading=loading,
        notices=(*notices, *waiting),
    )
