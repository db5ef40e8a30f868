"""A file fetched by the browser itself, with the user's cookies and the page as referrer.

A tab that nobody sees navigates to the address. Its answer is held at the end of all redirects, looked at, and let go
on as a download, whatever it is: so the tab never gets a document, and the browser writes the file. Neither another
site's consent nor the page's security policy is needed for that, as for a person who opens the address.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from playwright.async_api import CDPSession, Download, Page
from playwright.async_api import Error as PlaywrightError

from browser_pilot.pages.caught import Caught, CaughtStream
from browser_pilot.pages.cdp import send
from browser_pilot.pages.download_errors import bad_status, no_answer, unreached
from browser_pilot.pages.download_watch import DownloadWatch
from browser_pilot.pages.own_pages import open_own_page
from browser_pilot.pages.playwright_errors import translate
from browser_pilot.pages.resource import Resource
from browser_pilot.pages.stream import Head, head_of
from browser_pilot.pages.tab import Tab
from browser_pilot.policy.hosts import page_site

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DISPOSITION = "content-disposition"


def _unnamed(_head: Head) -> str:
    return ""


async def open_by_browser(
    tab: Tab,
    resource: Resource,
    *,
    begins_seconds: float,
    moved: Callable[[int], None],
    named: Callable[[Head], str] = _unnamed,
) -> BrowserStream:
    """``named`` says what the browser should call the file, when it knows what it is."""
    context = tab.page.context
    page: Page | None = None
    try:
        async with asyncio.timeout(begins_seconds):
            page = await open_own_page(context)
            head, caught = await _Navigation(page, await context.new_cdp_session(page)).go(tab, resource, named)
            return BrowserStream(page, caught, head, moved)
    except BaseException as error:
        if page is not None:
            await _close(page)
        if isinstance(error, TimeoutError):
            raise no_answer(tab.troubles, resource.url, seconds=begins_seconds) from None
        if isinstance(error, PlaywrightError):
            raise translate(error, "Downloading") from error
        raise


class BrowserStream(CaughtStream):
    """Closing it closes its tab as well."""

    def __init__(self, page: Page, caught: Caught, head: Head, moved: Callable[[int], None]) -> None:
        super().__init__(caught, head, moved)
        self.caught = caught
        self._page = page

    async def close(self) -> None:
        await super().close()
        await _close(self._page)


class _Navigation:
    """The hidden tab on its way to the answer."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self._page = page
        self._session = session
        self._paused: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._download: asyncio.Future[Download] = asyncio.get_running_loop().create_future()
        self._watch = DownloadWatch()

    async def go(self, tab: Tab, resource: Resource, named: Callable[[Head], str]) -> tuple[Head, Caught]:
        session = self._session
        session.on("Fetch.requestPaused", self._paused.put_nowait)
        self._page.once("download", self._begins)
        self._watch.listen(session)
        await send(session, "Page.enable")
        await send(session, "Fetch.enable", patterns=[{"urlPattern": "*", "requestStage": "Response"}])
        going = asyncio.ensure_future(send(session, "Page.navigate", url=resource.url, referrer=_referrer(resource)))
        # It ends when the download has begun or the tab is closed; how is nobody's concern then.
        going.add_done_callback(lambda done: done.cancelled() or done.exception())
        answered = await self._answered(going)
        if answered is None:
            raise unreached(tab.troubles, resource.url, str(going.result().get("errorText", "")))
        url, status = str(answered["request"]["url"]), int(answered["responseStatusCode"])
        if status >= 400:
            raise bad_status(tab.troubles, url, status)
        told = {one["name"].lower(): one["value"] for one in answered["responseHeaders"]}
        length = None if "content-encoding" in told else told.get("content-length")
        mime, disposition = told.get("content-type", ""), told.get(_DISPOSITION, "")
        head = head_of(resource, url=url, mime=mime, disposition=disposition, length=length)
        kept = [one for one in answered["responseHeaders"] if one["name"].lower() != _DISPOSITION]
        name = named(head)
        attached = f"attachment; filename*=UTF-8''{quote(name)}" if name else "attachment"
        await send(
            session,
            "Fetch.continueResponse",
            requestId=answered["requestId"],
            responseCode=status,
            responseHeaders=[*kept, {"name": _DISPOSITION, "value": attached}],
        )
        return head, Caught(await self._download, resource.page_url, self._watch)

    def _begins(self, download: Download) -> None:
        if not self._download.done():
            self._download.set_result(download)

    async def _answered(self, going: asyncio.Future[dict[str, Any]]) -> dict[str, Any] | None:
        """The answer at the end of all redirects; None when the navigation ended without one."""
        while True:
            waiting = asyncio.ensure_future(self._paused.get())
            try:
                await asyncio.wait({waiting, going}, return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    return None
            finally:
                waiting.cancel()
            paused = waiting.result()
            status = paused.get("responseStatusCode")
            if status is not None and status not in _REDIRECTS:
                return paused
            await send(self._session, "Fetch.continueRequest", requestId=paused["requestId"])


async def _close(page: Page) -> None:
    with suppress(PlaywrightError):
        await page.close()


def _referrer(resource: Resource) -> str:
    site = page_site(resource.page_url)
    return resource.page_url if site is not None and site.host else ""
