"""How often something may be tried."""

from __future__ import annotations

import pytest

from browser_pilot.config import PolicySettings, Settings
from browser_pilot.errors import CircuitOpen, ElementNotFound, NavigationFailed, PilotError, RateLimited
from browser_pilot.gateway import Intent
from browser_pilot.gateway.limits import Limits
from browser_pilot.policy.circuit import FAILURES, PAUSE_SECONDS
from browser_pilot.sessions.client import Client


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def intent(client: Client, tool: str = "browser_click") -> Intent:
    return Intent(client, tool, "write", {}, 1_000)


def client(per_minute: int = 2) -> Client:
    return Client("c1", Settings(policy=PolicySettings(rate_per_minute=per_minute)))


def test_calls_beyond_the_minutes_share_are_told_when_to_come_back() -> None:
    clock = Clock()
    limits, one = Limits(clock=clock), client()
    limits.admit(intent(one))
    clock.now += 10
    limits.admit(intent(one))
    with pytest.raises(RateLimited) as refused:
        limits.admit(intent(one))
    assert refused.value.metadata["retry_after_seconds"] == 50
    assert refused.value.retryable
    limits.admit(intent(one, "browser_type"))
    clock.now += 50
    limits.admit(intent(one))


def test_each_client_has_its_own_share() -> None:
    limits = Limits(clock=Clock())
    for name in ("a", "b", "c"):
        limits.admit(intent(Client(name, Settings(policy=PolicySettings(rate_per_minute=1)))))


@pytest.mark.parametrize("error", [NavigationFailed("refused"), RuntimeError("a bug")])
def test_what_keeps_failing_on_a_site_pauses_there_and_nowhere_else(error: Exception) -> None:
    clock = Clock()
    limits, one = Limits(clock=clock), client()
    for _ in range(FAILURES):
        limits.enter(intent(one), "a.example")
        limits.leave(intent(one), "a.example", error)
    if not isinstance(error, PilotError):
        limits.enter(intent(one), "a.example")
        return
    with pytest.raises(CircuitOpen, match=r"on a\.example"):
        limits.enter(intent(one), "a.example")
    limits.enter(intent(one), "b.example")
    limits.enter(intent(one, "browser_type"), "a.example")
    clock.now += PAUSE_SECONDS
    limits.enter(intent(one), "a.example")
    limits.leave(intent(one), "a.example", None)
    limits.enter(intent(one), "a.example")


def test_a_wrong_element_says_nothing_about_the_site() -> None:
    limits, one = Limits(clock=Clock()), client()
    for _ in range(FAILURES * 3):
        limits.enter(intent(one), "a.example")
        limits.leave(intent(one), "a.example", ElementNotFound("no"))
