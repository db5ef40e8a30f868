"""The side panel's backend: its requests come over the paired bridge.

Only the extension's own pages can send requests here: the bridge has authenticated the browser, and no agent can open
those pages. So a decision from here is the user's. While a browser is connected, its user can decide, if they can see
the request: in the panel, in a notification, on the pinned button or in a page's indicator.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import asdict

from browser_pilot import __version__
from browser_pilot.approvals.grants import SessionGrants
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.config.live_reload import LiveConfig
from browser_pilot.extension_bridge.bridge import Bridge
from browser_pilot.extension_bridge.ui_backend import RequestHandler
from browser_pilot.json_types import JsonObject
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.registry import SessionRegistry

from .approval_requests import ApprovalRequests
from .element_picker import ElementPicker
from .site_rules import SiteRules
from .state import UiState

CHANNEL = "side panel"


class SidePanel:
    """``clients`` are those that are connected."""

    def __init__(
        self,
        *,
        bridge: Bridge,
        state: UiState,
        approvals: ApprovalQueue,
        grants: SessionGrants,
        sessions: SessionRegistry,
        clients: Iterable[Client],
        config: LiveConfig,
    ) -> None:
        self._bridge = bridge
        self._state = state
        self._approvals = approvals
        self._grants = grants
        self._requests = ApprovalRequests(approvals)
        self._sessions = sessions
        self._clients = clients
        self._site_rules = SiteRules(config)
        self._picker = ElementPicker(bridge, sessions)
        self._tasks = BackgroundTasks("the side panel")
        self._watching: asyncio.Task[object] | None = None

    @property
    def handlers(self) -> dict[str, RequestHandler]:
        return {
            "state": self._get_state,
            "activity": self._get_activity,
            "decide": self._decide,
            "picture": self._get_screenshot,
            "set_site_level": self._change_policy,
            "picked_element": self._picker.pick,
        }

    def presence_changed(self, connected: bool) -> None:
        """While a browser is connected, its user counts as a watcher of the approval queue."""
        if connected and self._watching is None:
            self._watching = self._tasks.spawn(self._watch())
        elif not connected and self._watching is not None:
            self._watching.cancel()
            self._watching = None

    def end_approvals(self) -> None:
        """After a Stop: deny every pending request of agents in the user's own browsers, and end what was granted."""
        own = {session.id for session in self._sessions if session.engine == "own"}
        for request in self._approvals.pending:
            if request.request.session in own:
                self._approvals.decide(request.id, "deny", channel="Stop")
        self._grants.revoke(own)

    async def _watch(self) -> None:
        with self._approvals.subscribe() as subscription:
            while (event := await subscription.next()) is not None:
                self._bridge.publish_state()
                if event.kind == "asked":
                    self._tasks.spawn(self._check_visible(event.approval.id))

    async def _check_visible(self, request_id: str) -> None:
        """A connected browser is a channel only if its user can see the request: otherwise the agent learns at once."""
        if not await self._bridge.can_see_requests():
            self._approvals.report_unseen(request_id)

    async def _get_state(self, browser: str, params: JsonObject) -> JsonObject:
        return {
            "hub": __version__,
            "name": self._bridge.name_of(browser),
            "mode": self._bridge.mode,
            "halted": self._bridge.halted(browser),
            "approvals": self._requests.pending(),
            "site": self._site_rules.describe(str(params.get("url", ""))),
            "agents": self._state.agents(),
            "tabs": [asdict(tab) for tab in self._bridge.tabs_of(browser)],
            "clients": sorted({client.name for client in self._clients if client.settings.browser.engine == "own"}),
        }

    async def _get_activity(self, _: str, params: JsonObject) -> JsonObject:
        return await self._state.activity(params)

    async def _decide(self, _: str, params: JsonObject) -> JsonObject:
        return self._requests.decide(params, channel=CHANNEL)

    async def _get_screenshot(self, _: str, params: JsonObject) -> JsonObject:
        return self._requests.screenshot(params)

    async def _change_policy(self, _: str, params: JsonObject) -> JsonObject:
        url = str(params.get("url", ""))
        self._site_rules.change(url, str(params.get("level", "")))
        return {"site": self._site_rules.describe(url)}
