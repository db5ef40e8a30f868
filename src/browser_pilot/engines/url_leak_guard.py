"""Keeps secrets out of URLs: a request whose address carries one is failed before it leaves the browser.

The whole browser is told (``Fetch`` on the browser itself): pages, frames, workers of every kind, downloads, and every
step of a redirect. Only addresses that match come to us, so that others cost no round trip; but every document that is
loaded while this is on has its requests pass through one more process, so it is switched on when there are secrets to
guard, best before the first page. Switched on later, ``guard`` makes the frames that are open ask anew; a shared worker
that already runs, or a prefetch of a document that is already there, is only caught where the proxy sees it.

Not seen here: WebSockets (the proxy sees those without TLS). Forms of a secret that no list could hold, such as one
that a script has mixed with other text letter by letter, pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import quote, quote_plus

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Frame

from ..records.known import SHORTEST_KNOWN, forms_of

# Nothing has this scheme; it keeps the browser's interception in place while there is nothing to intercept.
NOTHING = "browser-pilot-nothing:*"
# What the URL parser leaves as it is in a query and in a path, and a form in its fields; the rest is percent-encoded.
_QUERY_SAFE = "!$%&()*+,-./:;=?@[\\]^_`{|}~"
_PATH_SAFE = "!$%&'()*+,-./:;=@[\\]^_|~"
_FORM_SAFE = "*"


class UrlForms:
    """Secret values in every form in which an address could carry them. Only ever grows."""

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
    """The forms of a value that can stand in an address: printable ASCII. Empty for a value too short to look for."""
    if len(value) < SHORTEST_KNOWN:
        return frozenset()
    raw = value.encode("utf-8", "surrogatepass")
    # A host is written in small letters.
    parsed = {
        quote(raw, safe=_QUERY_SAFE),
        quote(raw, safe=_PATH_SAFE),
        quote_plus(raw, safe=_FORM_SAFE).replace("~", "%7E"),
    }
    forms = {*forms_of(value), *parsed, value.lower()}
    return frozenset(form for form in forms if form.isascii() and form.isprintable() and " " not in form)


class SecretUrlGuard:
    """One for each browser process. Its life is the browser's."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._forms = UrlForms()
        self._session: CDPSession | None = None
        self._switching = asyncio.Lock()
        self._answers: set[asyncio.Task[None]] = set()

    async def switch_on(self) -> bool:
        """From now on every new document is under guard. True when it was off."""
        async with self._switching:
            if self._session is not None:
                return False
            session = await self._browser.new_browser_cdp_session()
            session.on("Fetch.requestPaused", self._stop)
            await _enable(session, [NOTHING])
            self._session = session
            return True

    async def guard(self, context: BrowserContext, values: Iterable[str]) -> None:
        """Let none of these values leave in an address, from now on and in every context of the browser."""
        self._forms.add(values)
        was_off = await self.switch_on()
        if self._session is not None:
            await _enable(self._session, self._forms.patterns() or [NOTHING])
        if was_off:
            await asyncio.gather(*(_ask_anew(context, frame) for page in context.pages for frame in page.frames))

    def _stop(self, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._fail(str(event["requestId"])))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _fail(self, request: str) -> None:
        # A request that nobody answers never leaves either.
        with suppress(Error):
            if self._session is not None:
                await _send(self._session, "Fetch.failRequest", requestId=request, errorReason="BlockedByClient")


async def _ask_anew(context: BrowserContext, frame: Frame) -> None:
    """Make an open frame send its requests by the way that is guarded."""
    # A frame in the process of its parent has no session of its own, and one that is gone has no requests.
    with suppress(Error):
        session = await context.new_cdp_session(frame if frame.parent_frame is not None else frame.page)
        await _enable(session, [NOTHING])
        await session.detach()


async def _enable(session: CDPSession, patterns: list[str]) -> None:
    await _send(session, "Fetch.enable", patterns=[{"urlPattern": pattern} for pattern in patterns])


async def _send(session: CDPSession, method: str, **parameters: object) -> None:
    await session.send(method, parameters)  # pyright: ignore[reportUnknownMemberType] (Playwright's is a bare dict)


def _escaped(form: str) -> str:
    return "".join(f"\\{character}" if character in "\\*?" else character for character in form)
