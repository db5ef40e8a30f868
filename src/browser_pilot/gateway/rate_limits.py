"""Rate limit per client and tool, and a circuit breaker per tool and site."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from browser_pilot.errors import (
    BrowserError,
    CircuitOpen,
    DialogOpen,
    DownloadBroken,
    DownloadFailed,
    ElementError,
    InvalidArgument,
    NoTab,
    OutcomeUnknown,
    PilotError,
    RateLimited,
    Refused,
    SettingsError,
    Timeout,
)
from browser_pilot.policy.circuit_breaker import CircuitBreaker
from browser_pilot.policy.rate_limiter import RateLimiter

from .tool_call import ToolCall

# Errors that say something about the call, the user's rules or settings, and nothing about the site.
_NOT_THE_SITE = (Refused, InvalidArgument, SettingsError, ElementError, BrowserError, NoTab, DialogOpen)


class RateLimits:
    """Counts calls per client and tool, and failures per tool and site. Lives as long as the hub."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._rates = RateLimiter(1)
        self._breaker = CircuitBreaker()

    def admit(self, call: ToolCall) -> None:
        """Count a call; raises ``RateLimited`` when there were too many in the last minute."""
        per_minute = call.client.settings.policy.rate_per_minute
        self._rates.per_minute = per_minute
        wait = self._rates.admit(call.client.id, call.tool, self._clock())
        if wait is not None:
            seconds = math.ceil(wait)
            raise RateLimited(
                f"{call.tool} was called {per_minute} times within a minute; the next call is free in {seconds} s.",
                suggestions=[f"Wait {seconds} s.", "Your user can raise policy.rate_per_minute."],
                metadata={"retry_after_seconds": seconds},
            )

    @contextmanager
    def attempt(self, call: ToolCall, site: str) -> Generator[None]:
        """One attempt on a site; raises ``CircuitOpen`` while the tool is paused there."""
        wait = self._breaker.admit(call.tool, site, self._clock())
        if wait is not None:
            seconds = math.ceil(wait)
            raise CircuitOpen(
                f"{call.tool} failed several times in a row on {site} and is paused there for {seconds} s.",
                suggestions=[f"Wait {seconds} s.", "Take a browser_snapshot, and try another way."],
                metadata={"retry_after_seconds": seconds},
            )
        succeeded: bool | None = None
        try:
            yield
            succeeded = True
        except PilotError as error:
            succeeded = False if _is_failure(error) else None
            raise
        finally:
            self._breaker.record(call.tool, site, self._clock(), succeeded=succeeded)

    def prune(self) -> None:
        self._rates.prune(self._clock())
        self._breaker.prune_closed()


def _is_failure(error: PilotError) -> bool:
    if isinstance(error, DownloadFailed):
        return isinstance(error, DownloadBroken)
    if isinstance(error, OutcomeUnknown):
        return error.metadata.get("interrupted_by") == Timeout.code
    return not isinstance(error, _NOT_THE_SITE)
