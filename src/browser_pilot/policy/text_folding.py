"""Folds labels for comparison: no case, accents, invisible characters or punctuation. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from .confusables import CONFUSABLE_LETTERS, merge_lookalikes

MAX_LABEL_CHARACTERS = 200
_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ASCII_SEPARATORS = re.compile(r"[^a-z0-9]+")
# Letters that NFKD leaves whole, and spellings of Arabic letters that differ by keyboard only.
_LETTERS: dict[int, str] = {
    ord(letter): plain
    for letter, plain in (
        *zip("ıłŁøØđĐðÐ", "ilLoOdDdD", strict=True),
        ("æ", "ae"),
        ("Æ", "AE"),
        ("œ", "oe"),
        ("Œ", "OE"),
        ("ی", "ي"),
        ("ى", "ي"),
        ("ک", "ك"),
        ("ۀ", "ه"),
        ("ـ", ""),  # tatweel, which stretches a word
        ("ँ", "ं"),
        ("़", ""),
        ("়", ""),
        *((filler, "") for filler in "\u115f\u1160\u3164\uffa0"),  # letters without a glyph
    )
}
# Signs that belong to letters of these scripts: without them other words result. All other marks are dropped.
_KEPT_MARKS = range(0x0900, 0x1000)
_VOICING_MARKS = "\u3099\u309a"


def fold(text: str) -> str:
    """Lower case without accents, invisible characters and punctuation; words separated by single spaces."""
    text = text[:MAX_LABEL_CHARACTERS]
    if text.isascii():
        return _ASCII_SEPARATORS.sub(" ", text.lower()).strip()
    return _fold(text, _LETTERS)


def fold_identifier(text: str) -> str:
    """Fold a field's ``name`` or ``id``: ``cardNumber`` and ``card_number`` both become ``card number``."""
    return fold(_CAMEL_CASE_BOUNDARY.sub(" ", text[:MAX_LABEL_CHARACTERS]))


def skeleton(text: str) -> str:
    """Fold a text so that texts that look alike become equal (UTS 39)."""
    return merge_lookalikes(_fold(text[:MAX_LABEL_CHARACTERS], _LETTERS_AND_CONFUSABLES))


def _fold(text: str, letters: Mapping[int, str]) -> str:
    kept: list[str] = []
    for character in unicodedata.normalize("NFKD", text).translate(letters):
        category = unicodedata.category(character)
        if category[0] in "LN" or category == "Mc":
            kept.append(character)
        elif category == "Mn":
            if character in _VOICING_MARKS or (ord(character) in _KEPT_MARKS and kept and ord(kept[-1]) in _KEPT_MARKS):
                kept.append(character)
        elif category != "Cf":
            kept.append(" ")
    return " ".join(unicodedata.normalize("NFC", "".join(kept).casefold()).split())


_LETTERS_AND_CONFUSABLES = {**CONFUSABLE_LETTERS, **_LETTERS}
