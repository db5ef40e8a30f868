"""Our own JavaScript world in each frame of one page, and calls into it.

An isolated world has the same DOM as the page's scripts but shares no variables with them, so the page can neither see
nor change what runs there. The world of a frame is created on first use, and again after the frame has navigated.
Elements stay inside it, by ref (``e12`` in the main frame, ``f2e4`` in others).

``World`` belongs to one Playwright page and lives as long as it. It does not read the page: see ``snapshot``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar, cast

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import BrowserCrashed, InternalError, NoTab, OutcomeUnknown, StaleRef, Timeout
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.safe_text import sanitize_data
from browser_pilot.upstream_errors import CALL_INTERRUPTED, CALL_NOT_STARTED, DRIVER_CONFUSED

from .cdp import send
from .frames import Frame, Frames
from .injected_script import LOADING_FUNCTIONS, full_source, loading_source
from .playwright_errors import relay_error, translate

T = TypeVar("T")

DEFAULT_TIMEOUT_MS = 10_000
RESPONSE_TIMEOUT_SECONDS = 1.0
WORLD_NAME = "browser-pilot"
_CALL = "function (name, args, ...elements) { return this[name](...args, ...elements) }"
_REFS_BEFORE_RESTART = 500


class FrameGone(StaleRef):
    """The frame is no longer on the page, or its document was replaced twice during one call."""


class CallInterrupted(OutcomeUnknown):
    """The page navigated while a call ran in it."""


class IndexedTree(Protocol):
    def ref(self, index: int) -> str: ...


@dataclass(frozen=True, slots=True)
class RemoteObject:
    """An object inside a frame's world, by its CDP ``objectId``."""

    frame: Frame
    object_id: str


@dataclass(frozen=True, slots=True)
class InstalledScript:
    """Our script in one document, by the CDP ids of its world and its API object. ``complete``: it has both parts."""

    session: CDPSession
    context_id: int
    api: str
    complete: bool = False


@dataclass(frozen=True, slots=True)
class KnownRows:
    """The rows of a frame's last snapshot, and the mark by which the page identifies that snapshot."""

    mark: str
    rows: Sequence[Any]


@dataclass(slots=True)
class ListenerFacts:
    """What ``listeners`` has found in one document: the document object of the main world, and nodes with listeners."""

    document: str
    nodes: set[int] = field(default_factory=set[int])
    too_many: bool = False


