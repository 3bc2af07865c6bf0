"""Which IP addresses are on the public internet, by IANA's registries of special-purpose addresses (October 2025).

Python's `is_global` is not enough: what it knows differs between releases, and it takes fec0::1 for public.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

# Outside of it no address is assigned to anybody (RFC 4291, 2.4): this leaves out ::1, fc00::/7, fe80::/10, fec0::/10,
# ff00::/8, 100::/64, 5f00::/16, and all forms with an IPv4 address within but those below.
GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
NOT_PUBLIC_V6: Final = (
    IPv6Network("2001::/23"),  # IETF protocols: Teredo, benchmarks, ORCHID …
    IPv6Network("2001:db8::/32"),  # documents
    IPv6Network("2002::/16"),  # 6to4, which RFC 7526 deprecates: an IPv4 address is within
    IPv6Network("3fff::/20"),  # documents
)
NOT_PUBLIC_V4: Final = (
    IPv4Network("0.0.0.0/8"),  # this network
    IPv4Network("10.0.0.0/8"),  # private
    IPv4Network("100.64.0.0/10"),  # a provider's network
    IPv4Network("127.0.0.0/8"),  # this machine
    IPv4Network("169.254.0.0/16"),  # this link, and clouds' metadata
    IPv4Network("172.16.0.0/12"),  # private
    IPv4Network("192.0.0.0/24"),  # IETF protocols
    IPv4Network("192.0.2.0/24"),  # documents
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, deprecated
    IPv4Network("192.168.0.0/16"),  # private
    IPv4Network("198.18.0.0/15"),  # benchmarks
    IPv4Network("198.51.100.0/24"),  # documents
    IPv4Network("203.0.113.0/24"),  # documents
    IPv4Network("224.0.0.0/4"),  # multicast
    IPv4Network("240.0.0.0/4"),  # reserved, and broadcast
)
NAT64: Final = IPv6Network("64:ff9b::/96")  # IPv4 behind IPv6 (RFC 6052)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is public. An IPv6 address that leads to an IPv4 address counts as that one."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_V4)
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    if address in NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in GLOBAL_UNICAST and not any(address in network for network in NOT_PUBLIC_V6)
