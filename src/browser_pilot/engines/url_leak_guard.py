"""Keeps secrets out of URLs: fails a request whose URL contains one before it leaves the browser.

``Fetch`` on the browser target covers pages, frames, all workers, downloads and every redirect. Only matching URLs are
sent to us, so that others cost no round trip. But the requests of every document loaded meanwhile pass through one more
process, so it is enabled only when there are secrets to guard, best before the first page. When enabled later,
``guard`` makes open frames use it; a shared worker that runs already, or a prefetch of a document that is loaded
already, is only caught where the proxy sees it.

Not covered: WebSockets (the proxy sees those without TLS), and encodings that cannot be listed, such as a secret that a
script mixes with other text letter by letter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import quote, quote_plus

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Frame

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.redaction.known_secrets import MIN_SECRET_CHARACTERS, encodings_of

# No URL has this scheme; it keeps interception enabled while there is nothing to intercept.
NO_URL_PATTERN = "browser-pilot-nothing:*"
# What the URL parser leaves unencoded in a query and in a path, and a form in its fields.
_QUERY_SAFE = "!$%&()*+,-./:;=?@[\\]^_`{|}~"
_PATH_SAFE = "!$%&'()*+,-./:;=@[\\]^_|~"
_FORM_SAFE = "*"


class UrlForms:
    """Secret values in every encoding in which a URL could contain them. Only grows."""

    def __init__(self) -> None:
        self._forms: set[str] = set()

    def add(self, values: Iterable[str]) -> None:
        for value in values:
            self._forms |= url_forms(value)

    def found_in(self, url: str) -> bool:
        return any(form in url for form in self._forms)

    def patterns(self) -> list[str]:
        """For ``Fetch.enable``."""
        return sorted(f"*{_escaped(form)}*" for form in self._forms)


def url_forms(value: str) -> frozenset[str]:
    """The encodings of a value that a URL can contain: printable ASCII. Empty for a value that is too short."""
    if len(value) < MIN_SECRET_CHARACTERS:
        return frozenset()
    raw = value.encode("utf-8", "surrogatepass")
    # Hosts are lower case.
    parsed = {
        quote(raw, safe=_QUERY_SAFE),
        quote(raw, safe=_PATH_SAFE),
        quote_plus(raw, safe=_FORM_SAFE).replace("~", "%7E"),
    }
    forms = {*encodings_of(value), *parsed, value.lower()}
    return frozenset(form for form in forms if form.isascii() and form.isprintable() and " " not in form)


class UrlLeakGuard:
    """One per browser process, with its lifetime."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._forms = UrlForms()
        self._session: CDPSession | None = None
        self._switching = asyncio.Lock()
        self._tasks = BackgroundTasks("the URL leak guard")

    async def enable(self) -> bool:
        """Enable interception for every new document. True when it was disabled."""
        async with self._switching:
            if self._session is not None:
                return False
            session = await self._browser.new_browser_cdp_session()
            session.on("Fetch.requestPaused", self._on_paused)
            await _enable(session, [NO_URL_PATTERN])
            self._session = session
            return True

    async def guard(self, context: BrowserContext, values: Iterable[str]) -> None:
        """Block these values in URLs, from now on and in every context of the browser."""
        self._forms.add(values)
        was_off = await self.enable()
        if self._session is not None:
            await _enable(self._session, self._forms.patterns() or [NO_URL_PATTERN])
        if was_off:
            await asyncio.gather(*(_reintercept(context, frame) for page in context.pages for frame in page.frames))

    def _on_paused(self, event: dict[str, Any]) -> None:
        self._tasks.spawn(self._fail(str(event["requestId"])))

    async def _fail(self, request: str) -> None:
        # A paused request that is not continued does not leave either.
        with suppress(Error):
            if self._session is not None:
                await _send(self._session, "Fetch.failRequest", requestId=request, errorReason="BlockedByClient")


async def _reintercept(context: BrowserContext, frame: Frame) -> None:
    """Make an open frame send its requests through the interception."""
    # A frame in its parent's process has no session of its own; a closed one has no requests.
    with suppress(Error):
        session = await context.new_cdp_session(frame if frame.parent_frame is not None else frame.page)
        await _enable(session, [NO_URL_PATTERN])
        await session.detach()


async def _enable(session: CDPSession, patterns: list[str]) -> None:
    await _send(session, "Fetch.enable", patterns=[{"urlPattern": pattern} for pattern in patterns])


async def _send(session: CDPSession, method: str, **parameters: object) -> None:
    await session.send(method, parameters)  # pyright: ignore[reportUnknownMemberType] (Playwright's is a bare dict)


def _escaped(form: str) -> str:
    return "".join(f"\\{character}" if character in "\\*?" else character for character in form)
