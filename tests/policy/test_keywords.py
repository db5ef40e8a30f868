"""The keyword tables: thirty languages, each with a source and with terms in every category."""

from __future__ import annotations

import pytest

from browser_pilot.policy.keywords import LANGUAGES, Language
from browser_pilot.policy.text_folding import fold

CODES = "en de fr es pt it nl pl zh ja ru ko ar hi tr vi id th sv da no fi cs hu ro el uk he fa bn".split()


def test_there_are_thirty_languages() -> None:
    assert sorted(language.code for language in LANGUAGES) == sorted(CODES)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_a_language_has_a_source_and_terms_in_every_category(language: Language) -> None:
    assert language.source
    assert [category for category, terms in language.actions.items() if not terms] == []
    assert [category for category, terms in language.fields.items() if not terms] == []
    assert language.others["generic"]
    assert language.others["harmless"]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_term_is_well_formed(language: Language) -> None:
    for terms in (*language.actions.values(), *language.fields.values(), *language.others.values()):
        assert len(set(terms)) == len(terms)
        for term in terms:
            assert fold(term), term
            assert term[0] not in "=~" or "*" not in term, f"{term}: a stem is for words only"
