"""The placeholders that replace secrets, such as ``[redacted:card]``.

A placeholder is opaque: redaction never matches inside one, so redacting twice gives the same as redacting once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

SecretKind = Literal[
    "password", "code", "card", "token", "key", "cookie", "credentials", "secret", "email", "phone", "text"
]

PLACEHOLDER = re.compile(r"\[redacted:(password|code|card|token|key|cookie|credentials|secret|email|phone|text)\]")


class Span(NamedTuple):
    """A part of a text, ``text[start:end]``, to be hidden."""

    start: int
    end: int
    kind: SecretKind


def placeholder(kind: SecretKind) -> str:
    return f"[redacted:{kind}]"


def replace_spans(text: str, spans: list[Span]) -> str:
    """``text`` with a placeholder for each span; spans that overlap become one, with the kind of the first."""
    spans.sort(key=lambda span: (span.start, -span.end))
    parts: list[str] = []
    position = 0
    for start, end, kind in spans:
        if start >= position:
            parts += (text[position:start], placeholder(kind))
            position = end
        elif end > position:
            position = end
    parts.append(text[position:])
    return "".join(parts)


def extract_placeholders(text: str) -> tuple[str, list[Span]]:
    """``text`` with each placeholder shrunk to one character that no rule matches, and the spans of those."""
    parts: list[str] = []
    spans: list[Span] = []
    position = length = 0
    for found in PLACEHOLDER.finditer(text):
        parts += (text[position : found.start()], "\0")
        length += found.start() - position + 1
        spans.append(Span(length - 1, length, cast(SecretKind, found[1])))
        position = found.end()
    parts.append(text[position:])
    return "".join(parts), spans


def outside_of(span: Span, placeholders: list[Span]) -> Iterator[Span]:
    """The parts of ``span`` outside the placeholders in it."""
    start = span.start
    for index in range(bisect_left(placeholders, (start,)), len(placeholders)):
        if placeholders[index].start >= span.end:
            break
        if placeholders[index].start > start:
            yield Span(start, placeholders[index].start, span.kind)
        start = placeholders[index].end
    if span.end > start:
        yield Span(start, span.end, span.kind)
