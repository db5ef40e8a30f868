"""What a label says: the categories of its keywords, whether it is generic, and whether it names an amount of money.

Judges a label as written, and by its skeleton if it has look-alike letters; also letters that are pulled apart. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from .confusables import may_imitate
from .keyword_index import Hit, KeywordIndex, Term
from .keywords import ACTION_CATEGORIES, FIELD_CATEGORIES, LANGUAGES, ActionCategory, FieldCategory, TermKind
from .text_folding import MAX_LABEL_CHARACTERS, fold, fold_identifier, skeleton

_MIN_SPACED_LETTERS = 3
_MAX_JOINED_LETTERS = 60
_CLAUSES = re.compile(r"[.:;!?,()\[\]|/•·–—\n،؟。、！？：；]+")
_FIRST_UNSPACED = "\u0e00"  # Thai; Chinese, Japanese and Korean come later
_CURRENCY = (
    r"[$€£¥₹₽₺₩₪₫฿₴₦₱৳﷼]|元|円|원|руб|грн|บาท|تومان|ریال|ريال|درهم|रुपये|টাকা"
    r"|\b(?:usd|eur|gbp|chf|jpy|cny|rmb|inr|rub|krw|ils|vnd|thb|uah|brl|mxn|cad|aud|sek|nok|dkk|pln|czk|huf|ron|idr|sar|aed"
    r"|bdt|btc|eth|usdt|sol|kr|zł|kč|ft|lei|rp|tl|dollars?|euros?)\b"
)
_DIGIT = re.compile(r"\d")
_MONEY = re.compile(rf"{_CURRENCY}|\d[\d.,]*", re.IGNORECASE)
_AMOUNT = re.compile(rf"(?:{_CURRENCY})\s?\d|\d\s?(?:{_CURRENCY})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LabelMeaning:
    """``leading`` are the categories of the keywords that the label begins with, as a command does."""

    categories: frozenset[ActionCategory] = frozenset()
    leading: frozenset[ActionCategory] = frozenset()
    is_generic: bool = False
    has_amount: bool = False
    is_empty: bool = False


class _Label(NamedTuple):
    """The words of a label, and where each of its clauses begins and ends."""

    words: tuple[str, ...]
    clauses: tuple[tuple[int, int], ...]


@lru_cache(maxsize=2048)
def label_meaning(text: str) -> LabelMeaning:
    """What a label means; only its first ``MAX_LABEL_CHARACTERS`` count."""
    text = text[:MAX_LABEL_CHARACTERS]
    label = _split(text, fold)
    if not label.words:
        return LabelMeaning(is_empty=True)
    found = [*_spaced(label, _tables().labels), *_unspaced(text, label), *_pulled_apart(label.words)]
    if may_imitate(text):
        found += _spaced(_split(text, skeleton), _tables().skeletons)
    has_amount = _DIGIT.search(text) is not None and _AMOUNT.search(text) is not None
    return LabelMeaning(
        frozenset(category for category, _ in found),
        frozenset(category for category, leads in found if leads),
        is_generic=_is_generic(_split(_MONEY.sub(" ", text), fold).words if has_amount else label.words),
        has_amount=has_amount,
    )


@lru_cache(maxsize=2048)
def field_category(*, name: str, label: str) -> FieldCategory | None:
    """The kind of secret that a field is for, by its name or id and by its label."""
    for text in (fold_identifier(name), fold(label)):
        kinds = _kinds(text, _tables().fields)
        for category in FIELD_CATEGORIES:
            if category in kinds:
                return category
    return None


@lru_cache(maxsize=2048)
def is_amount_field(name: str) -> bool:
    """Whether a field's name or id says that it takes an amount of money."""
    return "amount" in _kinds(fold_identifier(name), _tables().fields)


def identifier_categories(identifier: str) -> frozenset[ActionCategory]:
    """What a class, id or file name says: ``btn-delete``, ``payNow``, ``trash.svg``."""
    return _actions(hit.kind for hit in _tables().labels.hits(fold_identifier(identifier).split()))


def _spaced(label: _Label, index: KeywordIndex) -> list[tuple[ActionCategory, bool]]:
    """The categories in a label of separate words, and whether it begins with them."""
    words = label.words
    first = next((at for at, word in enumerate(words) if word not in _tables().fillers_by_word), 0)
    found = [(hit.kind, hit.start <= first) for hit in _commands(index.hits(words), label.clauses)]
    found += [(term.kind, True) for term in _whole(words, index)]
    return _only_actions(found)


def _unspaced(text: str, label: _Label) -> list[tuple[ActionCategory, bool]]:
    if max(text) < _FIRST_UNSPACED:
        return []
    joined = "".join(label.words)
    hits = _commands(_tables().labels.hits_inside(joined), ((0, len(joined)),))
    return _only_actions((hit.kind, True) for hit in hits)


def _pulled_apart(words: tuple[str, ...]) -> list[tuple[ActionCategory, bool]]:
    """Words whose letters are separated, or joined with others: "P a y n o w", "De lete", "paynow"."""
    found: list[Term] = []
    letters = ""
    for word in (*words, ""):
        if len(word) == 1:
            letters += word
            continue
        if len(letters) >= _MIN_SPACED_LETTERS:
            found += _tables().labels.split_word(
                letters[:_MAX_JOINED_LETTERS], anywhere=True, fillers=_tables().long_fillers
            )
        letters = ""
    joined = "".join(words)
    has_parts = len(words) == 1 or min(map(len, words)) < _MIN_SPACED_LETTERS
    if has_parts and len(joined) <= _MAX_JOINED_LETTERS:
        found += _tables().labels.split_word(joined, anywhere=False, fillers=_tables().long_fillers)
    return _only_actions((term.kind, True) for term in found)


