"""The registry between the bridge and the user interface behind the extension's pages."""

from __future__ import annotations

import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.extension_bridge.ui_backend import UiBackend
from browser_pilot.json_types import JsonObject


async def test_a_request_is_passed_to_the_handler_of_its_name() -> None:
    ui = UiBackend()

    async def state(browser: str, params: JsonObject) -> JsonObject:
        return {"browser": browser, **params}

    ui.register({"state": state})
    assert await ui.handle("b1", "state", {"url": "x"}) == {"browser": "b1", "url": "x"}


async def test_a_request_without_a_handler_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="'state'"):
        await UiBackend().handle("b1", "state", {})


def test_every_listener_receives_presence_and_stops() -> None:
    ui = UiBackend()
    seen: list[object] = []
    for _ in range(2):
        ui.on_presence(seen.append)
        ui.on_stop(lambda: seen.append("stop"))
    ui.presence_changed(connected=True)
    ui.stopped()
    assert seen == [True, True, "stop", "stop"]
    assert ui.pending() == []
