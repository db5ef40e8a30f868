"""Finding words in labels: folding, whole-word matching, and the user's own patterns kept cheap.

Labels come from pages, so nothing here may take long on a hostile one: texts are cut to a fixed length, our own terms
are plain alternatives, and a user's pattern may hold at most two repeats and none over a group.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable

from .words import HARMLESS, Words

LABEL_CHARACTERS = 200
PATTERN_CHARACTERS = 200
PATTERNS = 50
_REPEATS = 2
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def fold(text: str) -> str:
    """Lower case without accents, invisible characters and punctuation: words with single spaces between them."""
    kept: list[str] = []
    for character in unicodedata.normalize("NFKD", text[:LABEL_CHARACTERS]):
        category = unicodedata.category(character)
        if category in ("Mn", "Cf"):
            continue
        kept.append(character if category[0] in "LN" else " ")
    return " ".join("".join(kept).casefold().split())


def fold_identifier(text: str) -> str:
    """A field's ``name`` or ``id``: ``cardNumber`` and ``card_number`` are both ``card number``."""
    return fold(_CAMEL.sub(" ", text[:LABEL_CHARACTERS]))


class Matcher:
    """Whether a folded label holds one of a category's terms."""

    __slots__ = ("_alone", "_anywhere", "_unspaced")

    def __init__(self, words: Words) -> None:
        self._anywhere = re.compile(rf"(?<!\S)(?:{_alternatives(_terms('|'.join(words.anywhere)))})(?!\S)")
        self._alone = frozenset(_terms(words.alone))
        self._unspaced = re.compile(_alternatives(_terms(words.unspaced)))

    def matches(self, folded: str) -> bool:
        plain = _HARMLESS.sub(" ", folded)
        return (
            folded in self._alone
            or self._anywhere.search(plain) is not None
            or (not plain.isascii() and self._unspaced.search(plain) is not None)
        )


class UnsafePattern(ValueError):
    """The pattern could take very long, or is no regular expression; the message says which."""


def compile_pattern(text: str) -> re.Pattern[str]:
    """A user's pattern, matched anywhere and in any case. Raises ``UnsafePattern``."""
    if not 0 < len(text) <= PATTERN_CHARACTERS:
        raise UnsafePattern(f"a pattern has 1 to {PATTERN_CHARACTERS} characters")
    bare = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", text, flags=re.DOTALL)
    if re.search(r"\\|\(\?(?!:)", bare):
        raise UnsafePattern("look-around, flags and named groups cannot be used; plain groups (?:…) can")
    if re.search(r"\\[1-9]", text):
        raise UnsafePattern("references to groups cannot be used")
    if re.search(r"\)[*+?{]", bare) or "{" in bare:
        raise UnsafePattern("a group cannot be repeated, and {…} cannot be used: it could take very long")
    if len(re.findall(r"[*+]", bare)) > _REPEATS:
        raise UnsafePattern(f"at most {_REPEATS} of * and + can be used: more could take very long")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            return re.compile(text, re.IGNORECASE)
    except (re.error, FutureWarning) as error:
        raise UnsafePattern(f"it is not a regular expression: {error}") from None


def _terms(text: str) -> list[str]:
    return [fold(term) for term in text.split("|") if term]


def _alternatives(terms: Iterable[str]) -> str:
    # Longest first, so that nothing hides behind its own beginning. "(?!)" matches nothing when there are no terms.
    return "|".join(re.escape(term) for term in sorted(set(terms), key=len, reverse=True)) or "(?!)"


_HARMLESS = re.compile(rf"(?<!\S)(?:{_alternatives(_terms(HARMLESS))})(?!\S)")
