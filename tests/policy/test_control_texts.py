"""How well sensitive controls are recognized: a labelled set of texts, written before the keyword tables.

``control_texts.tsv`` has texts of buttons and links as shops, banks, mail, social networks and administration tools
word them, in thirty languages. Its author also wrote the tables: texts of other programs are recognized less often.
A text of a category with high risk counts as recognized only with high risk, the others from medium risk; a harmless
text is a false alarm from medium risk.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from browser_pilot.policy.keywords import LANGUAGES
from browser_pilot.policy.sensitivity import CATEGORY_RISKS, Category, ElementFacts, SensitivePatterns, assess
from browser_pilot.policy.types import THRESHOLDS, Risk

MIN_TEXTS = 600
MIN_PER_WELL_COVERED_LANGUAGE = 50
MIN_WELL_COVERED_LANGUAGES = 10
MIN_RECALL = 0.95
MAX_FALSE_ALARMS = 0.03
NO_PATTERNS = SensitivePatterns()


class ControlText(NamedTuple):
    language: str
    text: str
    label: str
    category: str

    @property
    def needed(self) -> Risk:
        return "high" if CATEGORY_RISKS[self._category] == "high" else "medium"

    @property
    def _category(self) -> Category:
        return next(one for one in CATEGORY_RISKS if one == self.category)

    def reaches(self, risk: Risk) -> bool:
        found = assess("write", ElementFacts(role="button", name=self.text), "", NO_PATTERNS)
        return found is not None and THRESHOLDS.index(found.risk) >= THRESHOLDS.index(risk)


def read_texts() -> list[ControlText]:
    lines = (Path(__file__).parent / "control_texts.tsv").read_text("utf-8").splitlines()
    return [ControlText(*line.split("\t")) for line in lines[1:]]


TEXTS = read_texts()


def test_the_set_is_large_and_has_every_language() -> None:
    languages = Counter(one.language for one in TEXTS)
    assert len(TEXTS) >= MIN_TEXTS
    assert set(languages) == {language.code for language in LANGUAGES}
    well_covered = [language for language, count in languages.items() if count >= MIN_PER_WELL_COVERED_LANGUAGE]
    assert len(well_covered) >= MIN_WELL_COVERED_LANGUAGES
    assert {one.label for one in TEXTS} == {"sensitive", "harmless"}


def test_sensitive_controls_are_recognized() -> None:
    sensitive = [one for one in TEXTS if one.label == "sensitive"]
    missed = [f"{one.language} {one.text} ({one.category})" for one in sensitive if not one.reaches(one.needed)]
    recall = 1 - len(missed) / len(sensitive)
    assert recall >= MIN_RECALL, f"recall {recall:.1%}; missed: {'; '.join(missed)}"


def test_harmless_controls_raise_few_false_alarms() -> None:
    harmless = [one for one in TEXTS if one.label == "harmless"]
    alarms = [f"{one.language} {one.text}" for one in harmless if one.reaches("medium")]
    assert len(alarms) <= MAX_FALSE_ALARMS * len(harmless), f"{len(alarms)} of {len(harmless)}: {'; '.join(alarms)}"


def test_every_language_is_recognized() -> None:
    sensitive = Counter(one.language for one in TEXTS if one.label == "sensitive")
    found = Counter(one.language for one in TEXTS if one.label == "sensitive" and one.reaches(one.needed))
    assert {
        language: found[language] / count for language, count in sensitive.items() if found[language] < 0.9 * count
    } == {}
