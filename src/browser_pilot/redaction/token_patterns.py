"""Keys and tokens recognized by their form alone, such as ``ghp_…`` or a JWT, whatever text surrounds them.

Pure. The patterns are data: ``token_patterns.json``, generated from the rules of gitleaks and our own (see
``token_rules.generate``). This module is the engine that matches them in linear time: a pattern is tried only where
its literal occurs, inside words with a run of at least 16 token characters, and every repeat is bounded or possessive.
A bare hash, a UUID or base64 without a known prefix is not a secret by form; next to a sensitive name it is (see
``key_value``).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

from .placeholders import SecretKind, Span

MIN_WORD_CHARACTERS = 16
# Not inside a longer word, although directly after an escape such as %20 or \n.
_AFTER_ESCAPE = r"(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt])"
_START = rf"(?:(?<![A-Za-z0-9_-])|{_AFTER_ESCAPE})"
# The start of a word in a whole pattern.
_WORD_START = re.compile(r"\(\?<!(?:\[(?:\\.|[^\]])*\]|\\d)\)")
_END = "(?![A-Za-z0-9])"
_AFTER_PREFIX = r"[\w.~+/=|-]{16,255}"


class _PatternData(TypedDict):
    literal: str
    form: Literal["anywhere", "random", "word", "whole"]
    regex: NotRequired[str]
    kind: NotRequired[SecretKind]
    rules: list[str]


@dataclass(frozen=True)
class TokenPattern:
    """``source`` is tried where ``literal`` occurs; compiled when that happens first."""

    literal: str
    source: str
    kind: SecretKind
    must_look_random: bool

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.source)


def _pattern(entry: _PatternData) -> TokenPattern:
    """In the data, ``word`` has the expression of what follows the literal, ``whole`` one with "…" for the literal."""
    literal = re.escape(entry["literal"])
    source = {
        "anywhere": literal + _AFTER_PREFIX,
        "random": _START + literal + _AFTER_PREFIX,
        "word": _START + literal + entry.get("regex", "") + _END,
        "whole": _WORD_START.sub(_or_after_escape, entry.get("regex", ""), count=1).replace("…", literal),
    }[entry["form"]]
    return TokenPattern(entry["literal"], source, entry.get("kind", "token"), entry["form"] in ("random", "word"))


def _or_after_escape(start: re.Match[str]) -> str:
    return f"(?:{start[0]}|{_AFTER_ESCAPE})" if start.start() == 0 else start[0]


def _load() -> tuple[TokenPattern, ...]:
    data = Path(__file__).with_name("token_patterns.json").read_text(encoding="utf-8")
    entries: list[_PatternData] = json.loads(data)["patterns"]
    return tuple(map(_pattern, entries))


PATTERNS = _load()

_NARROW = bytes(0x61 if chr(code).isascii() and (chr(code).isalnum() or code in b"_-") else 0x20 for code in range(256))
_WIDE = bytes(0x61 if code in b"./+=:~%|$" or _NARROW[code] == 0x61 else 0x20 for code in range(256))

_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[A-Za-z0-9+/=\s\\:,.;()]|%[0-9A-F]{2}|-(?!----))*+"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)
_PUTTY = re.compile(r"Private-Lines: \d{1,4}\s+[A-Za-z0-9+/=\s]++")
_BEARER = re.compile(r"\b([Bb]earer|BEARER)(?:\s|%20|\+){1,3}+([\w.~+/=-]{3,4096}+)")
_BASIC = re.compile(r"\b([Bb]asic|BASIC)(?:\s|%20){1,3}+([A-Za-z0-9+/_-]{6,4096}+={0,2})")
# Short, yet no word: letters with digits.
_SHORT_TOKEN = re.compile(r"(?=[\w.~+/=-]*[0-9])(?=[\w.~+/=-]*[A-Za-z])[\w.~+/=-]{3,16}")
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]{8,}")
_CAMEL = re.compile(r"[a-z]*(?:[A-Z][a-z]+)*[A-Z]{0,5}")


def find_tokens(text: str) -> Iterator[Span]:
    yield from _find_in_words(text)
    if "PRIVATE KEY" in text:
        yield from (Span(match.start(), match.end(), "key") for match in _PEM.finditer(text))
    if "Private-Lines" in text:
        yield from (Span(match.start(), match.end(), "key") for match in _PUTTY.finditer(text))
    if "earer" in text or "EARER" in text:
        for match in _BEARER.finditer(text):
            if looks_random(match[2], min_characters=8) or _SHORT_TOKEN.fullmatch(match[2]):
                yield Span(*match.span(2), "token")
    if "asic" in text or "ASIC" in text:
        for match in _BASIC.finditer(text):
            if _is_basic_credentials(match[2]):
                yield Span(*match.span(2), "credentials")


def looks_random(value: str, *, min_characters: int = 16) -> bool:
    """Whether ``value`` looks generated: a long run of letters and digits mixed unlike any word or date."""
    if len(value) < min_characters or value.startswith(("http://", "https://", "$", "<", "%{")):
        return False
    for part in _ALPHANUMERIC.findall(value, 0, 512):
        digits = sum(map(str.isdigit, part))
        if digits == len(part):
            if digits >= max(min_characters, 16):
                return True
        elif digits:
            if len(part) >= 8 and len(set(part)) >= 5:
                return True
        elif len(part) >= 12 and 3 <= sum(map(str.isupper, part)) <= len(part) - 3 and not _CAMEL.fullmatch(part):
            return True
    return False


def _is_basic_credentials(value: str) -> bool:
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_" if "-" in value else None)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded and all(byte >= 0x20 for byte in decoded)


def long_words(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the words with a run of at least 16 letters, digits, ``_`` or ``-``. Fast, for large pages."""
    one_byte_each = text.encode("latin-1", "replace")
    narrow, wide = one_byte_each.translate(_NARROW), one_byte_each.translate(_WIDE)
    needle = b"a" * MIN_WORD_CHARACTERS
    found = narrow.find(needle)
    while found >= 0:
        start = wide.rfind(b" ", 0, found) + 1
        end = wide.find(b" ", found)
        end = len(text) if end < 0 else end
        yield start, end
        found = narrow.find(needle, end)


def _find_in_words(text: str) -> Iterator[Span]:
    for start, end in long_words(text):
        word = text[start:end]
        for pattern in PATTERNS:
            if pattern.literal in word:
                for match in pattern.regex.finditer(text, start, end):
                    if pattern.must_look_random and not looks_random(match[0].removeprefix(pattern.literal)):
                        continue
                    yield Span(match.start(), match.end(), pattern.kind)
