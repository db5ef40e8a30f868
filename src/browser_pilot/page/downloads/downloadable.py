"""Finds what to download: a URL, or what an element of the page renders; and the interface of a file as a stream.

Nothing is changed or fetched here: see ``page_fetch`` and ``browser_fetch``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message
from typing import Any, Protocol, cast
from urllib.parse import urljoin

from browser_pilot.errors import DownloadFailed, ElementAmbiguous, ElementNotFound
from browser_pilot.page.actions.resolve import ElementArgument, resolve, stale_error
from browser_pilot.page.frames import Frame
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import parse_address

FETCHED_SCHEMES = ("http", "https", "blob", "data")
PIECE_BYTES = 1 << 20
# Neither with a scheme nor a host: ``/file.png``, ``files/a.png``.
_RELATIVE = re.compile(r"\s*(?:[/.?]|(?!localhost(?:/|$))[^:/.\s]+(?:/|$))")


@dataclass(frozen=True, slots=True)
class Downloadable:
    """``url`` is its address, or ``ref`` the element that renders it, both in ``frame``; ``name`` is set by the page.
    ``referrer_policy`` is the element's own. ``note`` is what the agent should know of it.

    Without a frame, the browser is already downloading it.
    """

    frame: Frame | None
    url: str = ""
    ref: str = ""
    name: str = ""
    page_url: str = ""
    referrer_policy: str = ""
    note: str = ""

    @property
    def source(self) -> str:
        """Its origin, for display: the page itself for what the page renders or has in memory."""
        if self.ref or not self.url:
            return self.page_url
        return self.url.partition(",")[0] if self.url[:5].lower() == "data:" else self.url

    @property
    def is_remote(self) -> bool:
        return self.url.partition(":")[0].lower() in ("http", "https")

    def wire(self) -> dict[str, str]:
        if self.ref:
            return {"ref": self.ref}
        policy = {"referrerPolicy": self.referrer_policy} if self.referrer_policy else {}
        return {"url": self.url, **policy}


@dataclass(frozen=True, slots=True)
class FileHead:
    """The head of a response. ``suggested_name`` is the name from the server, else from the page.

    ``length`` is None when the response has none.
    """

    url: str
    mime: str
    suggested_name: str = ""
    length: int | None = None


class FileStream(Protocol):
    """The bytes of a file, piece by piece."""

    @property
    def head(self) -> FileHead: ...

    @property
    def arrives_at_once(self) -> bool:
        """Whether the first piece is available only when the file is complete."""
        ...

    async def read(self) -> bytes:
        """The next piece; empty at the end."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class DownloadSpec:
    """What a call downloads: a URL, an element (``called`` in messages), or what the browser is already downloading."""

    url: str | None = None
    element: ElementArgument | None = None
    called: str = ""
    started: Downloadable | None = None


async def find_downloadable(tab: Tab, spec: DownloadSpec) -> Downloadable:
    """The resource that a spec names, as the page in the tab would get it."""
    if spec.started is not None:
        return spec.started
    if spec.url is not None:
        return await downloadable_at(tab, spec.url)
    return await downloadable_of(tab, spec.element or "", called=spec.called)


async def downloadable_at(tab: Tab, url: str) -> Downloadable:
    """What is at a URL, fetched as by the page in the tab; a relative one is resolved against the page's."""
    frame = await tab.world.main_frame()
    if _RELATIVE.match(url):
        url = urljoin(tab.page.url, url)
    if url.partition(":")[0].lower() in ("blob", "data"):
        return Downloadable(frame, url=url, page_url=tab.page.url)
    return Downloadable(frame, url=parse_address(url).href, page_url=tab.page.url)


async def downloadable_of(tab: Tab, element: ElementArgument, *, called: str) -> Downloadable:
    """What to download for this element. ``called`` is how the caller named it."""
    try:
        target = await resolve(tab, element)
    except (ElementNotFound, ElementAmbiguous) as error:
        frame = await tab.world.main_frame()
        if await tab.world.call(frame, "isPdfViewer", repeatable=True):
            return Downloadable(frame, url=tab.page.url, page_url=tab.page.url)
        if error.message.startswith("No element matches"):
            raise ElementNotFound(f"Element not found: {called}", suggestions=error.suggestions) from None
        raise
    reply = await tab.dialogs.unless_opened(
        tab.world.call(target.frame, "findDownloadable", target.ref, repeatable=True),
    )
    if reply is None:
        raise await stale_error(tab.world, target)
    found = cast("dict[str, Any]", reply)
    url, ref = str(found.get("url", "")), str(found.get("ref", ""))
    if not ref and url.partition(":")[0].lower() not in FETCHED_SCHEMES:
        raise _not_downloadable(found)
    return Downloadable(
        target.frame,
        url,
        ref,
        name=str(found.get("name", "")),
        page_url=tab.page.url,
        referrer_policy=str(found.get("referrerPolicy", "")),
        note=str(found.get("note", "")),
    )


def _not_downloadable(found: dict[str, Any]) -> DownloadFailed:
    count = found.get("many")
    suggestion = f"It contains {count} of them: name one." if count else "Name an image, a video, a link or the like."
    return DownloadFailed(
        "Element has no downloadable resource", suggestions=[suggestion], metadata={"reason": "no_resource"}
    )


def head_of(resource: Downloadable, *, url: str, mime: str, disposition: str, length: Any) -> FileHead:
    return FileHead(
        url=url or resource.url,
        mime=mime,
        suggested_name=_disposition_filename(disposition) or resource.name,
        length=int(length) if length is not None and str(length).isdigit() else None,
    )


def _disposition_filename(disposition: str) -> str:
    """The file name in a Content-Disposition header; empty when it has none."""
    message = Message()
    message["Content-Disposition"] = " ".join(disposition.split())
    return message.get_filename() or ""
