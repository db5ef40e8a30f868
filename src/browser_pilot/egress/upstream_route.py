"""The way from the egress proxy to a site: directly, to addresses that were resolved here, or through a parent proxy.

Only names that resolve here to an address of this machine or its network are kept from the parent proxy: it would
reach another one, and the policy must see that the address is local. Where no resolver responds, as in many companies,
the name alone decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from browser_pilot.policy.hosts import Site
from browser_pilot.policy.ip_networks import AddressClass, classify_address

from .dns_resolver import DnsCache
from .happy_eyeballs import connect_protocol
from .parent_proxy import ParentProxy, connect_to_parent_proxy

P = TypeVar("P", bound=asyncio.Protocol)


@dataclass(frozen=True, slots=True)
class UpstreamRoute:
    """``addresses`` are those that were resolved here, if any; ``kind`` is the worst class of them."""

    site: Site
    addresses: tuple[str, ...]
    kind: AddressClass
    parent: ParentProxy | None = None

    async def connect(self, protocol: Callable[[], P], *, tunnel: bool) -> P:
        """Without ``tunnel``, a parent proxy gets plain HTTP requests, if it takes any. Raises ``OSError``."""
        if self.parent is None:
            return await connect_protocol(self.addresses, self.site.port, protocol)
        forwards = self.parent.forwards_requests and not tunnel
        target = None if forwards else (self.site.host, self.site.port)
        return await connect_to_parent_proxy(self.parent, protocol, tunnel_to=target)


async def find_route(site: Site, parent: ParentProxy | None, dns_cache: DnsCache) -> UpstreamRoute:
    """Raises ``OSError`` where the name must be resolved here and cannot be."""
    if parent is None or not parent.covers(site.host):
        addresses = await dns_cache.addresses(site.host)
        # The worst class of all addresses counts, whichever is connected to.
        return UpstreamRoute(site, addresses, max(map(classify_address, addresses), default=AddressClass.UNUSABLE))
    addresses = await dns_cache.addresses_if_known(site.host)
    kind = max(map(classify_address, addresses), default=AddressClass.PUBLIC)
    return UpstreamRoute(site, addresses, kind, None if kind.is_local else parent)
