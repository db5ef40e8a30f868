"""`chrome.debugger` on one controlled tab: attach, detach, reattach, and keep a background tab rendering.

Knows one tab at a time and not who owns it; ``DebuggerSessions`` and the relay decide when. A reattach repeats the
commands that set the session up and sends Playwright the events that it missed, so that it notices nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from browser_pilot.errors import PilotError
from browser_pilot.extension_bridge.extension_connection import ChromeRefused, ExtensionConnection, Reply, pending_reply
from browser_pilot.json_types import JsonObject
from browser_pilot.upstream_errors import (
    DEBUGGER_ALREADY_ATTACHED,
    OBJECT_NOT_FOUND,
    REATTACHED_EVENT,
    TARGET_CLOSED,
    is_detached,
)

from . import cdp_protocol
from .cdp_client import CdpClient
from .controlled_tab import AttachEvent, AttachState, Command, ControlledTab

logger = logging.getLogger(__name__)

ATTACH_TIMEOUT_SECONDS = 10.0
EXTENSION_FRAME_TIMEOUT_SECONDS = 5.0
_POLL_SECONDS = 0.05
_ENABLE_PAGE: tuple[str, JsonObject] = ("Page.enable", {})


class Debugger:
    def __init__(self, connection: ExtensionConnection) -> None:
        self._connection = connection

    async def attach(self, tab: ControlledTab, opener: ControlledTab | None) -> None:
        await self._attach_with_retry(tab, partial(self._attach, tab, opener))

    async def _attach(self, tab: ControlledTab, opener: ControlledTab | None) -> None:
        target = tab.debuggee(None)
        try:
            await self._connection.call("debugger.attach", target, cdp_protocol.PROTOCOL_VERSION)
        except ChromeRefused as error:
            if not DEBUGGER_ALREADY_ATTACHED.matches(error.message):
                raise
            # By us, before the hub restarted: detaching clears what was set up then.
            await self._connection.call("debugger.detach", target)
            await self._connection.call("debugger.attach", target, cdp_protocol.PROTOCOL_VERSION)
        response = await self._call(tab, "Target.getTargetInfo", {})
        tab.target_info = {**response["targetInfo"], "attached": True}
        if opener is not None:
            tab.target_info["openerId"] = opener.target_id
        tab.url = str(tab.target_info.get("url", ""))
        self._post(tab, "Emulation.setFocusEmulationEnabled", {"enabled": True})
        self._start_screencast(tab)

    def send(self, tab: ControlledTab, command: Command) -> None:
        method, params = command.method, command.params
        if tab.state is not AttachState.ATTACHED:
            command.reply(None, ChromeRefused(TARGET_CLOSED))
            return
        if command.child is None and (cdp_protocol.is_setup_command(method) or method.endswith(".disable")):
            tab.record_setup(method, params)
        if method in ("Page.startScreencast", "Page.stopScreencast") and command.child is None:
            tab.client_screencasts = method == "Page.startScreencast"
            tab.screencasting = False
        elif not tab.screencasting and not tab.client_screencasts:
            self._start_screencast(tab)
        target = tab.debuggee(command.child)
        if command.child is not None:
            self._connection.post("debugger.sendCommand", [target, method, params], command.reply)
            return
        opened = tab.object_ids.untag_params(params)
        if opened is None:
            command.reply(None, ChromeRefused(OBJECT_NOT_FOUND))
            return

        def reply(result: Any, error: PilotError | None) -> None:
            if error is None and method == "Page.getFrameTree":
                tab.frame_state.record_tree(result["frameTree"])
            command.reply(tab.object_ids.tag_result(result), error)

        self._connection.post("debugger.sendCommand", [target, method, opened], reply)

    def stop_screencast(self, tab: ControlledTab) -> None:
        """Stop rendering a background tab that is not in use; the next command starts it again."""
        if tab.screencasting and not tab.client_screencasts:
            tab.screencasting = False
            self._post(tab, "Page.stopScreencast", {})

    async def detach(self, tab: ControlledTab) -> None:
        """Detach, which removes Chrome's infobar; records the present documents for the reattach."""
        try:
            response = await self._call(tab, "Page.getFrameTree", {})
            if tab.transition(AttachEvent.DETACHED):
                tab.frame_state.record_tree(response["frameTree"])
                await self._connection.call("debugger.detach", tab.debuggee(None))
        except PilotError as error:
            logger.info("could not detach from an idle tab: %s", error.message)

    async def reattach(self, tab: ControlledTab, owner: CdpClient, opener: ControlledTab | None) -> None:
        """Attach again, repeat the set-up commands, and send Playwright the events that it missed."""
        await self._attach_with_retry(tab, partial(self._reattach, tab, owner, opener))

    async def _reattach(self, tab: ControlledTab, owner: CdpClient, opener: ControlledTab | None) -> None:
        for child, info in list(tab.children.items()):
            for method, params in cdp_protocol.lost_child_events(child, info):
                owner.emit(tab, None, method, params)
            owner.remove_child(tab, child)
        tab.children.clear()
        await self._attach(tab, opener)
        await self._wait_extension_frame(tab)
        tab.object_ids.start_attachment()
        owner.emit(tab, None, "Runtime.executionContextsCleared", {})
        owner.emit(tab, None, REATTACHED_EVENT, {})
        if _ENABLE_PAGE in tab.setup_commands:
            await self._call(tab, *_ENABLE_PAGE)
        await self._replay_missed(tab, owner)
        for method, params in [one for one in tab.setup_commands if one != _ENABLE_PAGE]:
            try:
                await self._call(tab, method, params)
            except ChromeRefused as error:
                logger.debug("could not repeat %s: %s", method, error.message)

    async def _wait_extension_frame(self, tab: ControlledTab) -> None:
        """Wait until the page has no frame that is still loading another extension's page.

        Chrome detaches when such a load starts, and once it is done refuses every command. In between it lets us
        attach; but then `Target.setAutoAttach` halts the frame, for the user too, without an event that would let us
        resume it.
        """
        until = time.monotonic() + EXTENSION_FRAME_TIMEOUT_SECONDS
        while tab.extension_frame is not None and time.monotonic() < until:
            response = await self._call(tab, "Page.getFrameTree", {})
            if not cdp_protocol.is_loading(response["frameTree"], tab.extension_frame):
                break
            await asyncio.sleep(_POLL_SECONDS)
        tab.extension_frame = None

    async def _replay_missed(self, tab: ControlledTab, owner: CdpClient) -> None:
        """Send the events that lead from the recorded frame tree to the present one.

        The tab counts as attached as soon as the response is here: later events are passed on, a detach is noticed.
        """

        def replay(response: Any) -> None:
            if not tab.transition(AttachEvent.REATTACHED):
                raise ChromeRefused(TARGET_CLOSED)  # released meanwhile
            for method, params in tab.frame_state.missed_events(response["frameTree"]):
                owner.emit(tab, None, method, params)

        replayed, reply = pending_reply(replay)
        self._connection.post("debugger.sendCommand", [tab.debuggee(None), "Page.getFrameTree", {}], reply)
        try:
            await replayed
        except ChromeRefused:
            if tab.state is AttachState.UNATTACHED:
                self._connection.post("debugger.detach", [tab.debuggee(None)], _log_error("debugger.detach"))
            raise

    def resume_child(self, tab: ControlledTab, child: str) -> None:
        """Resume a frame that Playwright does not get to see: it waits for the debugger at its start."""
        self._post(tab, "Runtime.runIfWaitingForDebugger", {}, child)

    async def check_attached(self, tab: ControlledTab) -> None:
        """Find out, after the connection was lost, whether the debugger is still attached."""
        try:
            targets = await self._connection.call("debugger.getTargets")
        except PilotError:
            return
        if not any(target.get("tabId") == tab.id and target.get("attached") for target in targets):
            tab.transition(AttachEvent.DETACHED)

    async def _attach_with_retry(self, tab: ControlledTab, attach: Callable[[], Awaitable[None]]) -> None:
        """Retry when Chrome detaches meanwhile: it does so once for each PDF viewer that opens in the page."""
        before, until = tab.state, time.monotonic() + ATTACH_TIMEOUT_SECONDS
        while True:
            try:
                return await attach()
            except ChromeRefused as error:
                if not is_detached(error.message) or tab.state is not before or time.monotonic() > until:
                    raise

    async def _call(self, tab: ControlledTab, method: str, params: JsonObject) -> Any:
        return await self._connection.call("debugger.sendCommand", tab.debuggee(None), method, params)

    def _start_screencast(self, tab: ControlledTab) -> None:
        tab.screencasting = True
        self._post(tab, "Page.startScreencast", cdp_protocol.DUMMY_SCREENCAST)

    def _post(self, tab: ControlledTab, method: str, params: JsonObject, child: str | None = None) -> None:
        self._connection.post("debugger.sendCommand", [tab.debuggee(child), method, params], _log_error(method))


def _log_error(name: str) -> Reply:
    def reply(_: Any, error: PilotError | None) -> None:
        if error is not None:
            logger.debug("%s: %s", name, error.message)

    return reply
