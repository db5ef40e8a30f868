"""The adapter's own error responses have the same form as the hub's."""

from __future__ import annotations

import json
from typing import cast

import toon_format
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import HubUnavailable
from browser_pilot.stdio_adapter.fallback_errors import OpenRequest, error_response, lost_response, to_toon

PRINTABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=[chr(n) for n in (*range(32), 127)]))


@given(PRINTABLE, st.lists(PRINTABLE), st.booleans())
def test_toon_round_trips(message: str, suggestions: list[str], retryable: bool) -> None:
    fields: dict[str, object] = {"message": message, "suggestions": suggestions, "retryable": retryable}
    assert toon_format.decode(to_toon(fields)) == fields


def test_the_adapters_errors_are_encoded_like_the_hubs() -> None:
    response = json.loads(lost_response(OpenRequest(1, "tools/call"), as_json=False))
    text = cast("str", response["result"]["content"][0]["text"])
    assert toon_format.encode(toon_format.decode(text)) == text


def test_control_characters_of_a_message_are_replaced() -> None:
    error = HubUnavailable("a\x1b[31mb\x00c\nd")
    response = json.loads(error_response(OpenRequest(1, "tools/call"), error, as_json=False))
    assert '"a [31mb c\\nd"' in response["result"]["content"][0]["text"]


def test_an_id_that_utf8_cannot_encode_still_gets_a_response() -> None:
    line = lost_response(OpenRequest("\ud800", "ping"), as_json=False)
    assert json.loads(line)["id"] == "\ud800"
