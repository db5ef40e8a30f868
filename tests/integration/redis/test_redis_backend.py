"""Two hubs and a real Redis: they share slots, rate limits and profiles; and what happens without Redis."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis.asyncio import Redis as RedisClient

from browser_pilot.errors import RateLimited, RecordsUnavailable, SessionLimit, SharingUnavailable
from browser_pilot.sessions import redis_backend
from browser_pilot.sessions.profiles import new_profile
from browser_pilot.sessions.redis_backend import RedisBackend
from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site
from tests.waiting import eventually, wait_until

pytestmark = pytest.mark.skipif(shutil.which("redis-server") is None, reason="needs redis-server")


@dataclass
class Redis:
    port: int
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


@pytest.fixture
def redis(tmp_path: Path) -> Generator[Redis]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: _listens(port), "redis-server listens")
        yield Redis(port, process)
    finally:
        process.kill()
        process.wait(10)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@asynccontextmanager
async def hubs(
    redis: Redis, *, limit: int = 2, key: str | None = "our key"
) -> AsyncGenerator[tuple[RedisBackend, RedisBackend]]:
    one, two = (RedisBackend(redis.url, key=key, limit=lambda: limit) for _ in range(2))
    try:
        yield one, two
    finally:
        await one.close()
        await two.close()


def limit_error() -> SessionLimit:
    return SessionLimit("all slots are taken")


async def wait_for_holders(redis: Redis, number: int) -> None:
    """Until this many holders wait in the queue in Redis."""
    async with RedisClient(port=redis.port) as client:

        async def is_waiting() -> bool:
            return await client.llen(f"{redis_backend.PREFIX}:waiting") == number

        await eventually(is_waiting, f"{number} holders wait")


async def test_slots_are_shared_and_waiting_holders_are_served_in_order(redis: Redis) -> None:
    async with hubs(redis) as (one, two):
        await one.acquire("a", wait_seconds=0, limit_error=limit_error)
        await two.acquire("b", wait_seconds=0, limit_error=limit_error)
        await one.acquire("a", wait_seconds=0, limit_error=limit_error)
        with pytest.raises(SessionLimit):
            await two.acquire("c", wait_seconds=0, limit_error=limit_error)
        served: list[str] = []

        async def wait(hub: RedisBackend, name: str) -> None:
            await hub.acquire(name, wait_seconds=20, limit_error=limit_error)
            served.append(name)

        first = asyncio.create_task(wait(two, "d"))
        await wait_for_holders(redis, 1)
        second = asyncio.create_task(wait(one, "e"))
        await wait_for_holders(redis, 2)
        await one.release("a")
        await first
        await two.release("b")
        await second
        assert served == ["d", "e"]


async def test_the_slots_of_a_dead_hub_become_free(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_backend, "LEASE_SECONDS", 1)
    async with hubs(redis, limit=1) as (one, two):
        await one.acquire("a", wait_seconds=0, limit_error=limit_error)
        await two.acquire("b", wait_seconds=20, limit_error=limit_error)


async def test_calls_are_counted_over_all_hubs(redis: Redis) -> None:
    async with hubs(redis) as (one, two):
        for hub in (one, two, one):
            await hub.count("client", "browser_click", 3)
        with pytest.raises(RateLimited) as raised:
            await two.count("client", "browser_click", 3)
        assert 0 < int(raised.value.metadata["retry_after_seconds"]) <= 60
        await two.count("client", "browser_type", 3)
        await two.count("another", "browser_click", 3)


async def test_a_profile_can_be_loaded_at_any_hub_with_the_same_key_only(redis: Redis) -> None:
    state = {"cookies": [{"value": "a-very-secret-cookie"}], "origins": []}
    async with hubs(redis) as (one, two), hubs(redis, key="another key") as (other, _):
        await one.save("work", new_profile(state, ("https://example.com/",)))
        assert await two.names() == ["work"]
        assert (await two.load("work")).state == state
        with pytest.raises(RecordsUnavailable):
            await other.load("work")
    dumped = subprocess.run(
        ["redis-cli", "-p", str(redis.port), "hgetall", "browser-pilot:profiles"], capture_output=True, check=True
    )
    assert b"secret" not in dumped.stdout and b"example.com" not in dumped.stdout


async def test_without_redis_slots_and_rate_limits_fail(redis: Redis) -> None:
    async with hubs(redis) as (one, _):
        await one.acquire("a", wait_seconds=0, limit_error=limit_error)
        redis.process.kill()
        redis.process.wait(10)
        with pytest.raises(SharingUnavailable):
            await one.acquire("b", wait_seconds=0, limit_error=limit_error)
        with pytest.raises(SharingUnavailable):
            await one.count("client", "tool", 3)


@pytest.mark.browser
async def test_two_hubs_share_limits_and_profiles(redis: Redis, tmp_path: Path, site: Site) -> None:
    config = (
        f'[hub]\nredis_url = "{redis.url}"\nredis_key = "ours"\n[sessions]\nmax = 1\nwarm = false\n'
        "[policy]\nrate_per_minute = 6\n"
    )
    with ExitStack() as stack:
        running: list[HubProcess] = []
        for name in ("one", "two"):
            home = tmp_path / name
            home.mkdir()
            (home / "config.toml").write_text(config)
            running.append(stack.enter_context(running_hub(home)))
        one, two = running
        async with http_client(two, query="?tools=full") as later:
            async with http_client(one, query="?tools=full") as client:
                await call(client, "browser_navigate", url=site.url())
                await call(client, "browser_evaluate", expression="localStorage.kept = 'yes'")
                await call(client, "browser_session", action="save", profile="mine")
                error = await fail(later, "browser_session", action="create", profile="mine")
                assert error["error"] == "SESSION_LIMIT"
                await call(client, "browser_session", action="close")
            await call(later, "browser_session", action="create", profile="mine")
            assert (await call(later, "browser_evaluate", expression="localStorage.kept"))["result"] == "yes"
            errors = [await later.call_tool("browser_evaluate", {"expression": "1"}) for _ in range(6)]
            assert not errors[0].is_error and errors[-1].is_error
