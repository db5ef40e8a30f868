"""Lines are forwarded unchanged in both directions."""

from __future__ import annotations

import json

import psutil
import pytest

from .conftest import INITIALIZE, StartAdapter, StartHub, call
from .fake_hub import TOKEN, FakeHub


def test_a_line_reaches_the_hub_byte_for_byte(hub: FakeHub, start_adapter: StartAdapter) -> None:
    line = ' {"id" : "ä\\u00e9", "jsonrpc":"2.0",\t"method":"ping", "x": 1.50e1 } \r'.encode()
    start_adapter().send(line + b"\n")
    hub.wait_for_line(line)


def test_a_line_reaches_the_client_byte_for_byte(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.ask(INITIALIZE)
    line = ' {"jsonrpc" : "2.0","method":"notifications/progress","params":{"message":"ü\\u00fc"} } '.encode()
    hub.send(line)
    assert adapter.receive_line() == line


def test_several_lines_in_one_write_arrive_in_order(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(b"".join(json.dumps(call(number, "echo", n=number)).encode() + b"\n" for number in range(200)))
    assert [adapter.receive()["id"] for _ in range(200)] == list(range(200))


def test_blank_lines_are_ignored(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(b"\n  \n\r\n\t\n")
    assert adapter.ask(call(1, "echo"))["id"] == 1
    assert len(hub.received) == 1


def test_a_request_of_the_hub_gets_the_clients_response(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    request = adapter.ask(call(1, "ask", id="q1"))
    assert request["method"] == "elicitation/create"
    reply = b'{"jsonrpc":"2.0","id":"q1","result":{"action":"accept"}}'
    adapter.send(reply + b"\n")
    hub.wait_for_line(reply)


def test_a_response_without_a_request_is_dropped(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.ask(INITIALIZE)
    adapter.send(b'{"jsonrpc":"2.0","id":"q1","result":{"action":"accept"}}\n')
    adapter.ask(call(1, "echo"))
    assert len(hub.received) == 2


def test_a_cancellation_and_a_late_response_are_forwarded(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(call(1, "hang"))
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
    adapter.send(cancel + b"\n")
    hub.wait_for_line(cancel)
    for late in (b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","id":"never asked","result":{}}'):
        hub.send(late)
        assert adapter.receive_line() == late


def test_two_requests_with_the_same_id_get_two_responses(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(call(1, "echo", n=1))
    adapter.send(call(1, "echo", n=2))
    results = [adapter.receive()["result"]["structuredContent"]["n"] for _ in range(2)]
    assert results == [1, 2]


def test_a_line_of_ten_megabytes_is_forwarded_both_ways(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    text = "x" * 10_000_000
    assert adapter.ask(call(1, "echo", text=text))["result"]["structuredContent"]["text"] == text


def test_full_buffers_in_both_directions_do_not_block_each_other(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    text = "x" * 500_000
    for number in range(40):
        adapter.send(call(number, "echo", text=text))
    assert [adapter.receive()["id"] for _ in range(40)] == list(range(40))


def test_a_line_over_the_limit_is_rejected_without_buffering_it(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    for _ in range(256):
        adapter.send(b"x" * 1024 * 1024)
    assert psutil.Process(adapter.process.pid).memory_info().rss < 160 * 1024 * 1024
    adapter.send(b"\n")
    response = adapter.receive()
    assert (response["id"], response["error"]["code"]) == (None, -32600)
    assert "64 MB" in response["error"]["message"]
    assert adapter.ask(call(1, "echo"))["id"] == 1


def test_the_handshake_has_the_token_and_only_the_given_options(hub: FakeHub, start_adapter: StartAdapter) -> None:
    start_adapter().ask(call(1, "echo"))
    (hello,) = hub.hellos
    assert (hello["hello"], hello["token"], hello["options"]) == (1, TOKEN, {})


def test_options_reach_the_hub(hub: FakeHub, start_adapter: StartAdapter) -> None:
    start_adapter("--headed", "--tools=minimal,-browser_console", "--max-tokens", "500").ask(call(1, "echo"))
    assert hub.hellos[0]["options"] == {"headed": True, "tools": "minimal,-browser_console", "max_tokens": 500}


def test_the_hubs_refusal_is_reported_to_the_client(start_hub: StartHub, start_adapter: StartAdapter) -> None:
    refusal = {"error": "INVALID_ARGUMENT", "message": "There is no tool x.", "suggestions": ["Use --tools full."]}
    start_hub(refusal=refusal)
    adapter = start_adapter("--tools", "x")
    error = adapter.ask(INITIALIZE)["error"]
    assert error["code"] == -32000
    assert error["message"] == "There is no tool x. Use --tools full."
    assert error["data"]["cause"] == "INVALID_ARGUMENT"
    assert "There is no tool x." in adapter.stderr()


@pytest.mark.parametrize("option", ["--viewport=12x", "--max-tokens=0", "--format=xml", "--unknown"])
def test_an_invalid_option_is_rejected_with_a_message(start_adapter: StartAdapter, option: str) -> None:
    adapter = start_adapter(option)
    assert adapter.process.wait(10) == 2
    assert option.split("=")[0] in adapter.stderr()
