"""`chrome.debugger` on a driven tab: attached, kept drawing in the background, let go when idle, and taken up again.

Knows one tab at a time and nothing of who owns it; the relay decides when. Taking up again repeats what set the session
up and tells Playwright what changed meanwhile, so that for it nothing happened.
"""

from __future__ import annotations

import logging
from typing import Any

from ..errors import PilotError
from . import cdp
from .cdp_client import CdpClient
from .driven_tab import Command, DrivenTab
from .link import BrowserLink, ChromeRefused
from .wire import Json

logger = logging.getLogger(__name__)


class Debugger:
    def __init__(self, link: BrowserLink) -> None:
        self._link = link

    async def attach(self, tab: DrivenTab, opener: DrivenTab | None) -> None:
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
        if command.child is None and cdp.is_sticky(method):
            tab.remember(method, params)
        if method in ("Page.startScreencast", "Page.stopScreencast") and command.child is None:
            tab.clients_screencast = method == "Page.startScreencast"
            tab.drawing = False
        elif not tab.drawing and not tab.clients_screencast:
            self._draw(tab)
        self._link.post("debugger.sendCommand", [tab.debuggee(command.child), method, params], command.reply)

    def stop_drawing(self, tab: DrivenTab) -> None:
        """What nobody looks at need not be drawn; the next command draws again."""
        if tab.drawing and not tab.clients_screencast:
            tab.drawing = False
            self._post(tab, "Page.stopScreencast", {})

    async def let_go(self, tab: DrivenTab) -> None:
        """Detach, so that Chrome's bar goes away; remembers which document was there."""
        try:
            tree = await self._ask(tab, "Page.getFrameTree", {})
            tab.loader = str(tree["frameTree"]["frame"]["loaderId"])
            tab.state = "asleep"
            await self._link.call("debugger.detach", tab.debuggee(None))
        except PilotError as error:
            logger.info("an idle tab could not be let go: %s", error.message)

    async def take_up(self, tab: DrivenTab, owner: CdpClient, opener: DrivenTab | None) -> None:
        """Attach again and make everything as Playwright left it, telling it what changed meanwhile."""
        for child, info in list(tab.children.items()):
            for method, params in cdp.lost_child_events(child, info):
                owner.tell(tab, None, method, params)
            owner.remove_child(tab, child)
        tab.children.clear()
        await self.attach(tab, opener)
        owner.tell(tab, None, "Runtime.executionContextsCleared", {})
        tree = await self._ask(tab, "Page.getFrameTree", {})
        if tree["frameTree"]["frame"]["loaderId"] != tab.loader:
            for method, params in cdp.tree_events(tree["frameTree"]):
                owner.tell(tab, None, method, params)
        tab.state = "attached"
        for method, params in tab.sticky:
            try:
                await self._ask(tab, method, params)
            except ChromeRefused as error:
                logger.debug("could not repeat %s: %s", method, error.message)

    async def look_after_cut(self, tab: DrivenTab) -> None:
        """The connection was cut: is the debugger still attached?"""
        try:
            targets = await self._link.call("debugger.getTargets")
        except PilotError:
            return
        if not any(target.get("tabId") == tab.id and target.get("attached") for target in targets):
            tab.state = "asleep"

    async def _ask(self, tab: DrivenTab, method: str, params: Json) -> Any:
        return await self._link.call("debugger.sendCommand", tab.debuggee(None), method, params)

    def _draw(self, tab: DrivenTab) -> None:
        tab.drawing = True
        self._post(tab, "Page.startScreencast", cdp.DUMMY_SCREENCAST)

    def _post(self, tab: DrivenTab, method: str, params: Json) -> None:
        def ignore(_: Any, error: PilotError | None) -> None:
            if error is not None:
                logger.debug("%s: %s", method, error.message)

        self._link.post("debugger.sendCommand", [tab.debuggee(None), method, params], ignore)
