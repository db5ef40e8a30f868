"""`chrome.debugger` on a driven tab: attached, kept drawing in the background, let go when idle, and taken up again.

Knows one tab at a time and nothing of who owns it; the relay decides when. Taking up again repeats what set the session
up and tells Playwright what changed meanwhile, so that for it nothing happened.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from ..errors import PilotError
from . import cdp, interrupted
from .cdp_client import CdpClient
from .driven_tab import Command, DrivenTab
from .link import BrowserLink, ChromeRefused
from .wire import Json

logger = logging.getLogger(__name__)

ATTACHING_SECONDS = 10.0
_HEAR_OF_FRAMES: tuple[str, Json] = ("Page.enable", {})


class Debugger:
    def __init__(self, link: BrowserLink) -> None:
        self._link = link

    async def attach(self, tab: DrivenTab, opener: DrivenTab | None) -> None:
        await self._insist(partial(self._attach, tab, opener))

    async def _attach(self, tab: DrivenTab, opener: DrivenTab | None) -> None:
        target = tab.debuggee(None)
        try:
            await self._link.call("debugger.attach", target, cdp.VERSION)
        except ChromeRefused as error:
            if "already attached" not in error.message:
                raise
            # Ours, from before the hub was started anew: what was set up then must not linger.
            await self._link.call("debugger.detach", target)
            await self._link.call("debugger.attach", target, cdp.VERSION)
        answer = await self._ask(tab, "Target.getTargetInfo", {})
        tab.target = {**answer["targetInfo"], "attached": True}
        if opener is not None:
            tab.target["openerId"] = opener.target_id
        tab.url = str(tab.target.get("url", ""))
        self._post(tab, "Emulation.setFocusEmulationEnabled", {"enabled": True})
        self._draw(tab)

    def send(self, tab: DrivenTab, command: Command) -> None:
        method, params = command.method, command.params
        if tab.state != "attached":
            command.reply(None, ChromeRefused("Target closed"))
            return
        if command.child is None and (cdp.is_sticky(method) or method.endswith(".disable")):
            tab.remember(method, params)
        if method in ("Page.startScreencast", "Page.stopScreencast") and command.child is None:
            tab.clients_screencast = method == "Page.startScreencast"
            tab.drawing = False
        elif not tab.drawing and not tab.clients_screencast:
            self._draw(tab)
        target = tab.debuggee(command.child)
        if command.child is not None:
            self._link.post("debugger.sendCommand", [target, method, params], command.reply)
            return
        opened = tab.handles.opened(params)
        if opened is None:
            command.reply(None, ChromeRefused("Could not find object with given id"))
            return

        def reply(result: Any, error: PilotError | None) -> None:
            if error is None and method == "Page.getFrameTree":
                tab.told.note_tree(result["frameTree"])
            command.reply(tab.handles.sealed(result), error)

        self._link.post("debugger.sendCommand", [target, method, opened], reply)

    def stop_drawing(self, tab: DrivenTab) -> None:
        """What nobody looks at need not be drawn; the next command draws again."""
        if tab.drawing and not tab.clients_screencast:
            tab.drawing = False
            self._post(tab, "Page.stopScreencast", {})

    async def let_go(self, tab: DrivenTab) -> None:
        """Detach, so that Chrome's bar goes away; remembers which document was there."""
        try:
            tree = await self._ask(tab, "Page.getFrameTree", {})
            tab.told.note_tree(tree["frameTree"])
            tab.state = "asleep"
            await self._link.call("debugger.detach", tab.debuggee(None))
        except PilotError as error:
            logger.info("an idle tab could not be let go: %s", error.message)

    async def take_up(self, tab: DrivenTab, owner: CdpClient, opener: DrivenTab | None) -> None:
        """Attach again and make everything as Playwright left it, telling it what changed meanwhile."""
        await self._insist(partial(self._take_up, tab, owner, opener))

    async def _take_up(self, tab: DrivenTab, owner: CdpClient, opener: DrivenTab | None) -> None:
        for child, info in list(tab.children.items()):
            for method, params in cdp.lost_child_events(child, info):
                owner.tell(tab, None, method, params)
            owner.remove_child(tab, child)
        tab.children.clear()
        await self._attach(tab, opener)
        tab.handles.renew()
        owner.tell(tab, None, "Runtime.executionContextsCleared", {})
        owner.tell(tab, None, cdp.ATTACHED_AGAIN, {})
        if _HEAR_OF_FRAMES in tab.sticky:
            await self._ask(tab, *_HEAR_OF_FRAMES)
        await self._tell_missed(tab, owner)
        for method, params in [one for one in tab.sticky if one != _HEAR_OF_FRAMES]:
            try:
                await self._ask(tab, method, params)
            except ChromeRefused as error:
                logger.debug("could not repeat %s: %s", method, error.message)

    async def _tell_missed(self, tab: DrivenTab, owner: CdpClient) -> None:
        """Tell what the frames came to be meanwhile. From the answer on, whatever happens is told or heeded."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def reply(answer: Any, error: PilotError | None) -> None:
            if done.done():
                return
            if error is not None:
                done.set_exception(error)
                return
            for method, params in tab.told.missed(answer["frameTree"]):
                owner.tell(tab, None, method, params)
            tab.state = "attached"
            done.set_result(None)

        self._link.post("debugger.sendCommand", [tab.debuggee(None), "Page.getFrameTree", {}], reply)
        await done

    def pass_by(self, tab: DrivenTab, child: str) -> None:
        """Let a frame that is nobody's to see go on by itself."""
        self._post(tab, "Runtime.runIfWaitingForDebugger", {}, child)

    async def look_after_cut(self, tab: DrivenTab) -> None:
        """The connection was cut: is the debugger still attached?"""
        try:
            targets = await self._link.call("debugger.getTargets")
        except PilotError:
            return
        if not any(target.get("tabId") == tab.id and target.get("attached") for target in targets):
            tab.state = "asleep"

    async def _insist(self, attaching: Callable[[], Awaitable[None]]) -> None:
        """Attach, though Chrome may let go of the tab meanwhile: once for each PDF viewer that opens in it."""
        until = time.monotonic() + ATTACHING_SECONDS
        while True:
            try:
                return await attaching()
            except ChromeRefused as error:
                if not interrupted.is_interruption(error.message) or time.monotonic() > until:
                    raise

    async def _ask(self, tab: DrivenTab, method: str, params: Json) -> Any:
        return await self._link.call("debugger.sendCommand", tab.debuggee(None), method, params)

    def _draw(self, tab: DrivenTab) -> None:
        tab.drawing = True
        self._post(tab, "Page.startScreencast", cdp.DUMMY_SCREENCAST)

    def _post(self, tab: DrivenTab, method: str, params: Json, child: str | None = None) -> None:
        def ignore(_: Any, error: PilotError | None) -> None:
            if error is not None:
                logger.debug("%s: %s", method, error.message)

        self._link.post("debugger.sendCommand", [tab.debuggee(child), method, params], ignore)
