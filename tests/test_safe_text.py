from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.safe_text import cut, parse_json, sanitize, sanitize_data, well_formed, well_formed_data

SELECTORS = [*"\u180b\u180c\u180d\u180f", *map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0))]
TAGS = [chr(code) for code in range(0xE0000, 0xE0080)]
BIDI_CONTROLS = [*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]
SURROGATES = ["\ud800", "\ud83d", "\udbff", "\udc00", "\ude00", "\udfff"]
EMOJI = ["😀", "❤️", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👁️‍🗨️", "1️⃣", "👍🏽", "🇩🇪", "葛󠄀"]

characters = st.one_of(
    st.characters(), st.sampled_from(SELECTORS), st.sampled_from([*TAGS, *BIDI_CONTROLS, *SURROGATES])
)
texts = st.lists(characters | st.sampled_from(EMOJI), max_size=40).map("".join)
visible_texts = st.lists(st.sampled_from([*EMOJI, "a", "é", "日", " ", "\n", "שלום", "क्‍ष"]), max_size=20).map("".join)
data = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def reference(text: str) -> str:
    """What ``sanitize`` must do, one character at a time."""
    kept: list[str] = []
    for character in well_formed(text):
        if character in TAGS or character in BIDI_CONTROLS:
            continue
        if character in SELECTORS and kept and kept[-1] in SELECTORS:
            continue
        kept.append(character)
    return "".join(kept)


@given(texts)
def test_a_sanitized_text_has_no_surrogate_tag_bidi_control_or_second_selector(text: str) -> None:
    result = sanitize(text)
    result.encode()
    assert result == reference(text)
    assert sanitize(result) == result


@given(visible_texts)
def test_ordinary_text_and_emoji_are_kept(text: str) -> None:
    assert sanitize(text) == text
    assert well_formed(text) is text


@given(texts)
def test_well_formed_is_what_javascript_does(text: str) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    codes = [int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)]
    expected = list(codes)
    for at, code in enumerate(codes):
        before, after = codes[at - 1] if at else 0, codes[at + 1] if at + 1 < len(codes) else 0
        lone_high = 0xD800 <= code < 0xDC00 and not 0xDC00 <= after < 0xE000
        lone_low = 0xDC00 <= code < 0xE000 and not 0xD800 <= before < 0xDC00
        if lone_high or lone_low:
            expected[at] = 0xFFFD
    assert well_formed(text) == b"".join(code.to_bytes(2, "little") for code in expected).decode("utf-16-le")


@given(data)
def test_data_is_changed_in_every_text_and_name(value: object) -> None:
    json.dumps(well_formed_data(value), ensure_ascii=False).encode()
    rendered = json.dumps(sanitize_data(value), ensure_ascii=False)
    assert sanitize(rendered) == rendered


@given(data)
def test_json_with_escaped_or_raw_surrogates_is_parsed_to_well_formed_texts(value: object) -> None:
    expected = well_formed_data(value)
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert parse_json(text) == expected
        assert parse_json(text.encode("utf-8", "surrogatepass")) == expected


@given(texts, st.integers(min_value=1, max_value=60))
def test_a_cut_text_is_never_longer_than_allowed(text: str, max_characters: int) -> None:
    result = cut(text, max_characters)
    assert len(result) <= max_characters
    assert result == text or (result.endswith("…") and text.startswith(result[:-1]))


@pytest.mark.parametrize(
    "unit", ["\ufe0f", "\u202e", "\U000e0041", "\u202e\ufe0f", "\ufe0fa", "a\u202e", "\ud83d", "é"], ids=ascii
)
def test_time_is_linear(unit: str) -> None:
    def seconds(count: int) -> float:
        text = unit * count
        started = time.process_time()
        sanitize(text)
        return time.process_time() - started

    # Quadratic time would be 16 times more per character; noise is far less than that.
    assert seconds(400_000) < 5 * 16 * max(seconds(25_000), 0.002)
