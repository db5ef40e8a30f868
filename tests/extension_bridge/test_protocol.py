"""Only valid messages are accepted from the wire."""

from __future__ import annotations

import base64
import hashlib
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.extension_bridge.protocol import (
    EXTENSION_ID,
    Event,
    ExtensionResponse,
    Pong,
    ProtocolError,
    encode_frame,
    parse_frame,
    parse_hello,
    parse_proof,
)
from tests.integration.user_chrome.chrome import EXTENSION

HELLO = {
    "type": "hello",
    "protocol": 1,
    "version": "1",
    "agent": "x",
    "instance": "i",
    "nonce": "n" * 16,
    "browser": None,
}


def test_the_extension_has_the_id_that_the_endpoint_accepts() -> None:
    key = base64.b64decode(json.loads((EXTENSION / "manifest.json").read_text())["key"])
    digest = hashlib.sha256(key).hexdigest()[:32]
    assert "".join(chr(ord("a") + int(digit, 16)) for digit in digest) == EXTENSION_ID


def test_a_frame_contains_messages_of_every_kind() -> None:
    frame = [
        {"id": "1", "result": None},
        {"id": "2", "error": "no"},
        {"id": "3", "lost": True},
        {"event": "e", "args": [1]},
        {"pong": 4},
    ]
    assert parse_frame(json.dumps(frame)) == [
        ExtensionResponse("1"),
        ExtensionResponse("2", error="no"),
        ExtensionResponse("3", lost=True),
        Event("e", [1]),
        Pong(4),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", "[[]]", '[{"id": 1, "result": 1}]', '[{"event": "e"}]', '[{"id": "1"}]', "[" * 100_000, "null"],
)
def test_anything_else_is_rejected(text: str) -> None:
    with pytest.raises(ProtocolError):
        parse_frame(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_any_text_is_parsed_or_rejected(data: object) -> None:
    for parse in (parse_frame, parse_hello, parse_proof):
        with suppress(ProtocolError):
            parse(json.dumps(data))


def test_a_hello_has_exactly_its_fields() -> None:
    assert parse_hello(json.dumps(HELLO)).protocol == 1
    for change in ({"nonce": "short"}, {"more": 1}, {"protocol": "one"}, {"type": "other"}):
        with pytest.raises(ProtocolError):
            parse_hello(json.dumps({**HELLO, **change}))


def test_messages_are_sent_as_one_list() -> None:
    assert json.loads(encode_frame([{"ping": 1}, {"ping": 2}])) == [{"ping": 1}, {"ping": 2}]
