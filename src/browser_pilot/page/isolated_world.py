"""Our own JavaScript world in each frame of one page, and calls into it.

An isolated world sees the same DOM as the page's scripts but shares no variables with them, so the page can neither
see nor fool what runs there. The world of a frame is made when it is first needed and made again after the frame
navigated. Elements are kept inside it by ref (``e12`` in the main frame, ``f2e4`` in others); they never leave it.

``World`` belongs to one Playwright page and lives as long as it. It holds no view of the page: see ``snapshot``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar, cast

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import BrowserCrashed, InternalError, NoTab, OutcomeUnknown, StaleRef, Timeout
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.upstream_errors import CALL_INTERRUPTED, CALL_NOT_STARTED

from .cdp import send
from .frames import Frame, Frames
from .injected_script import LOADING_FUNCTIONS, full_source, loading_source
from .playwright_errors import relay_error

T = TypeVar("T")

DEFAULT_TIMEOUT_MS = 10_000
WORLD_NAME = "browser-pilot"
_CALL = "function (name, args, ...elements) { return this[name](...args, ...elements) }"
_REFS_BEFORE_RESTART = 500


class FrameGone(StaleRef):
    """The frame is no longer on the page, or its document went away twice during one call."""


class CutOff(OutcomeUnknown):
    """The page navigated while something ran in it."""


class IndexedTree(Protocol):
    def ref(self, index: int) -> str: ...


@dataclass(frozen=True, slots=True)
class Remote:
    """An object inside a frame's world, by the id that CDP gave it."""

    frame: Frame
    object_id: str


@dataclass(frozen=True, slots=True)
class Installed:
    """Our world in one document: the ids that CDP knows it and its objects by; whether all our script is in it."""

    session: CDPSession
    context_id: int
    api: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class KnownRows:
    """What ``snapshot`` last heard of a frame's rows: the mark of that answer, and what it made of each row."""

    mark: str
    rows: Sequence[Any]


@dataclass(slots=True)
class ListenerFacts:
    """What ``pierce`` knows of the listeners in one document: the page's own document object, and nodes that listen."""

    document: str
    nodes: set[int] = field(default_factory=set[int])
    too_many: bool = False


