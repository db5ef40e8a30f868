"""Finds the keywords of all languages in a label, in one pass over its words.

Terms are looked up by their first word in a dictionary, stems by their prefix, terms of languages without spaces at
each position; so the time depends on the label, which is short, and hardly on the number of terms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

MAX_GAP_WORDS = 2
_MIN_SPLIT_WORD = 3
_PIECES = re.compile(r"\*(?=\S)")


class Term(NamedTuple):
    """One line of a table; ``text`` in the syntax of ``keywords``. ``hides``: it hides what it contains."""

    text: str
    kind: str
    language: str
    hides: bool = False


class Hit(NamedTuple):
    """A term that was found. ``start`` and ``end`` count words, or characters for a term inside a word."""

    kind: str
    language: str
    start: int
    end: int


class _Element(NamedTuple):
    text: str
    is_stem: bool
    after_gap: bool


class _Phrase(NamedTuple):
    rest: tuple[_Element, ...]
    term: Term


class KeywordIndex:
    """``normalize`` is applied to the terms; labels must be normalized by the same function."""

    __slots__ = ("_inside", "_inside_lengths", "_splittable", "_stem_lengths", "_stems", "_whole", "_words")

    def __init__(self, terms: Iterable[Term], normalize: Callable[[str], str]) -> None:
        self._words: dict[str, list[_Phrase]] = {}
        self._stems: dict[str, list[_Phrase]] = {}
        self._whole: dict[str, list[Term]] = {}
        self._inside: dict[str, list[Term]] = {}
        self._splittable: dict[str, list[Term]] = {}
        for term in terms:
            self._add(term, normalize)
        self._stem_lengths = _lengths(self._stems)
        self._inside_lengths = _lengths(self._inside)

    def _add(self, term: Term, normalize: Callable[[str], str]) -> None:
        if term.text.startswith("~"):
            self._inside.setdefault(normalize(term.text[1:]).replace(" ", ""), []).append(term)
            return
        if term.text.startswith("="):
            self._whole.setdefault(normalize(term.text[1:]), []).append(term)
            return
        elements = _elements(term.text, normalize)
        table = self._stems if elements[0].is_stem else self._words
        table.setdefault(elements[0].text, []).append(_Phrase(elements[1:], term))
        text = normalize(term.text)
        if "*" not in term.text and not term.hides:
            self._whole.setdefault(text, []).append(term)
            if len(text) >= _MIN_SPLIT_WORD:
                self._splittable.setdefault(text.replace(" ", ""), []).append(term)

    def hits(self, words: Sequence[str]) -> list[Hit]:
        """The terms in a sequence of words; what a hiding term covers is left out."""
        found: list[Hit] = []
        at = 0
        while at < len(words):
            here: list[Hit] = []
            hidden = longest = 0
            for phrase in self._candidates(words[at]):
                end = _end(phrase.rest, words, at + 1)
                if end == 0:
                    continue
                if phrase.term.hides:
                    hidden = max(hidden, end - at)
                else:
                    longest = max(longest, end - at)
                    here.append(Hit(phrase.term.kind, phrase.term.language, at, end))
            if hidden and hidden >= longest:
                at += hidden
            else:
                found += here
                at += 1
        return found

    def hits_inside(self, text: str) -> list[Hit]:
        """The terms of languages without spaces, in a text without spaces; positions are characters."""
        found: list[Hit] = []
        if text.isascii():
            return found
        at = 0
        while at < len(text):
            step = 1
            here: list[Hit] = []
            for length in self._inside_lengths:
                terms = self._inside.get(text[at : at + length])
                if terms and at + length <= len(text):
                    # The longest term at a place wins, and covers what it contains.
                    step = length
                    here = [Hit(term.kind, term.language, at, at + length) for term in terms if not term.hides]
            found += here
            at += step
        return found

    def whole(self, text: str) -> list[Term]:
        """The terms that are the whole label."""
        return self._whole.get(text, [])

    def split_word(self, letters: str, *, anywhere: bool, fillers: frozenset[str]) -> list[Term]:
        """Terms in letters that were pulled apart or joined: the whole, or followed by a filler, or ``anywhere``."""
        found: list[Term] = []
        for start in range(len(letters) if anywhere else 1):
            for end in range(start + _MIN_SPLIT_WORD, len(letters) + 1):
                terms = self._splittable.get(letters[start:end])
                if terms and (anywhere or end == len(letters) or letters[end:] in fillers):
                    found += terms
        return found

    def _candidates(self, word: str) -> Iterable[_Phrase]:
        yield from self._words.get(word, ())
        for length in self._stem_lengths:
            if length > len(word):
                return
            yield from self._stems.get(word[:length], ())


def _elements(text: str, normalize: Callable[[str], str]) -> tuple[_Element, ...]:
    elements: list[_Element] = []
    pieces = _PIECES.split(text)
    for number, piece in enumerate(pieces):
        words = normalize(piece).split()
        is_stem = piece.endswith("*") or number < len(pieces) - 1
        elements += [
            _Element(word, is_stem and index == len(words) - 1, number > 0 and index == 0)
            for index, word in enumerate(words)
        ]
    return tuple(elements)


def _end(rest: tuple[_Element, ...], words: Sequence[str], at: int) -> int:
    """Where a phrase ends, or 0 when it does not continue here."""
    for element in rest:
        last = min(at + MAX_GAP_WORDS if element.after_gap else at, len(words) - 1)
        while at <= last and not _fits(element, words[at]):
            at += 1
        if at > last:
            return 0
        at += 1
    return at


def _fits(element: _Element, word: str) -> bool:
    return word.startswith(element.text) if element.is_stem else word == element.text


def _lengths(table: Iterable[str]) -> tuple[int, ...]:
    return tuple(sorted({len(key) for key in table}))
