"""The pairing code: one at a time, valid for some minutes and tries. Pure: the time is passed in."""

from __future__ import annotations

from dataclasses import dataclass

from .mutual_auth import new_code

CODE_TTL_SECONDS = 600.0
MAX_TRIES = 5


@dataclass(slots=True)
class PairingCode:
    code: str
    expires: float
    tries_left: int = MAX_TRIES


class PairingCodes:
    def __init__(self) -> None:
        self._open: PairingCode | None = None

    def open(self, now: float) -> PairingCode:
        """Create a new code; the previous one becomes invalid."""
        self._open = PairingCode(new_code(), now + CODE_TTL_SECONDS)
        return self._open

    def current(self, now: float) -> PairingCode | None:
        if self._open is not None and (now >= self._open.expires or self._open.tries_left <= 0):
            self._open = None
        return self._open

    def use_try(self, now: float) -> str | None:
        """The code to check a new browser against; uses up one try. None when no code is open."""
        code = self.current(now)
        if code is None:
            return None
        code.tries_left -= 1
        return code.code

    def close(self) -> None:
        """Invalidate the code: it pairs one browser only."""
        self._open = None
