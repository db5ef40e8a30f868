"""Rate limits per client and tool, and the circuit breaker per tool and site."""

from __future__ import annotations

import pytest

from browser_pilot.config.settings import PolicySettings, Settings
from browser_pilot.errors import (
    BrowserCrashed,
    CircuitOpen,
    ElementNotFound,
    NavigationFailed,
    OutcomeUnknown,
    RateLimited,
    SettingsError,
    Timeout,
)
from browser_pilot.gateway import ToolCall
from browser_pilot.gateway.rate_limits import RateLimits
from browser_pilot.policy.circuit_breaker import FAILURE_THRESHOLD, OPEN_SECONDS
from browser_pilot.sessions.client import Client


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def call(client: Client, tool: str = "browser_click") -> ToolCall:
    return ToolCall(client=client, tool=tool, effect="write", arguments={}, timeout_ms=1_000)


def client(name: str = "c1", per_minute: int = 2) -> Client:
    return Client(name, Settings(policy=PolicySettings(rate_per_minute=per_minute)))


def fail(limits: RateLimits, error: Exception, *, times: int = FAILURE_THRESHOLD) -> None:
    for _ in range(times):
        with pytest.raises(type(error)), limits.attempt(call(client()), "a.example"):
            raise error


def test_a_call_beyond_the_rate_limit_says_when_to_retry() -> None:
    clock = Clock()
    limits, one = RateLimits(clock=clock), client()
    limits.admit(call(one))
    clock.now += 10
    limits.admit(call(one))
    with pytest.raises(RateLimited) as refused:
        limits.admit(call(one))
    assert refused.value.metadata["retry_after_seconds"] == 50
    assert refused.value.retryable
    limits.admit(call(one, "browser_type"))
    clock.now += 50
    limits.admit(call(one))


def test_each_client_has_a_limit_of_its_own() -> None:
    limits = RateLimits(clock=Clock())
    for name in ("a", "b", "c"):
        limits.admit(call(client(name, per_minute=1)))
        with pytest.raises(RateLimited):
            limits.admit(call(client(name, per_minute=1)))


@pytest.mark.parametrize(
    "error",
    [
        NavigationFailed("refused"),
        Timeout("late"),
        OutcomeUnknown("late", metadata={"interrupted_by": "TIMEOUT"}),
    ],
)
def test_a_tool_that_keeps_failing_on_a_site_is_paused_there_and_nowhere_else(error: Exception) -> None:
    clock = Clock()
    limits = RateLimits(clock=clock)
    fail(limits, error)
    with pytest.raises(CircuitOpen, match=r"on a\.example"), limits.attempt(call(client()), "a.example"):
        pass
    with limits.attempt(call(client()), "b.example"):
        pass
    with limits.attempt(call(client(), "browser_type"), "a.example"):
        pass
    clock.now += OPEN_SECONDS
    with limits.attempt(call(client()), "a.example"):
        pass
    fail(limits, error, times=1)
    with limits.attempt(call(client()), "a.example"):
        pass


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("a bug"),
        ElementNotFound("no"),
        SettingsError("browser.args"),
        BrowserCrashed("gone"),
        OutcomeUnknown("gone", metadata={"interrupted_by": "BROWSER_CRASHED"}),
    ],
)
def test_errors_that_say_nothing_about_the_site_do_not_pause_a_tool(error: Exception) -> None:
    limits = RateLimits(clock=Clock())
    fail(limits, error, times=FAILURE_THRESHOLD * 3)
    with limits.attempt(call(client()), "a.example"):
        pass
