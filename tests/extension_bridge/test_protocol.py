"""Only messages of ours are taken from the wire."""

from __future__ import annotations

import base64
import hashlib
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.bridge.wire import (
    EXTENSION_ID,
    Answered,
    Happened,
    Pong,
    WireError,
    frame_of,
    parse_frame,
    parse_hello,
    parse_proof,
)
from tests.own.chrome import EXTENSION

HELLO = {
    "type": "hello",
    "protocol": 1,
    "version": "1",
    "agent": "x",
    "instance": "i",
    "nonce": "n" * 16,
    "browser": None,
}


def test_the_extension_has_the_id_that_the_bridge_lets_in() -> None:
    key = base64.b64decode(json.loads((EXTENSION / "manifest.json").read_text())["key"])
    digest = hashlib.sha256(key).hexdigest()[:32]
    assert "".join(chr(ord("a") + int(digit, 16)) for digit in digest) == EXTENSION_ID


def test_a_frame_holds_messages_of_every_kind() -> None:
    frame = [
        {"id": "1", "result": None},
        {"id": "2", "error": "no"},
        {"id": "3", "lost": True},
        {"event": "e", "args": [1]},
        {"pong": 4},
    ]
    assert parse_frame(json.dumps(frame)) == [
        Answered("1"),
        Answered("2", error="no"),
        Answered("3", lost=True),
        Happened("e", [1]),
        Pong(4),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", "[[]]", '[{"id": 1, "result": 1}]', '[{"event": "e"}]', '[{"id": "1"}]', "[" * 100_000, "null"],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(WireError):
        parse_frame(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_no_text_makes_parsing_fail_in_another_way(data: object) -> None:
    for parse in (parse_frame, parse_hello, parse_proof):
        with suppress(WireError):
            parse(json.dumps(data))


def test_a_greeting_has_its_fields_and_no_others() -> None:
    assert parse_hello(json.dumps(HELLO)).protocol == 1
    for change in ({"nonce": "short"}, {"more": 1}, {"protocol": "one"}, {"type": "other"}):
        with pytest.raises(WireError):
            parse_hello(json.dumps({**HELLO, **change}))


def test_messages_travel_as_one_list() -> None:
    assert json.loads(frame_of([{"ping": 1}, {"ping": 2}])) == [{"ping": 1}, {"ping": 2}]
