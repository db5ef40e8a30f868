"""What several hubs share through Redis: places for sessions, calls a minute, and profiles.

A place is a lease: it is renewed while its session lives, and is free again soon after a hub that died. All decisions
are made in Redis itself, in one step each, by its clock. When Redis does not answer, what needs it is refused: a limit
that nobody counts is none. The package ``redis`` is imported only here, and only when a hub is told to share.
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

from ..errors import InvalidArgument, PilotError, RateLimited, RecordsUnavailable, SettingsError, SharingUnavailable
from .profiles import Profile, check_name, from_content, no_profile, to_content

LEASE_SECONDS = 30
RENEW_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.25
PREFIX = "browser-pilot"

# KEYS: holders, waiting. ARGV: holder, most, lease seconds, whether to wait. Who waits has a short lease as well.
TAKE = """
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
# KEYS: counter. ARGV: most in a minute. Gives 0, or the milliseconds until the next call is free.
COUNT = """
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


class Shared:
    """One connection for all of it. ``key`` is the passphrase that every hub has for the profiles."""

    def __init__(self, url: str, *, key: str | None, most: Callable[[], int]) -> None:
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
        self._most = most
        self._hub = secrets.token_hex(8)
        self._held: dict[Hashable, str] = {}

    async def run(self) -> None:
        """Renew the leases of living sessions, for as long as this runs."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            for name in list(self._held.values()):
                with suppress(SharingUnavailable):
                    await self._take(name, most=10**9, waits=False)

    async def take(self, holder: Hashable, *, wait_seconds: float, full: Callable[[], PilotError]) -> None:
        name = self._held.get(holder) or f"{self._hub}.{secrets.token_hex(8)}"
        waits = wait_seconds > 0
        try:
            async with asyncio.timeout(wait_seconds if waits else None):
                while not await self._take(name, most=self._most(), waits=waits):
                    if not waits:
                        raise full()
                    await asyncio.sleep(LOOK_AGAIN_SECONDS)
        except TimeoutError:
            raise full() from None
        self._held[holder] = name

    async def give_back(self, holder: Hashable) -> None:
        name = self._held.pop(holder, None)
        if name is not None:
            # A lease that cannot be given back ends by itself.
            with suppress(SharingUnavailable), self._translated():
                await self._redis.zrem(f"{PREFIX}:places", name)

    async def count(self, client: str, tool: str, per_minute: int) -> None:
        """Count a call; raises ``RateLimited`` when this client made too many in the last minute, at whichever hub."""
        with self._translated():
            wait = await self._script(COUNT, [f"{PREFIX}:rate:{client}:{tool}"], [per_minute, secrets.token_hex(4)])
        if wait:
            seconds = math.ceil(wait / 1000)
            raise RateLimited(
                f"{tool} was called {per_minute} times within a minute, over all hubs; the next call is free in "
                f"{seconds} s.",
                suggestions=[f"Wait {seconds} s.", "Your user can raise policy.rate_per_minute."],
                metadata={"retry_after_seconds": seconds},
            )

    async def names(self) -> list[str]:
        with self._translated():
            return sorted(cast("list[str]", await self._redis.hkeys(f"{PREFIX}:profiles")))

    async def load(self, name: str) -> Profile:
        check_name(name)
        with self._translated():
            sealed = cast("str | None", await self._redis.hget(f"{PREFIX}:profiles", name))
        if sealed is None:
            raise no_profile(name, await self.names())
        try:
            return from_content(cast("dict[str, object]", json.loads(self._cipher().decrypt(sealed.encode("ascii")))))
        except InvalidToken:
            raise RecordsUnavailable(
                f"The profile {name} cannot be opened with this hub's redis_key.",
                suggestions=["Give every hub the same hub.redis_key."],
            ) from None

    async def save(self, name: str, profile: Profile) -> None:
        sealed = self._cipher().encrypt(json.dumps(to_content(profile)).encode()).decode("ascii")
        with self._translated():
            await self._redis.hset(f"{PREFIX}:profiles", check_name(name), sealed)

    async def close(self) -> None:
        for holder in list(self._held):
            await self.give_back(holder)
        with suppress(self._error, OSError):
            await self._redis.aclose()

    async def _take(self, name: str, *, most: int, waits: bool) -> bool:
        keys = [f"{PREFIX}:places", f"{PREFIX}:waiting"]
        with self._translated():
            return bool(await self._script(TAKE, keys, [name, most, LEASE_SECONDS, int(waits)]))

    def _script(self, text: str, keys: list[str], arguments: list[object]) -> Awaitable[int]:
        return cast("Awaitable[int]", self._redis.eval(text, len(keys), *keys, *arguments))

    def _cipher(self) -> Fernet:
        if not self._key:
            raise InvalidArgument(
                "Profiles that hubs share need a key.", suggestions=["Set hub.redis_key to the same text on every hub."]
            )
        derived = hashlib.scrypt(self._key.encode(), salt=b"browser-pilot profiles", n=2**14, r=8, p=1, dklen=32)
        return Fernet(base64.urlsafe_b64encode(derived))

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except (self._error, OSError) as error:
            raise SharingUnavailable(
                f"Redis, through which hubs share their limits, does not answer: {type(error).__name__}.",
                suggestions=["Try again in a moment; your user can check hub.redis_url."],
            ) from None
