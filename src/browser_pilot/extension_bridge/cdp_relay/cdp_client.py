"""One Playwright connection to the relay, which shows it the tabs of one hub session and nothing else.

Speaks the browser's side of CDP. Commands for a tab go through the relay to `chrome.debugger`; commands for the browser
get their response here. Messages are handled by plain calls in order; what must wait runs as a task.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import BrowserDisconnected, OutcomeUnknown, PilotError
from browser_pilot.extension_bridge.extension_connection import ChromeRefused
from browser_pilot.extension_bridge.send_queue import SendQueue
from browser_pilot.json_types import JsonObject
from browser_pilot.upstream_errors import SESSION_NOT_FOUND, TARGET_NOT_FOUND, RelayError

from . import cdp_protocol
from .controlled_tab import Command, ControlledTab

if TYPE_CHECKING:
    from .relay import Relay


class CdpClient:
    """``label`` names its tab group. It accepts one connection, with ``secret``, and ends with it."""

    def __init__(self, relay: Relay, label: str) -> None:
        self.id = secrets.token_urlsafe(12)
        self.secret = secrets.token_urlsafe(32)
        self.label = label
        self.group_id: int | None = None
        self.used_at = 0.0
        self.claimed = False
        self._relay = relay
        self._out: SendQueue[JsonObject] | None = None
        self._auto_attaches = False
        self._sessions: dict[str, tuple[ControlledTab, str | None]] = {}
        self._numbers = itertools.count(1)
        self._tasks = BackgroundTasks("a CDP client")

    def connect(self, out: SendQueue[JsonObject]) -> None:
        self._out = out

    def disconnect(self) -> None:
        self._out = None
        self._auto_attaches = False

    def handle_message(self, message: JsonObject) -> None:
        """Handle one message of Playwright."""
        method, session = str(message["method"]), message.get("sessionId")
        params: JsonObject = message.get("params") or {}
        self.used_at = asyncio.get_running_loop().time()

        def reply(result: Any, error: PilotError | None) -> None:
            response: JsonObject = (
                {"id": message["id"]} if session is None else {"id": message["id"], "sessionId": session}
            )
            outcome: JsonObject = {"result": result or {}} if error is None else {"error": _cdp_error(error)}
            self._put({**response, **outcome})

        forbidden = cdp_protocol.forbidden_reason(method)
        if forbidden is not None:
            reply(None, ChromeRefused(RelayError.FORBIDDEN.wrap(forbidden)))
        elif cdp_protocol.is_ignored(method):
            reply({}, None)
        elif (
            session is None
            or session == cdp_protocol.BROWSER_SESSION
            or method in ("Target.attachToTarget", "Target.getTargetInfo")
        ):
            self._run(self._browser_command(method, params, session), reply)
        elif session not in self._sessions:
            reply(None, ChromeRefused(SESSION_NOT_FOUND))
        else:
            tab, child = self._sessions[session]
            if method == "Fetch.enable" and session in tab.aliases:
                tab.fetch_session = session
            self._relay.send_command(tab, Command(method, params, child, reply))

    def announce(self, tab: ControlledTab) -> None:
        """The tab is attached: send Playwright its target, if it enabled auto-attach."""
        self._sessions[tab.session] = (tab, None)
        if self._auto_attaches:
            self._emit(None, "Target.attachedToTarget", _attached(tab))

    def withdraw(self, tab: ControlledTab) -> None:
        """The tab no longer exists for this client."""
        for session in [session for session, (one, _) in self._sessions.items() if one is tab]:
            del self._sessions[session]
        tab.aliases.clear()
        self._emit(None, "Target.detachedFromTarget", {"sessionId": tab.session, "targetId": tab.target_id})

    def add_child(self, tab: ControlledTab, session: str) -> None:
        self._sessions[session] = (tab, session)

    def remove_child(self, tab: ControlledTab, session: str) -> None:
        self._sessions.pop(session, None)
        for alias in [alias for alias, child in tab.aliases.items() if child == session]:
            del tab.aliases[alias]
            self._sessions.pop(alias, None)

    def emit(self, tab: ControlledTab, child: str | None, method: str, params: JsonObject) -> None:
        for session in tab.event_sessions(child, method):
            self._emit(session, method, params)

    def emit_browser_event(self, method: str, params: JsonObject) -> None:
        self._emit(None, method, params)

    async def _browser_command(self, method: str, params: JsonObject, session: str | None) -> JsonObject:
        match method:
            case "Browser.getVersion":
                return self._relay.version()
            case "Target.setAutoAttach":
                self._auto_attaches = True
                for tab in self._tabs():
                    self._emit(None, "Target.attachedToTarget", _attached(tab))
                return {}
            case "Target.getTargetInfo":
                tab = self._sessions[session][0] if session in self._sessions else self._find(params.get("targetId"))
                return {"targetInfo": tab.target_info if tab is not None else cdp_protocol.browser_target()}
            case "Target.getTargets":
                return {"targetInfos": [tab.target_info for tab in self._tabs()]}
            case "Target.createTarget":
                return {
                    "targetId": (await self._relay.create_tab(self, str(params.get("url", "about:blank")))).target_id
                }
            case "Target.closeTarget":
                tab = self._find(params.get("targetId"))
                if tab is not None:
                    await self._relay.close_tab(tab)
                return {"success": tab is not None}
            case "Target.attachToTarget":
                return {"sessionId": self._alias(str(params.get("targetId")))}
            case "Target.detachFromTarget":
                return self._detach(str(params.get("sessionId")))
            case "Target.attachToBrowserTarget":
                return {"sessionId": cdp_protocol.BROWSER_SESSION}
            case "Storage.getCookies":
                response = await self._relay.send_via_any_tab(self._tabs(), method, {})
                return {"cookies": cdp_protocol.cookies_for(response["cookies"], [tab.url for tab in self._tabs()])}
            case "Storage.setCookies":
                return await self._relay.send_via_any_tab(self._tabs(), method, {"cookies": params.get("cookies", [])})
            case (
                "Target.setDiscoverTargets"
                | "Browser.setDownloadBehavior"
                | "Browser.close"
                | "Target.getBrowserContexts"
            ):
                return {"browserContextIds": []} if method == "Target.getBrowserContexts" else {}
            case "Browser.cancelDownload":
                await self._relay.cancel_download(str(params.get("guid", "")))
                return {}
            case _:
                raise ChromeRefused(f"'{method}' is not available in the user's own browser.")

    def _alias(self, target_id: str) -> str:
        """A further session on a tab, or on an out-of-process frame in it."""
        for tab in self._tabs():
            children = [session for session, info in tab.children.items() if info.get("targetId") == target_id]
            if tab.target_id == target_id or children:
                child = children[0] if children else None
                session = f"{tab.session}-{next(self._numbers)}"
                tab.aliases[session] = child
                self._sessions[session] = (tab, child)
                return session
        raise ChromeRefused(TARGET_NOT_FOUND)

    def _detach(self, session: str) -> JsonObject:
        tab, _ = self._sessions.get(session, (None, None))
        if tab is not None and session in tab.aliases:
            del tab.aliases[session]
            del self._sessions[session]
        return {}

    def _tabs(self) -> list[ControlledTab]:
        return [tab for session, (tab, _) in self._sessions.items() if session == tab.session]

    def _find(self, target_id: object) -> ControlledTab | None:
        return next((tab for tab in self._tabs() if tab.target_id == target_id), None)

    def _run(self, work: Coroutine[Any, Any, JsonObject], reply: Callable[[Any, PilotError | None], None]) -> None:
        async def run() -> None:
            try:
                result = await work
            except PilotError as error:
                reply(None, error)
            else:
                reply(result, None)

        self._tasks.spawn(run())

    def _emit(self, session: str | None, method: str, params: JsonObject) -> None:
        message: JsonObject = {"method": method, "params": params}
        self._put(message if session is None else {**message, "sessionId": session})

    def _put(self, message: JsonObject) -> None:
        if self._out is not None:
            self._out.put(message)


def _attached(tab: ControlledTab) -> JsonObject:
    return {"sessionId": tab.session, "targetInfo": tab.target_info, "waitingForDebugger": False}


def _cdp_error(error: PilotError) -> JsonObject:
    if isinstance(error, OutcomeUnknown):
        return cdp_protocol.error_response(RelayError.OUTCOME_UNKNOWN.wrap(error.message))
    if isinstance(error, BrowserDisconnected):
        return cdp_protocol.error_response(RelayError.DISCONNECTED.wrap(error.message))
    return cdp_protocol.error_response(error.message)
