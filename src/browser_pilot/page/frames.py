"""The frames of one page: which there are, in which process each lives, and the CDP session that reaches it.

A frame keeps its number while it lives: 0 is the main frame, the others count up in the order in which they were
first seen, and a number is never used again on the same page. Cross-site frames live in a process of their own and
have a session of their own; the rest share the session of the nearest frame above them that has one.

Discovery asks the browser only when Playwright has told of a frame that came, went or navigated. This module knows
nothing of what runs inside a frame: that is ``world``.
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
_ROUNDS = 3


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
        """What the refs of its elements begin with."""
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
    """The live list of a page's frames. Built once per page; it is done when the page closes.

    ``attached_again`` is called when the debugger, in the user's own browser, was gone and is back; ``new_document``
    with the id of a frame that shows another document from now on, where its process tells of that.
    """

    def __init__(
        self,
        page: Page,
        *,
        attached_again: Callable[[], None],
        new_document: Callable[[str], None],
    ) -> None:
        self._page = page
        self._attached_again = attached_again
        self._new_document = new_document
        self._main_session: CDPSession | None = None
        self._sessions: dict[PlaywrightFrame, CDPSession] = {}
        self._numbers: dict[str, int] = {}
        self._next_number = MAIN
        self._frames: dict[int, Frame] = {}
        self._stale = True
        self._unfound: frozenset[str] = frozenset()
        self._lock = asyncio.Lock()
        page.on("frameattached", self._mark_stale)
        page.on("framenavigated", self._mark_stale)
        page.on("framedetached", self._mark_stale)

    def _mark_stale(self, _frame: PlaywrightFrame) -> None:
        self._stale = True

    def _note_attached(self, _event: dict[str, object]) -> None:
        self._stale = True
        self._attached_again()

    def _note_document(self, event: dict[str, Any]) -> None:
        self._new_document(str(event["frame"]["id"]))

    def forget(self) -> None:
        """Look the frames up again before they are next used."""
        self._stale = True

    async def main_session(self) -> CDPSession:
        if self._main_session is None:
            session = await self._page.context.new_cdp_session(self._page)
            session.on(REATTACHED_EVENT, self._note_attached)
            session.on("Page.frameNavigated", self._note_document)
            self._main_session = session
        return self._main_session

    @property
    def last_main(self) -> Frame | None:
        """The main frame as it was when last looked up; its document may be another one by now."""
        return self._frames.get(MAIN)

    async def list(self) -> tuple[Frame, ...]:
        """All frames, each after its parent."""
        async with self._lock:
            for _ in range(_ROUNDS):
                if not self._stale:
                    break
                self._stale = False
                try:
                    await self._discover()
                except BaseException as error:
                    self._stale = True  # cut short, by a cancelled call or a frame that went away
                    if isinstance(error, PlaywrightError) and (known := self._known(error)) is not None:
                        raise known from error
                    raise
                self._doubt()
        return tuple(self._frames.values())

    def _known(self, error: PlaywrightError) -> PilotError | None:
        """What our relay said, or that the page or its browser is gone."""
        if self._page.is_closed() or TARGET_WAS_CLOSED.matches(error.message):
            return NoTab("The tab was closed.")
        return relay_error(error)

    def _doubt(self) -> None:
        """A process that a frame has just left may still tell of its old document: then look again, but not for ever
        at a page where the two never agree.
        """
        found = {frame.url for frame in self._frames.values()}
        unfound = frozenset(frame.url for frame in self._page.frames if frame.url not in found)
        if unfound != self._unfound:
            self._unfound = unfound
            self._stale = self._stale or bool(unfound)

    async def get(self, number: int) -> Frame | None:
        await self.list()
        return self._frames.get(number)

    async def _discover(self) -> None:
        session = await self.main_session()
        trees = [(session, await _frame_tree(session))]
        if self._unfound or len(self._page.frames) > sum(1 for _ in _walk(trees[0][1])):
            trees += await self._separate_trees()
        told = {frame.url for frame in self._page.frames}
        found: dict[str, tuple[_FrameInfo, CDPSession]] = {}
        for owner, tree in trees:
            for info in _walk(tree):
                known = found.get(info["id"])
                # Of two processes that know a frame, the one that it has left knows its old document.
                if known is None or _url(known[0]) not in told or _url(info) in told:
                    found[info["id"]] = (info, owner)
        self._numbers = {id_: number for id_, number in self._numbers.items() if id_ in found}
        frames: dict[int, Frame] = {}
        # A tree may come before the tree that holds its parent, so frames whose parent is not there yet wait a turn.
        waiting = list(found.values())
        while waiting:
            ready = [item for item in waiting if self._is_placed(item[0], frames)]
            if not ready:
                break
            for info, owner in ready:
                frame = self._place(info, owner)
                frames[frame.number] = frame
            waiting = [item for item in waiting if item not in ready]
        self._frames = frames

    def _is_placed(self, info: _FrameInfo, frames: dict[int, Frame]) -> bool:
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
        answers = await asyncio.gather(*(self._separate_tree(frame) for frame in frames))
        return [answer for answer in answers if answer is not None]

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
