"""Handles the dashboard's requests. The routes have authenticated the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from typing import cast

from browser_pilot import __version__
from browser_pilot.errors import InvalidArgument
from browser_pilot.extension_bridge.bridge import COMMANDS, MODES, Bridge
from browser_pilot.extension_bridge.pairing import PairingCode
from browser_pilot.extension_bridge.protocol import EXTENSION_ID
from browser_pilot.json_types import JsonObject
from browser_pilot.sessions.client import Client
from browser_pilot.ui.approval_requests import ApprovalRequests
from browser_pilot.ui.state import UiState

CHANNEL = "dashboard"


class DashboardHandlers:
    """``clients`` are those that are connected; ``health`` returns the health report."""

    def __init__(
        self,
        *,
        bridge: Bridge,
        state: UiState,
        approvals: ApprovalRequests,
        clients: Iterable[Client],
        health: Callable[[], JsonObject],
    ) -> None:
        self._bridge = bridge
        self._state = state
        self._approvals = approvals
        self._clients = clients
        self._health = health
        self._handlers: dict[str, Callable[[JsonObject], Awaitable[JsonObject]]] = {
            "state": self._get_state,
            "activity": state.activity,
            "decide": self._decide,
            "picture": self._get_screenshot,
            "command": self._apply_command,
            "pair": self._open_pairing,
            "rename": self._rename,
            "forget": self._forget,
        }

    async def handle(self, name: str, params: JsonObject) -> JsonObject:
        handler = self._handlers.get(name)
        if handler is None:
            raise InvalidArgument(f"Unknown request {name!r}.", suggestions=["Reload the page."])
        return await handler(params)

    async def _get_state(self, _: JsonObject) -> JsonObject:
        health = self._health()
        parts = cast("dict[str, dict[str, str]]", health["parts"])
        return {
            "hub": __version__,
            "uptime": health["uptime_seconds"],
            "extension": EXTENSION_ID,
            "problems": [part["says"] for part in parts.values() if part["state"] == "problem"],
            "mode": self._bridge.mode,
            "clients": sorted({client.name for client in self._clients}),
            "approvals": self._approvals.pending(),
            "agents": self._state.agents(),
            "browsers": [asdict(state) for state in self._bridge.states()],
            "pairing": _code_data(self._bridge.pairing()),
        }

    async def _decide(self, params: JsonObject) -> JsonObject:
        return self._approvals.decide(params, channel=CHANNEL)

    async def _get_screenshot(self, params: JsonObject) -> JsonObject:
        return self._approvals.screenshot(params)

    async def _apply_command(self, params: JsonObject) -> JsonObject:
        command = str(params.get("command", ""))
        known = (*COMMANDS, *MODES)
        if command not in known:
            raise InvalidArgument(f"Unknown command {command[:20]!r}.", suggestions=[f"Commands: {', '.join(known)}."])
        self._bridge.apply_user_command(command, where="on the dashboard")
        return {}

    async def _open_pairing(self, _: JsonObject) -> JsonObject:
        return {"pairing": _code_data(self._bridge.open_pairing())}

    async def _rename(self, params: JsonObject) -> JsonObject:
        return asdict(self._bridge.rename(str(params.get("browser", "")), str(params.get("name", ""))))

    async def _forget(self, params: JsonObject) -> JsonObject:
        await self._bridge.forget(str(params.get("browser", "")))
        return {}


def _code_data(code: PairingCode | None) -> JsonObject | None:
    return None if code is None else {"code": code.code, "expires": code.expires}