class World:
    """The isolated worlds of one page's frames."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames = Frames(page, on_reattached=self._forget_all, on_new_document=self._forget_frame)
        # The last DOM tree that was returned to the client, for arguments that name an element by its index.
        self.tree: IndexedTree | None = None
        self._installed: dict[str, InstalledScript] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._linked: set[tuple[str, int]] = set()
        self._libraries: set[tuple[str, str]] = set()
        self._refs_used: dict[int, int] = {}
        self.listener_facts: dict[str, ListenerFacts] = {}
        self.known_rows: dict[str, KnownRows] = {}
        self._deadlines: set[asyncio.Timeout] = set()
        self._crashed = False
        self._on_new_document: list[Callable[[str], None]] = []
        page.on("crash", lambda _: self.mark_crashed())

    @property
    def crashed(self) -> bool:
        return self._crashed

    def mark_crashed(self) -> None:
        """The page's renderer is dead: end the calls into it, and make no others."""
        self._crashed = True
        for deadline in self._deadlines:
            deadline.reschedule(0)

    def _forget_all(self) -> None:
        """After reattaching, the worlds still exist, but their CDP ids are invalid."""
        self._installed.clear()

    def _forget_frame(self, frame_id: str) -> None:
        """The frame's world is gone with its document; a call into it would only fail."""
        self._installed.pop(frame_id, None)
        for listener in self._on_new_document:
            listener(frame_id)

    def on_new_document(self, listener: Callable[[str], None]) -> None:
        """Called with the id of a frame that has committed another document."""
        self._on_new_document.append(listener)

    async def call(
        self,
        frame: Frame,
        function: str,
        *args: ReadOnlyJson,
        elements: Sequence[RemoteObject] = (),
        repeatable: bool = False,
        raw: bool = False,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
    ) -> object:
        """Call ``api.<function>(...args, ...elements)`` in a frame and return its value (see ``injected/api.js``).

        All texts in the value are sanitized, unless they are to be ``raw``: what the page will compare later. A text
        that is JSON still has to be parsed with ``parse_json``.

        A call that was not started is retried in a new world. One that a navigation interrupted is retried only if it
        is ``repeatable``; otherwise it raises CallInterrupted.
        """
        call = _FunctionCall(function, args, elements, repeatable=repeatable)
        value = (await self._call_with_retry(frame, call, timeout_ms)).get("value")
        return value if raw else sanitize_data(value)

    async def call_for_object(
        self, frame: Frame, function: str, *args: ReadOnlyJson, timeout_ms: int = DEFAULT_TIMEOUT_MS
    ) -> RemoteObject | None:
        """Like ``call``, but returns a handle to the object (such as an element), or None when there is none."""
        result = await self._call_with_retry(frame, _FunctionCall(function, args, by_value=False), timeout_ms)
        object_id = result.get("objectId")
        return RemoteObject(frame, str(object_id)) if object_id else None

    async def call_everywhere(
        self, function: str, *args: ReadOnlyJson, timeout_ms: int = DEFAULT_TIMEOUT_MS
    ) -> list[tuple[Frame, object]]:
        """Call a function that only reads in all frames at once; frames that are removed meanwhile are left out."""
        frames = await self.live_frames(timeout_ms=timeout_ms)

        async def one(frame: Frame) -> tuple[Frame, object] | None:
            try:
                return frame, await self.call(frame, function, *args, repeatable=True, timeout_ms=timeout_ms)
            except FrameGone:
                if frame.parent is None:
                    raise
                return None

        return [result for result in await asyncio.gather(*map(one, frames)) if result is not None]

    async def add_library(self, frame: Frame, name: str, source: str, expression: str) -> None:
        """Add a third-party script to a frame's world: ``libraries.<name>`` is then ``expression``."""
        installed = await self.install(frame)
        if (installed.api, name) in self._libraries:
            return
        # The debugger compiles a declaration, so the page's content security policy does not apply.
        declaration = f"function () {{ this.libraries.{name} ??= (() => {{ {source}\nreturn {expression}; }})() }}"
        try:
            await send(frame.session, "Runtime.callFunctionOn", objectId=installed.api, functionDeclaration=declaration)
        except PlaywrightError as error:
            raise FrameGone("The page navigated away.") from error
        self._libraries.add((installed.api, name))

    async def live_frames(self, *, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> tuple[Frame, ...]:
        """All frames, each after its parent; the world of each parent has the numbers of its child frames."""
        frames = await self._with_deadline(self.frames.list(), timeout_ms, "looking up the page's frames")
        if len(frames) > 1:
            by_number = {frame.number: frame for frame in frames}
            pairs = [(by_number[f.parent], f) for f in frames if f.parent is not None]
            linking = asyncio.gather(*(self._link(parent, child) for parent, child in pairs))
            await self._with_deadline(linking, timeout_ms, "matching frames to their elements")
        return frames

    async def terminate_scripts(self, frames: Iterable[Frame]) -> None:
        """End what runs in these frames, such as an endless regular expression. Documents and worlds stay."""
        sessions = {id(frame.session): frame.session for frame in frames}
        await asyncio.gather(*map(_terminate, sessions.values()))

    async def main_frame(self) -> Frame:
        return (await self._with_deadline(self.frames.list(), DEFAULT_TIMEOUT_MS, "looking up the page's frames"))[0]

    async def _with_deadline(self, work: Awaitable[T], timeout_ms: int, what: str) -> T:
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
                f"The page did not respond within {timeout_ms} ms ({what}).",
                suggestions=("A dialog may be open, or the page's scripts may be busy; try again in a moment.",),
            ) from error

    async def _call_with_retry(self, frame: Frame, call: _FunctionCall, timeout_ms: int) -> dict[str, Any]:
        async def attempts() -> dict[str, Any]:
            try:
                return await self._attempt(frame, call)
            except FrameGone:
                if call.elements:
                    raise  # they are gone with their world
                renewed = await self.frames.get(frame.number)
                if renewed is None:
                    raise
                return await self._attempt(renewed, call)

        return await self._with_deadline(attempts(), timeout_ms, f"{call.function} in the page")

    async def _attempt(self, frame: Frame, call: _FunctionCall) -> dict[str, Any]:
        try:
            is_loading = call.function in LOADING_FUNCTIONS
            installed = await (self._install_loading(frame) if is_loading else self.install(frame))
            return await _call_function(frame, installed.api, call)
        except PlaywrightError as error:
            if self.page.is_closed():
                raise NoTab("The tab was closed.") from error
            if relayed := relay_error(error):
                raise relayed from error
            interrupted = CALL_INTERRUPTED.matches(error.message)
            if interrupted and not call.repeatable:
                raise CallInterrupted(f"The page navigated while {call.function} ran in it.") from error
            if not interrupted and not CALL_NOT_STARTED.matches(error.message):
                if DRIVER_CONFUSED.matches(error.message):
                    raise translate(error, f"{call.function} in the page") from error
                raise InternalError(f"The browser could not run {call.function}: {error.message}") from error
            self._installed.pop(frame.id, None)
            self.frames.invalidate()
            raise FrameGone("The frame is gone or shows another document now.") from error

    async def install(self, frame: Frame) -> InstalledScript:
        """Install both parts of our script in the frame. Raises Playwright's Error when the frame is gone."""
        async with self._lock(frame):
            loading = await self._ensure_loading(frame)
            if loading.complete:
                return loading
            options = json.dumps({"prefix": frame.prefix, "firstRef": self._first_ref(frame)})
            expression = f"({full_source()})(browserPilot, {options})"
            response = await send(
                frame.session, "Runtime.evaluate", expression=expression, contextId=loading.context_id
            )
            _evaluation_result(response)
            installed = self._installed[frame.id] = replace(loading, complete=True)
            return installed

    async def _install_loading(self, frame: Frame) -> InstalledScript:
        """Install at least the first part, which a loading document gets."""
        async with self._lock(frame):
            return await self._ensure_loading(frame)

    def _lock(self, frame: Frame) -> asyncio.Lock:
        return self._locks.setdefault(frame.id, asyncio.Lock())

    async def _ensure_loading(self, frame: Frame) -> InstalledScript:
        known = self._installed.get(frame.id)
        if known is not None and known.session is frame.session:
            return known
        world = await send(frame.session, "Page.createIsolatedWorld", frameId=frame.id, worldName=WORLD_NAME)
        context_id = int(world["executionContextId"])
        expression = f"({loading_source()})()"
        response = await send(frame.session, "Runtime.evaluate", expression=expression, contextId=context_id)
        api = str(_evaluation_result(response)["objectId"])
        installed = self._installed[frame.id] = InstalledScript(frame.session, context_id, api)
        return installed

    def _first_ref(self, frame: Frame) -> int:
        """The first ref of a frame's next document: after the last one's, so that an old ref never names a new element.

        Short refs cost fewer tokens, so the count starts again after some hundreds.
        """
        used = self._refs_used.get(frame.number, 0)
        return 1 if used > _REFS_BEFORE_RESTART else used + 1

    def note_refs_used(self, frame: Frame, count: int) -> None:
        """Store the highest ref that was assigned in a frame."""
        self._refs_used[frame.number] = count

    async def _link(self, parent: Frame, child: Frame) -> None:
        """Pass the iframe element of the child to the parent's world, with the child's number."""
        try:
            installed = await self.install(parent)
            if (installed.api, child.number) in self._linked:
                return
            owner = await send(parent.session, "DOM.getFrameOwner", frameId=child.id)
            node = await send(
                parent.session,
                "DOM.resolveNode",
                backendNodeId=owner["backendNodeId"],
                executionContextId=installed.context_id,
            )
            element = RemoteObject(parent, str(node["object"]["objectId"]))
            await _call_function(parent, installed.api, _FunctionCall("adoptFrame", (child.number,), (element,)))
            self._linked.add((installed.api, child.number))
        except PlaywrightError:
            self.frames.invalidate()  # one of the two frames is gone


