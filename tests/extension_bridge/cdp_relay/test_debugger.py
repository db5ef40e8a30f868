"""A tab that Chrome lets go of again while it is being taken up: no moment in which that goes unnoticed.

Chrome lets go of a tab once for each PDF viewer that opens in it. The moments are chosen here by a stand-in for the
extension; the real thing is in ``tests/own``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.bridge.downloads import Downloads
from browser_pilot.bridge.driven_tab import Command
from browser_pilot.bridge.link import BrowserLink
from browser_pilot.bridge.outgoing import Outgoing
from browser_pilot.bridge.relay import Relay
from browser_pilot.bridge.wire import Answered, Happened, Json

PATIENCE_SECONDS = 5
SET_UP = ("Page.enable", "Page.setLifecycleEventsEnabled", "Network.enable")


class Sent(Outgoing[Json]):
    """Hands each message on as soon as the loop turns."""

    def __init__(self, take: Callable[[Json], None]) -> None:
        super().__init__(self._nowhere)
        self._take = take

    async def _nowhere(self, messages: list[Json]) -> None:
        raise AssertionError("nobody runs this")

    def put(self, message: Json) -> None:
        asyncio.get_running_loop().call_soon(self._take, message)


class Scripted:
    """A browser with one tab. Chrome lets go of it upon each command in ``after``, once for each time that it is there;
    upon one in ``navigates_after`` the tab shows another document.
    """

    def __init__(self, folder: Path) -> None:
        self.link = BrowserLink("Chrome", lambda happened: self.relay.on_event(happened))
        self.relay = Relay(self.link, Downloads(folder), word=lambda word: None, changed=lambda: None)
        self.told: list[Json] = []
        self.attached = False
        self.set_up: list[str] = []
        self.after: list[str] = []
        self.navigates_after: list[str] = []
        self.loader = "first"

    async def begin(self) -> None:
        self.link.connect(Sent(self._asked))
        client = await self.relay.join("a client")
        client.connect(Sent(self.told.append))
        self._happens("pilot.tabs", [{"id": 7, "kind": "shared", "since": 0}])
        await self.until(lambda: self.relay.tabs[7].state == "attached")
        for method in SET_UP:
            await self.command(method)

    async def command(self, method: str) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        command = Command(method, {}, None, lambda result, error: answer.set_result(error or result))
        self.relay.command(self.relay.tabs[7], command)
        return await answer

    async def until(self, so: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not so():
                await asyncio.sleep(0)

    def lets_go(self) -> None:
        self.attached = False
        self.set_up = []
        self._happens("debugger.onDetach", {"tabId": 7}, "target_closed")

    def _happens(self, event: str, *args: Any) -> None:
        self.link.receive(Happened(event, list(args)))

    def _asked(self, message: Json) -> None:
        name, args = message["call"], message["args"]
        method = args[1] if name == "debugger.sendCommand" else name
        if name == "debugger.attach":
            self.attached = True
        if name == "debugger.sendCommand" and not self.attached:
            self.link.receive(Answered(message["id"], error="Debugger is not attached to the tab with id: 7."))
            return
        if method in SET_UP:
            self.set_up.append(method)
        self.link.receive(Answered(message["id"], result=self._answer(method)))
        if method in self.navigates_after:
            self.navigates_after.remove(method)
            self.loader = "second"
            if "Page.enable" in self.set_up:
                event = ("Page.frameNavigated", {"frame": self._frame(), "type": "Navigation"})
                self._happens("debugger.onEvent", {"tabId": 7}, *event)
        if method in self.after:
            self.after.remove(method)
            self.lets_go()

    def _answer(self, method: str) -> Json:
        if method == "Target.getTargetInfo":
            return {"targetInfo": {"targetId": "frame", "url": "http://a.test/"}}
        return {"frameTree": {"frame": self._frame()}} if method == "Page.getFrameTree" else {}

    def _frame(self) -> Json:
        return {"id": "frame", "loaderId": self.loader, "url": "http://a.test/"}


@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("method", ["debugger.attach", "Target.getTargetInfo", "Page.getFrameTree", *SET_UP])
async def test_a_tab_that_is_lost_again_at_any_moment_is_set_up_in_the_end(
    tmp_path: Path, method: str, times: int
) -> None:
    chrome = Scripted(tmp_path)
    await chrome.begin()
    chrome.after = [method] * times
    chrome.lets_go()
    await chrome.until(lambda: not chrome.after and set(chrome.set_up) == {*SET_UP})
    assert chrome.attached
    assert chrome.relay.tabs[7].state == "attached"


@pytest.mark.parametrize("method", ["debugger.attach", "Target.getTargetInfo", "Page.getFrameTree", *SET_UP])
async def test_a_document_that_comes_while_a_tab_is_taken_up_is_told_of_once(tmp_path: Path, method: str) -> None:
    chrome = Scripted(tmp_path)
    await chrome.begin()
    await chrome.command("Page.getFrameTree")
    chrome.told.clear()
    chrome.navigates_after = [method]
    chrome.lets_go()
    await chrome.until(lambda: set(chrome.set_up) == {*SET_UP})
    await chrome.command("Page.getFrameTree")
    documents = [one["params"]["frame"]["loaderId"] for one in chrome.told if one["method"] == "Page.frameNavigated"]
    assert documents == ["second"]
