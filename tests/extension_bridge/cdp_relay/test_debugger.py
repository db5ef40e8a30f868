"""Chrome detaches again while a tab is being reattached: no moment in which that goes unnoticed.

Chrome detaches once for each PDF viewer that opens in a page. A fake extension chooses the moments here; the real one
is tested in ``tests/integration/user_chrome``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.extension_bridge.cdp_relay import debugger
from browser_pilot.extension_bridge.cdp_relay.controlled_tab import AttachEvent, AttachState, Command, ControlledTab
from browser_pilot.extension_bridge.cdp_relay.debugger import EXTENSION_FRAME_TIMEOUT_SECONDS
from browser_pilot.extension_bridge.cdp_relay.downloads import ChromeDownloads
from browser_pilot.extension_bridge.cdp_relay.relay import Relay
from browser_pilot.extension_bridge.extension_connection import ExtensionConnection, pending_reply
from browser_pilot.extension_bridge.protocol import Event, ExtensionResponse
from browser_pilot.extension_bridge.send_queue import SendQueue
from browser_pilot.json_types import JsonObject
from tests.waiting import eventually

OTHER_EXTENSION = "chrome-extension://other/frame.html"
SET_UP = ("Page.enable", "Page.setLifecycleEventsEnabled", "Network.enable")


def _unchanged(result: Any) -> Any:
    return result


class Sent(SendQueue[JsonObject]):
    """Passes each message on in the next turn of the event loop."""

    def __init__(self, receive: Callable[[JsonObject], None]) -> None:
        super().__init__(self._send_nothing)
        self._receive = receive

    async def _send_nothing(self, messages: list[JsonObject]) -> None:
        raise AssertionError("run() is not used here")

    def put(self, message: JsonObject) -> None:
        asyncio.get_running_loop().call_soon(self._receive, message)


class FakeChrome:
    """A browser with one tab. It detaches upon each command in ``detach_after``, once for each occurrence; upon one in
    ``navigate_after`` the tab shows another document. ``hooks`` run after a command.
    """

    def __init__(self, folder: Path) -> None:
        self.link = ExtensionConnection("Chrome", lambda happened: self.relay.on_event(happened))
        self.relay = Relay(
            self.link, ChromeDownloads(folder), on_user_command=lambda word: None, on_change=lambda: None
        )
        self.sent_to_client: list[JsonObject] = []
        self.attached = False
        self.set_up: list[str] = []
        self.detach_after: list[str] = []
        self.navigate_after: list[str] = []
        self.child_frames: list[JsonObject] = []
        self.calls: list[str] = []
        self.hooks: dict[str, Callable[[], object]] = {}
        self.loader = "first"

    async def begin(self) -> None:
        self.link.connect(Sent(self._on_message))
        client = await self.relay.add_client("a client")
        client.connect(Sent(self.sent_to_client.append))
        self._emit("controlledTabs.changed", [{"id": 7, "kind": "shared", "since": 0}])
        await eventually(lambda: self.tab.state is AttachState.ATTACHED)
        for method in SET_UP:
            await self.command(method)

    async def command(self, method: str) -> Any:
        response, reply = pending_reply(_unchanged)
        self.relay.send_command(self.tab, Command(method, {}, None, reply))
        return await response

    @property
    def tab(self) -> ControlledTab:
        return self.relay.tabs[7]

    def emit_event(self, method: str, params: JsonObject) -> None:
        self._emit("debugger.onEvent", {"tabId": 7}, method, params)

    def detach(self) -> None:
        self.attached = False
        self.set_up = []
        self._emit("debugger.onDetach", {"tabId": 7}, "target_closed")

    def _emit(self, event: str, *args: Any) -> None:
        self.link.receive(Event(event, list(args)))

    def _on_message(self, message: JsonObject) -> None:
        name, args = message["call"], message["args"]
        method = args[1] if name == "debugger.sendCommand" else name
        self.calls.append(method)
        if name in ("debugger.attach", "debugger.detach"):
            self.attached = name == "debugger.attach"
        if name == "debugger.sendCommand" and not self.attached:
            self.link.receive(ExtensionResponse(message["id"], error="Debugger is not attached to the tab with id: 7."))
            return
        if method in SET_UP:
            self.set_up.append(method)
        self.link.receive(ExtensionResponse(message["id"], result=self._result_of(method)))
        if method in self.navigate_after:
            self.navigate_after.remove(method)
            self.loader = "second"
            if "Page.enable" in self.set_up:
                self.emit_event("Page.frameNavigated", {"frame": self._frame(), "type": "Navigation"})
        if method in self.hooks:
            self.hooks[method]()
        if method in self.detach_after:
            self.detach_after.remove(method)
            self.detach()

    def _result_of(self, method: str) -> Any:
        if method == "Target.getTargetInfo":
            return {"targetInfo": {"targetId": "frame", "url": "http://a.test/"}}
        tree = {"frame": self._frame(), "childFrames": self.child_frames}
        return {"frameTree": tree} if method == "Page.getFrameTree" else {}

    def _frame(self) -> JsonObject:
        return {"id": "frame", "loaderId": self.loader, "url": "http://a.test/"}


@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("method", ["debugger.attach", "Target.getTargetInfo", "Page.getFrameTree", *SET_UP])
async def test_a_detach_at_any_moment_of_a_reattach_ends_with_the_tab_set_up(
    tmp_path: Path, method: str, times: int
) -> None:
    chrome = FakeChrome(tmp_path)
    await chrome.begin()
    chrome.detach_after = [method] * times
    chrome.detach()
    await eventually(lambda: not chrome.detach_after and set(chrome.set_up) == {*SET_UP})
    assert chrome.attached
    assert chrome.tab.state is AttachState.ATTACHED


@pytest.mark.parametrize("method", ["debugger.attach", "Target.getTargetInfo", "Page.getFrameTree", *SET_UP])
async def test_a_navigation_during_a_reattach_is_reported_once(tmp_path: Path, method: str) -> None:
    chrome = FakeChrome(tmp_path)
    await chrome.begin()
    await chrome.command("Page.getFrameTree")
    chrome.sent_to_client.clear()
    chrome.navigate_after = [method]
    chrome.detach()
    await eventually(lambda: set(chrome.set_up) == {*SET_UP})
    await chrome.command("Page.getFrameTree")
    navigations = [one["params"]["frame"] for one in chrome.sent_to_client if one["method"] == "Page.frameNavigated"]
    assert [frame["loaderId"] for frame in navigations] == ["second"]


async def test_a_tab_that_is_released_during_a_reattach_stays_released_and_is_detached(tmp_path: Path) -> None:
    chrome = FakeChrome(tmp_path)
    await chrome.begin()
    chrome.hooks["debugger.attach"] = lambda: chrome.tab.transition(AttachEvent.RELEASED)
    chrome.calls.clear()
    chrome.detach()
    await eventually(lambda: "debugger.detach" in chrome.calls)
    assert not chrome.attached
    assert chrome.tab.state is AttachState.UNATTACHED


async def test_a_reattach_sets_nothing_up_while_another_extensions_frame_is_loading(tmp_path: Path) -> None:
    """Auto-attach would halt that frame, for the user too."""
    chrome = FakeChrome(tmp_path)
    await chrome.begin()
    chrome.emit_event("Page.frameRequestedNavigation", {"frameId": "inner", "url": OTHER_EXTENSION})
    chrome.calls.clear()
    chrome.child_frames = [{"frame": {"id": "inner", "url": ""}}]
    chrome.detach()
    await eventually(lambda: chrome.calls.count("Page.getFrameTree") > 2)
    assert chrome.set_up == []
    chrome.child_frames = []
    await eventually(lambda: set(chrome.set_up) == {*SET_UP})


@pytest.mark.parametrize(
    "frame",
    [
        {"id": "inner", "url": "chrome-error://chromewebdata/", "unreachableUrl": OTHER_EXTENSION},
        {"id": "another", "url": ""},
    ],
)
async def test_a_reattach_does_not_wait_for_a_frame_that_failed_or_is_gone(tmp_path: Path, frame: JsonObject) -> None:
    chrome = FakeChrome(tmp_path)
    await chrome.begin()
    chrome.emit_event("Page.frameRequestedNavigation", {"frameId": "inner", "url": OTHER_EXTENSION})
    chrome.child_frames = [{"frame": {"parentId": "frame", "loaderId": "", **frame}}]
    chrome.detach()
    await eventually(lambda: set(chrome.set_up) == {*SET_UP}, timeout_seconds=EXTENSION_FRAME_TIMEOUT_SECONDS / 2)


async def test_a_frame_that_never_ends_loading_delays_a_reattach_only_for_some_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debugger, "EXTENSION_FRAME_TIMEOUT_SECONDS", 0.2)
    chrome = FakeChrome(tmp_path)
    await chrome.begin()
    chrome.emit_event("Page.frameRequestedNavigation", {"frameId": "inner", "url": OTHER_EXTENSION})
    chrome.child_frames = [{"frame": {"id": "inner", "url": "", "parentId": "frame", "loaderId": ""}}]
    chrome.detach()
    await eventually(lambda: set(chrome.set_up) == {*SET_UP})
