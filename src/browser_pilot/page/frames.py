"""The frames of one page: which there are, in which process each lives, and the CDP session that reaches it.

A frame keeps its number while it lives: 0 is the main frame, the others count up in the order in which they were
first seen, and a number is never used again on the same page. Cross-site frames live in a process of their own and
have a session of their own; the rest share the session of the nearest frame above them that has one.

The frame trees are requested again only after Playwright has reported that a frame was attached, detached or navigated.
Scripts inside frames are not handled here: see ``isolated_world``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict, cast

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame as PlaywrightFrame

from browser_pilot.errors import NoTab, PilotError
from browser_pilot.upstream_errors import REATTACHED_EVENT, TARGET_WAS_CLOSED

from .cdp import send
from .playwright_errors import relay_error

MAIN = 0
_MAX_DISCOVERIES = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of the page as it was when the frames were last looked up."""

    number: int
    id: str
    parent: int | None
    url: str
    session: CDPSession

    @property
    def prefix(self) -> str:
        """The prefix of the refs of its elements."""
        return "e" if self.number == MAIN else f"f{self.number}e"


class _FrameInfo(TypedDict):
    id: str
    url: str
    parentId: NotRequired[str]
    urlFragment: NotRequired[str]


class _FrameTree(TypedDict):
    frame: _FrameInfo
    childFrames: NotRequired[list[_FrameTree]]


