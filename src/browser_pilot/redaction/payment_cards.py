"""Payment card numbers in text: by issuer, length, grouping and check digit.

Pure. Matches numbers in one piece or in groups. Does not match numbers outside the issuer ranges (such as
timestamps), bar codes and ISBNs (13 digits with a correct check digit of their own), the digits of a decimal fraction,
and digits inside a long hexadecimal hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise

from .placeholders import Span

MIN_DIGITS = 13
# One separator between digits, as people type and print them; not a line break.
_SEPARATORS = " .\\-\u00a0\u2007\u2009\u202f\u200b\u2010\u2011\u2013_/+"
# Wide and fast: where the exact pattern is tried.
_CANDIDATE = re.compile(rf"\d[\d%Dd{_SEPARATORS}]{{{MIN_DIGITS - 2},}}\d")
# A run starts after a non-digit; the digits of an encoded character (``%22``) are not part of it.
_BEGIN = r"\d(?:(?<=%[0-9A-Fa-f]{2}.)|(?<![\d%].)(?<!%[0-9A-Fa-f].))"
_RUN = re.compile(rf"{_BEGIN}(?:(?:[{_SEPARATORS}]|%20|%2[Dd])?\d){{{MIN_DIGITS - 1},}}")
_SEPARATOR = re.compile(rf"[{_SEPARATORS}]|%20|%2[Dd]")
_HEX_HASH = re.compile(r"[0-9A-Fa-f]{32,}")

_ISSUERS: tuple[tuple[range, tuple[int, ...]], ...] = (
    (range(2200, 2205), (16, 17, 18, 19)),
    (range(2221, 2721), (16,)),
    (range(3000, 3060), (14, 16)),
    (range(3095, 3096), (14, 16)),
    (range(3400, 3500), (15,)),
    (range(3528, 3590), (16, 17, 18, 19)),
    (range(3600, 3700), (14, 16, 19)),
    (range(3700, 3800), (15,)),
    (range(3800, 4000), (14, 16, 19)),
    (range(4000, 5000), (13, 16, 18, 19)),
    (range(5000, 5100), (13, 14, 15, 16, 17, 18, 19)),
    (range(5100, 5600), (16,)),
    (range(5600, 7000), (13, 14, 15, 16, 17, 18, 19)),
    (range(8100, 8300), (16, 17, 18, 19)),
    (range(9792, 9793), (16,)),
)
_LENGTHS = {prefix: lengths for prefixes, lengths in _ISSUERS for prefix in prefixes}


class _Digits:
    """The digits of one run, with prefix sums that give the Luhn sum of any range in constant time."""

    def __init__(self, text: str) -> None:
        self.values = [int(digit) for digit in text]
        doubled = [value * 2 - 9 * (value > 4) for value in self.values]
        pairs = list(zip(self.values, doubled, strict=True))
        self._even_plain = [0, *accumulate(pair[index % 2] for index, pair in enumerate(pairs))]
        self._odd_plain = [0, *accumulate(pair[1 - index % 2] for index, pair in enumerate(pairs))]

    def prefix(self, start: int) -> int:
        a, b, c, d = self.values[start : start + 4]
        return a * 1000 + b * 100 + c * 10 + d

    def passes_luhn(self, start: int, end: int) -> bool:
        sums = self._odd_plain if end % 2 == 0 else self._even_plain
        return (sums[end] - sums[start]) % 10 == 0

    def is_bar_code(self, start: int, end: int) -> bool:
        digits = self.values[start:end]
        return len(digits) == 13 and (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def find_cards(text: str) -> Iterator[Span]:
    for candidate in _CANDIDATE.finditer(text):
        for run in _RUN.finditer(text, candidate.start(), candidate.end()):
            yield from _cards_in_run(text, run.start(), run.end())


def _cards_in_run(text: str, start: int, end: int) -> Iterator[Span]:
    groups = _groups(text, start, end)
    digits = _Digits("".join(text[left:right] for left, right in groups))
    offsets = [0, *accumulate(right - left for left, right in groups)]
    group_at = {offset: index for index, offset in enumerate(offsets)}
    first = 0
    while first < len(groups) and offsets[-1] - offsets[first] >= MIN_DIGITS:
        begin = offsets[first]
        for length in reversed(_LENGTHS.get(digits.prefix(begin), ())):
            last = group_at.get(begin + length)
            if last is None or not digits.passes_luhn(begin, begin + length):
                continue
            if digits.is_bar_code(begin, begin + length) or not _is_written_as_card(text, groups[first:last]):
                continue
            yield Span(groups[first][0], groups[last - 1][1], "card")
            first = last - 1
            break
        first += 1


def _groups(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The span of each group of digits; the digits of an encoded separator (``%20``) belong to none."""
    groups: list[tuple[int, int]] = []
    position = start
    for separator in _SEPARATOR.finditer(text, start, end):
        groups.append((position, separator.start()))
        position = separator.end()
    groups.append((position, end))
    return groups


def _is_written_as_card(text: str, groups: list[tuple[int, int]]) -> bool:
    if len(groups) == 1:
        return not _is_fraction(text, *groups[0]) and not _is_in_hash(text, *groups[0])
    separators = {text[left[1] : right[0]] for left, right in pairwise(groups)}
    lengths = [end - start for start, end in groups]
    even = len(set(lengths[:-1])) == 1 and lengths[-1] <= lengths[0]
    return len(separators) == 1 and (even or (lengths[0] in (4, 6, 8) and min(lengths) >= 2))


def _is_fraction(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return (before[-1:] == "." and before[:1].isdigit()) or (after[:1] == "." and after[1:].isdigit())


def _is_in_hash(text: str, start: int, end: int) -> bool:
    before = max(0, start - 128)
    for match in _HEX_HASH.finditer(text, before, end + 128):
        if match.start() <= start < match.end():
            return not match[0].isdigit()
    return False
