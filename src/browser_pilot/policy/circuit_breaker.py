"""A circuit breaker per operation and site: repeated failures block further calls for a short time.

Closed, it admits every call and counts consecutive failures. After ``FAILURE_THRESHOLD`` failures it opens and rejects
calls. After the open period it is half-open and admits one trial: success closes it, failure opens it again for twice
as long, up to ``MAX_OPEN_SECONDS``. A trial without a result is abandoned after ``TRIAL_TIMEOUT_SECONDS``. A policy
denial is not a failure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

FAILURE_THRESHOLD = 5
OPEN_SECONDS = 15.0
MAX_OPEN_SECONDS = 240.0
TRIAL_TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Circuit:
    """Consecutive ``failures``; half-open from ``half_open_at``; ``trial_until`` while a trial runs."""

    failures: int = 0
    open_seconds: float = OPEN_SECONDS
    half_open_at: float | None = None
    trial_until: float | None = None


class CircuitBreaker:
    """Holds only circuits with a recent failure."""

    def __init__(self) -> None:
        self._circuits: dict[tuple[str, str], Circuit] = {}

    def admit(self, operation: str, site: str, now: float) -> float | None:
        """Return None to admit the call, else the seconds to wait. Every admitted call must end with ``record``."""
        key = (operation, site)
        circuit = self._circuits.get(key)
        if circuit is None or circuit.half_open_at is None:
            return None
        if now < circuit.half_open_at:
            return circuit.half_open_at - now
        if circuit.trial_until is not None and now < circuit.trial_until:
            return circuit.trial_until - now
        self._circuits[key] = replace(circuit, trial_until=now + TRIAL_TIMEOUT_SECONDS)
        return None

    def record(self, operation: str, site: str, now: float, *, succeeded: bool | None) -> None:
        """Record the result of an admitted call; None when it is unknown, as after a cancellation."""
        key = (operation, site)
        circuit = self._circuits.get(key, Circuit())
        if succeeded:
            self._circuits.pop(key, None)
        elif succeeded is None:
            self._circuits[key] = replace(circuit, trial_until=None)
        elif circuit.half_open_at is not None:
            if now >= circuit.half_open_at:
                open_seconds = min(circuit.open_seconds * 2, MAX_OPEN_SECONDS)
                self._circuits[key] = Circuit(circuit.failures + 1, open_seconds, now + open_seconds)
        else:
            failures = circuit.failures + 1
            half_open_at = now + circuit.open_seconds if failures >= FAILURE_THRESHOLD else None
            self._circuits[key] = replace(circuit, failures=failures, half_open_at=half_open_at)

    def prune_closed(self) -> None:
        """Delete circuits that are not open: they have too few failures to matter."""
        self._circuits = {key: circuit for key, circuit in self._circuits.items() if circuit.half_open_at is not None}