class Frames:
    """The frames of one page. One per page; lives as long as the page.

    ``on_reattached`` is called when the extension has reattached the debugger to the tab. ``on_new_document`` gets the
    id of a frame of the main session that has committed another document.
    """

    def __init__(
        self,
        page: Page,
        *,
        on_reattached: Callable[[], None],
        on_new_document: Callable[[str], None],
    ) -> None:
        self._page = page
        self._on_reattached = on_reattached
        self._on_new_document = on_new_document
        self._main_session: CDPSession | None = None
        self._sessions: dict[PlaywrightFrame, CDPSession] = {}
        self._numbers: dict[str, int] = {}
        self._next_number = MAIN
        self._frames: dict[int, Frame] = {}
        self._stale = True
        self._missing_urls: frozenset[str] = frozenset()
        self._lock = asyncio.Lock()
        page.on("frameattached", self._mark_stale)
        page.on("framenavigated", self._mark_stale)
        page.on("framedetached", self._mark_stale)

    def _mark_stale(self, _frame: PlaywrightFrame) -> None:
        self._stale = True

    def _handle_reattached(self, _event: dict[str, object]) -> None:
        self._stale = True
        self._on_reattached()

    def _handle_navigated(self, event: dict[str, Any]) -> None:
        self._on_new_document(str(event["frame"]["id"]))

    def invalidate(self) -> None:
        """Look the frames up again before they are next used."""
        self._stale = True

    async def main_session(self) -> CDPSession:
        if self._main_session is None:
            session = await self._page.context.new_cdp_session(self._page)
            session.on(REATTACHED_EVENT, self._handle_reattached)
            session.on("Page.frameNavigated", self._handle_navigated)
            self._main_session = session
        return self._main_session

    @property
    def last_main(self) -> Frame | None:
        """The main frame as it was when last looked up; its document may be another one by now."""
        return self._frames.get(MAIN)

    async def list(self) -> tuple[Frame, ...]:
        """All frames, each after its parent."""
        async with self._lock:
            for _ in range(_MAX_DISCOVERIES):
                if not self._stale:
                    break
                self._stale = False
                try:
                    await self._discover()
                except BaseException as error:
                    self._stale = True  # interrupted: the call was cancelled, or a frame is gone
                    if isinstance(error, PlaywrightError) and (translated := self._translate(error)) is not None:
                        raise translated from error
                    raise
                self._check_complete()
        return tuple(self._frames.values())

    def known(self) -> tuple[Frame, ...]:
        """The frames as they were last found, for a page that may not respond now."""
        return tuple(self._frames.values())

    def _translate(self, error: PlaywrightError) -> PilotError | None:
        """The relay's error, or NoTab when the page or its browser is gone."""
        if self._page.is_closed() or TARGET_WAS_CLOSED.matches(error.message):
            return NoTab("The tab was closed.")
        return relay_error(error)

    def _check_complete(self) -> None:
        """Mark the frames stale when Playwright has a URL that the trees do not have.

        The process that a frame has just left may still report its old document. Where the same URLs are missing twice,
        the frames count as complete.
        """
        found = {frame.url for frame in self._frames.values()}
        missing = frozenset(frame.url for frame in self._page.frames if frame.url not in found)
        if missing != self._missing_urls:
            self._missing_urls = missing
            self._stale = self._stale or bool(missing)

    async def get(self, number: int) -> Frame | None:
        await self.list()
        return self._frames.get(number)

    async def _discover(self) -> None:
        session = await self.main_session()
        trees = [(session, await _frame_tree(session))]
        if self._missing_urls or len(self._page.frames) > sum(1 for _ in _walk(trees[0][1])):
            trees += await self._separate_trees()
        current_urls = {frame.url for frame in self._page.frames}
        found: dict[str, tuple[_FrameInfo, CDPSession]] = {}
        for owner, tree in trees:
            for info in _walk(tree):
                known = found.get(info["id"])
                # Two processes may report a frame: the one that it has left reports the URL of its old document.
                if known is None or _url(known[0]) not in current_urls or _url(info) in current_urls:
                    found[info["id"]] = (info, owner)
        self._numbers = {id_: number for id_, number in self._numbers.items() if id_ in found}
        frames: dict[int, Frame] = {}
        # A tree may come before the tree of its parent: frames whose parent is not placed yet wait for the next round.
        waiting = list(found.values())
        while waiting:
            ready = [item for item in waiting if self._has_parent(item[0], frames)]
            if not ready:
                break
            for info, owner in ready:
                frame = self._place(info, owner)
                frames[frame.number] = frame
            waiting = [item for item in waiting if item not in ready]
        self._frames = frames

    def _has_parent(self, info: _FrameInfo, frames: dict[int, Frame]) -> bool:
        parent = info.get("parentId")
        return parent is None or self._numbers.get(parent) in frames

    def _place(self, info: _FrameInfo, session: CDPSession) -> Frame:
        number = self._numbers.get(info["id"])
        if number is None:
            number = MAIN if "parentId" not in info else max(self._next_number, MAIN + 1)
            self._numbers[info["id"]] = number
            self._next_number = max(self._next_number, number + 1)
        parent = info.get("parentId")
        return Frame(
            number=number,
            id=info["id"],
            parent=None if parent is None else self._numbers[parent],
            url=_url(info),
            session=session,
        )

    async def _separate_trees(self) -> list[tuple[CDPSession, _FrameTree]]:
        """The trees of the frames that live in other processes."""
        frames = [frame for frame in self._page.frames if frame != self._page.main_frame]
        self._sessions = {frame: session for frame, session in self._sessions.items() if frame in frames}
        trees = await asyncio.gather(*(self._separate_tree(frame) for frame in frames))
        return [tree for tree in trees if tree is not None]

    async def _separate_tree(self, frame: PlaywrightFrame) -> tuple[CDPSession, _FrameTree] | None:
        known = self._sessions.pop(frame, None)
        for session in (known, None) if known else (None,):
            try:
                session = session or await self._page.context.new_cdp_session(frame)
                tree = await _frame_tree(session)
            except PlaywrightError:
                continue  # it shares its parent's process, moved to another one, or is gone
            self._sessions[frame] = session
            return session, tree
        return None


async def _frame_tree(session: CDPSession) -> _FrameTree:
    return cast("_FrameTree", (await send(session, "Page.getFrameTree"))["frameTree"])


def _url(info: _FrameInfo) -> str:
    return info["url"] + info.get("urlFragment", "")


def _walk(tree: _FrameTree) -> Iterator[_FrameInfo]:
    yield tree["frame"]
    for child in tree.get("childFrames", []):
        yield from _walk(child)
