"""How often something may be tried: so many calls a minute, and a pause for what keeps failing on a site."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ..errors import (
    BrowserError,
    CircuitOpen,
    DialogOpen,
    DownloadBroken,
    DownloadFailed,
    ElementError,
    InvalidArgument,
    NoTab,
    PilotError,
    RateLimited,
    Refused,
)
from ..policy.circuit import Breaker
from ..policy.rates import RateLimiter
from .intent import Intent

# What says something about the call or the user's wishes, and nothing about how the site does.
_NOT_THE_SITE = (Refused, InvalidArgument, ElementError, BrowserError, NoTab, DialogOpen)


class Limits:
    """Counts calls per client and tool, and failures per tool and site. Lives as long as the hub."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._rates = RateLimiter(1)
        self._breaker = Breaker()

    def admit(self, intent: Intent) -> None:
        """Count a call; raises ``RateLimited`` when there were too many in the last minute."""
        per_minute = intent.client.settings.policy.rate_per_minute
        self._rates.per_minute = per_minute
        wait = self._rates.admit(intent.client.id, intent.tool, self._clock())
        if wait is not None:
            seconds = math.ceil(wait)
            raise RateLimited(
                f"{intent.tool} was called {per_minute} times within a minute; the next call is free in {seconds} s.",
                suggestions=[f"Wait {seconds} s.", "Your user can raise policy.rate_per_minute."],
                metadata={"retry_after_seconds": seconds},
            )

    def enter(self, intent: Intent, site: str) -> None:
        """Begin a try on a site; raises ``CircuitOpen`` while the tool pauses there. ``leave`` has to follow."""
        wait = self._breaker.enter(intent.tool, site, self._clock())
        if wait is not None:
            seconds = math.ceil(wait)
            raise CircuitOpen(
                f"{intent.tool} failed several times in a row on {site} and pauses there for {seconds} s.",
                suggestions=[f"Wait {seconds} s.", "Look at the page with browser_snapshot, and try another way."],
                metadata={"retry_after_seconds": seconds},
            )

    def leave(self, intent: Intent, site: str, error: BaseException | None) -> None:
        """How the try went."""
        succeeded = True if error is None else False if _is_failure(error) else None
        self._breaker.leave(intent.tool, site, self._clock(), succeeded=succeeded)

    def prune(self) -> None:
        self._rates.prune(self._clock())
        self._breaker.forget_closed()


def _is_failure(error: BaseException) -> bool:
    if isinstance(error, DownloadFailed):
        return isinstance(error, DownloadBroken)
    return isinstance(error, PilotError) and not isinstance(error, _NOT_THE_SITE)
