"""Navigation: to a URL, back, forward, reload.

Unless ``wait_until`` says otherwise, this returns when the page is usable: its document is there, and its data requests
have ended or take long. Slow images and scripts that the page adds later are not awaited; the outcome lists what is
still loading.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Literal

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from browser_pilot.errors import NavigationFailed, Timeout
from browser_pilot.page.cdp import send
from browser_pilot.page.frames import Frame
from browser_pilot.page.observe.proxy_errors import unreachable_error
from browser_pilot.page.playwright_errors import translate
from browser_pilot.page.tab import Tab
from browser_pilot.upstream_errors import NAVIGATION_ABORTED, network_error

from .action_window import ActionWindow
from .context import ActionContext
from .outcome import Outcome
from .runner import RunningAction, run_action
from .wait_idle import PageReport, summarize, wait_loaded

WaitUntil = Literal["load", "domcontentloaded", "networkidle", "commit"]
Step = Literal["back", "forward", "reload"]

DEFAULT_TIMEOUT_MS = 30_000
_DOWNLOAD_TIMEOUT_SECONDS = 2.0
_ERROR_PAGE_TIMEOUT_SECONDS = 1.0
_SYNC_TIMEOUT_SECONDS = 1.0
_LEAVE_TIMEOUT_SECONDS = 5.0
BLANK = "about:blank"
_NO_CONTENT = (204, 205)


MAX_TRIES = 3


async def open_address(
    context: ActionContext, href: str, *, wait_until: WaitUntil | None = None, timeout_ms: int = DEFAULT_TIMEOUT_MS
) -> Outcome:
    """Open a URL. A download or a response without content leaves the page as it was; the outcome says so."""

    async def go(action: RunningAction) -> None:
        for tries in range(1, MAX_TRIES + 1):
            if tries > 1 or action.tab.tracker.keeps_navigating():
                await _leave(action)
            failure = await _begin(action, href)
            if failure is None or (failure == NAVIGATION_ABORTED and await _ended_without_document(action)):
                return
            # The old page may start a navigation of its own at the same time, which then wins.
            is_aborted = failure == NAVIGATION_ABORTED and action.tab.tracker.new_document(action.window)
            if not is_aborted or tries == MAX_TRIES:
                raise PlaywrightError(f"{failure} at {href}")

    return await _navigate(context, f"Opening {href}", go, wait_until, timeout_ms)


async def _begin(action: RunningAction, href: str) -> str | None:
    """Navigate until the document is committed. Returns Chromium's error text where there is none.

    Not Playwright's ``goto``: it mistakes a document of an earlier navigation that commits at the same time for the
    end of this one. The caller sets the deadline.
    """
    tracker, url_changes = action.tab.tracker, action.tab.tracker.url_changes
    response = await send(action.session, "Page.navigate", url=href)
    if "errorText" in response:
        return str(response["errorText"])
    loader = response.get("loaderId")
    now = asyncio.get_running_loop().time
    if loader is None:  # a same-document navigation
        await tracker.wait_until(lambda: tracker.url_changes != url_changes, now() + _SYNC_TIMEOUT_SECONDS)
    else:
        await tracker.wait_until(lambda: loader in tracker.loaders, math.inf)
    # Code that reads the URL from Playwright must not see the old one.
    await tracker.wait_until(lambda: action.tab.page.url == tracker.url, now() + _SYNC_TIMEOUT_SECONDS)
    return None


async def _leave(action: RunningAction) -> None:
    """Leave a page that keeps navigating by itself: without scripts it cannot begin another navigation.

    A navigation that it has begun already may win once more.
    """
    await send(action.session, "Emulation.setScriptExecutionDisabled", value=True)
    try:
        async with asyncio.timeout(_LEAVE_TIMEOUT_SECONDS):
            for _ in range(MAX_TRIES):
                if await _begin(action, BLANK) is None and action.tab.tracker.url == BLANK:
                    return
    except TimeoutError:
        return
    finally:
        await send(action.session, "Emulation.setScriptExecutionDisabled", value=False)


async def step(
    context: ActionContext,
    direction: Step,
    *,
    wait_until: WaitUntil | None = None,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
) -> Outcome:
    """Go back or forward in the tab's history, or reload the page."""
    tab = context.tab

    async def reload(action: RunningAction) -> None:
        action.mark_sent()
        await tab.page.reload(wait_until="commit", timeout=timeout_ms)

    async def move(action: RunningAction) -> None:
        history = await send(action.session, "Page.getNavigationHistory")
        index = int(history["currentIndex"]) + (1 if direction == "forward" else -1)
        if not 0 <= index < len(history["entries"]):
            raise NavigationFailed(
                f"There is no page to go {direction} to.", suggestions=["Open an address with browser_navigate."]
            )
        tracker, url_changes = tab.tracker, tab.tracker.url_changes
        action.mark_sent()
        # Not Playwright's own: it does not notice a page that is restored from the back/forward cache.
        await send(action.session, "Page.navigateToHistoryEntry", entryId=history["entries"][index]["id"])
        until = asyncio.get_running_loop().time() + timeout_ms / 1000
        if not await tracker.wait_until(lambda: tracker.url_changes != url_changes, until):
            raise Timeout(f"The browser did not go {direction} within {timeout_ms} ms.")

    if direction == "reload":
        return await _navigate(context, "Reloading", reload, wait_until, timeout_ms)
    return await _navigate(context, f"Going {direction}", move, wait_until, timeout_ms)


