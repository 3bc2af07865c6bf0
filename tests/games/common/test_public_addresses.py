"""Messages to webhooks go to public addresses only: IANA's registries of special-purpose addresses, row by row."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest

from games.common.public_addresses import is_public


@pytest.mark.parametrize(
    "block",
    [
        # IANA IPv4 Special-Purpose Address Registry, and multicast
        "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24",
        "192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
        # IANA IPv6 Special-Purpose Address Registry
        "::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:2::/48",
        "2001:10::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
        # the rest of the address space that is nobody's: site-local, multicast, IPv4-compatible, translated, reserved
        "fec0::/10", "ff00::/8", "::/96", "::ffff:0:0:0/96", "4000::/3", "8000::/1", "200::/7",
        # private IPv4 within IPv6: mapped, NAT64, 6to4
        "::ffff:10.0.0.0/104", "::ffff:169.254.0.0/112", "64:ff9b::7f00:0/104", "64:ff9b::c0a8:0/112", "2002:a00::/24",
    ],
)  # fmt: skip
def test_no_address_of_a_special_block_is_public(block: str) -> None:
    network = ip_network(block)
    middle = network[network.num_addresses // 2]
    assert [str(each) for each in (network[0], middle, network[-1]) if is_public(each)] == []


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8", "1.1.1.1", "192.0.1.1", "100.128.0.1", "172.32.0.1", "198.20.0.1", "223.255.255.254",
        "2606:4700::1111", "2a00:1450::1", "2001:200::1", "2620:fe::fe",
        "::ffff:8.8.8.8", "64:ff9b::808:808",
    ],
)  # fmt: skip
def test_the_addresses_beside_them_are(address: str) -> None:
    assert is_public(ip_address(address))
