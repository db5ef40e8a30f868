"""A client's browser state: one browser context and the tabs in it.

Lifecycle: created without a browser; the first use opens one; ``close`` ends it. What happens when the browser or a
page crashes, and how a sleeping session is restored, is in ``crash_recovery``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from browser_pilot.config.settings import EngineName
from browser_pilot.engines.engine import ContextRequest, Engine, FileSaver, StorageState
from browser_pilot.errors import BrowserCrashed, DownloadFailed, NoTab, PilotError, SessionLimit
from browser_pilot.files.file_writer import SavedFile
from browser_pilot.page.downloads.browser_download import BrowserDownload
from browser_pilot.page.downloads.transfers import DownloadList, Transfer
from browser_pilot.page.observe.heap_size import heap_bytes
from browser_pilot.page.tab import Tab
from browser_pilot.page.tab_set import ContextHooks, TabEventListener, TabSet
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Ruleset

from .client import Client
from .crash_recovery import CrashRecovery, OpenBrowser, ReportingRecovery, RestorePoint, RestoringRecovery
from .hang_watchdog import HangWatchdog
from .options import SessionOptions
from .session_trace import SessionTrace
from .slots import SessionSlots

# Decides about a download that a tab of the session started, and saves or discards it.
DownloadHandler: TypeAlias = Callable[["Session", Tab, Transfer, BrowserDownload], Awaitable[SavedFile]]


async def discard_download(_session: Session, _tab: Tab, _transfer: Transfer, download: BrowserDownload) -> SavedFile:
    """The handler where downloads are not saved."""
    await download.delete()
    raise DownloadFailed("Downloads are not saved here.")


@dataclass(frozen=True)
class SessionHost:
    """What a session gets from its registry. ``rules`` returns the session's current rules each time it is called.

    ``downloads`` is shared by all sessions of the client. ``limit_error`` is raised when no slot is free.
    """

    engine: Engine
    rules: Callable[[], Ruleset]
    slots: SessionSlots
    limit_error: Callable[[], SessionLimit]
    on_tab_event: TabEventListener
    downloads: DownloadList = field(default_factory=DownloadList)
    handle_download: DownloadHandler = discard_download


class Session:
    """The caller's protocol for one call on a tab, in this order:

    1. ``ready``: reopen what was lost.
    2. ``tab`` (or ``tab_or_new``, ``open_tab``): get the tab.
    3. ``require_reload_acknowledged``, before an effect: raise if the page was reloaded without the client knowing.
    4. ``in_use``, around the work: a session in use is neither put to sleep nor closed for idleness.
    5. Afterwards one of ``clear_crash_history`` (the call succeeded), ``check_for_hang`` (it timed out), ``was_crash``
       (the tab is gone).

    ``reload_notices`` reports reloads beside the results of calls on the session.
    """

    def __init__(
        self,
        session_id: str,
        client: Client,
        request: ContextRequest,
        host: SessionHost,
        *,
        options: SessionOptions | None = None,
    ) -> None:
        options = options or SessionOptions()
        self.id = session_id
        self.client = client
        self.request = request
        self.profile = options.profile
        self.timeout_ms = options.timeout_ms
        self.created = time.time()
        self.last_used = time.monotonic()
        self.downloads = host.downloads
        self._host = host
        self._users = 0
        self._recovery = self._make_recovery(options.state)
        self._trace = SessionTrace()
        self._hangs = HangWatchdog()

    @property
    def engine(self) -> EngineName:
        return self.request.engine

    @property
    def domains(self) -> tuple[Pattern, ...] | None:
        """The only domains that it may use; None for no such limit."""
        return self.request.domains

    @property
    def busy(self) -> bool:
        return self._users > 0

    @property
    def is_open(self) -> bool:
        """Whether it has a browser now."""
        return self._recovery.browser is not None

    @property
    def max_opening_seconds(self) -> float:
        """How long opening its browser may take: until a Grid has one, and until it is connected."""
        return 2 * self.request.launch_timeout_ms / 1000

    @contextmanager
    def in_use(self) -> Generator[None]:
        """While a call uses the session."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self.last_used = time.monotonic()
            self._recovery.after_use()

    async def open(self, *, wait_seconds: float = 0) -> None:
        """Open the browser now, before there is a page to open. Waits up to ``wait_seconds`` for a slot."""
        await self._recovery.ensure_open(wait_seconds=wait_seconds)

    async def ready(self) -> None:
        """Before each use: restore what was lost. In the user's Chrome, tabs may exist already."""
        await self._recovery.prepare()

    def tabs(self) -> list[Tab]:
        browser = self._recovery.browser
        return list(browser.tabs) if browser else []

    def has_tab(self, tab_id: str) -> bool:
        """Includes lost tabs that will be restored."""
        is_lost = any(tab.id == tab_id for tab in self._recovery.lost_tabs)
        return is_lost or self._find_tab(tab_id) is not None

    @property
    def current_tab_id(self) -> str | None:
        browser = self._recovery.browser
        return browser.tabs.current_id if browser else None

    def tab(self, tab_id: str | None) -> Tab:
        """The named tab, or the current one."""
        wanted = tab_id or self.current_tab_id
        tab = self._find_tab(wanted)
        if tab is not None and tab.open:
            return tab
        lost = self._recovery.take_unrestorable()
        if (tab is not None and tab.crashed) or wanted in lost or (wanted is None and lost):
            raise BrowserCrashed(
                "The browser or the page ended unexpectedly; the open tabs are lost.",
                suggestions=["Open the page again with browser_navigate."],
            )
        if tab_id is None:
            raise NoTab("No tab is open.", suggestions=["Open one: browser_navigate with a url."])
        known = ", ".join(tab.id for tab in self.tabs()) or "none"
        raise NoTab(f"There is no tab {tab_id!r}.", suggestions=[f"Open tabs: {known}."])

    def require_reload_acknowledged(self, tab: Tab) -> None:
        """Raise if the page was reloaded and the client does not know: its snapshot and refs are stale."""
        self._recovery.notices.require_acknowledged(tab)

    def take_notices(self) -> list[str]:
        """What happened in its tabs without a call: unanswered dialogs, floods, downloads. Each is returned once."""
        return [f"Tab {tab.id}: {notice}" for tab in self.tabs() for notice in tab.take_notices()]

    def reload_notices(self, seen: Tab | None) -> list[str]:
        """Which tabs were reloaded, beside the result of a call on the session that showed the tab ``seen``, if any."""
        notices = self._recovery.notices
        about_seen = [] if seen is None else notices.acknowledge(seen.id)
        return [*about_seen, *notices.take_notices()]

    async def was_crash(self, tab: Tab, *, reported: bool) -> bool:
        """Whether a tab that is gone crashed, alone or with its browser. ``reported``: the caller reports it now."""
        browser = self._recovery.browser
        if browser is not None:
            await browser.live.flush_events()
        crashed = tab.crashed or tab.is_disconnected
        if crashed and reported:
            self._recovery.notices.mark_reported(tab.id)
        return crashed

    def clear_crash_history(self, tab: Tab) -> None:
        """A call on this tab succeeded."""
        self._recovery.notices.clear_crash_history(tab.id)

    def check_for_hang(self, tab: Tab) -> None:
        """A call on this tab timed out: end its script or renderer if it hangs. The user's Chrome is left alone."""
        if self.engine != "own":
            self._hangs.check(tab)

    async def tab_or_new(self, tab_id: str | None) -> Tab:
        """The named or current tab; a new one when none was named and none is open."""
        await self.ready()
        if tab_id is not None:
            return self.tab(tab_id)
        current = self._find_tab(self.current_tab_id)
        return current if current is not None and current.open else await self.open_tab()

    async def open_tab(self) -> Tab:
        self._recovery.take_unrestorable()
        await self.ready()
        return await (await self._recovery.ensure_open()).tabs.open()

    @asynccontextmanager
    async def background_tab(self) -> AsyncGenerator[Tab]:
        """A hidden tab, usable only by its id; closed at the end."""
        tabs = (await self._recovery.ensure_open()).tabs
        tab = await tabs.open_hidden()
        try:
            yield tab
        finally:
            with suppress(PilotError):
                await tabs.close(tab)

    async def bring_to_front(self, tab: Tab) -> None:
        """Bring a tab to the front, for the user to act in it."""
        await (await self._recovery.ensure_open()).live.bring_to_front(tab.page)

    def allow_navigation(self, site: Site) -> None:
        """Navigation to this site was authorized; called once the tab exists."""
        if self._recovery.browser is not None:
            self._recovery.browser.live.allow_navigation(site)

    async def block_in_urls(self, values: Iterable[str]) -> None:
        """Block URLs that contain these secrets, from before they are typed."""
        await (await self._recovery.ensure_open()).live.block_in_urls(values)

    def select(self, tab_id: str) -> Tab:
        tab = self.tab(tab_id)
        if self._recovery.browser is not None:
            self._recovery.browser.tabs.select(tab)
        return tab

    async def close_tab(self, tab_id: str | None) -> Tab:
        tab = self.tab(tab_id)
        if self._recovery.browser is not None:
            await self._recovery.browser.tabs.close(tab)
        return tab

    async def restore_point(self) -> RestorePoint:
        """Its storage and tabs as they are now."""
        return await self._recovery.restore_point()

    async def start_trace(self) -> None:
        browser = self._recovery.browser
        self._trace.require_not_running(browser.live if browser else None)
        await self._trace.start((await self._recovery.ensure_open()).live)

    async def stop_trace(self, folder: Path, name: str | None) -> Path:
        browser = self._recovery.browser
        return await self._trace.stop(browser.live if browser else None, folder, name)

    async def heap_bytes(self) -> float:
        """The heap size of its pages, to compare sessions by."""
        return sum(await asyncio.gather(*(heap_bytes(tab) for tab in self.tabs())))

    async def sleep(self) -> bool:
        """Close the browser until the session is used again. False when it is in use, or not ours to close."""
        return await self._recovery.sleep()

    async def close(self) -> None:
        await self._recovery.stop()
        self._hangs.close()
        await self.downloads.cancel_session(self.id)
        await self._recovery.close()

    @property
    def client_id(self) -> str | None:
        """Identifies it in the user's browser, whose tabs name their owner so; None in any other browser."""
        browser = self._recovery.browser
        return None if browser is None else browser.live.client_id

    @property
    def file_saver(self) -> FileSaver | None:
        """Set where the browser is the user's, and so is the download folder."""
        browser = self._recovery.browser
        return None if browser is None else browser.live.file_saver

    def start_transfer(self, transfer: Transfer, work: Callable[[], Awaitable[SavedFile]]) -> None:
        """Run a transfer in the background; the session is in use until its end."""

        async def using() -> SavedFile:
            with self.in_use():
                return await work()

        self.downloads.start(transfer, using)

    def _on_download(self, tab: Tab, download: BrowserDownload) -> str:
        transfer = self.downloads.add(
            download.url, owner=self.id, page_url=download.page_url, filename=download.filename
        )
        self.start_transfer(transfer, lambda: self._host.handle_download(self, tab, transfer, download))
        return transfer.id

    def _find_tab(self, tab_id: str | None) -> Tab | None:
        browser = self._recovery.browser
        return browser.tabs.get(tab_id) if browser and tab_id else None

    def _make_recovery(self, state: StorageState | None) -> CrashRecovery:
        host = self._host
        if self.engine == "own":
            return ReportingRecovery(self._open_browser, host.slots, host.limit_error, state=state)
        return RestoringRecovery(
            self._open_browser, host.slots, host.limit_error, state=state, is_busy=lambda: self.busy
        )

    async def _open_browser(self, state: StorageState | None) -> OpenBrowser:
        live = await self._host.engine.open(self.request, self._host.rules, state=state)

        async def is_alive() -> bool:
            await live.flush_events()
            return live.alive

        tabs = TabSet(
            live.context,
            self.client.tab_numbers,
            on_event=self._host.on_tab_event,
            on_download=self._on_download,
            hooks=ContextHooks(live.last_network_error, live.exclusive, live.take_blank_page, is_alive),
        )
        return OpenBrowser(live, tabs)
