"""When the hub is lost, open requests get a response at once and the next request gets a new hub."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import cast

import pytest
import toon_format

from browser_pilot.json_types import JsonObject

from .conftest import INITIALIZE, INITIALIZED, AdapterProcess, StartAdapter, StartHub, call, started_hubs
from .fake_hub import FakeHub

LISTEN = {"jsonrpc": "2.0", "id": "listen", "method": "subscriptions/listen"}


def hub_of(adapter: AdapterProcess) -> int:
    return adapter.ask(call("who", "pid"))["result"]["structuredContent"]["pid"]


def test_a_call_in_flight_gets_outcome_unknown(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.initialize()
    adapter.send(call(7, "hang"))
    hub.wait_until(lambda: len(hub.received) == 3)
    hub.stop()
    response = adapter.receive()
    assert response["id"] == 7
    assert response["result"]["isError"] is True
    error = cast("JsonObject", toon_format.decode(response["result"]["content"][0]["text"]))
    assert list(error) == ["error", "message", "suggestions", "retryable"]
    assert (error["error"], error["retryable"]) == ("OUTCOME_UNKNOWN", False)


def test_the_error_is_json_with_the_json_format(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter("--format", "json")
    adapter.send(call(7, "hang"))
    hub.wait_until(lambda: len(hub.received) == 1)
    hub.stop()
    assert json.loads(adapter.receive()["result"]["content"][0]["text"])["error"] == "OUTCOME_UNKNOWN"


def test_any_other_request_in_flight_gets_a_retryable_error(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(LISTEN)
    hub.wait_until(lambda: len(hub.received) == 1)
    hub.stop()
    response = adapter.receive()
    assert (response["id"], response["error"]["code"]) == ("listen", -32000)
    assert response["error"]["data"]["code"] == "HUB_UNAVAILABLE"
    assert response["error"]["data"]["retryable"] is True


def test_every_open_request_gets_one_response(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    for number in range(50):
        adapter.send(call(number, "hang"))
    adapter.send(call(3, "hang"))
    assert adapter.ask(call("done", "echo"))["id"] == "done"
    hub.stop()
    assert sorted(adapter.receive()["id"] for _ in range(51)) == sorted([*range(50), 3])
    assert adapter.ask(call("after", "echo"))["id"] == "after"


def test_of_two_requests_with_the_same_id_the_open_one_gets_the_error(
    hub: FakeHub, start_adapter: StartAdapter
) -> None:
    adapter = start_adapter()
    adapter.send(call(1, "hang"))
    assert "structuredContent" in adapter.ask(call(1, "echo"))["result"]
    hub.stop()
    assert adapter.receive()["result"]["isError"] is True


def test_a_killed_hub_is_replaced_and_initialized_again(home: Path, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.initialize()
    first = hub_of(adapter)
    adapter.send(call(1, "hang"))
    assert adapter.ask(call(2, "echo"))["id"] == 2
    os.kill(first, signal.SIGKILL)
    assert adapter.receive()["id"] == 1
    second = hub_of(adapter)
    assert second != first
    assert started_hubs(home) == [first, second]


def test_a_hub_that_dies_in_twenty_calls_is_restarted_each_time(home: Path, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.initialize()
    for number in range(20):
        response = adapter.ask(call(number, "die"))
        assert response["id"] == number
        assert "OUTCOME_UNKNOWN" in response["result"]["content"][0]["text"]
    assert adapter.ask(call("after", "echo"))["id"] == "after"
    assert len(set(started_hubs(home))) == 21


def test_initialize_is_replayed_with_the_negotiated_version_and_its_response_dropped(
    start_hub: StartHub, start_adapter: StartAdapter
) -> None:
    first = start_hub()
    adapter = start_adapter()
    adapter.initialize()
    adapter.ask(call(1, "echo"))
    first.stop()
    second = start_hub()
    assert adapter.ask(call(2, "echo"))["id"] == 2
    again, initialized, request = second.messages()
    assert again["method"] == "initialize"
    assert again["params"] == INITIALIZE["params"]
    assert again["id"] != INITIALIZE["id"]
    assert initialized == INITIALIZED
    assert request["id"] == 2


def test_without_an_initialize_nothing_is_replayed(start_hub: StartHub, start_adapter: StartAdapter) -> None:
    first = start_hub()
    adapter = start_adapter()
    adapter.ask(call(1, "echo"))
    first.stop()
    second = start_hub()
    adapter.ask(call(2, "echo"))
    assert [message["method"] for message in second.messages()] == ["tools/call"]


def test_a_client_that_initializes_again_itself_is_not_initialized_twice(
    start_hub: StartHub, start_adapter: StartAdapter
) -> None:
    first = start_hub()
    adapter = start_adapter()
    adapter.initialize()
    adapter.ask(call(1, "echo"))
    first.stop()
    second = start_hub()
    assert adapter.ask({**INITIALIZE, "id": 5})["id"] == 5
    assert [message["id"] for message in second.messages()] == [5]


def test_a_request_of_a_lost_hub_is_cancelled_and_its_late_response_dropped(
    start_hub: StartHub, start_adapter: StartAdapter
) -> None:
    first = start_hub()
    adapter = start_adapter()
    assert adapter.ask(call(1, "ask", id=0))["method"] == "elicitation/create"
    first.stop()
    assert adapter.receive()["id"] == 1
    assert adapter.receive()["params"]["requestId"] == 0
    second = start_hub()
    # The new hub's ids start at zero too: a response to the old request must not approve the new one.
    assert adapter.ask(call(2, "ask", id=0))["method"] == "elicitation/create"
    adapter.send(b'{"jsonrpc":"2.0","id":0,"result":{"action":"accept"}}\n')
    adapter.ask(call(3, "echo"))
    assert [message["id"] for message in second.messages()] == [2, 3]


def test_a_request_that_the_hub_cancelled_is_not_cancelled_again(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.ask(call(1, "ask", id="q"))
    hub.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}')
    adapter.receive()
    hub.stop()
    assert adapter.receive()["id"] == 1
    assert "result" in adapter.ask(call(2, "echo"))


def test_a_notification_does_not_start_a_hub(home: Path, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(INITIALIZED)
    adapter.send(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
    assert adapter.finish() == 0
    assert started_hubs(home) == []


@pytest.mark.timeout(40)
def test_a_hub_that_does_not_reply_to_the_handshake_is_reported_after_ten_seconds(
    start_hub: StartHub, start_adapter: StartAdapter
) -> None:
    start_hub(replies=False)
    error = start_adapter().ask(INITIALIZE)["error"]
    assert "does not respond" in error["message"]
    assert error["data"]["retryable"] is True