async def _navigate(
    context: ActionContext,
    operation: str,
    go: Callable[[RunningAction], Awaitable[None]],
    wait_until: WaitUntil | None,
    timeout_ms: int,
) -> Outcome:
    tab = context.tab
    until = asyncio.get_running_loop().time() + timeout_ms / 1000
    windows: list[ActionWindow] = []

    async def execute(action: RunningAction) -> PageReport | None:
        windows.append(action.window)
        action.start()
        try:
            async with asyncio.timeout_at(until):
                await go(action)
            if action.window.proxy_response_url is not None:
                _explain(tab, action.window.proxy_response_url, operation)
            if wait_until not in (None, "commit"):
                left_ms = max(1.0, (until - asyncio.get_running_loop().time()) * 1000)
                await tab.page.wait_for_load_state(wait_until, timeout=left_ms)
        except (PlaywrightTimeout, TimeoutError) as error:
            loading = ", ".join(tab.tracker.loading()) or "nothing"
            goal = wait_until or "a document"
            raise Timeout(
                f"{operation} did not reach {goal} within {timeout_ms} ms; still loading: {loading}.",
                suggestions=["Leave `wait_until` out to return as soon as the page is usable."],
            ) from error
        except PlaywrightError as error:
            if tab.page.is_closed():
                raise
            if network_error(error.message) is not None:
                await _error_page(action)
                if action.window.requested_url is not None:
                    _explain(tab, action.window.requested_url, operation)
            raise translate(error, operation) from error
        return None

    # The old page's frames are not looked up: not needed, and in the user's Chrome not every page allows it.
    wait = _at_once if wait_until == "commit" else wait_loaded
    with tab.dialogs.leaving():
        outcome = await run_action(context, None, execute, wait=wait, frame=tab.world.frames.last_main)
    for window in windows:
        # On a busy machine Playwright reports the proxy's response after the document was committed.
        if window.proxy_response_url is not None and tab.tracker.documents == window.documents + 1:
            _explain(tab, window.proxy_response_url, operation)
    return outcome


async def _at_once(tab: Tab, window: ActionWindow, _frame: Frame, _reply: PageReport | None) -> Outcome:
    return summarize(tab, window)


def _explain(tab: Tab, url: str, operation: str) -> None:
    """Raise the reason why the address was not reached, if it is known."""
    reason = tab.last_network_error(url)
    if reason is not None:
        raise unreachable_error(reason, operation, url)


async def _error_page(action: RunningAction) -> None:
    """Wait for the browser's error page: it would abort a navigation that starts before it."""
    tracker = action.tab.tracker
    until = asyncio.get_running_loop().time() + _ERROR_PAGE_TIMEOUT_SECONDS
    await tracker.wait_until(lambda: tracker.new_document(action.window), until)


async def _ended_without_document(action: RunningAction) -> bool:
    """Whether the navigation ended in a download or an empty response, which is no failure."""
    window, tracker = action.window, action.tab.tracker
    if window.status in _NO_CONTENT:
        action.notices.append(f"The server responded with {window.status} (no content): the page stays as it was.")
        return True
    until = asyncio.get_running_loop().time() + _DOWNLOAD_TIMEOUT_SECONDS
    await tracker.wait_until(lambda: bool(window.downloads) or tracker.new_document(window), until)
    return bool(window.downloads)
