"""One Playwright connection to the relay: what it may see are the tabs of one hub session, and nothing else.

Speaks the browser's side of the DevTools protocol. Commands for a tab go through the relay to `chrome.debugger`; those
for the browser as a whole are answered here. Handling is by plain calls in order; whatever must wait runs as a task.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from ..errors import BrowserDisconnected, OutcomeUnknown, PilotError
from . import cdp
from .driven_tab import Command, DrivenTab
from .link import ChromeRefused
from .outgoing import Outgoing
from .wire import Json

if TYPE_CHECKING:
    from .relay import Relay


class CdpClient:
    """``label`` names its tabs' group. It takes one connection, by ``secret``, and is done when that ends."""

    def __init__(self, relay: Relay, label: str) -> None:
        self.id = secrets.token_urlsafe(12)
        self.secret = secrets.token_urlsafe(32)
        self.label = label
        self.group: int | None = None
        self.used_at = 0.0
        self.taken = False
        self._relay = relay
        self._out: Outgoing[Json] | None = None
        self._wants_targets = False
        self._sessions: dict[str, tuple[DrivenTab, str | None]] = {}
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()

    def connect(self, out: Outgoing[Json]) -> None:
        self._out = out

    def disconnect(self) -> None:
        self._out = None
        self._wants_targets = False

    def handle(self, message: Json) -> None:
        """Take one message of Playwright's."""
        method, session = str(message["method"]), message.get("sessionId")
        params: Json = message.get("params") or {}
        self.used_at = asyncio.get_running_loop().time()

        def reply(result: Any, error: PilotError | None) -> None:
            answer: Json = {"id": message["id"]} if session is None else {"id": message["id"], "sessionId": session}
            self._put({**answer, "result": result or {}} if error is None else {**answer, "error": _explain(error)})

        forbidden = cdp.why_forbidden(method)
        if forbidden is not None:
            reply(None, ChromeRefused(cdp.FORBIDDEN + forbidden))
        elif cdp.is_swallowed(method):
            reply({}, None)
        elif (
            session is None
            or session == cdp.BROWSER_SESSION
            or method in ("Target.attachToTarget", "Target.getTargetInfo")
        ):
            self._run(self._answer(method, params, session), reply)
        elif session not in self._sessions:
            reply(None, ChromeRefused("Session with given id not found."))
        else:
            tab, child = self._sessions[session]
            if method == "Fetch.enable" and session in tab.aliases:
                tab.holding = session
            self._relay.command(tab, Command(method, params, child, reply))

    def announce(self, tab: DrivenTab) -> None:
        """The tab is attached: tell Playwright of it, as far as it asked to be told."""
        self._sessions[tab.session] = (tab, None)
        if self._wants_targets:
            self._emit(None, "Target.attachedToTarget", _attached(tab))

    def withdraw(self, tab: DrivenTab) -> None:
        """The tab is gone for this client."""
        for session in [session for session, (one, _) in self._sessions.items() if one is tab]:
            del self._sessions[session]
        tab.aliases.clear()
        self._emit(None, "Target.detachedFromTarget", {"sessionId": tab.session, "targetId": tab.target_id})

    def add_child(self, tab: DrivenTab, session: str) -> None:
        self._sessions[session] = (tab, session)

    def remove_child(self, tab: DrivenTab, session: str) -> None:
        self._sessions.pop(session, None)
        for alias in [alias for alias, child in tab.aliases.items() if child == session]:
            del tab.aliases[alias]
            self._sessions.pop(alias, None)

    def tell(self, tab: DrivenTab, child: str | None, method: str, params: Json) -> None:
        for session in tab.hearers(child, method):
            self._emit(session, method, params)

    def tell_browser(self, method: str, params: Json) -> None:
        self._emit(None, method, params)

    async def _answer(self, method: str, params: Json, session: str | None) -> Json:
        match method:
            case "Browser.getVersion":
                return self._relay.version()
            case "Target.setAutoAttach":
                self._wants_targets = True
                for tab in self._tabs():
                    self._emit(None, "Target.attachedToTarget", _attached(tab))
                return {}
            case "Target.getTargetInfo":
                tab = self._sessions[session][0] if session in self._sessions else self._find(params.get("targetId"))
                return {"targetInfo": tab.target if tab is not None else cdp.browser_target()}
            case "Target.getTargets":
                return {"targetInfos": [tab.target for tab in self._tabs()]}
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
                return {"sessionId": cdp.BROWSER_SESSION}
            case "Storage.getCookies":
                answer = await self._relay.through_any(self._tabs(), method, {})
                return {"cookies": cdp.cookies_of(answer["cookies"], [tab.url for tab in self._tabs()])}
            case "Storage.setCookies":
                return await self._relay.through_any(self._tabs(), method, {"cookies": params.get("cookies", [])})
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
                raise ChromeRefused(f"'{method}' is not offered in the user's own browser.")

    def _alias(self, target_id: str) -> str:
        """One more session for a tab, or for a frame in it that lives in a process of its own."""
        for tab in self._tabs():
            children = [session for session, info in tab.children.items() if info.get("targetId") == target_id]
            if tab.target_id == target_id or children:
                child = children[0] if children else None
                session = f"{tab.session}-{next(self._numbers)}"
                tab.aliases[session] = child
                self._sessions[session] = (tab, child)
                return session
        raise ChromeRefused("No target with given id found.")

    def _detach(self, session: str) -> Json:
        tab, _ = self._sessions.get(session, (None, None))
        if tab is not None and session in tab.aliases:
            del tab.aliases[session]
            del self._sessions[session]
        return {}

    def _tabs(self) -> list[DrivenTab]:
        return [tab for session, (tab, _) in self._sessions.items() if session == tab.session]

    def _find(self, target_id: object) -> DrivenTab | None:
        return next((tab for tab in self._tabs() if tab.target_id == target_id), None)

    def _run(self, work: Coroutine[Any, Any, Json], reply: Callable[[Any, PilotError | None], None]) -> None:
        async def run() -> None:
            try:
                result = await work
            except PilotError as error:
                reply(None, error)
            else:
                reply(result, None)

        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _emit(self, session: str | None, method: str, params: Json) -> None:
        message: Json = {"method": method, "params": params}
        self._put(message if session is None else {**message, "sessionId": session})

    def _put(self, message: Json) -> None:
        if self._out is not None:
            self._out.put(message)


def _attached(tab: DrivenTab) -> Json:
    return {"sessionId": tab.session, "targetInfo": tab.target, "waitingForDebugger": False}


def _explain(error: PilotError) -> Json:
    if isinstance(error, OutcomeUnknown):
        return cdp.error_of(cdp.UNKNOWN + error.message)
    if isinstance(error, BrowserDisconnected):
        return cdp.error_of(cdp.AWAY + error.message)
    return cdp.error_of(error.message)
