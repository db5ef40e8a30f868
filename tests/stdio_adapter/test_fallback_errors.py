"""What the adapter says in the hub's stead has the hub's own shape."""

from __future__ import annotations

import json
from typing import cast

import toon_format
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.adapter.answers import OpenRequest, answer_failed, answer_lost, to_toon
from browser_pilot.errors import HubUnavailable

PRINTABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=[chr(n) for n in (*range(32), 127)]))


@given(PRINTABLE, st.lists(PRINTABLE), st.booleans())
def test_toon_reads_back_as_what_was_written(message: str, suggestions: list[str], retryable: bool) -> None:
    shape: dict[str, object] = {"message": message, "suggestions": suggestions, "retryable": retryable}
    assert toon_format.decode(to_toon(shape)) == shape


def test_the_adapters_own_errors_look_exactly_like_the_hubs() -> None:
    answer = json.loads(answer_lost(OpenRequest(1, "tools/call"), as_json=False))
    text = cast("str", answer["result"]["content"][0]["text"])
    assert toon_format.encode(toon_format.decode(text)) == text


def test_control_characters_of_a_foreign_message_do_not_reach_the_text() -> None:
    error = HubUnavailable("a\x1b[31mb\x00c\nd")
    answer = json.loads(answer_failed(OpenRequest(1, "tools/call"), error, as_json=False))
    assert '"a [31mb c\\nd"' in answer["result"]["content"][0]["text"]


def test_an_id_that_utf8_cannot_hold_is_still_answered() -> None:
    line = answer_lost(OpenRequest("\ud800", "ping"), as_json=False)
    assert json.loads(line)["id"] == "\ud800"
