"""Classifies IP addresses by network: public, private, loopback, link-local, metadata, unusable.

An IPv6 address that embeds an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) gets the stricter class of the
two.
"""

from __future__ import annotations

from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network


class AddressClass(IntEnum):
    """Ordered from harmless to forbidden, so that ``max`` returns the stricter class."""

    PUBLIC = 0
    PRIVATE = 1
    LOOPBACK = 2
    LINK_LOCAL = 3
    METADATA = 4
    UNUSABLE = 5

    @property
    def is_forbidden(self) -> bool:
        """Never connected to, whatever the rules say."""
        return self >= AddressClass.LINK_LOCAL

    @property
    def is_local(self) -> bool:
        """This machine or its network, which public pages may not reach."""
        return self is not AddressClass.PUBLIC

    @property
    def description(self) -> str:
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    AddressClass.PUBLIC: "a public address",
    AddressClass.PRIVATE: "an address of a private network",
    AddressClass.LOOPBACK: "an address of this machine",
    AddressClass.LINK_LOCAL: "a link-local address",
    AddressClass.METADATA: "a cloud metadata address",
    AddressClass.UNUSABLE: "an address that no server can have",
}

# Amazon, Google, Azure, DigitalOcean and others use 169.254.169.254; the rest are other clouds' addresses.
_METADATA = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
    )
)
_NETWORKS = tuple(
    (ip_network(network), kind)
    for network, kind in (
        ("0.0.0.0/32", AddressClass.LOOPBACK),  # connecting to it reaches this machine
        ("0.0.0.0/8", AddressClass.UNUSABLE),
        ("10.0.0.0/8", AddressClass.PRIVATE),
        ("100.64.0.0/10", AddressClass.PRIVATE),
        ("127.0.0.0/8", AddressClass.LOOPBACK),
        ("169.254.0.0/16", AddressClass.LINK_LOCAL),
        ("172.16.0.0/12", AddressClass.PRIVATE),
        ("192.0.0.0/24", AddressClass.PRIVATE),
        ("192.0.2.0/24", AddressClass.PRIVATE),
        ("192.168.0.0/16", AddressClass.PRIVATE),
        ("198.18.0.0/15", AddressClass.PRIVATE),
        ("198.51.100.0/24", AddressClass.PRIVATE),
        ("203.0.113.0/24", AddressClass.PRIVATE),
        ("224.0.0.0/4", AddressClass.UNUSABLE),
        ("240.0.0.0/4", AddressClass.UNUSABLE),
        ("::/128", AddressClass.LOOPBACK),
        ("::1/128", AddressClass.LOOPBACK),
        ("100::/64", AddressClass.UNUSABLE),
        ("2001:db8::/32", AddressClass.PRIVATE),
        ("64:ff9b:1::/48", AddressClass.PRIVATE),
        ("fc00::/7", AddressClass.PRIVATE),
        ("fec0::/10", AddressClass.PRIVATE),
        ("fe80::/10", AddressClass.LINK_LOCAL),
        ("ff00::/8", AddressClass.UNUSABLE),
    )
)
_COMPATIBLE = IPv6Network("::/96")
_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))


def classify_address(text: str) -> AddressClass:
    """Classify an address as resolvers and URLs write it (``127.0.0.1``, ``fe80::1%eth0``)."""
    try:
        address = ip_address(text)
    except ValueError:
        return AddressClass.UNUSABLE
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        address = IPv6Address(int(address))
    return max(_classify(address), *(_classify(inner) for inner in _embedded(address)), AddressClass.PUBLIC)


def _classify(address: IPv4Address | IPv6Address) -> AddressClass:
    if address in _METADATA:
        return AddressClass.METADATA
    return next((kind for network, kind in _NETWORKS if address in network), AddressClass.PUBLIC)


def _embedded(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    if isinstance(address, IPv4Address):
        return []
    inner: list[IPv4Address] = []
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if address.ipv4_mapped is not None:
        inner.append(address.ipv4_mapped)
    elif (address in _COMPATIBLE and int(address) > 1) or any(address in network for network in _NAT64):
        inner.append(low)
    if address.sixtofour is not None:
        inner.append(address.sixtofour)
    if address.teredo is not None:
        inner.extend(address.teredo)
    return inner
