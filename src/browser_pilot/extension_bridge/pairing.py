"""The code that lets a new browser in: one at a time, for a few minutes and tries. Pure: the time is passed in."""

from __future__ import annotations

from dataclasses import dataclass

from .proofs import fresh_code

LIFE_SECONDS = 600.0
MOST_TRIES = 5


@dataclass(slots=True)
class OpenCode:
    code: str
    expires: float
    tries_left: int = MOST_TRIES


class PairingDesk:
    def __init__(self) -> None:
        self._open: OpenCode | None = None

    def open(self, now: float) -> OpenCode:
        """A new code; the one before it is void."""
        self._open = OpenCode(fresh_code(), now + LIFE_SECONDS)
        return self._open

    def current(self, now: float) -> OpenCode | None:
        if self._open is not None and (now >= self._open.expires or self._open.tries_left <= 0):
            self._open = None
        return self._open

    def take_try(self, now: float) -> str | None:
        """The code to hold a newcomer against, at the price of one try; None when none is open."""
        code = self.current(now)
        if code is None:
            return None
        code.tries_left -= 1
        return code.code

    def close(self) -> None:
        """The code has served: no second browser gets in by it."""
        self._open = None
