"""Waits for what an action set off, and for nothing else.

Promised: when an action is answered, the page has had at least one frame in which nothing changed (or ten, on a page
that changes in every one); a navigation that it began has committed and its document can be used; requests that it
began (fetch, XHR, scripts, documents), and requests that their answers began, have been answered and shown; a socket
message that it sent has had half a second for its answer. None of this takes longer than ``CAP_SECONDS``; what is
still under way then is told. Not promised: what a timer brings later without a request before it; polling, event
streams and images are not waited for. ``waiting`` is for those.

Who only goes somewhere (``arrive``) is answered sooner: when all of a page is loaded, or it can be used without the
rest. What it does then, and scripts that it adds, are waited for by who looks next, if that is soon (``catch_up``).
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from browser_pilot.errors import Timeout
from browser_pilot.pages.activity import SOCKET_SECONDS, Mark
from browser_pilot.pages.cdp import send
from browser_pilot.pages.dialogs import DialogAppeared
from browser_pilot.pages.frames import MAIN, Frame
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.unreached import in_few_words
from browser_pilot.pages.world import CutOff, FrameGone

CAP_SECONDS = 5.0
NAVIGATION_BEGINS_SECONDS = 0.5
DOWNLOAD_BEGINS_SECONDS = 0.5
TAB_OPENS_SECONDS = 2.0
# A document that is still being read after this long can be used as far as it has come.
READABLE_MS = 2_500
# A page that has not loaded all after this long is asked whether it can be used before.
SLOW_SECONDS = 0.3
LATER = frozenset({"script"})

Reply = dict[str, Any]


async def settle(tab: Tab, mark: Mark, frame: Frame, reply: Reply | None) -> Outcome:
    """Wait for the consequences of an action in ``frame``; ``reply`` is what the page said of it, None if cut off."""
    activity = tab.activity
    loop = asyncio.get_running_loop()
    mark.acted()
    until = loop.time() + CAP_SECONDS
    _heed(tab, mark, reply)
    downloading = reply is not None and bool(reply.get("downloading"))
    reply = await _follow(tab, mark, frame, reply, until)
    if downloading and not mark.downloads:
        await activity.until(lambda: bool(mark.downloads), min(until, loop.time() + TAB_OPENS_SECONDS))
    if len(mark.opening) > len(mark.tabs):
        await activity.until(lambda: len(mark.tabs) >= len(mark.opening), min(until, loop.time() + TAB_OPENS_SECONDS))
    return summarize(tab, mark, busy=loop.time() >= until, title=reply.get("title"))


async def arrive(tab: Tab, mark: Mark, frame: Frame, reply: Reply | None) -> Outcome:
    """The same for who only went somewhere: until the page is loaded, with the data that it asked for."""
    activity = tab.activity
    mark.acted()
    if activity.new_document(mark) and not mark.announced:
        title = await _load(tab, frame)
        awaited = any(request.resource_type not in LATER for request, _ in activity.awaited(mark))
        if title is not None and not awaited and not mark.announced and not activity.navigating(mark):
            activity.leave_open(mark)
            return summarize(tab, mark, title=title)
    return await settle(tab, mark, frame, reply)


async def catch_up(tab: Tab) -> None:
    """Wait for what ``arrive`` left, if that was just now."""
    mark = tab.activity.left_open
    if mark is None:
        return
    frame = tab.world.frames.last_main or await tab.world.main_frame()
    until = asyncio.get_running_loop().time() + CAP_SECONDS
    try:
        await tab.dialogs.unless_opened(_follow(tab, mark, frame, None, until))
    except DialogAppeared:
        return
    finally:
        tab.activity.end(mark)


async def _load(tab: Tab, frame: Frame) -> str | None:
    """The title of a new document once all of it is loaded, or, where that takes long, can be used.

    The page itself is asked only then: the browser knows its title too, and until it has drawn itself it is busy.
    """
    activity, now = tab.activity, asyncio.get_running_loop().time
    if not await activity.until(lambda: activity.loaded, now() + SLOW_SECONDS):
        until = now() + CAP_SECONDS
        asking = asyncio.ensure_future(look(tab, frame, until, new=True))
        # Where the page was faster, how that ended is nobody's concern.
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())
        loading = asyncio.ensure_future(activity.until(lambda: activity.loaded, until))
        try:
            await asyncio.wait({asking, loading}, return_when=asyncio.FIRST_COMPLETED)
            if not activity.loaded:
                return (await asking).get("title")
        finally:
            asking.cancel()
            loading.cancel()
    history = await send(await tab.world.frames.main_session(), "Page.getNavigationHistory")
    return str(history["entries"][int(history["currentIndex"])]["title"])


async def _follow(tab: Tab, mark: Mark, frame: Frame, reply: Reply | None, until: float) -> Reply:
    activity = tab.activity
    loop = asyncio.get_running_loop()
    while True:
        if mark.announced or activity.navigating(mark):
            await _navigation(tab, mark, until)
            reply = None
        if reply is None:
            reply = await look(tab, frame, until, new=activity.new_document(mark))
            _heed(tab, mark, reply)
            if mark.announced or activity.navigating(mark):
                continue
        if mark.sent is not None:
            socket_until = min(until, mark.sent + SOCKET_SECONDS)
            if await activity.until(lambda: mark.sent is None or activity.navigating(mark), socket_until):
                reply = None
            mark.sent = None
            continue
        awaited = activity.awaited(mark)
        if not awaited or loop.time() >= until:
            return reply
        first_end = min(until, *(end for _, end in awaited))
        await activity.until(lambda: not activity.awaited(mark) or activity.navigating(mark), first_end)
        reply = None


def _heed(tab: Tab, mark: Mark, reply: Reply | None) -> None:
    """The page knows of a navigation before anyone else does."""
    if reply is None or not reply.get("navigating") or reply.get("sameDocument"):
        return
    if not tab.activity.new_document(mark):
        mark.announced = True


async def look(tab: Tab, frame: Frame, until: float, *, new: bool) -> Reply:
    """Frames until one brings no change, in the frame of the action or, once that is gone, in the whole page. One that
    is ``new`` may also be quiet because all of it has come, and it rests.
    """
    for number in (frame.number, MAIN):
        # The main frame stays the same through its documents; a call finds out by itself where it does not.
        candidate = tab.world.frames.last_main if number == MAIN else await tab.world.frames.get(number)
        if candidate is None:
            continue
        budget_ms = max(200, int((until - asyncio.get_running_loop().time()) * 1000))
        call = tab.world.call(
            candidate, "usable", READABLE_MS, budget_ms, new, repeatable=True, timeout_ms=budget_ms + 2_000
        )
        try:
            reply = await call
        except (FrameGone, CutOff):
            continue
        except Timeout:
            break  # its scripts are busy for longer than anyone waits; what was done is done
        return cast("Reply", reply)
    return {}


async def _navigation(tab: Tab, mark: Mark, until: float) -> None:
    """Wait until a navigation that was announced or begun has a document, or has come to nothing."""
    activity = tab.activity
    documents = activity.documents
    announced, mark.announced = mark.announced, False
    if announced and not activity.navigating(mark):
        begins = min(until, asyncio.get_running_loop().time() + NAVIGATION_BEGINS_SECONDS)
        await activity.until(lambda: activity.navigating(mark) or activity.documents > documents, begins)
    await activity.until(lambda: activity.documents > documents or not activity.navigating(mark), until)
    if activity.documents == documents and mark.status not in (None, 204, 205):
        # It came to nothing here, though the server answered: a download is about to be told of.
        begins = min(until, asyncio.get_running_loop().time() + DOWNLOAD_BEGINS_SECONDS)
        await activity.until(lambda: bool(mark.downloads) or activity.navigating(mark), begins)


def summarize(tab: Tab, mark: Mark, *, busy: bool = False, title: str | None = None) -> Outcome:
    """What the action has set off so far; ``title`` if the page has just said it."""
    activity, url = tab.activity, tab.page.url
    new_document = activity.new_document(mark)
    notices = list(tab.dialogs.take_unanswered())
    missing = (activity.unreachable or mark.stood_in) if new_document else None
    if missing is not None:
        trouble = tab.troubles(missing)
        why = "" if trouble is None else f" ({in_few_words(trouble)})"
        notices.append(f"{missing} could not be loaded{why}.")
    waiting = [f"A new tab is opening: {address}" for address in mark.opening[len(mark.tabs) :]]
    loading = activity.loading() if new_document or busy else ()
    return Outcome(
        navigated=url if new_document or url != mark.url else None,
        new_document=new_document,
        title=title,
        status=mark.status if new_document else None,
        new_tabs=tuple(mark.tabs),
        downloads=tuple(mark.downloads),
        still_loading=loading,
        notices=(*notices, *waiting),
    )
