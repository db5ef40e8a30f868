"""Budgets of steps: so many for a session, so many an hour for a domain. Plain counting, with ``now`` passed in.

``reserve`` takes all of an action's charges or none, in one synchronous call: whoever reserves before the first
``await`` can never overshoot, however many calls run at the same time. ``refund`` gives back, once, what was reserved
for an action that was then not tried. Times are seconds since the epoch, so that what was used up holds across a
restart; a clock that jumps back makes steps count longer, never shorter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

HOUR_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Charge:
    """One step on the account ``key``, which may hold ``limit`` within ``window_seconds`` (None: for good)."""

    key: str
    limit: int
    window_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Shortage:
    """The charge that does not fit, and when it will; None when it never will."""

    charge: Charge
    retry_after_seconds: float | None


@dataclass(frozen=True, slots=True)
class Reservation:
    charges: tuple[Charge, ...]
    at: float


class Budgets:
    """What each account has used: totals for those that last, times for those with a window."""

    def __init__(self) -> None:
        self._totals: dict[str, int] = {}
        self._times: dict[str, list[float]] = {}

    def __len__(self) -> int:
        """How many accounts are kept."""
        return len(self._totals) + len(self._times)

    def used(self, key: str) -> int:
        """How many steps an account that lasts has used."""
        return self._totals.get(key, 0)

    def check(self, charges: Iterable[Charge], now: float) -> Shortage | None:
        """The first charge that does not fit. Counts nothing."""
        for charge in charges:
            if charge.window_seconds is None:
                if self._totals.get(charge.key, 0) >= charge.limit:
                    return Shortage(charge, None)
                continue
            recent = [at for at in self._times.get(charge.key, ()) if at > now - charge.window_seconds]
            if len(recent) >= charge.limit:
                # There is room again when the oldest of the last ``limit`` steps leaves the window.
                oldest = sorted(recent)[-charge.limit] if charge.limit > 0 else None
                return Shortage(charge, None if oldest is None else oldest + charge.window_seconds - now)
        return None

    def reserve(self, charges: Iterable[Charge], now: float) -> Reservation | Shortage:
        """Count one step on every account, or on none. An account that is named twice is charged once."""
        charges = tuple(charges)
        shortage = self.check(charges, now)
        if shortage is not None:
            return shortage
        once = tuple({charge.key: charge for charge in charges}.values())
        for charge in once:
            if charge.window_seconds is None:
                self._totals[charge.key] = self._totals.get(charge.key, 0) + 1
            else:
                kept = [at for at in self._times.get(charge.key, ()) if at > now - charge.window_seconds]
                self._times[charge.key] = [*kept, now]
        return Reservation(once, now)

    def refund(self, reservation: Reservation) -> None:
        for charge in reservation.charges:
            times = self._times.get(charge.key, [])
            if charge.window_seconds is None:
                self._totals[charge.key] = max(0, self._totals.get(charge.key, 0) - 1)
            elif reservation.at in times:
                times.remove(reservation.at)

    def forget(self, key: str) -> None:
        """Close an account for good, as when its session ends."""
        self._totals.pop(key, None)
        self._times.pop(key, None)

    def restore(self, totals: Mapping[str, int], times: Mapping[str, Iterable[float]]) -> None:
        """Count on from what was used up before a restart."""
        self._totals = dict(totals)
        self._times = {key: list(stamps) for key, stamps in times.items()}

    def prune(self, now: float, *, older_than_seconds: float = HOUR_SECONDS) -> None:
        """Drop the windows in which nothing happened for so long."""
        kept = {key: times for key, times in self._times.items() if times and max(times) > now - older_than_seconds}
        self._times = kept
