"""A circuit breaker per operation and site: what keeps failing is stopped for a short while.

Closed, it lets everything through and counts failures in a row. After ``FAILURES`` of them it opens and refuses. When
the pause is over, one trial may go through: success closes it, failure opens it again for twice as long, up to a
ceiling. A trial of which nothing is heard counts as given up after ``TRIAL_SECONDS``. What the policy refuses is not a
failure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

FAILURES = 5
PAUSE_SECONDS = 15.0
LONGEST_PAUSE_SECONDS = 240.0
TRIAL_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Circuit:
    """``failures`` in a row; closed again from ``opens_at`` for one trial; ``trial_until`` while one is under way."""

    failures: int = 0
    pause_seconds: float = PAUSE_SECONDS
    opens_at: float | None = None
    trial_until: float | None = None


class Breaker:
    """The circuits that have seen a failure; one that has not takes no memory."""

    def __init__(self) -> None:
        self._circuits: dict[tuple[str, str], Circuit] = {}

    def enter(self, operation: str, site: str, now: float) -> float | None:
        """None when the call may go on, else the seconds to wait. Every entry must be followed by ``leave``."""
        key = (operation, site)
        circuit = self._circuits.get(key)
        if circuit is None or circuit.opens_at is None:
            return None
        if now < circuit.opens_at:
            return circuit.opens_at - now
        if circuit.trial_until is not None and now < circuit.trial_until:
            return circuit.trial_until - now
        self._circuits[key] = replace(circuit, trial_until=now + TRIAL_SECONDS)
        return None

    def leave(self, operation: str, site: str, now: float, *, succeeded: bool | None) -> None:
        """How it went; None when nothing can be said, as after a cancellation."""
        key = (operation, site)
        circuit = self._circuits.get(key, Circuit())
        if succeeded:
            self._circuits.pop(key, None)
        elif succeeded is None:
            self._circuits[key] = replace(circuit, trial_until=None)
        elif circuit.opens_at is not None:
            if now >= circuit.opens_at:
                longer = min(circuit.pause_seconds * 2, LONGEST_PAUSE_SECONDS)
                self._circuits[key] = Circuit(circuit.failures + 1, longer, now + longer)
        else:
            failures = circuit.failures + 1
            opens_at = now + circuit.pause_seconds if failures >= FAILURES else None
            self._circuits[key] = replace(circuit, failures=failures, opens_at=opens_at)

    def forget_closed(self) -> None:
        """Let go of circuits that never opened: their failures were too few to matter by now."""
        self._circuits = {key: circuit for key, circuit in self._circuits.items() if circuit.opens_at is not None}
