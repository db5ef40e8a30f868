"""Fetches a file with the browser itself, with the user's cookies and the page as referrer.

A hidden tab navigates to the URL. The final response is paused (``Fetch.requestPaused``), inspected, and continued as
an attachment: the tab never gets a document, and the browser writes the file. As for a person who opens the URL,
neither CORS nor the page's CSP applies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from playwright.async_api import CDPSession, Download, Page
from playwright.async_api import Error as PlaywrightError

from browser_pilot.page.cdp import send
from browser_pilot.page.internal_pages import open_internal_page
from browser_pilot.page.playwright_errors import translate
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import page_site

from .browser_download import BrowserDownload, BrowserDownloadStream
from .download_errors import bad_status, navigation_failed, require_whole_file, response_timeout
from .download_progress import DownloadProgress
from .downloadable import Downloadable, FileHead, head_of

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DISPOSITION = "content-disposition"


def _unnamed(_head: FileHead) -> str:
    return ""


async def fetch_by_browser(
    tab: Tab,
    resource: Downloadable,
    *,
    timeout_seconds: float,
    on_progress: Callable[[int], None],
    choose_name: Callable[[FileHead], str] = _unnamed,
) -> BrowserFetchStream:
    """``choose_name`` returns the file name for the browser to use, from the head of the response."""
    context = tab.page.context
    page: Page | None = None
    try:
        async with asyncio.timeout(timeout_seconds):
            page = await open_internal_page(context)
            head, download = await _Navigation(page, await context.new_cdp_session(page)).go(tab, resource, choose_name)
            return BrowserFetchStream(page, download, head, on_progress)
    except BaseException as error:
        if page is not None:
            await _close(page)
        if isinstance(error, TimeoutError):
            raise response_timeout(tab.last_network_error, resource.url, seconds=timeout_seconds) from None
        if isinstance(error, PlaywrightError):
            raise translate(error, "Downloading") from error
        raise


class BrowserFetchStream(BrowserDownloadStream):
    """Closing it also closes its hidden tab."""

    def __init__(
        self, page: Page, download: BrowserDownload, head: FileHead, on_progress: Callable[[int], None]
    ) -> None:
        super().__init__(download, head, on_progress)
        self.download = download
        self._page = page

    async def close(self) -> None:
        await super().close()
        await _close(self._page)


class _Navigation:
    """The navigation of the hidden tab, until the download has begun."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self._page = page
        self._session = session
        self._paused: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._download: asyncio.Future[Download] = asyncio.get_running_loop().create_future()
        self._progress = DownloadProgress()

    async def go(
        self, tab: Tab, resource: Downloadable, choose_name: Callable[[FileHead], str]
    ) -> tuple[FileHead, BrowserDownload]:
        session = self._session
        session.on("Fetch.requestPaused", self._paused.put_nowait)
        self._page.once("download", self._on_download)
        self._progress.listen(session)
        await send(session, "Page.enable")
        await send(session, "Fetch.enable", patterns=[{"urlPattern": "*", "requestStage": "Response"}])
        navigating = asyncio.ensure_future(
            send(session, "Page.navigate", url=resource.url, referrer=_referrer(resource), **_policy(resource))
        )
        # It ends when the download has begun or the tab is closed; its result is then irrelevant.
        navigating.add_done_callback(lambda done: done.cancelled() or done.exception())
        response = await self._final_response(navigating)
        if response is None:
            raise navigation_failed(tab.last_network_error, resource.url, str(navigating.result().get("errorText", "")))
        url, status = str(response["request"]["url"]), int(response["responseStatusCode"])
        if status >= 400:
            raise bad_status(tab.last_network_error, url, status)
        headers = {one["name"].lower(): one["value"] for one in response["responseHeaders"]}
        require_whole_file(status, headers.get("content-range", ""))
        length = None if "content-encoding" in headers else headers.get("content-length")
        mime, disposition = headers.get("content-type", ""), headers.get(_DISPOSITION, "")
        head = head_of(resource, url=url, mime=mime, disposition=disposition, length=length)
        kept = [one for one in response["responseHeaders"] if one["name"].lower() != _DISPOSITION]
        name = choose_name(head)
        attachment = f"attachment; filename*=UTF-8''{quote(name)}" if name else "attachment"
        await send(
            session,
            "Fetch.continueResponse",
            requestId=response["requestId"],
            responseCode=status,
            responseHeaders=[*kept, {"name": _DISPOSITION, "value": attachment}],
        )
        return head, BrowserDownload(await self._download, resource.page_url, self._progress)

    def _on_download(self, download: Download) -> None:
        if not self._download.done():
            self._download.set_result(download)

    async def _final_response(self, navigating: asyncio.Future[dict[str, Any]]) -> dict[str, Any] | None:
        """The response after all redirects; None when the navigation ended without one."""
        while True:
            waiting = asyncio.ensure_future(self._paused.get())
            try:
                await asyncio.wait({waiting, navigating}, return_when=asyncio.FIRST_COMPLETED)
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


def _policy(resource: Downloadable) -> dict[str, str]:
    """The element's own referrer policy, in CDP's spelling: ``strict-origin`` is ``strictOrigin``."""
    first, *others = resource.referrer_policy.split("-")
    return {"referrerPolicy": first + "".join(map(str.capitalize, others))} if first else {}


def _referrer(resource: Downloadable) -> str:
    site = page_site(resource.page_url)
    return resource.page_url if site is not None and site.host else ""
