"""The memory limit: above it, the idle session with the largest heap is put to sleep."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import cast

from browser_pilot.sessions.memory_limiter import MEGABYTE, MemoryLimiter
from browser_pilot.sessions.registry import SessionRegistry


@dataclass
class FakeSession:
    id: str
    heap: float
    busy: bool = False
    is_open: bool = True
    can_sleep: bool = True
    last_used: float = field(default_factory=lambda: time.monotonic() - 60)
    asleep: bool = False

    async def heap_bytes(self) -> float:
        return self.heap

    async def sleep(self) -> bool:
        self.asleep = self.can_sleep
        return self.can_sleep


def limiter(*sessions: FakeSession, used_mb: int) -> MemoryLimiter:
    async def used_bytes(_limit_bytes: int) -> int:
        return used_mb * MEGABYTE

    return MemoryLimiter(cast("SessionRegistry", sessions), lambda: 100, used_bytes=used_bytes)


async def test_below_the_limit_no_session_sleeps() -> None:
    session = FakeSession("a", 1)
    assert await limiter(session, used_mb=100).enforce() is None
    assert not session.asleep


async def test_above_the_limit_the_idle_session_with_the_largest_heap_sleeps() -> None:
    small, large = FakeSession("small", 1), FakeSession("large", 2)
    busy = FakeSession("busy", 9, busy=True)
    just_used = FakeSession("just used", 9, last_used=time.monotonic())
    closed = FakeSession("closed", 9, is_open=False)
    await limiter(small, large, busy, just_used, closed, used_mb=101).enforce()
    assert [one.id for one in (small, large, busy, just_used, closed) if one.asleep] == ["large"]


async def test_the_next_session_sleeps_when_the_largest_cannot() -> None:
    small, large = FakeSession("small", 1), FakeSession("large", 2, can_sleep=False)
    await limiter(small, large, used_mb=101).enforce()
    assert small.asleep and not large.asleep
