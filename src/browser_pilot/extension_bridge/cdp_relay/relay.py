"""The controlled tabs of one browser: which client owns which, and the commands and events between Playwright and
Chrome.

Lifecycle of a tab: the extension lists it (the user shared it, or an agent opened it); a client claims it; the debugger
is attached and the tab announced to Playwright; commands pass. After some idle minutes the debugger is detached, which
removes Chrome's infobar; the next command reattaches it. When Chrome itself detaches, as it does when a PDF viewer
opens in the page, it is reattached at once. It ends when the user takes the tab away, when it is closed, or when its
client leaves.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import DownloadFailed, PausedByUser, PermissionDenied, PilotError
from browser_pilot.extension_bridge.extension_connection import ChromeRefused, ExtensionConnection, pending_reply
from browser_pilot.extension_bridge.paired_browsers import chrome_version
from browser_pilot.extension_bridge.protocol import Event, Halted
from browser_pilot.json_types import JsonObject
from browser_pilot.upstream_errors import RelayError

from . import cdp_protocol
from .cdp_client import CdpClient
from .controlled_tab import AttachEvent, AttachState, Command, ControlledTab
from .debugger_sessions import DebuggerSessions
from .downloads import ChromeDownloads
from .tab_groups import TabGroups

logger = logging.getLogger(__name__)

POPUP_ATTACH_DELAY_SECONDS = 5.0
SCREENCAST_IDLE_SECONDS = 10.0
PAUSED = "The user has paused all agents in this browser."
STOPPED = "The user has stopped all agents in this browser."


class Relay:
    """``on_user_command`` is called with what the user chose in the browser: pause, resume, stop, or a mode.

    ``on_change`` is called when the state of a tab that the user sees has changed. ``halted`` is what the extension
    reported, which enforces it too: it also releases the tabs on Stop.
    """

    def __init__(
        self,
        connection: ExtensionConnection,
        downloads: ChromeDownloads,
        *,
        on_user_command: Callable[[str], None],
        on_change: Callable[[], None],
    ) -> None:
        self.user_agent = ""
        self._halted: Halted = ""
        self._not_paused = asyncio.Event()
        self._not_paused.set()
        self.tabs: dict[int, ControlledTab] = {}
        self.clients: list[CdpClient] = []
        self.downloads_folder = downloads.folder
        self._connection = connection
        self._downloads = downloads
        self._sessions = DebuggerSessions(connection, self.tabs, drop=self._drop, on_barred_change=on_change)
        self._debugger = self._sessions.debugger
        self._groups = TabGroups(connection)
        self._on_user_command = on_user_command
        self._synced = asyncio.Event()
        self._numbers = itertools.count(1)
        self._tasks = BackgroundTasks("the relay")

    def version(self) -> JsonObject:
        return cdp_protocol.version_response(self.user_agent, chrome_version(self.user_agent))

    @property
    def halted(self) -> Halted:
        return self._halted

    def set_halted(self, halted: Halted) -> None:
        """Paused: commands are refused, tabs stay. Stopped: the extension has released every tab."""
        self._halted = halted
        if halted == "paused":
            self._not_paused.clear()
        else:
            self._not_paused.set()

    def on_connected(self, agent: str) -> None:
        """The browser has connected: its list of tabs follows."""
        self.user_agent = agent
        self._synced.clear()

    async def wait_synced(self, seconds: float) -> bool:
        """Wait until the browser is connected and has sent its list of tabs."""
        try:
            async with asyncio.timeout(seconds):
                await self._synced.wait()
        except TimeoutError:
            return False
        return True

    async def add_client(self, label: str) -> CdpClient:
        """Add a client; it gets every tab that has no owner."""
        client = CdpClient(self, label)
        self.clients.append(client)
        free = [tab for tab in self.tabs.values() if tab.owner is None and tab.claimable]
        for tab in free:
            tab.owner = client
        await asyncio.gather(*(self._try_attach(tab) for tab in free))
        return client

    async def remove_client(self, client: CdpClient, *, close_tabs: bool) -> None:
        """Remove a client: its own tabs are closed; tabs that the user shared stay, for the next client."""
        if client in self.clients:
            self.clients.remove(client)
        client.disconnect()
        for tab in [tab for tab in self.tabs.values() if tab.owner is client]:
            tab.owner, tab.claimable = None, True
            if close_tabs and tab.kind == "agent":
                await self._try("tabs.remove", tab.id)
            elif close_tabs:
                await self._release(tab)

    def send_command(self, tab: ControlledTab, command: Command) -> None:
        """Send a command to a tab; its response arrives in order with the tab's events."""
        tab.used_at = _now()
        if self.halted and not cdp_protocol.is_allowed_while_halted(command.method):
            command.reply(None, ChromeRefused(_halted_error(self._halted)))
        else:
            self._sessions.send(tab, command)

    async def create_tab(self, client: CdpClient, url: str) -> ControlledTab:
        self.raise_if_halted()
        made = await self._connection.call("tabs.create", {"url": url})
        tab = self.tabs.get(int(made["id"]))
        if tab is None:
            raise ChromeRefused("The tab was closed as soon as it was open.")
        tab.owner, tab.claimable = client, False
        self._tasks.spawn(self._group(tab, client))
        await self._sessions.attach(tab)
        return tab

    async def close_tab(self, tab: ControlledTab) -> None:
        """Close an agent's tab; one that the user shared is only released."""
        if tab.kind == "agent":
            await self._connection.call("tabs.remove", tab.id)
        else:
            await self._connection.call("debugger.detach", {"tabId": tab.id})
            await self._connection.call("controlledTabs.release", tab.id)

    async def bring_to_front(self, client: CdpClient, target_id: str) -> None:
        """Bring a client's tab to the front: only where the user has to do something in it."""
        self.raise_if_halted()
        for tab in self.tabs.values():
            if tab.owner is client and tab.target_id == target_id:
                await self._connection.call("tabs.activate", tab.id)

    async def send_via_any_tab(self, tabs: list[ControlledTab], method: str, params: JsonObject) -> JsonObject:
        """Send a command about the whole browser, which Chrome accepts on any tab."""
        if not tabs:
            raise ChromeRefused("No tab is open.")
        response, reply = pending_reply(_as_json)
        self.send_command(tabs[0], Command(method, params, None, reply))
        return await response

    async def save_blob(self, url: str, name: str, on_progress: Callable[[int], None]) -> Path:
        """Save the content of a blob: URL in the user's download folder."""
        return await self._downloads.save_blob(self._connection, url, name, on_progress)

    def failure_of(self, url: str) -> DownloadFailed | None:
        return self._downloads.failure_of(url)

    async def cancel_download(self, guid: str) -> None:
        await self._downloads.cancel(self._connection, guid)

    def raise_if_halted(self) -> None:
        """Raise when the user has halted all agents."""
        if self._halted == "paused":
            raise PausedByUser(PAUSED, suggestions=["Try again later: the user resumes in the browser."])
        if self._halted == "stopped":
            raise PermissionDenied(STOPPED, suggestions=["Do not try again. Ask the user what to do."])

    async def wait_resumed(self, seconds: float) -> None:
        """Wait while the user has paused all agents; raise when they have not resumed then, or have stopped them."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._not_paused.wait()
        self.raise_if_halted()

    async def detach_idle(self, idle_seconds: float) -> None:
        """Stop rendering tabs that were not used for a while; detach from them after ``idle_seconds``."""
        now = _now()
        for tab in [tab for tab in self.tabs.values() if tab.state is AttachState.ATTACHED]:
            idle_for = now - tab.used_at
            if idle_for > idle_seconds:
                await self._debugger.detach(tab)
            elif idle_for > SCREENCAST_IDLE_SECONDS:
                self._debugger.stop_screencast(tab)
        for tab in [tab for tab in self.tabs.values() if tab.barred]:
            self._attach_soon(tab.id)

    def on_event(self, event: Event) -> None:
        args = event.args
        match event.event:
            case "debugger.onEvent":
                self._debugger_event(args[0], str(args[1]), args[2])
            case "debugger.onDetach":
                self._detached(int(args[0]["tabId"]), str(args[1]))
            case "controlledTabs.changed":
                self._sync(args[0])
            case "user.command":
                self._on_user_command(str(args[0]))
            case "events.dropped":
                for tab in self.tabs.values():
                    tab.transition(AttachEvent.DETACHED)
            case "webNavigation.onCreatedNavigationTarget":
                if str(args[0].get("url", "")) in cdp_protocol.BLANK_URLS:
                    self._attach_soon(int(args[0]["tabId"]))
            case "webNavigation.onDOMContentLoaded" | "webNavigation.onErrorOccurred":
                self._attach_soon(int(args[0]["tabId"]))
            case _:
                logger.debug("ignored event %s", event.event)

    def _sync(self, listed: list[JsonObject]) -> None:
        """Adopt the extension's list of tabs: a tab that is not on it is gone."""
        first = not self._synced.is_set()
        ids = {int(one["id"]) for one in listed}
        for tab in [tab for tab in self.tabs.values() if tab.id not in ids]:
            del self.tabs[tab.id]
            self._withdraw(tab)
        for one in listed:
            if int(one["id"]) not in self.tabs:
                self._add(one, first=first)
        if first:
            for tab in self.tabs.values():
                if tab.owner is not None and tab.state is AttachState.ATTACHED:
                    self._tasks.spawn(self._debugger.check_attached(tab))
        self._synced.set()

    def _add(self, listed: JsonObject, *, first: bool) -> None:
        tab = ControlledTab(
            id=int(listed["id"]),
            kind="shared" if listed["kind"] == "shared" else "agent",
            since=float(listed["since"]) / 1000,
            opener=listed.get("opener"),
            claimable=listed["kind"] == "shared" or first,
            session=f"tab-{listed['id']}-{next(self._numbers)}",
            used_at=_now(),
        )
        self.tabs[tab.id] = tab
        opener = self._opener(tab)
        if opener is not None and opener.owner is not None and not first:
            tab.owner = opener.owner
            self._tasks.spawn(self._group(tab, opener.owner))
            # Its first document is loading; attaching earlier sometimes misses it.
            asyncio.get_running_loop().call_later(POPUP_ATTACH_DELAY_SECONDS, self._attach_soon, tab.id)
        elif tab.kind == "shared" and self.clients:
            tab.owner = max(self.clients, key=lambda client: client.used_at)
            self._attach_soon(tab.id)

    def _opener(self, tab: ControlledTab) -> ControlledTab | None:
        return self.tabs.get(tab.opener) if tab.opener is not None else None

    def _attach_soon(self, tab_id: int) -> None:
        tab = self.tabs.get(tab_id)
        if tab is not None and tab.owner is not None and tab.state is AttachState.UNATTACHED:
            self._tasks.spawn(self._try_attach(tab))

    async def _try_attach(self, tab: ControlledTab) -> None:
        try:
            await self._sessions.attach(tab)
        except PilotError as error:
            logger.info("could not attach to a tab: %s", error.message)

    def _debugger_event(self, source: JsonObject, method: str, params: JsonObject) -> None:
        tab = self.tabs.get(int(source.get("tabId", -1)))
        if tab is None or tab.owner is None or tab.state is not AttachState.ATTACHED:
            return
        owner, child = tab.owner, cast("str | None", source.get("sessionId"))
        match method:
            case "Target.attachedToTarget" if cdp_protocol.is_extension_target(params["targetInfo"]):
                self._debugger.resume_child(tab, params["sessionId"])
                return
            case "Target.attachedToTarget":
                tab.children[params["sessionId"]] = params["targetInfo"]
                owner.add_child(tab, params["sessionId"])
            case "Target.detachedFromTarget" if tab.children.pop(params["sessionId"], None) is None:
                return
            case "Page.screencastFrame" if not tab.client_screencasts:
                return
            case "Page.downloadWillBegin":
                self._downloads.record_started(params)
                owner.emit_browser_event("Browser.downloadWillBegin", params)
            case "Page.downloadProgress":
                self._tasks.spawn(self._download_progress(owner, params))
            case "Page.frameRequestedNavigation" if cdp_protocol.is_extension_target(params):
                tab.extension_frame = str(params["frameId"])
            case "Page.frameDetached" if params["frameId"] == tab.extension_frame:
                tab.extension_frame = None
            case "Page.frameNavigated" if "parentId" not in params["frame"]:
                tab.url = str(params["frame"].get("url", ""))
                tab.target_info["url"] = tab.url
            case _:
                pass
        tab.frame_state.record_event(method, params)
        owner.emit(tab, child, method, params)
        if method == "Target.detachedFromTarget":
            owner.remove_child(tab, params["sessionId"])
        if method == "Page.frameNavigated" and params.get("type") == "BackForwardCacheRestore":
            for name, event in cdp_protocol.restored_page_events(params["frame"]):
                owner.emit(tab, child, name, event)

    async def _download_progress(self, owner: CdpClient, params: JsonObject) -> None:
        if params.get("state") == "completed":
            try:
                await self._downloads.link_finished(self._connection, params)
            except PilotError as error:
                logger.info("could not locate a finished download: %s", error.message)
                params = {**params, "state": "canceled"}
        elif params.get("state") == "canceled":
            try:
                await self._downloads.record_failure(self._connection, params)
            except PilotError as error:
                logger.info("could not find out why a download failed: %s", error.message)
        owner.emit_browser_event("Browser.downloadProgress", params)

    def _detached(self, tab_id: int, reason: str) -> None:
        tab = self.tabs.get(tab_id)
        if tab is None or tab.state is not AttachState.ATTACHED:
            return
        if reason == "target_closed" and tab.owner is not None:
            # The tab is closed, shows a page of the browser's own, or has a PDF viewer: a reattach finds out.
            self._sessions.on_detached(tab)
        else:
            self._drop(tab)

    def _drop(self, tab: ControlledTab) -> None:
        """Chrome has detached and we cannot reattach now: for its client the page is gone until the next attach."""
        self._withdraw(tab)
        tab.session = f"tab-{tab.id}-{next(self._numbers)}"

    def _withdraw(self, tab: ControlledTab) -> None:
        released = tab.transition(AttachEvent.RELEASED)
        tab.clear_page()
        if tab.owner is not None and released:
            tab.owner.withdraw(tab)

    async def _release(self, tab: ControlledTab) -> None:
        tab.transition(AttachEvent.RELEASED)
        tab.clear_page()
        tab.session = f"tab-{tab.id}-{next(self._numbers)}"
        await self._try("debugger.detach", {"tabId": tab.id})

    async def _group(self, tab: ControlledTab, client: CdpClient) -> None:
        number = self.clients.index(client) if client in self.clients else 0
        await self._groups.add_tab(tab.id, client, number)

    async def _try(self, name: str, *args: Any) -> None:
        try:
            await self._connection.call(name, *args)
        except PilotError as error:
            logger.debug("%s: %s", name, error.message)


def _halted_error(halted: Halted) -> str:
    return RelayError.PAUSED.wrap(PAUSED) if halted == "paused" else RelayError.STOPPED.wrap(STOPPED)


def _as_json(result: Any) -> JsonObject:
    return result or {}


def _now() -> float:
    return time.monotonic()
