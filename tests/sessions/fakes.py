"""An engine without browsers, for tests of sessions: contexts that can crash, and tabs that only have an address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import cast

from browser_pilot.engines.engine import LiveContext, StorageState
from browser_pilot.errors import SessionLimit
from browser_pilot.page.tab import Tab
from browser_pilot.page.tab_set import SavedTab, TabSet
from browser_pilot.sessions.crash_recovery import OpenBrowser


def limit_error() -> SessionLimit:
    return SessionLimit("all slots are taken")


class FakeContext:
    exclusive = False

    def __init__(self, state: StorageState | None) -> None:
        self.started_with = state
        self.stored: StorageState | None = {"cookies": [], "origins": []}
        self.alive = True
        self.closed = False
        self.checked = 0
        self._on_lost: list[Callable[[], None]] = []

    def on_lost(self, callback: Callable[[], None]) -> None:
        self._on_lost.append(callback)

    def raise_if_halted(self) -> None:
        self.checked += 1

    def allow_navigation(self, _site: object) -> None: ...

    async def flush_events(self) -> None: ...

    async def storage_state(self) -> StorageState | None:
        return self.stored

    async def close(self) -> None:
        self.closed = True

    def crash(self) -> None:
        self.alive = False
        for callback in self._on_lost:
            callback()


class FakeTabs:
    """Reopened tabs are those that recovery asked for. ``about:blank`` only, so that no page is loaded."""

    may_have_crashed = False

    def __init__(self, tabs: Iterable[SavedTab] = ()) -> None:
        self.open_tabs = list(tabs)
        self.crash_list: list[SavedTab] = []
        self.reopened: list[str] = []

    def __iter__(self) -> Iterator[Tab]:
        return iter(())

    def get(self, _tab_id: str) -> Tab | None:
        return None

    def saved_tabs(self) -> tuple[SavedTab, ...]:
        return tuple(self.open_tabs)

    def crashed_tabs(self) -> tuple[SavedTab, ...]:
        return tuple(self.crash_list)

    async def reopen(self, kept: SavedTab) -> Tab:
        self.reopened.append(kept.id)
        self.open_tabs = [*(tab for tab in self.open_tabs if tab.id != kept.id), kept]
        self.crash_list = [tab for tab in self.crash_list if tab.id != kept.id]
        return cast("Tab", SimpleNamespace(id=kept.id, page=SimpleNamespace(url=kept.url)))


class FakeBrowsers:
    """Opens fake browsers and remembers them; ``error`` makes the next one fail."""

    def __init__(self) -> None:
        self.contexts: list[FakeContext] = []
        self.tabs: list[FakeTabs] = []
        self.error: Exception | None = None

    async def open(self, state: StorageState | None) -> OpenBrowser:
        if self.error is not None:
            raise self.error
        self.contexts.append(FakeContext(state))
        self.tabs.append(FakeTabs())
        return OpenBrowser(cast("LiveContext", self.contexts[-1]), cast("TabSet", self.tabs[-1]))
