"""Runs the operations: in each round, all competitors run one operation before the next one starts.

Interleaving distributes load of the machine over all competitors; the first one changes with the round. A failure is
recorded as a sample, the competitor gets a new workspace, and the run continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .competitors.base import Competitor
from .operations import Operation, Participant, RunContext
from .rpc import CallFailed
from .stats import Sample, rotated

Progress = Callable[[str], None]


def run(
    competitors: Sequence[Competitor],
    operations: Sequence[Operation],
    context: RunContext,
    *,
    rounds: int,
    show_progress: Progress,
) -> list[Sample]:
    participants = [Participant(competitor) for competitor in competitors]
    samples: list[Sample] = []
    try:
        for number in range(rounds):
            for operation in operations:
                if operation.max_rounds is not None and number >= operation.max_rounds:
                    continue
                for subject in operation.subjects:
                    for participant in rotated(participants, number):
                        name = participant.competitor.name
                        show_progress(f"round {number + 1} of {rounds}: {operation.key} {subject} · {name}")
                        samples += _attempt(participant, operation, context, subject)
    finally:
        for participant in participants:
            participant.close()
    return samples


def _attempt(participant: Participant, operation: Operation, context: RunContext, subject: str) -> Iterator[Sample]:
    name = participant.competitor.name
    missing = list(operation.titles)
    try:
        for measurement in operation.run(participant, context, subject):
            missing.remove(measurement.operation)
            yield Sample(
                operation=measurement.operation,
                competitor=name,
                subject=measurement.subject,
                ms=measurement.ms,
                tokens=measurement.tokens,
                amount=measurement.amount,
            )
    except (CallFailed, OSError) as error:
        participant.reset()
        failed = (missing or list(operation.titles))[0]
        yield Sample(operation=failed, competitor=name, subject=subject, failure=str(error))
