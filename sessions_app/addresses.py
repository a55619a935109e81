"""Which network addresses we do not call, whoever asks for it."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

# Amazon's second address for a machine's credentials; the first is link-local.
METADATA = ip_address("fd00:ec2::254")


def is_refused(address: IPv4Address | IPv6Address) -> bool:
    """
    Say whether an address is link-local (169.254.0.0/16, fe80::/10), which is where
    clouds answer any local request with credentials, or is of no host at all.
    """
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_link_local or address.is_multicast or address == METADATA
