"""A tool call over HTTP: the response is JSON or an event stream."""

from __future__ import annotations

import pytest

from browser_pilot.cli.tool_call import parse_response


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"result": {}}', {"result": {}}),
        (b'event: message\ndata: {"method": "p"}\n\nevent: message\ndata: {"result": {}}\n\n', {"result": {}}),
        (b"", {}),
        (b"<html>", {}),
        (b"[1]", {}),
        (b"\xff\xfe", {}),
        (b"[" * 100_000, {}),
    ],
)
def test_a_response_is_parsed_from_json_and_from_an_event_stream(body: bytes, expected: dict[str, object]) -> None:
    assert parse_response(body) == expected