async def _terminate(session: CDPSession) -> None:
    # An idle page is left alone: the command would end its next script.
    for method, parameters in (("Runtime.evaluate", {"expression": "1"}), ("Runtime.terminateExecution", {})):
        with suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(RESPONSE_TIMEOUT_SECONDS):
                await send(session, method, **parameters)
                return


@dataclass(frozen=True, slots=True)
class _FunctionCall:
    function: str
    args: Sequence[ReadOnlyJson]
    elements: Sequence[RemoteObject] = ()
    by_value: bool = True
    repeatable: bool = True


async def _call_function(frame: Frame, api: str, call: _FunctionCall) -> dict[str, Any]:
    elements = [{"objectId": element.object_id} for element in call.elements]
    response = await send(
        frame.session,
        "Runtime.callFunctionOn",
        objectId=api,
        functionDeclaration=_CALL,
        arguments=[{"value": call.function}, {"value": call.args}, *elements],
        returnByValue=call.by_value,
        awaitPromise=True,
    )
    return _evaluation_result(response)


def _evaluation_result(response: dict[str, Any]) -> dict[str, Any]:
    """The result of an evaluation; raises InternalError for what the script threw."""
    thrown = response.get("exceptionDetails")
    if thrown is None:
        return cast("dict[str, Any]", response["result"])
    text = str(thrown.get("exception", {}).get("description") or thrown.get("text"))
    raise InternalError(f"The script in the page failed: {text}")
