"""Everything about the user's own browsers in one place: who is paired, who is there, and the doors they come in by.

Its life is the hub's. ``note`` is told of what belongs in the record. What the extension's own pages ask is answered by
the ``Desk``, which is told who is there.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..errors import BrowserDisconnected, BrowserUnavailable, NoSession, PilotError
from .browsers import BrowserStore, PairedBrowser
from .cdp_client import CdpClient
from .cdp_door import CdpDoor
from .desk import Desk, DrivenTabState, NoDesk
from .door import Door, Note
from .downloads import Downloads
from .link import BrowserLink
from .pairing import OpenCode, PairingDesk
from .relay import Halted, Relay
from .wire import Happened, Hello, Json

logger = logging.getLogger(__name__)

ARRIVAL_SECONDS = 5.0
HOUSEKEEPING_SECONDS = 5.0
MODES = ("auto", "ask", "readonly")
WORDS: dict[str, Halted] = {"pause": "paused", "stop": "stopped", "resume": ""}


@dataclass(frozen=True)
class Reachable:
    """One paired browser at work: the way to speak to it, and its tabs."""

    link: BrowserLink
    relay: Relay


@dataclass(frozen=True)
class BrowserState:
    """What people are told about a paired browser."""

    id: str
    name: str
    connected: bool
    version: str
    tabs: int
    paired_at: float
    halted: Halted


class Bridge:
    def __init__(
        self,
        home: Path,
        *,
        idle_seconds: Callable[[], float],
        note: Note,
        mode: Callable[[], str],
        set_mode: Callable[[str], None],
    ) -> None:
        self.desk: Desk = NoDesk()
        self._store = BrowserStore(home)
        self._desk = PairingDesk()
        self._browsers: dict[str, Reachable] = {}
        self._idle_seconds = idle_seconds
        self._note = note
        self._mode = mode
        self._set_mode = set_mode
        self._rules: list[Json] = []
        self._files = home / "tmp" / "own"
        self._tasks: set[asyncio.Task[None]] = set()
        self.door = Door(
            store=self._store, desk=self._desk, link_of=self._welcome, note=note, changed=self._note_presence
        )
        self.cdp_door = CdpDoor(self._client, note)

    def open_pairing(self) -> OpenCode:
        return self._desk.open(time.time())

    def pairing(self) -> OpenCode | None:
        return self._desk.current(time.time())

    @property
    def is_paired(self) -> bool:
        return next(iter(self._store), None) is not None

    def states(self) -> list[BrowserState]:
        return [self._state(browser) for browser in self._store]

    def rename(self, name: str, to: str) -> BrowserState:
        renamed = self._store.rename(self._named(name), to)
        if renamed.id in self._browsers:
            self._browsers[renamed.id].link.name = renamed.name
        return self._state(renamed)

    async def forget(self, name: str) -> None:
        browser = self._named(name)
        self._store.forget(browser)
        reachable = self._browsers.pop(browser.id, None)
        if reachable is not None:
            await reachable.relay.halt("stopped")
        await self.door.forget(browser)
        self._note("browser_forgotten", {"browser": browser.id, "name": browser.name})

    async def browser(self, name: str | None) -> Relay:
        """The named browser, or the only one; waits a moment for one that is briefly away."""
        paired = list(self._store)
        if not paired:
            raise BrowserUnavailable(
                "No browser of yours is paired with Browser Pilot yet.",
                suggestions=[
                    "`browser-pilot extension` says how to add the extension, `browser-pilot pair` shows its code.",
                    "Or leave out --engine own to use a managed browser.",
                ],
            )
        wanted = self._named(name) if name is not None else self._one_of(paired)
        reachable = self._reachable(wanted)
        if not await reachable.relay.until_synced(ARRIVAL_SECONDS):
            raise BrowserDisconnected(
                f"{wanted.name} is paired but not connected.",
                suggestions=["Start the browser; its Browser Pilot button says why it is not connected."],
            )
        return reachable.relay

    def adopt_rules(self, rules: list[Json]) -> None:
        """From now on these rules of declarativeNetRequest hold in every driven tab."""
        self._rules = rules
        for reachable in self._browsers.values():
            reachable.link.notify("rules", rules)

    def tell_news(self) -> None:
        """Tell every browser what its popup and its signs show."""
        for reachable in self._browsers.values():
            self._tell(reachable)

    @property
    def mode(self) -> str:
        return self._mode()

    def say(self, word: str, *, where: str) -> None:
        """What the user said outside their browsers: it holds for all of them."""
        self._note("user_said", {"word": word, "where": where})
        self._heed(word, list(self._browsers.values()))

    def halted(self, browser_id: str) -> Halted:
        return self._browsers[browser_id].relay.halted

    def name_of(self, browser_id: str) -> str:
        return self._browsers[browser_id].link.name

    def tabs_of(self, browser_id: str) -> list[DrivenTabState]:
        return [
            DrivenTabState(tab.id, tab.kind, tab.owner.label if tab.owner is not None else "", tab.since)
            for tab in self._browsers[browser_id].relay.tabs.values()
        ]

    def target_of(self, browser_id: str, tab_id: int) -> str | None:
        """The DevTools target of a tab that an agent has; None for any other tab."""
        tab = self._browsers[browser_id].relay.tabs.get(tab_id)
        return tab.target_id if tab is not None and tab.owner is not None and tab.target_id else None

    def reload_extensions(self) -> None:
        """For those who work on the extension: load its files anew in every connected browser."""
        for reachable in self._browsers.values():
            reachable.link.notify("reload", None)

    async def keep_house(self) -> None:
        while True:
            await asyncio.sleep(HOUSEKEEPING_SECONDS)
            for reachable in list(self._browsers.values()):
                if reachable.link.connected:
                    await reachable.relay.rest(self._idle_seconds())

    async def close(self) -> None:
        await self.door.close()

    def _welcome(self, browser: PairedBrowser, hello: Hello) -> BrowserLink:
        reachable = self._reachable(browser)
        reachable.relay.begin_connection(hello.agent)
        self._spawn_greeting(reachable)
        return reachable.link

    def _spawn_greeting(self, reachable: Reachable) -> None:
        async def greet() -> None:
            if await reachable.relay.until_synced(ARRIVAL_SECONDS):
                reachable.link.notify("rules", self._rules)
                self._tell(reachable)

        self._spawn(greet())

    def _reachable(self, browser: PairedBrowser) -> Reachable:
        known = self._browsers.get(browser.id)
        if known is not None:
            return known
        link = BrowserLink(browser.name, lambda happened: self._on_event(browser.id, happened))
        relay = Relay(
            link,
            Downloads(self._files / browser.id),
            word=lambda word: self._take_word(browser, word),
            changed=lambda: self._tell(self._browsers[browser.id]),
        )
        reachable = self._browsers[browser.id] = Reachable(link, relay)
        return reachable

    def _on_event(self, browser_id: str, happened: Happened) -> None:
        if happened.event == "pilot.ask":
            self._spawn(self._serve(browser_id, happened.args))
        else:
            self._browsers[browser_id].relay.on_event(happened)

    async def _serve(self, browser_id: str, args: list[Any]) -> None:
        """One question of the extension's pages; exactly one answer goes back, whatever happens."""
        reachable = self._browsers[browser_id]
        match args:
            case [str(number), str(name), dict()]:
                told: Json = {"id": number}
                try:
                    told["result"] = await self.desk.answer(browser_id, name, cast(Json, args[2]))
                except PilotError as error:
                    told["error"] = " ".join([error.message, *error.suggestions])
                reachable.link.notify("told", told)
            case _:
                logger.info("the extension asked in a way that makes no sense")

    def _note_presence(self) -> None:
        self.desk.present(anyone=any(one.link.connected for one in self._browsers.values()))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _take_word(self, browser: PairedBrowser, word: str) -> None:
        """What the user said in the browser itself."""
        self._note("user_said", {"browser": browser.id, "word": word[:20], "where": "in the browser"})
        self._heed(word, [self._browsers[browser.id]])

    def _heed(self, word: str, browsers: list[Reachable]) -> None:
        if word in MODES:
            self._set_mode(word)
            self.tell_news()
            return
        if word in WORDS:
            halted = WORDS[word]
            if halted == "stopped":
                self.desk.stopped()

            async def halt(reachable: Reachable) -> None:
                await reachable.relay.halt(halted)
                self._tell(reachable)

            for one in browsers:
                self._spawn(halt(one))

    def _tell(self, reachable: Reachable) -> None:
        relay = reachable.relay
        names = sorted({client.label for client in relay.clients})
        news = {"mode": self._mode(), "halted": relay.halted, "agents": names, "waiting": self.desk.waiting()}
        reachable.link.notify("news", {**news, "barred": [tab.id for tab in relay.tabs.values() if tab.barred]})

    def _client(self, client_id: str) -> CdpClient | None:
        clients = (client for reachable in self._browsers.values() for client in reachable.relay.clients)
        return next((client for client in clients if client.id == client_id), None)

    def _named(self, name: str) -> PairedBrowser:
        browser = self._store.named(name)
        if browser is None:
            known = ", ".join(one.name for one in self._store) or "none"
            raise NoSession(f"No paired browser is called {name!r}.", suggestions=[f"Paired: {known}."])
        return browser

    def _one_of(self, paired: list[PairedBrowser]) -> PairedBrowser:
        here = [one for one in paired if one.id in self._browsers and self._browsers[one.id].link.connected]
        candidates = here or paired
        if len(candidates) > 1:
            names = ", ".join(one.name for one in candidates)
            raise BrowserUnavailable(
                "Several of your browsers are paired: say which.",
                suggestions=[f"Set browser.own_browser (or --own-browser) to one of: {names}."],
            )
        return candidates[0]

    def _state(self, browser: PairedBrowser) -> BrowserState:
        reachable = self._browsers.get(browser.id)
        connected = reachable is not None and reachable.link.connected
        version = str(reachable.relay.version()["product"]) if reachable is not None and connected else ""
        tabs = len(reachable.relay.tabs) if reachable is not None else 0
        halted: Halted = reachable.relay.halted if reachable is not None else ""
        return BrowserState(browser.id, browser.name, connected, version, tabs, browser.paired_at, halted)
