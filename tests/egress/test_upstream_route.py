"""Which sites are connected to through the parent proxy, and by what they are judged."""

from __future__ import annotations

import asyncio

import pytest

from browser_pilot.egress import dns_resolver
from browser_pilot.egress.dns_resolver import DnsCache
from browser_pilot.egress.parent_proxy import ParentProxy
from browser_pilot.egress.upstream_route import find_route
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.ip_networks import AddressClass

PARENT = ParentProxy("proxy.test", 3128, exceptions=("direct.test",))
NAMES = {"public.test": ("1.2.3.4",), "both.test": ("1.2.3.4", "10.0.0.1"), "direct.test": ("1.2.3.5",)}


async def resolve(host: str) -> tuple[str, ...]:
    if host not in NAMES:
        raise OSError("no such name")
    return NAMES[host]


@pytest.mark.parametrize(
    ("host", "addresses", "kind", "goes_through"),
    [
        ("public.test", NAMES["public.test"], AddressClass.PUBLIC, True),
        ("unknown.test", (), AddressClass.PUBLIC, True),
        ("5.6.7.8", ("5.6.7.8",), AddressClass.PUBLIC, True),
        # The proxy's own network is another one: what is local here must be judged as such, and is reached from here.
        ("both.test", NAMES["both.test"], AddressClass.PRIVATE, False),
        ("127.0.0.1", ("127.0.0.1",), AddressClass.LOOPBACK, False),
        ("169.254.169.254", ("169.254.169.254",), AddressClass.METADATA, False),
        ("direct.test", NAMES["direct.test"], AddressClass.PUBLIC, False),
    ],
)
async def test_local_addresses_and_exceptions_are_connected_to_directly(
    host: str, addresses: tuple[str, ...], kind: AddressClass, goes_through: bool
) -> None:
    route = await find_route(Site("http", host, 80), PARENT, DnsCache(resolve))
    assert (route.addresses, route.kind, route.parent is PARENT) == (addresses, kind, goes_through)


async def test_without_a_parent_proxy_an_unknown_name_is_an_error() -> None:
    with pytest.raises(OSError, match="no such name"):
        await find_route(Site("http", "unknown.test", 80), None, DnsCache(resolve))


async def test_a_silent_resolver_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns_resolver, "UNSURE_TIMEOUT_SECONDS", 0.01)
    asked: list[str] = []

    async def silent(host: str) -> tuple[str, ...]:
        asked.append(host)
        await asyncio.Event().wait()
        return ()

    cache = DnsCache(silent)
    for host in ("a.test", "b.test", "c.test"):
        route = await find_route(Site("https", host, 443), PARENT, cache)
        assert (route.addresses, route.kind, route.parent) == ((), AddressClass.PUBLIC, PARENT)
    assert asked == ["a.test"]
    await cache.close()
