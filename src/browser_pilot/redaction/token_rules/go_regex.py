"""Parses the part of Go's regular expressions (RE2) that rules for tokens use, into sequences of character repeats.

Pure. What it cannot express raises ``Unsupported``; alternatives and small character sets are expanded, so that each
sequence begins with one literal prefix. Upper and lower case of a literal are taken as written, also under ``(?i)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product

MAX_SEQUENCES = 32
MAX_EXPANDED_SET = 4
MAX_REPEATS = 255

_QUANTIFIER = re.compile(r"\{(\d+)(,?)(\d*)\}|[?*+]")
_FLAGS = re.compile(r"\(\?(-?)i(\)|:)")
_SET = re.compile(r"\[(?:\[:\w+:\]|\\.|[^\]\\])+\]")
_NAMED_SETS = {"[:alnum:]": "A-Za-z0-9"}
_SHORTHANDS = {"w": r"[\w]", "d": r"[\d]"}


class Unsupported(ValueError):
    """The expression uses something that is not a sequence of bounded repeats; the text says what."""


@dataclass(frozen=True)
class Repeat:
    """``least`` to ``most`` characters, of a set such as ``[a-z]`` or, when ``literal``, one given character."""

    characters: str
    least: int = 1
    most: int = 1
    literal: bool = False

    @property
    def regex(self) -> str:
        one = re.escape(self.characters) if self.literal else self.characters
        if (self.least, self.most) == (1, 1):
            return one
        return f"{one}{{{self.least}}}" if self.least == self.most else f"{one}{{{self.least},{self.most}}}"


Sequence = tuple[Repeat, ...]


def parse(expression: str) -> list[Sequence]:
    """All sequences that together match what ``expression`` matches."""
    parser = _Parser(expression)
    sequences = parser.alternatives()
    if parser.rest:
        raise Unsupported("unbalanced group")
    return [_joined(sequence) for sequence in sequences]


class _Parser:
    def __init__(self, expression: str) -> None:
        self.rest = expression
        self._ignores_case = False

    def alternatives(self) -> list[Sequence]:
        found: list[Sequence] = []
        while True:
            found += self._sequence()
            if not self.rest.startswith("|"):
                return found
            self.rest = self.rest[1:]

    def _sequence(self) -> list[Sequence]:
        sequences: list[Sequence] = [()]
        while self.rest and self.rest[0] not in "|)":
            choices = self._quantified(self._atom())
            sequences = [before + after for before, after in product(sequences, choices)]
            if len(sequences) > MAX_SEQUENCES:
                raise Unsupported("too many alternatives")
        return sequences

    def _atom(self) -> list[Sequence]:
        if self.rest.startswith(r"\b"):
            self.rest = self.rest[2:]
            return [()]
        if self.rest.startswith("("):
            return self._group()
        if self.rest.startswith("["):
            return self._set()
        if self.rest[0] in ".^$*+?{":
            raise Unsupported(f"{self.rest[0]} without a bound")
        escaped = self.rest.startswith("\\")
        character = self.rest[1] if escaped else self.rest[0]
        self.rest = self.rest[2:] if escaped else self.rest[1:]
        if escaped and character in _SHORTHANDS:
            return [(Repeat(_SHORTHANDS[character]),)]
        if escaped and character.isalnum():
            raise Unsupported(rf"\{character}")
        return [(Repeat(character, literal=True),)]

    def _group(self) -> list[Sequence]:
        flags = _FLAGS.match(self.rest)
        if flags:
            before, self._ignores_case = self._ignores_case, not flags[1]
            self.rest = self.rest[flags.end() :]
            if flags[2] == ")":
                return [()]
        else:
            before = self._ignores_case
            self.rest = self.rest.removeprefix("(").removeprefix("?:")
            if self.rest.startswith("?"):
                raise Unsupported("a named or conditional group")
        inside = self.alternatives()
        if not self.rest.startswith(")"):
            raise Unsupported("unbalanced group")
        self.rest = self.rest[1:]
        self._ignores_case = before
        return inside

    def _set(self) -> list[Sequence]:
        found = _SET.match(self.rest)
        if found is None or found[0].startswith("[^"):
            raise Unsupported("a negated set")
        self.rest = self.rest[found.end() :]
        inside = found[0][1:-1]
        if inside.isalnum() and len(inside) <= MAX_EXPANDED_SET and not _QUANTIFIER.match(self.rest):
            return [(Repeat(character, literal=True),) for character in inside]
        for name, ranges in _NAMED_SETS.items():
            inside = inside.replace(name, ranges)
        if self._ignores_case and "A-" not in inside:
            inside = re.sub(r"a-([a-z])", lambda span: f"a-{span[1]}A-{span[1].upper()}", inside)
        return [(Repeat(f"[{inside}]"),)]

    def _quantified(self, choices: list[Sequence]) -> list[Sequence]:
        found = _QUANTIFIER.match(self.rest)
        if found is None:
            return choices
        self.rest = self.rest[found.end() :]
        if self.rest.startswith("?"):
            raise Unsupported("a lazy repeat")
        least, most = _bounds(found)
        if len(choices) == 1 and len(choices[0]) == 1 and (choices[0][0].least, choices[0][0].most) == (1, 1):
            return [(replace(choices[0][0], least=least, most=most),)]
        if most > 4:
            raise Unsupported("a repeated group")
        return [tuple(part for choice in taken for part in choice) for count in range(least, most + 1)
                for taken in product(choices, repeat=count)]  # fmt: skip


def _bounds(quantifier: re.Match[str]) -> tuple[int, int]:
    if quantifier[0] in ("?", "*", "+"):
        return int(quantifier[0] == "+"), 1 if quantifier[0] == "?" else MAX_REPEATS
    least = int(quantifier[1])
    most = (int(quantifier[3]) if quantifier[3] else max(least, MAX_REPEATS)) if quantifier[2] else least
    return least, most


def _joined(sequence: Sequence) -> Sequence:
    """Neighbours of the same characters as one repeat: ``[a-z]{2}[a-z]{7}`` would backtrack for nothing."""
    joined: list[Repeat] = []
    for part in sequence:
        last = joined[-1] if joined else None
        if last is not None and not part.literal and not last.literal and last.characters == part.characters:
            joined[-1] = replace(last, least=last.least + part.least, most=last.most + part.most)
        else:
            joined.append(part)
    return tuple(joined)
