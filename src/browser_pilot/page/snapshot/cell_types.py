"""Reads the text of a cell as a number, a date, a URL or a boolean. Pure. None where it is not clearly one."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Literal
from urllib.parse import urlsplit

CellType = Literal["text", "number", "date", "url", "boolean"]
Cell = str | int | float | bool | None

_NUMBER = re.compile(r"[-+\u2212(]?[^\d\w.,(]{0,4}\d[\d.,'\u2019\s]*")
_DAY_FIRST = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
_SLASHES = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_YEAR_FIRST = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")
_WRITTEN = ("%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y")
_TRUE = frozenset({"true", "yes", "y", "on", "1", "ja", "\u2713", "\u2714", "\u2705"})
_FALSE = frozenset({"false", "no", "n", "off", "0", "nein", "\u2717", "\u2718", "\u274c", "\u2013", "-"})
MAX_CHARACTERS = 2_000


def typed(text: str | None, kind: CellType) -> Cell:
    if text is None or kind == "text":
        return text
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS:
        return None
    match kind:
        case "number":
            return _number(text)
        case "date":
            return _date(text)
        case "url":
            return text if urlsplit(text).scheme in ("http", "https") else None
        case "boolean":
            word = text.lower()
            return True if word in _TRUE else False if word in _FALSE else None


def _number(text: str) -> int | float | None:
    """The one number of a text such as "1.234,50 €" or "(1,234)"."""
    found = _NUMBER.findall(text)
    if len(found) != 1 or len(re.findall(r"\d+(?=[^\d.,'\u2019\s]|$)", text.replace(" ", ""))) != 1:
        return None
    digits = re.sub(r"[^\d.,]", "", found[0]).strip(".,")
    comma, point = digits.count(","), digits.count(".")
    if comma and point:
        decimal = max(",", ".", key=digits.rfind)
    elif comma:
        decimal = "" if comma > 1 or len(digits) - digits.rfind(",") == 4 else ","
    else:
        decimal = "." if point == 1 else ""
    plain = "".join(
        "." if character == decimal else character
        for character in digits
        if character not in ",." or character == decimal
    )
    if plain.count(".") > 1:
        return None
    value = float(plain) if "." in plain else int(plain)
    return -value if found[0][0] in "-\u2212(" else value


def _date(text: str) -> str | None:
    """As ISO 8601. What could be two days, such as 03/04/2026, is none."""
    try:
        return datetime.fromisoformat(text).isoformat() if len(text) > 10 else date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    if found := _DAY_FIRST.fullmatch(text):
        return _iso(found[3], found[2], found[1])
    if found := _YEAR_FIRST.fullmatch(text):
        return _iso(found[1], found[2], found[3])
    if found := _SLASHES.fullmatch(text):
        first, second = int(found[1]), int(found[2])
        if first > 12 >= second:
            return _iso(found[3], found[2], found[1])
        return _iso(found[3], found[1], found[2]) if second > 12 or first == second else None
    plain = re.sub(r"(?<=\d)(st|nd|rd|th)\b", "", text.replace(",", " ").replace(".", " "))
    for form in _WRITTEN:
        try:
            return datetime.strptime(" ".join(plain.split()), form).date().isoformat()
        except ValueError:
            continue
    return None


def _iso(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
