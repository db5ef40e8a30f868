"""One browser's driven tabs: who owns which, and the way of commands and events between Playwright and Chrome.

A tab's life here: the extension names it (the user shared it, or an agent opened it); a client claims it; the debugger
is attached and Playwright told; commands pass. After some idle minutes the debugger is let go, so that Chrome's bar
goes away, and the next command attaches it again and sets it up as it was. The same happens at once when Chrome itself
lets go of it, as it does when a PDF viewer opens in the page. It ends when the user takes it away, when it is closed,
or when its client goes.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, cast

from ..errors import DownloadFailed, PermissionDenied, PilotError
from . import cdp
from .attachments import Attachments
from .browsers import version_of_agent
from .cdp_client import CdpClient
from .downloads import Downloads
from .driven_tab import Command, DrivenTab
from .link import BrowserLink, ChromeRefused
from .tab_groups import TabGroups
from .wire import Happened, Json

logger = logging.getLogger(__name__)

POPUP_SECONDS = 5.0
DRAWING_SECONDS = 10.0

Halted = Literal["", "paused", "stopped"]


class Relay:
    """``word`` is told what the user says in the browser: pause, resume, stop, or a mode.

    ``changed`` is called when the user is to be told something new of a tab.
    """

    def __init__(
        self, link: BrowserLink, downloads: Downloads, *, word: Callable[[str], None], changed: Callable[[], None]
    ) -> None:
        self.agent = ""
        self.halted: Halted = ""
        self.tabs: dict[int, DrivenTab] = {}
        self.clients: list[CdpClient] = []
        self.files = downloads.folder
        self._link = link
        self._downloads = downloads
        self._attachments = Attachments(link, self.tabs, drop=self._drop, barred_changed=changed)
        self._debugger = self._attachments.debugger
        self._groups = TabGroups(link)
        self._word = word
        self._synced = asyncio.Event()
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[Any]] = set()

    def version(self) -> Json:
        return cdp.version_answer(self.agent, version_of_agent(self.agent))

    def begin_connection(self, agent: str) -> None:
        """The browser is back: what it has open is about to be told."""
        self.agent = agent
        self._synced.clear()

    async def until_synced(self, seconds: float) -> bool:
        """Wait until the browser is there and has told which tabs it shares."""
        try:
            async with asyncio.timeout(seconds):
                await self._synced.wait()
        except TimeoutError:
            return False
        return True

    async def join(self, label: str) -> CdpClient:
        """A new client; every tab that nobody has becomes its."""
        client = CdpClient(self, label)
        self.clients.append(client)
        free = [tab for tab in self.tabs.values() if tab.owner is None and tab.claimable]
        for tab in free:
            tab.owner = client
        await asyncio.gather(*(self._attach_or_let_go(tab) for tab in free))
        return client

    async def leave(self, client: CdpClient, *, close_tabs: bool) -> None:
        """The client is done: its own tabs are closed, those that the user shared stay, for the next one."""
        if client in self.clients:
            self.clients.remove(client)
        client.disconnect()
        for tab in [tab for tab in self.tabs.values() if tab.owner is client]:
            tab.owner, tab.claimable = None, True
            if close_tabs and tab.kind == "agent":
                await self._try("tabs.remove", tab.id)
            elif close_tabs:
                await self._let_go(tab)

    def command(self, tab: DrivenTab, command: Command) -> None:
        """Send a command to a tab; its answer comes back in order with the tab's events."""
        tab.used_at = _now()
        if self.halted and not cdp.is_harmless(command.method):
            command.reply(None, ChromeRefused(cdp.HALTED + _halted_words(self.halted)))
        else:
            self._attachments.send(tab, command)

    async def create_tab(self, client: CdpClient, url: str) -> DrivenTab:
        self.check()
        made = await self._link.call("tabs.create", {"url": url})
        tab = self.tabs.get(int(made["id"]))
        if tab is None:
            raise ChromeRefused("The tab was closed as soon as it was open.")
        tab.owner, tab.claimable = client, False
        self._spawn(self._group(tab, client))
        await self._attachments.attach(tab)
        return tab

    async def close_tab(self, tab: DrivenTab) -> None:
        """Close an agent's tab; one that the user shared is only given back."""
        if tab.kind == "agent":
            await self._link.call("tabs.remove", tab.id)
        else:
            await self._link.call("debugger.detach", {"tabId": tab.id})
            await self._link.call("pilot.release", tab.id)

    async def show_tab(self, client: CdpClient, target_id: str) -> None:
        """Bring a client's tab before the user: only where the user has to do something in it."""
        self.check()
        for tab in self.tabs.values():
            if tab.owner is client and tab.target_id == target_id:
                await self._link.call("tabs.show", tab.id)

    async def through_any(self, tabs: list[DrivenTab], method: str, params: Json) -> Json:
        """A command about the browser as a whole, which Chrome takes through any tab."""
        if not tabs:
            raise ChromeRefused("No tab is open.")
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()

        def reply(result: Any, error: PilotError | None) -> None:
            if answer.done():
                return
            if error is None:
                answer.set_result(result or {})
            else:
                answer.set_exception(error)

        self.command(tabs[0], Command(method, params, None, reply))
        return await answer

    async def save_held(self, url: str, name: str, moved: Callable[[int], None]) -> Path:
        """Save what a page holds at a blob: address where the user's downloads go."""
        return await self._downloads.save(self._link, url, name, moved)

    def why_ended(self, url: str) -> DownloadFailed | None:
        return self._downloads.why_ended(url)

    async def cancel_download(self, guid: str) -> None:
        await self._downloads.cancel(self._link, guid)

    def check(self) -> None:
        """Raise when the user has halted everything."""
        if self.halted:
            raise PermissionDenied(
                _halted_words(self.halted), suggestions=["Wait for the user to go on; do not try again at once."]
            )

    async def halt(self, halted: Halted) -> None:
        """Pause: commands are refused, tabs stay. Stop: agents lose every tab as well."""
        self.halted = halted
        if halted == "stopped":
            for tab in list(self.tabs.values()):
                await self._try("debugger.detach", {"tabId": tab.id})
                await self._try("pilot.release", tab.id)

    async def rest(self, idle_seconds: float) -> None:
        """Housekeeping: tabs that nobody has used for a while draw no more, and after ``idle_seconds`` are let go."""
        now = _now()
        for tab in [tab for tab in self.tabs.values() if tab.state == "attached"]:
            unused_seconds = now - tab.used_at
            if unused_seconds > idle_seconds:
                await self._debugger.let_go(tab)
            elif unused_seconds > DRAWING_SECONDS:
                self._debugger.stop_drawing(tab)
        for tab in [tab for tab in self.tabs.values() if tab.barred]:
            self._announce_soon(tab.id)

    def on_event(self, happened: Happened) -> None:
        args = happened.args
        match happened.event:
            case "debugger.onEvent":
                self._debugger_event(args[0], str(args[1]), args[2])
            case "debugger.onDetach":
                self._detached(int(args[0]["tabId"]), str(args[1]))
            case "pilot.tabs":
                self._sync(args[0])
            case "pilot.word":
                self._word(str(args[0]))
            case "pilot.gap":
                for tab in self.tabs.values():
                    tab.state = "asleep" if tab.state == "attached" else tab.state
            case "webNavigation.onCreatedNavigationTarget":
                if str(args[0].get("url", "")) in cdp.BLANK:
                    self._announce_soon(int(args[0]["tabId"]))
            case "webNavigation.onDOMContentLoaded" | "webNavigation.onErrorOccurred":
                self._announce_soon(int(args[0]["tabId"]))
            case _:
                logger.debug("an event that nobody needs: %s", happened.event)

    def _sync(self, told: list[Json]) -> None:
        """The extension's list is the truth: what is not on it is gone."""
        first = not self._synced.is_set()
        ids = {int(one["id"]) for one in told}
        for tab in [tab for tab in self.tabs.values() if tab.id not in ids]:
            del self.tabs[tab.id]
            self._withdraw(tab)
        for one in told:
            if int(one["id"]) not in self.tabs:
                self._add(one, first=first)
        if first:
            for tab in self.tabs.values():
                if tab.owner is not None and tab.state == "attached":
                    self._spawn(self._debugger.look_after_cut(tab))
        self._synced.set()

    def _add(self, told: Json, *, first: bool) -> None:
        tab = DrivenTab(
            id=int(told["id"]),
            kind="shared" if told["kind"] == "shared" else "agent",
            since=float(told["since"]) / 1000,
            opener=told.get("opener"),
            claimable=told["kind"] == "shared" or first,
            session=f"tab-{told['id']}-{next(self._numbers)}",
            used_at=_now(),
        )
        self.tabs[tab.id] = tab
        opener = self._opener(tab)
        if opener is not None and opener.owner is not None and not first:
            tab.owner = opener.owner
            self._spawn(self._group(tab, opener.owner))
            # Its first document is on the way; attaching earlier sometimes misses it.
            asyncio.get_running_loop().call_later(POPUP_SECONDS, self._announce_soon, tab.id)
        elif tab.kind == "shared" and self.clients:
            tab.owner = max(self.clients, key=lambda client: client.used_at)
            self._announce_soon(tab.id)

    def _opener(self, tab: DrivenTab) -> DrivenTab | None:
        return self.tabs.get(tab.opener) if tab.opener is not None else None

    def _announce_soon(self, tab_id: int) -> None:
        tab = self.tabs.get(tab_id)
        if tab is not None and tab.owner is not None and tab.state == "known":
            self._spawn(self._attach_or_let_go(tab))

    async def _attach_or_let_go(self, tab: DrivenTab) -> None:
        try:
            await self._attachments.attach(tab)
        except PilotError as error:
            logger.info("a tab cannot be driven: %s", error.message)

    def _debugger_event(self, source: Json, method: str, params: Json) -> None:
        tab = self.tabs.get(int(source.get("tabId", -1)))
        if tab is None or tab.owner is None or tab.state != "attached":
            return
        owner, child = tab.owner, cast("str | None", source.get("sessionId"))
        match method:
            case "Target.attachedToTarget" if cdp.is_of_an_extension(params["targetInfo"]):
                self._debugger.pass_by(tab, params["sessionId"])
                return
            case "Target.attachedToTarget":
                tab.children[params["sessionId"]] = params["targetInfo"]
                owner.add_child(tab, params["sessionId"])
            case "Target.detachedFromTarget" if tab.children.pop(params["sessionId"], None) is None:
                return
            case "Page.screencastFrame" if not tab.clients_screencast:
                return
            case "Page.downloadWillBegin":
                self._downloads.begin(params)
                owner.tell_browser("Browser.downloadWillBegin", params)
            case "Page.downloadProgress":
                self._spawn(self._progress(owner, params))
            case "Page.frameNavigated" if "parentId" not in params["frame"]:
                tab.url = str(params["frame"].get("url", ""))
                tab.target["url"] = tab.url
            case _:
                pass
        tab.told.note(method, params)
        owner.tell(tab, child, method, params)
        if method == "Target.detachedFromTarget":
            owner.remove_child(tab, params["sessionId"])
        if method == "Page.frameNavigated" and params.get("type") == "BackForwardCacheRestore":
            for name, event in cdp.restored_page_events(params["frame"]):
                owner.tell(tab, child, name, event)

    async def _progress(self, owner: CdpClient, params: Json) -> None:
        if params.get("state") == "completed":
            try:
                await self._downloads.fetch(self._link, params)
            except PilotError as error:
                logger.info("a download could not be picked up: %s", error.message)
                params = {**params, "state": "canceled"}
        elif params.get("state") == "canceled":
            try:
                await self._downloads.note_end(self._link, params)
            except PilotError as error:
                logger.info("nobody knows why a download ended: %s", error.message)
        owner.tell_browser("Browser.downloadProgress", params)

    def _detached(self, tab_id: int, reason: str) -> None:
        tab = self.tabs.get(tab_id)
        if reason == "canceled_by_user" and self.halted != "stopped":
            # The bar's Cancel: Chrome has detached every tab, and the user means all of them.
            self._word("stop")
        if tab is None or tab.state != "attached":
            return
        if reason == "target_closed" and tab.owner is not None:
            # The tab is closed, or a page of the browser's own, or has a PDF viewer now: trying tells.
            self._attachments.wake(tab)
        else:
            self._drop(tab)

    def _drop(self, tab: DrivenTab) -> None:
        """The debugger is off, and not by us: the page is gone for its client, until it can be attached again."""
        self._withdraw(tab)
        tab.state = "known"
        tab.session = f"tab-{tab.id}-{next(self._numbers)}"

    def _withdraw(self, tab: DrivenTab) -> None:
        was, tab.state = tab.state, "known"
        tab.forget_page()
        if tab.owner is not None and was in ("attached", "asleep"):
            tab.owner.withdraw(tab)

    async def _let_go(self, tab: DrivenTab) -> None:
        tab.state = "known"
        tab.forget_page()
        tab.session = f"tab-{tab.id}-{next(self._numbers)}"
        await self._try("debugger.detach", {"tabId": tab.id})

    async def _group(self, tab: DrivenTab, client: CdpClient) -> None:
        number = self.clients.index(client) if client in self.clients else 0
        await self._groups.put(tab.id, client, number)

    async def _try(self, name: str, *args: Any) -> None:
        try:
            await self._link.call(name, *args)
        except PilotError as error:
            logger.debug("%s: %s", name, error.message)

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _halted_words(halted: Halted) -> str:
    return "The user has paused all agents." if halted == "paused" else "The user has stopped all agents."


def _now() -> float:
    return time.monotonic()
