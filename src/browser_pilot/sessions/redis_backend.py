"""What several hubs share through Redis: session slots, rate limits and profiles.

A slot is a lease: it is renewed while its session lives, and expires soon after its hub died. Redis makes each decision
itself, in one script, by its own clock. When Redis is unavailable, calls that need it fail: an uncounted limit is no
limit. The package ``redis`` is imported only here, and only when ``hub.redis_url`` is set.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import math
import secrets
from collections.abc import Awaitable, Callable, Generator, Hashable
from contextlib import contextmanager, suppress
from typing import Any, cast

from cryptography.fernet import Fernet, InvalidToken

from browser_pilot.errors import (
    InvalidArgument,
    PilotError,
    RateLimited,
    RecordsUnavailable,
    SettingsError,
    SharingUnavailable,
)

from .profiles import Profile, check_name, from_content, no_profile, to_content

LEASE_SECONDS = 30
RENEW_SECONDS = 10.0
POLL_SECONDS = 0.25
PREFIX = "browser-pilot"

# KEYS: holders, waiting. ARGV: holder, limit, lease seconds, whether to wait. A waiting holder has a short lease too.
ACQUIRE_SLOT = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for _, name in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  if redis.call('EXISTS', KEYS[2] .. ':' .. name) == 0 then redis.call('LREM', KEYS[2], 0, name) end
end
local first = redis.call('LINDEX', KEYS[2], 0)
local mine = redis.call('ZSCORE', KEYS[1], ARGV[1])
local free = redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[2])
if mine or (free and (not first or first == ARGV[1])) then
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
  redis.call('LREM', KEYS[2], 0, ARGV[1])
  return 1
end
if ARGV[4] == '1' then
  if redis.call('SET', KEYS[2] .. ':' .. ARGV[1], 1, 'EX', 5, 'GET') == false then
    redis.call('RPUSH', KEYS[2], ARGV[1])
  end
end
return 0
"""
# KEYS: counter. ARGV: calls per minute, a nonce. Returns 0, or the milliseconds until the next call is allowed.
COUNT_CALL = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60000)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return math.max(1, oldest[2] + 60000 - now)
end
redis.call('ZADD', KEYS[1], now, time[1] .. '.' .. time[2] .. '.' .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], 60000)
return 0
"""


class RedisBackend:
    """Slots, rate limits and profiles in one Redis. ``key`` encrypts the profiles and is the same on every hub."""

    def __init__(self, url: str, *, key: str | None, limit: Callable[[], int]) -> None:
        try:
            import redis.asyncio
            from redis.exceptions import RedisError
        except ImportError:
            raise SettingsError(
                "hub.redis_url is set, but the package redis is not installed.",
                suggestions=["pip install 'browser-pilot[redis]'"],
            ) from None
        self._redis: Any = redis.asyncio.from_url(url, decode_responses=True)  # pyright: ignore[reportUnknownMemberType]
        self._error: type[Exception] = RedisError
        self._key = key
        self._limit = limit
        self._hub = secrets.token_hex(8)
        self._held: dict[Hashable, str] = {}

    async def run(self) -> None:
        """Renew the leases of living sessions until cancelled."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            for name in list(self._held.values()):
                with suppress(SharingUnavailable):
                    await self._try_acquire(name, limit=10**9, waits=False)

    async def acquire(self, holder: Hashable, *, wait_seconds: float, limit_error: Callable[[], PilotError]) -> None:
        name = self._held.get(holder) or f"{self._hub}.{secrets.token_hex(8)}"
        waits = wait_seconds > 0
        try:
            async with asyncio.timeout(wait_seconds if waits else None):
                while not await self._try_acquire(name, limit=self._limit(), waits=waits):
                    if not waits:
                        raise limit_error()
                    await asyncio.sleep(POLL_SECONDS)
        except TimeoutError:
            raise limit_error() from None
        self._held[holder] = name

    async def release(self, holder: Hashable) -> None:
        name = self._held.pop(holder, None)
        if name is not None:
            # A lease that cannot be released expires.
            with suppress(SharingUnavailable), self._translated_errors():
                await self._redis.zrem(f"{PREFIX}:places", name)

    async def count(self, client: str, tool: str, per_minute: int) -> None:
        """Count a call; raises ``RateLimited`` when the client made too many within a minute, over all hubs."""
        with self._translated_errors():
            wait = await self._script(
                COUNT_CALL, [f"{PREFIX}:rate:{client}:{tool}"], [per_minute, secrets.token_hex(4)]
            )
        if wait:
            seconds = math.ceil(wait / 1000)
            raise RateLimited(
                f"{tool} was called {per_minute} times within a minute, over all hubs; the next call is allowed in "
                f"{seconds} s.",
                suggestions=[f"Wait {seconds} s.", "Your user can raise policy.rate_per_minute."],
                metadata={"retry_after_seconds": seconds},
            )

    async def names(self) -> list[str]:
        with self._translated_errors():
            return sorted(cast("list[str]", await self._redis.hkeys(f"{PREFIX}:profiles")))

    async def load(self, name: str) -> Profile:
        check_name(name)
        with self._translated_errors():
            encrypted = cast("str | None", await self._redis.hget(f"{PREFIX}:profiles", name))
        if encrypted is None:
            raise no_profile(name, await self.names())
        try:
            return from_content(
                cast("dict[str, object]", json.loads(self._cipher().decrypt(encrypted.encode("ascii"))))
            )
        except InvalidToken:
            raise RecordsUnavailable(
                f"The profile {name} cannot be decrypted with this hub's redis_key.",
                suggestions=["Give every hub the same hub.redis_key."],
            ) from None

    async def save(self, name: str, profile: Profile) -> None:
        encrypted = self._cipher().encrypt(json.dumps(to_content(profile)).encode()).decode("ascii")
        with self._translated_errors():
            await self._redis.hset(f"{PREFIX}:profiles", check_name(name), encrypted)

    async def close(self) -> None:
        for holder in list(self._held):
            await self.release(holder)
        with suppress(self._error, OSError):
            await self._redis.aclose()

    async def _try_acquire(self, name: str, *, limit: int, waits: bool) -> bool:
        keys = [f"{PREFIX}:places", f"{PREFIX}:waiting"]
        with self._translated_errors():
            return bool(await self._script(ACQUIRE_SLOT, keys, [name, limit, LEASE_SECONDS, int(waits)]))

    def _script(self, text: str, keys: list[str], arguments: list[object]) -> Awaitable[int]:
        return cast("Awaitable[int]", self._redis.eval(text, len(keys), *keys, *arguments))

    def _cipher(self) -> Fernet:
        if not self._key:
            raise InvalidArgument(
                "Shared profiles need a key.", suggestions=["Set hub.redis_key to the same value on every hub."]
            )
        derived = hashlib.scrypt(self._key.encode(), salt=b"browser-pilot profiles", n=2**14, r=8, p=1, dklen=32)
        return Fernet(base64.urlsafe_b64encode(derived))

    @contextmanager
    def _translated_errors(self) -> Generator[None]:
        try:
            yield
        except (self._error, OSError) as error:
            raise SharingUnavailable(
                f"Redis, which holds the limits that hubs share, does not respond: {type(error).__name__}.",
                suggestions=["Try again in a moment; your user can check hub.redis_url."],
            ) from None
