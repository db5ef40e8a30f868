"""An IP address gets the strictest class of itself and of any IPv4 address that it embeds."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.policy.ip_networks import AddressClass, classify_address


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("8.8.8.8", AddressClass.PUBLIC),
        ("2606:4700::1111", AddressClass.PUBLIC),
        ("10.1.2.3", AddressClass.PRIVATE),
        ("172.31.0.1", AddressClass.PRIVATE),
        ("172.32.0.1", AddressClass.PUBLIC),
        ("192.168.1.1", AddressClass.PRIVATE),
        ("100.64.0.1", AddressClass.PRIVATE),
        ("fd12::1", AddressClass.PRIVATE),
        ("127.0.0.1", AddressClass.LOOPBACK),
        ("0.0.0.0", AddressClass.LOOPBACK),
        ("::", AddressClass.LOOPBACK),
        ("::1", AddressClass.LOOPBACK),
        ("0.1.2.3", AddressClass.UNUSABLE),
        ("224.0.0.1", AddressClass.UNUSABLE),
        ("255.255.255.255", AddressClass.UNUSABLE),
        ("ff02::1", AddressClass.UNUSABLE),
        ("169.254.10.10", AddressClass.LINK_LOCAL),
        ("fe80::1%eth0", AddressClass.LINK_LOCAL),
        ("169.254.169.254", AddressClass.METADATA),
        ("100.100.100.200", AddressClass.METADATA),
        ("168.63.129.16", AddressClass.METADATA),
        ("fd00:ec2::254", AddressClass.METADATA),
        ("::ffff:169.254.169.254", AddressClass.METADATA),
        ("::a9fe:a9fe", AddressClass.METADATA),
        ("64:ff9b::a9fe:a9fe", AddressClass.METADATA),
        ("64:ff9b:1::a00:1", AddressClass.PRIVATE),
        ("64:ff9b::808:808", AddressClass.PUBLIC),
        ("2002:7f00:1::", AddressClass.LOOPBACK),
        ("2001:0:a00:1::", AddressClass.UNUSABLE),
        ("not an address", AddressClass.UNUSABLE),
    ],
)
def test_an_address_is_classified(address: str, kind: AddressClass) -> None:
    assert classify_address(address) is kind


@given(st.ip_addresses(v=4))
def test_embedding_never_loosens_the_class(address: IPv4Address) -> None:
    number = int(address)
    embedding = [
        IPv6Address((0xFFFF << 32) | number),
        IPv6Address((0x64FF9B << 96) | number),
        IPv6Address((0x2002 << 112) | (number << 80)),
    ]
    for outer in embedding:
        assert classify_address(str(outer)) >= classify_address(str(address))


def test_link_local_metadata_and_unusable_addresses_are_forbidden() -> None:
    forbidden = {kind for kind in AddressClass if kind.is_forbidden}
    assert forbidden == {AddressClass.LINK_LOCAL, AddressClass.METADATA, AddressClass.UNUSABLE}
    assert {kind for kind in AddressClass if not kind.is_local} == {AddressClass.PUBLIC}
    assert all(kind.description for kind in AddressClass)
