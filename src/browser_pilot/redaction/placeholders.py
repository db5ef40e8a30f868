"""The marks that stand where something was taken out, such as ``[redacted:card]``.

A mark is opaque: redaction never looks inside one, so redacting twice gives what redacting once gave.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

Kind = Literal["password", "code", "card", "token", "key", "cookie", "credentials", "secret", "email", "phone", "text"]

MARK = re.compile(r"\[redacted:(password|code|card|token|key|cookie|credentials|secret|email|phone|text)\]")


class Span(NamedTuple):
    """A part of a text, ``text[start:end]``, that must not be shown."""

    start: int
    end: int
    kind: Kind


def mark(kind: Kind) -> str:
    return f"[redacted:{kind}]"


def replace_spans(text: str, spans: list[Span]) -> str:
    """``text`` with a mark in place of each span; spans that overlap become one, with the kind of the first."""
    spans.sort(key=lambda span: (span.start, -span.end))
    parts: list[str] = []
    position = 0
    for start, end, kind in spans:
        if start >= position:
            parts += (text[position:start], mark(kind))
            position = end
        elif end > position:
            position = end
    parts.append(text[position:])
    return "".join(parts)


def lift_marks(text: str) -> tuple[str, list[Span]]:
    """``text`` with each mark shrunk to one character that no rule matches, and where those are."""
    parts: list[str] = []
    spans: list[Span] = []
    position = length = 0
    for found in MARK.finditer(text):
        parts += (text[position : found.start()], "\0")
        length += found.start() - position + 1
        spans.append(Span(length - 1, length, cast(Kind, found[1])))
        position = found.end()
    parts.append(text[position:])
    return "".join(parts), spans


def around(span: Span, marks: list[Span]) -> Iterator[Span]:
    """What is left of ``span`` beside the marks in it."""
    start = span.start
    for index in range(bisect_left(marks, (start,)), len(marks)):
        if marks[index].start >= span.end:
            break
        if marks[index].start > start:
            yield Span(start, marks[index].start, span.kind)
        start = marks[index].end
    if span.end > start:
        yield Span(start, span.end, span.kind)
