"""The targets of the benchmark and their evaluation. Pure: summaries in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .stats import Summary

OURS, BASELINE, PLAYWRIGHT = "browser-pilot", "raw CDP", "playwright-mcp"
PEERS = ("agent-browser", "chrome-devtools-mcp", "playwright-mcp")
# Word boundaries differ between formats; half a percentage point is noise.
TOLERATED_POINTS = 0.5
SPEED = ("see", "type", "type and see", "fill", "evaluate", "navigate")
# Our result of typing includes the diff. Raw CDP's plain "type" reads one value and does not wait, so it has a row but
# no target; its "type and see" does the same work as ours.
NOT_COMPARABLE_TO_RAW = ("type",)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``ratio`` is ours divided by the limit: the target is met up to 1. None: not measured."""

    target: str
    subject: str
    ours: float | None
    limit: float | None

    @property
    def ratio(self) -> float | None:
        return self.ours / self.limit if self.ours is not None and self.limit else None

    @property
    def met(self) -> bool | None:
        return None if self.ratio is None else self.ratio <= 1


class Medians:
    def __init__(self, summaries: Iterable[Summary]) -> None:
        self._by_key = {(s.operation, s.subject, s.competitor): s for s in summaries}

    def subjects(self, operation: str) -> list[str]:
        return list(dict.fromkeys(subject for op, subject, _ in self._by_key if op == operation))

    def ms(self, operation: str, subject: str, competitor: str) -> float | None:
        found = self._by_key.get((operation, subject, competitor))
        return found.ms if found else None

    def tokens(self, operation: str, subject: str, competitor: str) -> float | None:
        found = self._by_key.get((operation, subject, competitor))
        return found.tokens if found else None

    def amount(self, operation: str, subject: str, competitor: str) -> float | None:
        found = self._by_key.get((operation, subject, competitor))
        return found.amount if found else None


def evaluate_targets(summaries: Sequence[Summary]) -> list[Verdict]:
    medians = Medians(summaries)
    return [*_start_up(medians), *_tokens(medians), *_speed(medians), *_memory(medians)]


def _start_up(m: Medians) -> Iterator[Verdict]:
    npx = m.ms("start-up", "", PLAYWRIGHT)
    yield Verdict("start-up ≤ 0.2 × npx @playwright/mcp", "", m.ms("start-up", "", OURS), _times(0.2, npx))


def _tokens(m: Medians) -> Iterator[Verdict]:
    yield Verdict("tool list ≤ 2,000 tokens", "", m.tokens("tools", "", OURS), 2000)
    yield Verdict("tool list, minimal ≤ 600 tokens", "", m.tokens("tools minimal", "", OURS), 600)
    subjects = m.subjects("snapshot")
    for subject in subjects:
        theirs = m.tokens("snapshot", subject, PLAYWRIGHT)
        ours = m.tokens("snapshot", subject, OURS)
        yield Verdict("snapshot tokens ≤ 0.5 × Playwright MCP", subject, ours, _times(0.5, theirs))
    for operation, what in (("snapshot", "whole pages"), ("controls", "controls only")):
        ours = _total([m.tokens(operation, subject, OURS) for subject in subjects])
        sums = {peer: _total([m.tokens(operation, subject, peer) for subject in subjects]) for peer in PEERS}
        best = _minimum(sums.values())
        yield Verdict(f"snapshot tokens, all pages < leanest peer ({what})", "", ours, best)
    for operation in ("words kept", "controls kept"):
        yield from _completeness(m, operation)
    for operation, what in (("see", "best peer"), ("see changes", "best peer's delta")):
        for subject in m.subjects("see"):
            best = _minimum(m.tokens(operation, subject, peer) for peer in PEERS)
            ours = m.tokens("see", subject, OURS)
            yield Verdict(f"tokens of click + new state ≤ 0.2 × {what}", subject, ours, _times(0.2, best))


def _completeness(m: Medians, operation: str) -> Iterator[Verdict]:
    """Compares the missing percentage with Playwright MCP's on the page where ours is worst."""
    gaps: dict[str, tuple[float, float]] = {}
    for subject in m.subjects(operation):
        ours, theirs = (m.amount(operation, subject, name) for name in (OURS, PLAYWRIGHT))
        if ours is not None and theirs is not None:
            gaps[subject] = 100 * (1 - ours), 100 * (1 - theirs) + TOLERATED_POINTS
    if gaps:
        worst = max(gaps, key=lambda subject: gaps[subject][0] - gaps[subject][1])
        yield Verdict(f"{operation}: % missing, worst page, as Playwright MCP", worst, *gaps[worst])


def _speed(m: Medians) -> Iterator[Verdict]:
    for operation in SPEED:
        for subject in m.subjects(operation):
            ours = m.ms(operation, subject, OURS)
            fastest = _minimum(m.ms(operation, subject, peer) for peer in PEERS)
            yield Verdict(f"time of {operation} < every peer", subject, ours, fastest)
            if operation not in NOT_COMPARABLE_TO_RAW:
                limit = _times(1.5, m.ms(operation, subject, BASELINE))
                yield Verdict(f"time of {operation} ≤ 1.5 × raw CDP", subject, ours, limit)
    quiet = _times(1.5, m.ms("click", "", OURS))
    yield Verdict("click on a busy page ≤ 1.5 × quiet", "", m.ms("click busy", "", OURS), quiet)
    yield Verdict("navigation with a hanging image ≤ 1 s", "", m.ms("navigate hanging", "", OURS), 1000)
    yield Verdict("wait for text late by ≤ 20 ms", "", m.ms("wait for", "", OURS), 20)


def _memory(m: Medians) -> Iterator[Verdict]:
    smallest = _minimum(m.amount("memory", "", peer) for peer in PEERS)
    yield Verdict("memory with five sessions < every peer", "", m.amount("memory", "", OURS), smallest)


def _times(factor: float, value: float | None) -> float | None:
    return None if value is None else factor * value


def _minimum(values: Iterable[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)


def _total(values: Sequence[float | None]) -> float | None:
    """Returns the sum, or None if a value is missing: a sum over fewer pages would look better."""
    present = [value for value in values if value is not None]
    return sum(present) if present and len(present) == len(values) else None


def count_by_state(verdicts: Sequence[Verdict]) -> Mapping[str, int]:
    counts = {"met": 0, "not met": 0, "not measured": 0}
    for verdict in verdicts:
        counts["not measured" if verdict.met is None else "met" if verdict.met else "not met"] += 1
    return counts
