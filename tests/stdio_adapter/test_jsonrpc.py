"""Any line gets a response or is forwarded, and the next request works."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_pilot.stdio_adapter.fallback_errors import malformed_responses
from browser_pilot.stdio_adapter.jsonrpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    LineSplitter,
    Malformed,
    Notification,
    Request,
    Response,
    read_message,
)
from tests.attempts import count_attempts

from .conftest import StartAdapter, call
from .fake_hub import FakeHub

MALFORMED = [
    (b"{", PARSE_ERROR, None),
    (b"hello", PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}', PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping",}', PARSE_ERROR, None),
    (b"{'id': 1}", PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', PARSE_ERROR, None),
    (b"\xef\xbb\xbf{}", PARSE_ERROR, None),
    ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16-le"), PARSE_ERROR, None),
    (b"\x00", PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"a\tb"}', PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":NaN}}', PARSE_ERROR, 4),
    (b'{"jsonrpc":"2.0","id":"i","method":"ping","params":{"x":-Infinity}}', PARSE_ERROR, "i"),
    (b'{"a":NaN,x}', PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":Infinity', PARSE_ERROR, None),
    (b"[NaN" + b",[" * 100_000, PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":5,"method":"x","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}", PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b',"method":"x"}', PARSE_ERROR, None),
    (b"42", INVALID_REQUEST, None),
    (b'"text"', INVALID_REQUEST, None),
    (b"null", INVALID_REQUEST, None),
    (b"[]", INVALID_REQUEST, None),
    (b"[1, null]", INVALID_REQUEST, None),
    (b'[{"jsonrpc":"2.0","id":6,"method":"ping"}]', INVALID_REQUEST, 6),
    (b"{}", INVALID_REQUEST, None),
    (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', INVALID_REQUEST, 7),
    (b'{"id":8,"method":"ping"}', INVALID_REQUEST, 8),
    (b'{"jsonrpc":"2.0","id":9}', INVALID_REQUEST, 9),
    (b'{"jsonrpc":"2.0","id":"a","method":5}', INVALID_REQUEST, "a"),
    (b'{"jsonrpc":"2.0","id":10,"method":"ping","params":[1]}', INVALID_REQUEST, 10),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', INVALID_REQUEST, None),
]


@pytest.mark.parametrize(("line", "code", "request_id"), MALFORMED)
def test_a_malformed_line_is_recognized(line: bytes, code: int, request_id: str | int | None) -> None:
    message = read_message(line)
    assert isinstance(message, Malformed)
    assert (message.code, message.ids) == (code, (request_id,))


def test_each_malformed_line_gets_an_error_and_the_next_request_works(
    hub: FakeHub, start_adapter: StartAdapter
) -> None:
    adapter = start_adapter()
    for line, code, request_id in MALFORMED:
        adapter.send(line.replace(b"\n", b"") + b"\n")
        response = adapter.receive()
        assert (response["jsonrpc"], response["id"], response["error"]["code"]) == ("2.0", request_id, code)
        assert response["error"]["message"]
    assert adapter.ask(call("after", "echo"))["id"] == "after"
    assert len(hub.received) == 1
    count_attempts(len(MALFORMED))


def test_after_a_thousand_lines_of_noise_the_next_request_works(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    noise = random.Random(7)
    lines = [b"\xff" + noise.randbytes(noise.randrange(300)).replace(b"\n", b"") for _ in range(1000)]
    adapter.send(b"\n".join(lines) + b"\n")
    assert {adapter.receive()["error"]["code"] for _ in lines} == {PARSE_ERROR}
    assert adapter.ask(call("after", "echo"))["id"] == "after"
    count_attempts(len(lines))


def test_every_request_of_a_batch_gets_an_error(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(json.dumps([call(1, "echo"), call("b", "echo"), 5]).encode() + b"\n")
    assert [adapter.receive()["id"] for _ in range(2)] == [1, "b"]


def test_requests_notifications_and_responses_are_recognized() -> None:
    assert isinstance(read_message(b'{"jsonrpc":"2.0","id":0,"method":"x","params":null}'), Request)
    assert read_message(b'{"jsonrpc":"2.0","method":"x"}') == Notification("x")
    assert isinstance(read_message(b'{"jsonrpc":"2.0","id":"","result":{}}'), Response)
    assert isinstance(read_message(b'{"jsonrpc":"2.0","id":null,"error":{}}'), Response)
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}'
    assert read_message(cancelled) == Notification("notifications/cancelled", cancels=3)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=4,
)
ENVELOPES = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("id", "method", "params", "result", "error"), JSON_VALUES)
    | {"jsonrpc": st.just("2.0") | JSON_VALUES},
)


# Pieces of messages in any order: most lines are almost JSON.
PIECES = st.lists(
    st.sampled_from(
        [
            *(b"{", b"}", b"[", b"]", b",", b":", b'"', b'"a"', b'"id":', b'"jsonrpc":"2.0"', b'"method":"x"'),
            *(b'"params":', b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-", b"1", b"null", b"tru"),
            *(b"\\ud83d", b"\\u", b"\xff", b"\x00"),
        ]
    )
    | st.binary(max_size=3)
).map(b"".join)


@given(st.binary() | PIECES | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=1000)
def test_any_line_is_a_message_or_gets_an_error_response(line: bytes) -> None:
    message = read_message(line)
    if isinstance(message, Malformed):
        assert all(json.loads(response)["error"]["code"] == message.code for response in malformed_responses(message))


@given(ENVELOPES)
def test_a_request_is_exactly_what_has_a_valid_id_and_method(body: dict[str, object]) -> None:
    message = read_message(json.dumps(body).encode())
    is_request = (
        body.get("jsonrpc") == "2.0"
        and type(body.get("id")) in (str, int)
        and isinstance(body.get("method"), str)
        and isinstance(body.get("params"), dict | None)
    )
    assert isinstance(message, Request) == is_request


@given(st.lists(st.binary(max_size=12)), st.integers(1, 8))
def test_lines_do_not_depend_on_how_the_stream_is_split(lines: list[bytes], step: int) -> None:
    stream = b"\n".join(lines)
    splitter = LineSplitter(6)
    found: list[bytes | None] = []
    for start in range(0, len(stream), step):
        found += splitter.feed(stream[start : start + step])
    found.append(splitter.rest())
    assert found == [line if len(line) <= 6 else None for line in stream.split(b"\n")]
