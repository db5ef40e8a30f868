"""Names are resolved once for many connections, and failures are not cached."""

from __future__ import annotations

import asyncio

import pytest

from browser_pilot.egress import dns_resolver
from browser_pilot.egress.dns_resolver import DnsCache, system_resolver


class CountingResolver:
    """Resolves every name to one address, once ``released``."""

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.released = asyncio.Event()
        self.failure: OSError | None = None

    async def resolve(self, host: str) -> tuple[str, ...]:
        self.queries.append(host)
        await self.released.wait()
        if self.failure is not None:
            raise self.failure
        return ("192.0.2.1",)


async def test_concurrent_queries_for_a_name_share_one_and_survive_a_cancelled_caller() -> None:
    resolver = CountingResolver()
    cache = DnsCache(resolver.resolve)
    queries = [asyncio.create_task(cache.addresses("a.test")) for _ in range(3)]
    await asyncio.sleep(0)
    queries[0].cancel()
    resolver.released.set()
    assert await asyncio.gather(*queries[1:]) == [("192.0.2.1",)] * 2
    assert await cache.addresses("a.test") == ("192.0.2.1",)
    assert resolver.queries == ["a.test"]


async def test_a_result_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = CountingResolver()
    resolver.released.set()
    cache = DnsCache(resolver.resolve)
    monkeypatch.setattr(dns_resolver, "TTL_SECONDS", 0.0)
    for _ in range(2):
        await cache.addresses("a.test")
    assert resolver.queries == ["a.test", "a.test"]


async def test_a_failure_is_not_cached() -> None:
    resolver = CountingResolver()
    resolver.released.set()
    resolver.failure = OSError("no such name")
    cache = DnsCache(resolver.resolve)
    with pytest.raises(OSError, match="no such name"):
        await cache.addresses("a.test")
    await asyncio.sleep(0)
    resolver.failure = None
    assert await cache.addresses("a.test") == ("192.0.2.1",)


@pytest.mark.parametrize(("host", "address"), [("192.0.2.7", "192.0.2.7"), ("[2001:db8::1]", "2001:db8::1")])
async def test_an_address_is_not_resolved(host: str, address: str) -> None:
    resolver = CountingResolver()
    assert await DnsCache(resolver.resolve).addresses(host) == (address,)
    assert resolver.queries == []


@pytest.mark.parametrize("host", ["localhost", "app.localhost"])
async def test_names_under_localhost_are_loopback_without_a_query(host: str) -> None:
    assert await system_resolver(host) == ("127.0.0.1", "::1")
