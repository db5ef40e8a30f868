"""A client's browser state: one context and the tabs in it.

Its life: created empty; the first use opens a context in a browser. When that browser dies, the next use opens another,
with what was stored and the tabs at their last addresses, under the same ids; a page that crashed is opened again
alone. A session that is asleep has no browser, and comes back the same way. Whoever acts on a page that was loaded
again is told first; whoever looks is told beside. The user's own browser is not ours to bring back: there, what is lost
is told once. ``close`` ends it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ..config import EngineName
from ..engines.engine import ContextRequest, Engine, LiveContext, Saver, StorageState
from ..errors import BrowserCrashed, DownloadFailed, NoSession, NoTab, PilotError, SessionLimit
from ..files.store import SavedFile
from ..pages.caught import Caught
from ..pages.tab import Tab
from ..pages.tabs import KeptTab, TabSet, Tell
from ..pages.transfers import Shelf, Transfer
from ..pages.weight import heap_bytes
from ..policy.hosts import Site
from ..policy.patterns import Pattern
from ..policy.rules import Ruleset
from .checkpoints import Checkpoints
from .client import Client
from .hangs import Hangs
from .reloads import Reloads, load_again
from .slots import Places
from .trace import Trace

CRASHED = "the browser ended unexpectedly"
PAGE_CRASHED = "the page crashed"
SLEPT = "it was unloaded to save memory"


# Keeps a download that a tab of the session set off, if it may be kept.
Keep: TypeAlias = Callable[["Session", Tab, Transfer, Caught], Awaitable[SavedFile]]


async def _keep_nothing(_session: Session, _tab: Tab, _transfer: Transfer, caught: Caught) -> SavedFile:
    await caught.drop()
    raise DownloadFailed("Nobody keeps downloads here.")


@dataclass(frozen=True)
class _Opened:
    live: LiveContext
    tabs: TabSet


@dataclass(frozen=True)
class Keepsake:
    """What a session can be brought back from."""

    state: StorageState | None = None
    tabs: tuple[KeptTab, ...] = ()


class Session:
    """``rules`` gives those in force for the session, whenever it is called. ``state`` is stored from the start.

    ``shelf`` is the client's, which has what all its sessions saved.
    """

    def __init__(
        self,
        session_id: str,
        client: Client,
        engine: Engine,
        request: ContextRequest,
        rules: Callable[[], Ruleset],
        *,
        tell: Tell,
        places: Places,
        full: Callable[[], SessionLimit],
        state: StorageState | None = None,
        profile: str | None = None,
        timeout_ms: int | None = None,
        shelf: Shelf | None = None,
        keep: Keep = _keep_nothing,
    ) -> None:
        self.id = session_id
        self.client = client
        self.profile = profile
        self.timeout_ms = timeout_ms
        self.last_used = time.monotonic()
        self.shelf = shelf or Shelf()
        self._keep = keep
        self._tell = tell
        self._engine = engine
        self._request = request
        self._rules = rules
        self._places = places
        self._full = full
        self._opened: _Opened | None = None
        self._opening = asyncio.Lock()
        self._users = 0
        self._closed = False
        self._kept = Keepsake(state)
        self._reloads = Reloads()
        self._trace = Trace()
        self._hangs = Hangs()
        self._checkpoints = Checkpoints(self._checkpoint, lambda: self.busy)

    @property
    def engine(self) -> EngineName:
        return self._request.engine

    @property
    def request(self) -> ContextRequest:
        return self._request

    @property
    def domains(self) -> tuple[Pattern, ...] | None:
        """The only ones that it may use; None for no such limit."""
        return self._request.domains

    @property
    def busy(self) -> bool:
        return self._users > 0

    @property
    def is_open(self) -> bool:
        """Whether it has a browser now."""
        return self._opened is not None

    @property
    def _comes_back(self) -> bool:
        return self._request.engine != "own"

    @contextmanager
    def in_use(self) -> Generator[None]:
        """While a call works with it."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self.last_used = time.monotonic()
            if self._comes_back and self._opened is not None and not self._closed:
                self._checkpoints.due()

    async def open(self, *, wait_seconds: float = 0) -> None:
        """Have a browser now, before there is a page to open; wait that long for a place, if need be."""
        await self._ensure_open(wait_seconds=wait_seconds)

    async def ready(self) -> None:
        """Before each use: what was lost is brought back; in the user's own browser, tabs may be there already."""
        if not self._comes_back:
            (await self._ensure_open()).live.check()
            return
        if self._opened is not None and self._opened.tabs.in_doubt:
            await self._opened.live.settle()
        if self._opened is None:
            if self._kept.tabs:
                await self._ensure_open()
        elif not self._opened.live.alive or self._opened.tabs.crashed():
            await self._ensure_open()

    def tabs(self) -> list[Tab]:
        return list(self._opened.tabs) if self._opened else []

    def has_tab(self, tab_id: str) -> bool:
        """Also one that would be brought back."""
        kept = any(tab.id == tab_id for tab in self._kept.tabs)
        return kept or (self._opened is not None and self._opened.tabs.get(tab_id) is not None)

    @property
    def current_tab_id(self) -> str | None:
        return self._opened.tabs.current_id if self._opened else None

    def tab(self, tab_id: str | None) -> Tab:
        """The named tab, or the current one."""
        wanted = tab_id or self.current_tab_id
        tab = self._opened.tabs.get(wanted) if self._opened and wanted else None
        if tab is not None and tab.open:
            return tab
        lost = frozenset[str]() if self._comes_back else self._reloads.take_lost()
        if (tab is not None and tab.crashed) or wanted in lost or (wanted is None and lost):
            raise BrowserCrashed(
                "The browser or the page in it ended unexpectedly; what was open is gone.",
                suggestions=["Open the page again with browser_navigate."],
            )
        if tab_id is None:
            raise NoTab("No tab is open.", suggestions=["Open one: browser_navigate with a url."])
        known = ", ".join(tab.id for tab in self.tabs()) or "none"
        raise NoTab(f"There is no tab {tab_id!r}.", suggestions=[f"Open tabs: {known}."])

    def insist_told(self, tab: Tab) -> None:
        """Raise when the page was loaded again since its client last looked: what it knows of it is no longer so."""
        self._reloads.insist_told(tab)

    def take_notices(self) -> list[str]:
        """What became of its tabs without the client's doing."""
        notices = [f"Tab {tab.id}: {notice}" for tab in self.tabs() for notice in tab.dialogs.take_unanswered()]
        return [*notices, *self._reloads.take_notices()]

    async def went_down(self, tab: Tab, *, tell: bool) -> bool:
        """Whether a tab that is gone crashed, or went down with its browser; with ``tell``, its client is told now."""
        if self._opened is not None:
            await self._opened.live.settle()
        gone = tab.crashed or tab.lost_its_browser
        if gone and tell:
            self._reloads.told(tab.id)
        return gone

    def worked(self, tab: Tab) -> None:
        """A call on this tab went well."""
        self._reloads.worked(tab.id)

    def suspect(self, tab: Tab) -> None:
        """A call on this tab took too long: if the page hangs, end that."""
        if self._comes_back:
            self._hangs.look_into(tab)

    async def tab_or_new(self, tab_id: str | None) -> Tab:
        """The named or current tab; when none was named and none is open, a new one."""
        await self.ready()
        if tab_id is not None:
            return self.tab(tab_id)
        current = self._opened.tabs.get(self._opened.tabs.current_id or "") if self._opened else None
        return current if current is not None and current.open else await self.open_tab()

    async def open_tab(self) -> Tab:
        if not self._comes_back:
            self._reloads.take_lost()
        await self.ready()
        return await (await self._ensure_open()).tabs.open()

    @asynccontextmanager
    async def background_tab(self) -> AsyncGenerator[Tab]:
        """A tab that nobody sees but whoever knows its id; closed at the end."""
        tabs = (await self._ensure_open()).tabs
        tab = await tabs.open_hidden()
        try:
            yield tab
        finally:
            with suppress(PilotError):
                await tabs.close(tab)

    async def show(self, tab: Tab) -> None:
        """Bring a tab before the user, who has to do something in it."""
        await (await self._ensure_open()).live.show(tab.page)

    def let_open(self, site: Site) -> None:
        """The agent was allowed to go to this site; called when the tab to go in is there."""
        if self._opened is not None:
            self._opened.live.let_open(site)

    async def keep_out_of_urls(self, values: Iterable[str]) -> None:
        """These values are about to be typed as secrets: no address may carry them from now on."""
        await (await self._ensure_open()).live.keep_out_of_urls(values)

    def select(self, tab_id: str) -> Tab:
        tab = self.tab(tab_id)
        if self._opened is not None:
            self._opened.tabs.select(tab)
        return tab

    async def close_tab(self, tab_id: str | None) -> Tab:
        tab = self.tab(tab_id)
        if self._opened is not None:
            await self._opened.tabs.close(tab)
        return tab

    async def keepsake(self) -> Keepsake:
        """Its storage and tabs as they are now."""
        if self._opened is None:
            return self._kept
        await self._checkpoint()
        return Keepsake(self._kept.state, self._opened.tabs.kept() if self._opened else self._kept.tabs)

    async def start_trace(self) -> None:
        self._trace.insist_none(self._opened.live if self._opened else None)
        await self._trace.start((await self._ensure_open()).live)

    async def stop_trace(self, folder: Path, name: str | None) -> Path:
        return await self._trace.stop(self._opened.live if self._opened else None, folder, name)

    async def weight(self) -> float:
        """What its pages cost in memory, compared with others'."""
        return sum(await asyncio.gather(*(heap_bytes(tab) for tab in self.tabs())))

    async def sleep(self) -> bool:
        """Give the browser back until the session is used again. False when it is in use, or not ours to stop."""
        async with self._opening:
            opened = self._opened
            if opened is None or not self._comes_back:
                return False
            state = await opened.live.storage_state()
            if self.busy or self._opened is not opened or state is None:
                return False
            self._kept = Keepsake(state, opened.tabs.kept())
            self._reloads.lost(self._kept.tabs, SLEPT)
            self._opened = None
            self._checkpoints.pause()
            await opened.live.close()
            await self._places.give_back(self)
            return True

    async def close(self) -> None:
        self._closed = True
        await self._checkpoints.close()
        self._hangs.close()
        await self.shelf.end_those_of(self.id)
        async with self._opening:
            opened, self._opened = self._opened, None
            if opened is not None:
                for tab in () if opened.live.exclusive else opened.tabs:
                    await opened.tabs.close(tab)
                await opened.live.close()
            await self._places.give_back(self)

    @property
    def saver(self) -> Saver | None:
        """Where the browser is the user's, and so is the folder that files go to."""
        return None if self._opened is None else self._opened.live.saver

    def save(self, transfer: Transfer, work: Callable[[], Awaitable[SavedFile]]) -> None:
        """Let a transfer go on by itself; the session is in use until its end."""

        async def using() -> SavedFile:
            with self.in_use():
                return await work()

        self.shelf.start(transfer, using)

    def _catch(self, tab: Tab, caught: Caught) -> str:
        transfer = self.shelf.add(caught.url, owner=self.id, page_url=caught.page_url, filename=caught.filename)
        self.save(transfer, lambda: self._keep(self, tab, transfer, caught))
        return transfer.id

    async def _ensure_open(self, *, wait_seconds: float = 0) -> _Opened:
        async with self._opening:
            if self._closed:
                raise NoSession("The session was closed meanwhile.", suggestions=["Leave `session` out."])
            if self._opened is None or not self._opened.live.alive:
                await self._places.take(self, wait_seconds=wait_seconds, full=self._full)
                try:
                    self._opened = await self._open()
                except BaseException:
                    await self._places.give_back(self)
                    raise
                lost, self._kept = self._kept.tabs, Keepsake(self._kept.state)
                try:
                    await self._bring_back(self._opened, lost)
                except BaseException:
                    self._kept = Keepsake(self._kept.state, lost)
                    raise
            elif self._comes_back and (crashed := self._opened.tabs.crashed()):
                self._reloads.lost(crashed, PAGE_CRASHED)
                await self._bring_back(self._opened, crashed)
            return self._opened

    async def _open(self) -> _Opened:
        live = await self._engine.open(self._request, self._rules, state=self._kept.state)

        async def is_alive() -> bool:
            await live.settle()
            return live.alive

        tabs = TabSet(
            live.context,
            self.client.tab_numbers,
            tell=self._tell,
            troubles=live.trouble,
            exclusive=live.exclusive,
            blank_page=live.take_blank_page,
            is_alive=is_alive,
            catch=self._catch,
        )
        live.on_lost(lambda: self._note_loss(live))
        return _Opened(live, tabs)

    async def _bring_back(self, opened: _Opened, lost: Iterable[KeptTab]) -> None:
        """The tabs that are gone, under their ids and at their addresses."""
        again = [(await opened.tabs.reopen(kept), self._reloads.address_for(kept)) for kept in lost]
        await asyncio.gather(*(load_again(tab, url, opened.live.let_open) for tab, url in again))

    async def _checkpoint(self) -> None:
        if self._opened is not None and self._opened.live.alive:
            state = await self._opened.live.storage_state()
            if state is not None:
                self._kept = Keepsake(state, self._kept.tabs)

    def _note_loss(self, live: LiveContext) -> None:
        if self._opened is None or live is not self._opened.live:
            return
        lost = self._opened.tabs.kept()
        self._opened = None
        self._checkpoints.pause()
        self._reloads.lost(lost, CRASHED)
        if self._comes_back and not self._closed:
            self._kept = Keepsake(self._kept.state, lost)
