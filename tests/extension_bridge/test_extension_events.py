"""Malformed events of a paired extension are rejected before the relay sees them."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from browser_pilot.config.settings import Settings
from browser_pilot.extension_bridge.bridge import Bridge
from browser_pilot.extension_bridge.cdp_relay.cdp_client import CdpClient
from browser_pilot.extension_bridge.cdp_relay.controlled_tab import AttachEvent
from browser_pilot.extension_bridge.cdp_relay.downloads import ChromeDownloads
from browser_pilot.extension_bridge.cdp_relay.relay import Relay
from browser_pilot.extension_bridge.extension_connection import ExtensionConnection
from browser_pilot.extension_bridge.extension_events import validate
from browser_pilot.extension_bridge.protocol import Event, ProtocolError
from browser_pilot.extension_bridge.ui_backend import UiBackend
from browser_pilot.upstream_errors import DROPPED_EVENT
from tests.config.fixed_config import FixedConfig

TAB = {"id": 1, "kind": "shared", "since": 1.0}
FRAME = {"id": "f", "loaderId": "l", "url": "https://example.com/"}
VALID = [
    Event("debugger.onEvent", [{"tabId": 1}, "Page.frameNavigated", {"frame": FRAME}]),
    Event("debugger.onEvent", [{"tabId": 1}, "Page.frameDetached", {"frameId": "f"}]),
    Event(
        "debugger.onEvent",
        [{"tabId": 1}, "Target.attachedToTarget", {"sessionId": "s", "targetInfo": {"targetId": "t"}}],
    ),
    Event("debugger.onEvent", [{"tabId": 1}, "Page.downloadWillBegin", {"guid": "a-1", "url": "https://example.com/"}]),
    Event("debugger.onEvent", [{"tabId": 1, "sessionId": "s"}, "Network.requestWillBeSent", {"requestId": "1"}]),
    Event("debugger.onEvent", [{"tabId": 1}, DROPPED_EVENT, {"dropped": {"console": 3}, "stopped": True}]),
    Event("debugger.onDetach", [{"tabId": 1}, "target_closed"]),
    Event("controlledTabs.changed", [[TAB, {"id": 2, "kind": "agent", "since": 2, "opener": 1}]]),
    Event("user.command", ["pause"]),
    Event("webNavigation.onDOMContentLoaded", [{"tabId": 1, "url": "https://example.com/"}]),
]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["tabId", "id", "frame", "url", "kind"]), inner)
    ),
    max_leaves=6,
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(cast("dict[Any, Any]", value))
    elif isinstance(value, list):
        keys = list(range(len(cast("list[Any]", value))))
    return [at, *(path for key in keys for path in paths(value[key], (*at, key)))]


def damaged(event: Event, path: tuple[Any, ...], junk: Any, *, remove: bool) -> Event:
    """The event with one part of it replaced or removed."""
    if not path:
        return Event(event.event, cast("list[Any]", junk) if isinstance(junk, list) else [junk])
    args: Any = json.loads(json.dumps(event.args))
    inner = args
    for key in path[:-1]:
        inner = inner[key]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = junk
    return Event(event.event, args)


@pytest.mark.parametrize("event", VALID, ids=lambda event: f"{event.event} {event.args[1:2]}")
def test_events_of_our_extension_pass(event: Event) -> None:
    validate(event)


@pytest.mark.parametrize("guid", ["../../x", "a/b", "", "a" * 101])
def test_the_id_of_a_download_is_no_path(guid: str) -> None:
    with pytest.raises(ProtocolError):
        validate(Event("debugger.onEvent", [{"tabId": 1}, "Page.downloadWillBegin", {"guid": guid, "url": ""}]))


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_event_is_rejected_or_handled(tmp_path: Path, data: st.DataObject) -> None:
    event = data.draw(st.sampled_from(VALID))
    path = data.draw(st.sampled_from(paths(event.args)))
    broken = damaged(event, path, data.draw(JUNK), remove=data.draw(st.booleans()))

    async def handle() -> None:
        relay = Relay(
            ExtensionConnection("Chrome", lambda _: None),
            ChromeDownloads(tmp_path),
            on_user_command=lambda _: None,
            on_change=lambda: None,
        )
        relay.on_event(Event("controlledTabs.changed", [[TAB]]))
        tab = relay.tabs[1]
        tab.owner = CdpClient(relay, "agent")
        tab.transition(AttachEvent.ATTACHED)
        validate(broken)
        relay.on_event(broken)

    with suppress(ProtocolError):
        asyncio.run(handle())


def test_events_of_a_forgotten_browser_are_ignored(tmp_path: Path) -> None:
    bridge = Bridge(
        tmp_path,
        config=FixedConfig(Settings()),
        ui=UiBackend(),
        record_note=lambda _, __: None,
        set_mode=lambda _: None,
    )
    for event in [*VALID, Event("ui.request", ["1", "state", {}])]:
        bridge._on_event("b0", event)  # pyright: ignore[reportPrivateUsage]
