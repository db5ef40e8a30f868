"""Summarises measurements. Pure functions over frozen data; no clock, no I/O."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement. ``subject`` is the page, where the operation has several. ``failure`` excludes values."""

    operation: str
    competitor: str
    subject: str = ""
    ms: float | None = None
    tokens: int | None = None
    amount: float | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The medians of the samples of one operation on one subject by one competitor."""

    operation: str
    competitor: str
    subject: str
    ms: float | None
    fastest_ms: float | None
    slowest_ms: float | None
    tokens: float | None
    amount: float | None
    rounds: int
    failures: tuple[str, ...]


def summarise(samples: Iterable[Sample]) -> list[Summary]:
    """One summary per operation, subject and competitor, in order of first appearance."""
    groups: dict[tuple[str, str, str], list[Sample]] = {}
    for sample in samples:
        groups.setdefault((sample.operation, sample.subject, sample.competitor), []).append(sample)
    return [_summarise(group) for group in groups.values()]


def _summarise(group: Sequence[Sample]) -> Summary:
    good = [sample for sample in group if sample.failure is None]
    times = [sample.ms for sample in good if sample.ms is not None]
    first = group[0]
    return Summary(
        operation=first.operation,
        competitor=first.competitor,
        subject=first.subject,
        ms=median(times),
        fastest_ms=min(times, default=None),
        slowest_ms=max(times, default=None),
        tokens=median([sample.tokens for sample in good if sample.tokens is not None]),
        amount=median([sample.amount for sample in good if sample.amount is not None]),
        rounds=len(good),
        failures=tuple(dict.fromkeys(sample.failure for sample in group if sample.failure is not None)),
    )


def median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def rotated(items: Sequence[T], by: int) -> list[T]:
    """Rotates the items by one per round, so that the order of the competitors changes."""
    if not items:
        return []
    start = by % len(items)
    return [*items[start:], *items[:start]]