class World:
    """The isolated worlds of one page's frames."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames = Frames(page, attached_again=self._forget_installed, new_document=self._forget_one)
        # The last DOM tree that was told, so that its indices can be used.
        self.tree: IndexedTree | None = None
        self._installed: dict[str, Installed] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._linked: set[tuple[str, int]] = set()
        self._lent: set[tuple[str, str]] = set()
        self._refs_used: dict[int, int] = {}
        self.listener_facts: dict[str, ListenerFacts] = {}
        self.known_rows: dict[str, KnownRows] = {}
        self._deadlines: set[asyncio.Timeout] = set()
        self._crashed = False
        page.on("crash", self._note_crash)

    @property
    def crashed(self) -> bool:
        return self._crashed

    def _note_crash(self, _page: Page) -> None:
        self._crashed = True
        for deadline in self._deadlines:
            deadline.reschedule(0)

    def _forget_installed(self) -> None:
        """The worlds are as they were, but all that is known by id in them is void: they are looked up again."""
        self._installed.clear()

    def _forget_one(self, frame_id: str) -> None:
        """The frame's world is gone with its document: nothing need be asked of it to find that out."""
        self._installed.pop(frame_id, None)

    async def call(
        self,
        frame: Frame,
        function: str,
        *args: ReadOnlyJson,
        elements: Sequence[Remote] = (),
        repeatable: bool = False,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
    ) -> object:
        """Call ``pilot.<function>(...args, ...elements)`` in a frame and give back its value.

        A call that never began is made again in a renewed world. One that was cut off by a navigation is made again
        only when it is ``repeatable``; otherwise it raises CutOff.
        """
        request = _Request(function, args, elements, repeatable=repeatable)
        return (await self._guarded(frame, request, timeout_ms)).get("value")

    async def call_for_object(
        self, frame: Frame, function: str, *args: ReadOnlyJson, timeout_ms: int = DEFAULT_TIMEOUT_MS
    ) -> Remote | None:
        """Like ``call``, but give back a handle to the object (such as an element), or None when there is none."""
        answer = await self._guarded(frame, _Request(function, args, by_value=False), timeout_ms)
        object_id = answer.get("objectId")
        return Remote(frame, str(object_id)) if object_id else None

    async def call_everywhere(
        self, function: str, *args: ReadOnlyJson, timeout_ms: int = DEFAULT_TIMEOUT_MS
    ) -> list[tuple[Frame, object]]:
        """Call a function that only reads in every frame at once; frames that go away meanwhile are left out."""
        frames = await self.live_frames(timeout_ms=timeout_ms)

        async def one(frame: Frame) -> tuple[Frame, object] | None:
            try:
                return frame, await self.call(frame, function, *args, repeatable=True, timeout_ms=timeout_ms)
            except FrameGone:
                if frame.parent is None:
                    raise
                return None

        return [answer for answer in await asyncio.gather(*map(one, frames)) if answer is not None]

    async def lend(self, frame: Frame, name: str, source: str, expression: str) -> None:
        """Put a script of someone else into a frame's world: ``pilot.libraries.<name>`` is then ``expression``."""
        installed = await self.installed(frame)
        if (installed.api, name) in self._lent:
            return
        # A declaration is compiled by the debugger, so that the page's content security policy does not matter.
        declaration = f"function () {{ this.libraries.{name} ??= (() => {{ {source}\nreturn {expression}; }})() }}"
        try:
            await send(frame.session, "Runtime.callFunctionOn", objectId=installed.api, functionDeclaration=declaration)
        except PlaywrightError as error:
            raise FrameGone("The page navigated away.") from error
        self._lent.add((installed.api, name))

    async def live_frames(self, *, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> tuple[Frame, ...]:
        """All frames, each after its parent, each known to its parent's world by its number."""
        frames = await self._in_time(self.frames.list(), timeout_ms, "looking up the page's frames")
        if len(frames) > 1:
            by_number = {frame.number: frame for frame in frames}
            pairs = [(by_number[f.parent], f) for f in frames if f.parent is not None]
            linking = asyncio.gather(*(self._link(parent, child) for parent, child in pairs))
            await self._in_time(linking, timeout_ms, "matching frames to their elements")
        return frames

    async def main_frame(self) -> Frame:
        return (await self._in_time(self.frames.list(), DEFAULT_TIMEOUT_MS, "looking up the page's frames"))[0]

    async def _in_time(self, work: Awaitable[T], timeout_ms: int, what: str) -> T:
        try:
            async with asyncio.timeout(0 if self._crashed else timeout_ms / 1000) as deadline:
                self._deadlines.add(deadline)
                try:
                    return await work
                finally:
                    self._deadlines.discard(deadline)
        except TimeoutError as error:
            if self._crashed:
                raise BrowserCrashed(
                    "The page crashed.", suggestions=("Close the tab and open its address in a new one.",)
                ) from error
            raise Timeout(
                f"The page did not answer within {timeout_ms} ms ({what}).",
                suggestions=("A dialog may be open, or the page's scripts may be busy; look again in a moment.",),
            ) from error

    async def _guarded(self, frame: Frame, request: _Request, timeout_ms: int) -> dict[str, Any]:
        async def attempts() -> dict[str, Any]:
            try:
                return await self._attempt(frame, request)
            except FrameGone:
                if request.elements:
                    raise  # they died with the world that they lived in
                renewed = await self.frames.get(frame.number)
                if renewed is None:
                    raise
                return await self._attempt(renewed, request)

        return await self._in_time(attempts(), timeout_ms, f"{request.function} in the page")

    async def _attempt(self, frame: Frame, request: _Request) -> dict[str, Any]:
        try:
            is_first = request.function in LOADING_FUNCTIONS
            installed = await (self._begun(frame) if is_first else self.installed(frame))
            return await _call_function(frame, installed.api, request)
        except PlaywrightError as error:
            if self.page.is_closed():
                raise NoTab("The tab was closed.") from error
            if relayed := relay_error(error):
                raise relayed from error
            cut_off = CALL_INTERRUPTED.matches(error.message)
            if cut_off and not request.repeatable:
                raise CutOff(f"The page navigated while {request.function} ran in it.") from error
            if not cut_off and not CALL_NOT_STARTED.matches(error.message):
                raise InternalError(f"The browser refused {request.function}: {error.message}") from error
            self._installed.pop(frame.id, None)
            self.frames.forget()
            raise FrameGone("The frame is gone or shows another document now.") from error

    async def installed(self, frame: Frame) -> Installed:
        """The frame's world with all our script in it. Raises Playwright's Error when the frame is gone."""
        async with self._lock(frame):
            begun = await self._begin(frame)
            if begun.whole:
                return begun
            options = json.dumps({"prefix": frame.prefix, "firstRef": self._first_ref(frame)})
            expression = f"({full_source()})(browserPilot, {options})"
            answer = await send(frame.session, "Runtime.evaluate", expression=expression, contextId=begun.context_id)
            _checked(answer)
            whole = self._installed[frame.id] = replace(begun, whole=True)
            return whole

    async def _begun(self, frame: Frame) -> Installed:
        """The same, but perhaps with the beginning of our script only."""
        async with self._lock(frame):
            return await self._begin(frame)

    def _lock(self, frame: Frame) -> asyncio.Lock:
        return self._locks.setdefault(frame.id, asyncio.Lock())

    async def _begin(self, frame: Frame) -> Installed:
        known = self._installed.get(frame.id)
        if known is not None and known.session is frame.session:
            return known
        world = await send(frame.session, "Page.createIsolatedWorld", frameId=frame.id, worldName=WORLD_NAME)
        context_id = int(world["executionContextId"])
        expression = f"({loading_source()})()"
        answer = await send(frame.session, "Runtime.evaluate", expression=expression, contextId=context_id)
        begun = self._installed[frame.id] = Installed(frame.session, context_id, str(_checked(answer)["objectId"]))
        return begun

    def _first_ref(self, frame: Frame) -> int:
        """Where the refs of a frame's next document begin: after the last one's, so that no old ref fits a new element.

        Short refs are cheaper to read, so the count starts again once it is past three digits.
        """
        used = self._refs_used.get(frame.number, 0)
        return 1 if used > _REFS_BEFORE_RESTART else used + 1

    def note_refs_used(self, frame: Frame, count: int) -> None:
        """Remember the highest ref that was given out in a frame."""
        self._refs_used[frame.number] = count

    async def _link(self, parent: Frame, child: Frame) -> None:
        """Tell the parent's world which of its elements holds the child."""
        try:
            home = await self.installed(parent)
            if (home.api, child.number) in self._linked:
                return
            owner = await send(parent.session, "DOM.getFrameOwner", frameId=child.id)
            node = await send(
                parent.session,
                "DOM.resolveNode",
                backendNodeId=owner["backendNodeId"],
                executionContextId=home.context_id,
            )
            element = Remote(parent, str(node["object"]["objectId"]))
            await _call_function(parent, home.api, _Request("adoptFrame", (child.number,), (element,)))
            self._linked.add((home.api, child.number))
        except PlaywrightError:
            self.frames.forget()  # one of the two went away; the next look finds out


@dataclass(frozen=True, slots=True)
class _Request:
    function: str
    args: Sequence[ReadOnlyJson]
    elements: Sequence[Remote] = ()
    by_value: bool = True
    repeatable: bool = True


async def _call_function(frame: Frame, api: str, request: _Request) -> dict[str, Any]:
    elements = [{"objectId": element.object_id} for element in request.elements]
    answer = await send(
        frame.session,
        "Runtime.callFunctionOn",
        objectId=api,
        functionDeclaration=_CALL,
        arguments=[{"value": request.function}, {"value": request.args}, *elements],
        returnByValue=request.by_value,
        awaitPromise=True,
    )
    return _checked(answer)


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """The result of an evaluation; what the script threw becomes an error of ours."""
    thrown = answer.get("exceptionDetails")
    if thrown is None:
        return cast("dict[str, Any]", answer["result"])
    text = str(thrown.get("exception", {}).get("description") or thrown.get("text"))
    raise InternalError(f"The script in the page failed: {text}")
