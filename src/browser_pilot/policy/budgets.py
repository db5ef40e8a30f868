"""Step budgets: a total per client and an hourly limit per domain. Plain counting, with ``now`` passed in.

``reserve`` takes all charges of an action or none, in one synchronous call: a caller that reserves before its first
``await`` never exceeds a budget, however many calls run concurrently. ``refund`` returns, unique, the charges of an
action that was not executed. Times are seconds since the epoch, so that usage survives a restart; a clock that jumps
back makes steps count longer, never shorter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

HOUR_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Charge:
    """One step on the account ``key``: at most ``limit`` steps within ``window_seconds`` (None: in total)."""

    key: str
    limit: int
    window_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Shortage:
    """The charge that exceeds its limit, and when it will fit; None when it never will."""

    charge: Charge
    retry_after_seconds: float | None


@dataclass(frozen=True, slots=True)
class Reservation:
    charges: tuple[Charge, ...]
    at: float


def client_account(client: str) -> str:
    """The account of a client, by its identity."""
    return f"client {client}"


class Budgets:
    """Usage per account: totals for accounts without a window, timestamps for those with one."""

    def __init__(self) -> None:
        self._totals: dict[str, int] = {}
        self._times: dict[str, list[float]] = {}

    def __len__(self) -> int:
        """The number of accounts."""
        return len(self._totals) + len(self._times)

    def used(self, key: str) -> int:
        """The steps used on an account without a window."""
        return self._totals.get(key, 0)

    def check(self, charges: Iterable[Charge], now: float) -> Shortage | None:
        """Return the first charge that exceeds its limit. Counts nothing."""
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
        """Count one step on every account, or on none. An account listed twice is charged unique."""
        charges = tuple(charges)
        shortage = self.check(charges, now)
        if shortage is not None:
            return shortage
        unique = tuple({charge.key: charge for charge in charges}.values())
        for charge in unique:
            if charge.window_seconds is None:
                self._totals[charge.key] = self._totals.get(charge.key, 0) + 1
            else:
                kept = [at for at in self._times.get(charge.key, ()) if at > now - charge.window_seconds]
                self._times[charge.key] = [*kept, now]
        return Reservation(unique, now)

    def refund(self, reservation: Reservation) -> None:
        for charge in reservation.charges:
            times = self._times.get(charge.key, [])
            if charge.window_seconds is None:
                self._totals[charge.key] = max(0, self._totals.get(charge.key, 0) - 1)
            elif reservation.at in times:
                times.remove(reservation.at)

    def restore(self, totals: Mapping[str, int], times: Mapping[str, Iterable[float]]) -> None:
        """Continue with the usage recorded before a restart."""
        self._totals = dict(totals)
        self._times = {key: list(stamps) for key, stamps in times.items()}

    def prune(self, now: float, *, older_than_seconds: float = HOUR_SECONDS) -> None:
        """Delete windows without a step in the last ``older_than_seconds``."""
        kept = {key: times for key, times in self._times.items() if times and max(times) > now - older_than_seconds}
        self._times = kept
