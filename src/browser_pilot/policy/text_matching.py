"""Matches keywords in labels: case folding, whole-word matching, and the user's own regular expressions.

Labels come from pages, so matching must stay fast on hostile input: text is truncated to a fixed length, our keywords
are plain alternatives, and a user's pattern may have at most two repeats, no repeated group, and few choices.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable

from .keywords import HARMLESS_PHRASES, Keywords

MAX_LABEL_CHARACTERS = 200
MAX_PATTERN_CHARACTERS = 200
MAX_PATTERNS = 50
_MAX_REPEATS = 2
# Ways to match, by the number of repeats: each multiplies the time for a label that almost matches.
_MAX_CHOICES = (10_000, 150, 4)
_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def fold(text: str) -> str:
    """Lower case without accents, invisible characters and punctuation; words separated by single spaces."""
    kept: list[str] = []
    for character in unicodedata.normalize("NFKD", text[:MAX_LABEL_CHARACTERS]):
        category = unicodedata.category(character)
        if category in ("Mn", "Cf"):
            continue
        kept.append(character if category[0] in "LN" else " ")
    return " ".join("".join(kept).casefold().split())


def fold_identifier(text: str) -> str:
    """Fold a field's ``name`` or ``id``: ``cardNumber`` and ``card_number`` both become ``card number``."""
    return fold(_CAMEL_CASE_BOUNDARY.sub(" ", text[:MAX_LABEL_CHARACTERS]))


class KeywordMatcher:
    """Matches a folded label against the keywords of one category."""

    __slots__ = ("_anywhere", "_unspaced", "_whole_label")

    def __init__(self, words: Keywords) -> None:
        self._anywhere = re.compile(rf"(?<!\S)(?:{_alternatives(_terms('|'.join(words.anywhere)))})(?!\S)")
        self._whole_label = frozenset(_terms(words.whole_label))
        self._unspaced = re.compile(_alternatives(_terms(words.unspaced)))

    def matches(self, folded: str) -> bool:
        plain = _HARMLESS_PHRASES.sub(" ", folded)
        return (
            folded in self._whole_label
            or self._anywhere.search(plain) is not None
            or (not plain.isascii() and self._unspaced.search(plain) is not None)
        )


class UnsafePattern(ValueError):
    """The pattern could be very slow, or is not a regular expression; the message says which."""


def compile_pattern(text: str) -> re.Pattern[str]:
    """Compile a user's pattern; it matches anywhere and ignores case. Raises ``UnsafePattern``."""
    if not 0 < len(text) <= MAX_PATTERN_CHARACTERS:
        raise UnsafePattern(f"a pattern must have 1 to {MAX_PATTERN_CHARACTERS} characters")
    bare = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", text, flags=re.DOTALL)
    if re.search(r"\\|\(\?(?!:)", bare):
        raise UnsafePattern("look-around, flags and named groups are not supported; plain groups (?:…) are")
    if re.search(r"\\[1-9]", text):
        raise UnsafePattern("back-references are not supported")
    if re.search(r"\)[*+?{]", bare) or "{" in bare:
        raise UnsafePattern("repeated groups and {…} are not supported: they can be very slow")
    repeats = len(re.findall(r"[*+]", bare))
    if repeats > _MAX_REPEATS:
        raise UnsafePattern(f"at most {_MAX_REPEATS} of * and + are supported: more can be very slow")
    if _choices(bare) > _MAX_CHOICES[repeats]:
        raise UnsafePattern("it has too many optional parts and alternatives in groups: they can be very slow")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            return re.compile(text, re.IGNORECASE)
    except (re.error, FutureWarning) as error:
        raise UnsafePattern(f"not a regular expression: {error}") from None


def _choices(bare: str) -> int:
    """In how many ways the optional parts and the groups of a pattern can be combined, at most."""
    choices = 2 ** len(re.findall(r"(?<![(*+?])\?", bare))
    open_groups: list[int] = []
    for sign in bare:
        if sign == "(":
            open_groups.append(1)
        elif sign == "|" and open_groups:
            open_groups[-1] += 1
        elif sign == ")" and open_groups:
            choices *= open_groups.pop()
    return choices


def _terms(text: str) -> list[str]:
    return [fold(term) for term in text.split("|") if term]


def _alternatives(terms: Iterable[str]) -> str:
    # Longest first, so that a term does not hide a longer one. "(?!)" matches nothing when there are no terms.
    return "|".join(re.escape(term) for term in sorted(set(terms), key=len, reverse=True)) or "(?!)"


_HARMLESS_PHRASES = re.compile(rf"(?<!\S)(?:{_alternatives(_terms(HARMLESS_PHRASES))})(?!\S)")
