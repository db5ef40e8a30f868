"""Tool results for commands: text, parsed data and images."""

from __future__ import annotations

import base64

import pytest

from browser_pilot.cli.tool_result import parse_result

PNG = b"\x89PNG"


def test_text_and_images_are_taken_from_the_content_blocks() -> None:
    result = parse_result(
        {
            "content": [
                {"type": "text", "text": "a: 1"},
                {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"},
                {"type": "image", "data": "not base64"},
                {"type": "audio", "data": "x"},
                {"type": "text", "text": "b: 2"},
            ],
            "isError": True,
        }
    )
    assert result.text == "a: 1\nb: 2"
    assert [(image.data, image.mime) for image in result.images] == [(PNG, "image/png"), (b"", "image/png")]
    assert result.is_error


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"title": "Shop"}', {"title": "Shop"}),
        ("title: Shop", {"title": "Shop"}),
        ("{broken", {}),
        ("[1]", {}),
        ("{" * 100_000, {}),
    ],
)
def test_the_text_is_parsed_as_json_or_toon(text: str, data: dict[str, object]) -> None:
    assert parse_result({"content": [{"type": "text", "text": text}]}).data == data


@pytest.mark.parametrize("result", [{}, {"content": None}, {"content": []}])
def test_a_result_without_content_is_empty(result: dict[str, object]) -> None:
    parsed = parse_result(result)
    assert (parsed.text, parsed.images, parsed.is_error, parsed.rows) == ("", (), False, [])