def _commands(hits: Sequence[Hit], clauses: Iterable[tuple[int, int]]) -> list[Hit]:
    """The hits without those in a clause that only informs: "How to delete …", "… ansehen"."""
    marks = [hit for hit in hits if hit.kind in ("leads", "tails", "conjunctions")]
    if not marks:
        return list(hits)
    informing: set[tuple[int, int]] = set()
    for begin, end in clauses:
        for mark in marks:
            if mark.kind == "leads" and mark.start == begin:
                covered = range(begin, _conjunction(marks, mark, end))
            elif mark.kind == "tails" and mark.end == end:
                covered = range(_conjunction_before(marks, mark, begin), end)
            else:
                continue
            informing |= {
                (hit.start, hit.end) for hit in hits if hit.language == mark.language and hit.start in covered
            }
    return [hit for hit in hits if (hit.start, hit.end) not in informing]


def _conjunction(marks: Iterable[Hit], lead: Hit, end: int) -> int:
    joints = [one.start for one in marks if one.kind == "conjunctions" and one.language == lead.language]
    return min((joint for joint in joints if joint >= lead.end), default=end)


def _conjunction_before(marks: Iterable[Hit], tail: Hit, begin: int) -> int:
    joints = [one.end for one in marks if one.kind == "conjunctions" and one.language == tail.language]
    return max((joint for joint in joints if joint <= tail.start), default=begin)


def _whole(words: Sequence[str], index: KeywordIndex) -> Iterator[Term]:
    """The terms that are the whole label, apart from numbers and the fillers of their language."""
    yield from index.whole(" ".join(words))
    languages = {language for word in words for language in _tables().fillers_by_word.get(word, ())}
    if any(word.isdigit() for word in words):
        languages.add("")
    for language in languages:
        kept = [
            word for word in words if not word.isdigit() and language not in _tables().fillers_by_word.get(word, ())
        ]
        yield from (term for term in index.whole(" ".join(kept)) if language in ("", term.language))


def _is_generic(words: Sequence[str]) -> bool:
    """Whether a label says nothing of its own: "Continue"."""
    inside = _tables().labels.hits_inside("".join(words))
    return any(found.kind == "generic" for found in (*_whole(words, _tables().labels), *inside))


def _kinds(text: str, index: KeywordIndex) -> set[str]:
    words = text.split()
    return {
        *(hit.kind for hit in index.hits(words)),
        *(hit.kind for hit in index.hits_inside("".join(words))),
        *(term.kind for term in index.whole(text)),
    }


def _split(text: str, normalize: Callable[[str], str]) -> _Label:
    words: list[str] = []
    clauses: list[tuple[int, int]] = []
    for clause in _CLAUSES.split(text):
        begin = len(words)
        words += normalize(clause).split()
        if len(words) > begin:
            clauses.append((begin, len(words)))
    return _Label(tuple(words), tuple(clauses))


def _only_actions(found: Iterable[tuple[str, bool]]) -> list[tuple[ActionCategory, bool]]:
    return [(kind, leads) for kind, leads in found if kind in ACTION_CATEGORIES]


def _actions(kinds: Iterable[str]) -> frozenset[ActionCategory]:
    return frozenset(category for category, _ in _only_actions((kind, False) for kind in kinds))


def _label_terms() -> Iterator[Term]:
    for language in LANGUAGES:
        for category, terms in language.actions.items():
            yield from (Term(text, category, language.code) for text in terms)
        kinds: tuple[TermKind, ...] = ("leads", "tails", "conjunctions", "generic", "harmless")
        for kind in kinds:
            for text in language.others[kind]:
                as_whole = f"={text}" if kind == "generic" and text[0] not in "=~" else text
                yield Term(as_whole, kind, language.code, hides=kind == "harmless")


def _field_terms() -> Iterator[Term]:
    for language in LANGUAGES:
        for category, terms in language.fields.items():
            yield from (Term(text, category, language.code) for text in terms)
        yield from (Term(text, "amount", language.code) for text in language.others["amount"])


def _fillers_by_word() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for language in LANGUAGES:
        for text in language.others["fillers"]:
            for word in fold(text).split():
                found[word] = found.get(word, frozenset()) | {language.code}
    return found


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of all languages, in the form in which they are searched."""

    labels: KeywordIndex
    skeletons: KeywordIndex
    fields: KeywordIndex
    fillers_by_word: dict[str, frozenset[str]]
    long_fillers: frozenset[str]


@cache
def _tables() -> _Tables:
    fillers = _fillers_by_word()
    return _Tables(
        labels=KeywordIndex(_label_terms(), fold),
        skeletons=KeywordIndex((term for term in _label_terms() if not term.text.startswith("~")), skeleton),
        fields=KeywordIndex(_field_terms(), fold),
        fillers_by_word=fillers,
        long_fillers=frozenset(word for word in fillers if len(word) >= _MIN_SPACED_LETTERS),
    )


def prepare_labels() -> None:
    """Build the tables, which takes a fifth of a second, ahead of the first decision. May run in a thread."""
    _tables()
