"""The keyword tables: every category has keywords in all ten languages."""

from __future__ import annotations

import pytest

from browser_pilot.policy.keywords import ACTION_KEYWORDS, FIELD_KEYWORDS, PATH_SEGMENTS, Keywords

# English, German, French, Spanish, Portuguese, Italian, Dutch, Polish; Chinese and Japanese are unspaced.
SPACED_LANGUAGES = 8
KANA = range(0x3040, 0x3100)


@pytest.mark.parametrize(
    "keywords", [*ACTION_KEYWORDS.values(), *FIELD_KEYWORDS.values()], ids=[*ACTION_KEYWORDS, *FIELD_KEYWORDS]
)
def test_every_category_has_keywords_in_all_languages(keywords: Keywords) -> None:
    assert len(keywords.anywhere) == SPACED_LANGUAGES
    assert all(line.strip() for line in keywords.anywhere)
    assert any(ord(character) in KANA for character in keywords.unspaced), "Japanese"
    assert any(term and not any(ord(one) in KANA for one in term) for term in keywords.unspaced.split("|")), "Chinese"


def test_path_segments_belong_to_known_categories() -> None:
    assert set(PATH_SEGMENTS) <= set(ACTION_KEYWORDS)
