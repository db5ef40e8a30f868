"""Runs the operations: every competitor does one, then the next is done by all, round after round.

Interleaving spreads a slow minute of the machine over everyone; the one who begins changes with the round. A failure
is a result: it is recorded, the competitor starts afresh, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .competitors.base import Competitor
from .operations import Contestant, Ground, Operation
from .rpc import CallFailed
from .stats import Sample, rotated

Report = Callable[[str], None]


def run(
    competitors: Sequence[Competitor],
    operations: Sequence[Operation],
    ground: Ground,
    *,
    rounds: int,
    report: Report,
) -> list[Sample]:
    contestants = [Contestant(competitor) for competitor in competitors]
    samples: list[Sample] = []
    try:
        for number in range(rounds):
            for operation in operations:
                if operation.most_rounds is not None and number >= operation.most_rounds:
                    continue
                for subject in operation.subjects:
                    for contestant in rotated(contestants, number):
                        name = contestant.competitor.name
                        report(f"round {number + 1} of {rounds}: {operation.key} {subject} · {name}")
                        samples += _attempt(contestant, operation, ground, subject)
    finally:
        for contestant in contestants:
            contestant.leave()
    return samples


def _attempt(contestant: Contestant, operation: Operation, ground: Ground, subject: str) -> Iterator[Sample]:
    name = contestant.competitor.name
    missing = list(operation.titles)
    try:
        for measure in operation.run(contestant, ground, subject):
            missing.remove(measure.operation)
            yield Sample(
                operation=measure.operation,
                competitor=name,
                subject=measure.subject,
                ms=measure.ms,
                tokens=measure.tokens,
                amount=measure.amount,
            )
    except (CallFailed, OSError) as error:
        contestant.reset()
        failed = (missing or list(operation.titles))[0]
        yield Sample(operation=failed, competitor=name, subject=subject, failure=str(error))
