"""Going places: to an address, back, forward, again.

Unless asked to wait for something else, this answers when the page can be used: its document is there, and the data
that it asked for has come or is taking long. Pictures that take long are not waited for, nor are scripts that a page
adds once it can be used; what is still loading is told.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Literal

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from browser_pilot.errors import NavigationFailed, Timeout
from browser_pilot.pages.action import Hand, perform
from browser_pilot.pages.activity import Mark
from browser_pilot.pages.cdp import send
from browser_pilot.pages.frames import Frame
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.playwright_errors import translate
from browser_pilot.pages.settle import Reply, arrive, summarize
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.unreached import unreached_error

WaitUntil = Literal["load", "domcontentloaded", "networkidle", "commit"]
Step = Literal["back", "forward", "reload"]

DEFAULT_TIMEOUT_MS = 30_000
_DOWNLOAD_SECONDS = 2.0
_ERROR_PAGE_SECONDS = 1.0
_CATCHES_UP_SECONDS = 1.0
_NO_CONTENT = (204, 205)
_ABORTED = "net::ERR_ABORTED"


MOST_TRIES = 3


async def open_address(
    tab: Tab, href: str, *, wait_until: WaitUntil | None = None, timeout_ms: int = DEFAULT_TIMEOUT_MS
) -> Outcome:
    """Open an address. A download or an answer without content leaves the page as it was, and is told."""

    async def go(hand: Hand) -> None:
        for tries in range(1, MOST_TRIES + 1):
            failure = await _begin(hand, href)
            if failure is None or (failure == _ABORTED and await _came_to_nothing(hand)):
                return
            # The page that is left may want to go somewhere itself in the same moment; we come second then.
            is_cut_off = failure == _ABORTED and tab.activity.new_document(hand.mark)
            if not is_cut_off or tries == MOST_TRIES:
                raise PlaywrightError(f"{failure} at {href}")

    return await _travel(tab, f"Opening {href}", go, wait_until, timeout_ms)


async def _begin(hand: Hand, href: str) -> str | None:
    """Go to an address, until its document is there. Gives Chromium's word for it where none came.

    Not Playwright's own: it takes a document that comes in the same moment, of a navigation before this one, for the
    end of this. The caller has the deadline.
    """
    activity, moves = hand.tab.activity, hand.tab.activity.moves
    answer = await send(hand.session, "Page.navigate", url=href)
    if "errorText" in answer:
        return str(answer["errorText"])
    loader = answer.get("loaderId")
    now = asyncio.get_running_loop().time
    if loader is None:  # it stays within the document
        await activity.until(lambda: activity.moves != moves, now() + _CATCHES_UP_SECONDS)
    else:
        await activity.until(lambda: loader in activity.loaders, math.inf)
    # What asks Playwright where the tab is must not be told where it was.
    await activity.until(lambda: hand.tab.page.url == activity.url, now() + _CATCHES_UP_SECONDS)
    return None


async def step(
    tab: Tab, direction: Step, *, wait_until: WaitUntil | None = None, timeout_ms: int = DEFAULT_TIMEOUT_MS
) -> Outcome:
    """Go back or forward in the tab's history, or load the page again."""

    async def again(_hand: Hand) -> None:
        await tab.page.reload(wait_until="commit", timeout=timeout_ms)

    async def move(hand: Hand) -> None:
        history = await send(hand.session, "Page.getNavigationHistory")
        index = int(history["currentIndex"]) + (1 if direction == "forward" else -1)
        if not 0 <= index < len(history["entries"]):
            raise NavigationFailed(
                f"There is no page to go {direction} to.", suggestions=["Open an address with browser_navigate."]
            )
        activity, moves = tab.activity, tab.activity.moves
        # Not Playwright's own: it does not notice a page that comes back from the browser's cache.
        await send(hand.session, "Page.navigateToHistoryEntry", entryId=history["entries"][index]["id"])
        until = asyncio.get_running_loop().time() + timeout_ms / 1000
        if not await activity.until(lambda: activity.moves != moves, until):
            raise Timeout(f"The browser did not go {direction} within {timeout_ms} ms.")

    if direction == "reload":
        return await _travel(tab, "Reloading", again, wait_until, timeout_ms)
    return await _travel(tab, f"Going {direction}", move, wait_until, timeout_ms)


async def _travel(
    tab: Tab, doing: str, go: Callable[[Hand], Awaitable[None]], wait_until: WaitUntil | None, timeout_ms: int
) -> Outcome:
    until = asyncio.get_running_loop().time() + timeout_ms / 1000

    async def act(hand: Hand) -> Reply | None:
        hand.acts()
        try:
            async with asyncio.timeout_at(until):
                await go(hand)
            if hand.mark.stood_in is not None:
                _explain(tab, hand.mark.stood_in, doing)
            if wait_until not in (None, "commit"):
                left_ms = max(1.0, (until - asyncio.get_running_loop().time()) * 1000)
                await tab.page.wait_for_load_state(wait_until, timeout=left_ms)
        except (PlaywrightTimeout, TimeoutError) as error:
            loading = ", ".join(tab.activity.loading()) or "nothing"
            goal = wait_until or "a document"
            raise Timeout(
                f"{doing} did not reach {goal} within {timeout_ms} ms; still loading: {loading}.",
                suggestions=["Leave `wait_until` out to get an answer as soon as the page can be used."],
            ) from error
        except PlaywrightError as error:
            if tab.page.is_closed():
                raise
            if "net::" in error.message:
                await _error_page(hand)
                if hand.mark.asked is not None:
                    _explain(tab, hand.mark.asked, doing)
            raise translate(error, doing) from error
        return None

    # Nothing needs to be looked up in a page that is left, and in the user's own browser not every page lets us.
    wait = _at_once if wait_until == "commit" else arrive
    return await perform(tab, None, act, wait=wait, frame=tab.world.frames.last_main)


async def _at_once(tab: Tab, mark: Mark, _frame: Frame, _reply: Reply | None) -> Outcome:
    return summarize(tab, mark)


def _explain(tab: Tab, url: str, doing: str) -> None:
    """Raise what stood between the browser and the address, if that is known."""
    trouble = tab.troubles(url)
    if trouble is not None:
        raise unreached_error(trouble, doing, url)


async def _error_page(hand: Hand) -> None:
    """Wait until the browser shows that it failed: it would cut off a navigation that begins before."""
    activity = hand.tab.activity
    until = asyncio.get_running_loop().time() + _ERROR_PAGE_SECONDS
    await activity.until(lambda: activity.new_document(hand.mark), until)


async def _came_to_nothing(hand: Hand) -> bool:
    """Whether the navigation ended in a download or an empty answer, which is no failure, and not in another one."""
    mark, activity = hand.mark, hand.tab.activity
    if mark.status in _NO_CONTENT:
        hand.notices.append(f"The server answered {mark.status} (no content): the page stays as it was.")
        return True
    until = asyncio.get_running_loop().time() + _DOWNLOAD_SECONDS
    await activity.until(lambda: bool(mark.downloads) or activity.new_document(mark), until)
    return bool(mark.downloads)
