"""The user's own browsers: which are paired, which are connected, and the endpoints that they connect to.

Lives as long as the hub. ``record_note`` writes to the audit log. Requests of the extension's own pages go to the
``UiBackend``, which is also notified of connected browsers.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.config.live_reload import CurrentConfig
from browser_pilot.errors import BrowserDisconnected, BrowserUnavailable, NoSession, PilotError
from browser_pilot.json_types import JsonObject

from .cdp_relay.cdp_client import CdpClient
from .cdp_relay.cdp_endpoint import CdpEndpoint
from .cdp_relay.downloads import ChromeDownloads
from .cdp_relay.relay import Relay
from .extension_connection import ExtensionConnection
from .extension_endpoint import ExtensionEndpoint, RecordNote
from .extension_events import validate
from .paired_browsers import PairedBrowser, PairedBrowserStore
from .pairing import PairingCode, PairingCodes
from .protocol import Event, Halted, Hello
from .ui_backend import ControlledTabState, UiBackend

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT_SECONDS = 5.0
MAINTENANCE_INTERVAL_SECONDS = 5.0
VISIBILITY_TIMEOUT_SECONDS = 3.0
MODES = ("auto", "ask", "readonly")
COMMANDS: dict[str, Halted] = {"pause": "paused", "stop": "stopped", "resume": ""}


@dataclass(eq=False)
class ConnectedBrowser:
    """One paired browser: its connection and its relay."""

    connection: ExtensionConnection
    relay: Relay
    # A command of the user that the browser has not received yet, because it was not connected.
    unsent_command: str | None = None


@dataclass(frozen=True)
class BrowserState:
    """A paired browser as people see it."""

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
        config: CurrentConfig,
        ui: UiBackend,
        record_note: RecordNote,
        set_mode: Callable[[str], None],
    ) -> None:
        self._config = config
        self._ui = ui
        self._store = PairedBrowserStore(home)
        self._pairing_codes = PairingCodes()
        self._browsers: dict[str, ConnectedBrowser] = {}
        self._record_note = record_note
        self._set_mode = set_mode
        self._rules: list[JsonObject] = []
        self._files = home / "tmp" / "own"
        self._tasks = BackgroundTasks("the extension bridge")
        self.extension_endpoint = ExtensionEndpoint(
            store=self._store,
            pairing_codes=self._pairing_codes,
            connection_of=self._on_connect,
            record_note=record_note,
            on_change=self._report_presence,
        )
        self.cdp_endpoint = CdpEndpoint(self._client, record_note)

    def open_pairing(self) -> PairingCode:
        return self._pairing_codes.open(time.time())

    def pairing(self) -> PairingCode | None:
        return self._pairing_codes.current(time.time())

    @property
    def is_paired(self) -> bool:
        return next(iter(self._store), None) is not None

    def states(self) -> list[BrowserState]:
        return [self._state(browser) for browser in self._store]

    def rename(self, name: str, to: str) -> BrowserState:
        renamed = self._store.rename(self._named(name), to)
        if renamed.id in self._browsers:
            self._browsers[renamed.id].connection.name = renamed.name
        return self._state(renamed)

    async def forget(self, name: str) -> None:
        """Halt its agents, have the extension release its tabs and remove its key, and only then forget the browser."""
        browser = self._named(name)
        peer = self._browsers.get(browser.id)
        if peer is not None:
            peer.relay.set_halted("stopped")
            self._ui.stopped()
        await self.extension_endpoint.forget(browser)
        self._store.forget(browser)
        self._browsers.pop(browser.id, None)
        self._report_presence()
        self._record_note("browser_forgotten", {"browser": browser.id, "name": browser.name})

    async def relay_of(self, name: str | None) -> Relay:
        """The relay of the named browser, or of the only one; waits a few seconds for one that reconnects."""
        paired = list(self._store)
        if not paired:
            raise BrowserUnavailable(
                "No browser of yours is paired with Browser Pilot yet.",
                suggestions=[
                    "`browser-pilot extension` explains how to add the extension, `browser-pilot pair` shows its code.",
                    "Or leave out --engine own to use a managed browser.",
                ],
            )
        wanted = self._named(name) if name is not None else self._one_of(paired)
        peer = self._connected(wanted)
        if not await peer.relay.wait_synced(CONNECT_TIMEOUT_SECONDS):
            raise BrowserDisconnected(
                f"{wanted.name} is paired but not connected.",
                suggestions=["Start the browser; its Browser Pilot button says why it is not connected."],
            )
        return peer.relay

    async def wait_resumed(self, name: str | None, seconds: float) -> None:
        """Wait while the user has paused agents in the named browser, or in the only one; raise if halted then."""
        paired = [one for one in self._store if name is None or one.name == name]
        peer = self._browsers.get(paired[0].id) if len(paired) == 1 else None
        if peer is not None:
            await peer.relay.wait_resumed(seconds)

    def set_rules(self, rules: list[JsonObject]) -> None:
        """Apply these declarativeNetRequest rules to every controlled tab."""
        self._rules = rules
        for peer in self._browsers.values():
            peer.connection.notify("dnrRules.changed", rules)

    def publish_state(self) -> None:
        """Send every browser the state that its popup and its indicators show."""
        for peer in self._browsers.values():
            self._send_state(peer)

    @property
    def mode(self) -> str:
        return self._config.settings.policy.own_mode

    def apply_user_command(self, command: str, *, where: str) -> None:
        """Apply a command of the user that came from outside a browser: to all browsers."""
        self._record_note("user_said", {"word": command, "where": where})
        peers = list(self._browsers.values())
        self._apply(command, peers)
        if command in COMMANDS:
            for peer in peers:
                peer.unsent_command = None if peer.connection.connected else command
                peer.connection.notify("user.command", command)

    def halted(self, browser_id: str) -> Halted:
        return self._browsers[browser_id].relay.halted

    def name_of(self, browser_id: str) -> str:
        return self._browsers[browser_id].connection.name

    def tabs_of(self, browser_id: str) -> list[ControlledTabState]:
        return [
            ControlledTabState(
                tab.id,
                tab.kind,
                agent=tab.owner.label if tab.owner is not None else "",
                client_id=tab.owner.id if tab.owner is not None else "",
                since=tab.since,
            )
            for tab in self._browsers[browser_id].relay.tabs.values()
        ]

    def target_of(self, browser_id: str, tab_id: int) -> str | None:
        """The CDP target id of a tab that an agent owns; None for any other tab."""
        tab = self._browsers[browser_id].relay.tabs.get(tab_id)
        return tab.target_id if tab is not None and tab.owner is not None and tab.target_id else None

    def reload_extensions(self) -> None:
        """Reload the extension in every connected browser, for its development."""
        for peer in self._browsers.values():
            peer.connection.notify("extension.reload", None)

    async def can_see_requests(self) -> bool:
        """Whether the user of any connected browser can see that a request is pending. True if it cannot tell."""
        connected = [peer.connection for peer in self._browsers.values() if peer.connection.connected]
        answers = await asyncio.gather(*(_can_see_requests(connection) for connection in connected))
        return any(answers)

    async def run_maintenance(self) -> None:
        while True:
            await asyncio.sleep(MAINTENANCE_INTERVAL_SECONDS)
            for peer in list(self._browsers.values()):
                if peer.connection.connected:
                    await peer.relay.detach_idle(self._config.settings.browser.own_idle_minutes * 60)

    async def close(self) -> None:
        await self.extension_endpoint.close()

    def _on_connect(self, browser: PairedBrowser, hello: Hello) -> ExtensionConnection:
        peer = self._connected(browser)
        if peer.unsent_command is None:
            peer.relay.set_halted(hello.halted)
        peer.relay.on_connected(hello.agent)
        self._tasks.spawn(self._send_initial_state(peer))
        return peer.connection

    async def _send_initial_state(self, peer: ConnectedBrowser) -> None:
        if await peer.relay.wait_synced(CONNECT_TIMEOUT_SECONDS):
            if peer.unsent_command is not None:
                peer.connection.notify("user.command", peer.unsent_command)
                peer.unsent_command = None
            peer.connection.notify("dnrRules.changed", self._rules)
            self._send_state(peer)

    def _connected(self, browser: PairedBrowser) -> ConnectedBrowser:
        known = self._browsers.get(browser.id)
        if known is not None:
            return known
        connection = ExtensionConnection(browser.name, lambda event: self._on_event(browser.id, event))
        relay = Relay(
            connection,
            ChromeDownloads(self._files / browser.id),
            on_user_command=lambda word: self._on_user_command(browser, word),
            on_change=self.publish_state,
        )
        peer = self._browsers[browser.id] = ConnectedBrowser(connection, relay)
        return peer

    def _on_event(self, browser_id: str, event: Event) -> None:
        peer = self._browsers.get(browser_id)
        if peer is None:
            return  # it was forgotten a moment ago
        validate(event)
        if event.event == "ui.request":
            self._tasks.spawn(self._handle_request(browser_id, peer, event.args))
        else:
            peer.relay.on_event(event)

    async def _handle_request(self, browser_id: str, peer: ConnectedBrowser, args: list[Any]) -> None:
        """Handle one request of the extension's pages; exactly one response is sent."""
        match args:
            case [str(number), str(name), dict()]:
                response: JsonObject = {"id": number}
                try:
                    response["result"] = await self._ui.handle(browser_id, name, cast(JsonObject, args[2]))
                except PilotError as error:
                    response["error"] = " ".join([error.message, *error.suggestions])
                peer.connection.notify("ui.response", response)
            case _:
                logger.info("received a malformed request of the extension's pages")

    def _report_presence(self) -> None:
        self._ui.presence_changed(connected=any(one.connection.connected for one in self._browsers.values()))

    def _on_user_command(self, browser: PairedBrowser, word: str) -> None:
        """Apply a command that the user gave in the browser itself."""
        peer = self._browsers.get(browser.id)
        if peer is not None:
            self._record_note("user_said", {"browser": browser.id, "word": word[:20], "where": "in the browser"})
            self._apply(word, [peer])

    def _apply(self, command: str, browsers: list[ConnectedBrowser]) -> None:
        if command in MODES:
            self._set_mode(command)
            self.publish_state()
            return
        if command in COMMANDS:
            for one in browsers:
                one.relay.set_halted(COMMANDS[command])
            if command == "stop":
                self._ui.stopped()

    def _send_state(self, peer: ConnectedBrowser) -> None:
        relay = peer.relay
        names = sorted({client.label for client in relay.clients})
        state = {"mode": self.mode, "agents": names, "approvals": self._ui.pending()}
        blocked = [tab.id for tab in relay.tabs.values() if tab.barred]
        peer.connection.notify("ui.changed", {**state, "attach_blocked": blocked})

    def _client(self, client_id: str) -> CdpClient | None:
        clients = (client for peer in self._browsers.values() for client in peer.relay.clients)
        return next((client for client in clients if client.id == client_id), None)

    def _named(self, name: str) -> PairedBrowser:
        browser = self._store.named(name)
        if browser is None:
            known = ", ".join(one.name for one in self._store) or "none"
            raise NoSession(f"No paired browser is called {name!r}.", suggestions=[f"Paired: {known}."])
        return browser

    def _one_of(self, paired: list[PairedBrowser]) -> PairedBrowser:
        connected = [one for one in paired if one.id in self._browsers and self._browsers[one.id].connection.connected]
        candidates = connected or paired
        if len(candidates) > 1:
            names = ", ".join(one.name for one in candidates)
            raise BrowserUnavailable(
                "Several of your browsers are paired: say which.",
                suggestions=[f"Set browser.own_browser (or --own-browser) to one of: {names}."],
            )
        return candidates[0]

    def _state(self, browser: PairedBrowser) -> BrowserState:
        peer = self._browsers.get(browser.id)
        connected = peer is not None and peer.connection.connected
        version = str(peer.relay.version()["product"]) if peer is not None and connected else ""
        tabs = len(peer.relay.tabs) if peer is not None else 0
        halted: Halted = peer.relay.halted if peer is not None else ""
        return BrowserState(browser.id, browser.name, connected, version, tabs, browser.paired_at, halted)


async def _can_see_requests(connection: ExtensionConnection) -> bool:
    try:
        async with asyncio.timeout(VISIBILITY_TIMEOUT_SECONDS):
            return await connection.call("ui.canSeeRequests") is not False
    except (TimeoutError, PilotError):
        return True
