"""Which addresses a page may be fetched from: none in a private network, unless the settings allow it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from rove.errors import InputError

Resolver = Callable[[str, int], Awaitable[list[str]]]
"""Returns the addresses of a host's name, for a port."""

GLOBAL_UNICAST = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")
IPV4_MAPPED = IPv6Network("::ffff:0:0/96")
CARRIERS = (NAT64, IPV4_MAPPED)
"""Outside of `GLOBAL_UNICAST`; what they carry in their last 32 bits decides."""
ISATAP = (0x00005EFE, 0x02005EFE)
"""Bits 64 to 95 of an address that ends in one of IPv4, within any network (RFC 5214)."""
# In no case servers of pages, whatever a version of Python says of them: the registries of special addresses of IANA
# (RFC 6890), relays that were given up, a cloud's own services.
NEVER = (
    IPv4Network("168.63.129.16/32"), IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"),
    IPv4Network("198.18.0.0/15"), IPv4Network("224.0.0.0/3"), IPv6Network("2001::/23"), IPv6Network("2001:db8::/32"),
    IPv6Network("3fff::/20"),
)  # fmt: skip


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of `host`, as the system knows them.

    Raises:
        InputError: "unreadable" - there is no such host.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        message = f"The host {host!r} was not found: {error}."
        cure = "Check the spelling and the connection to the network."
        raise InputError(message, cure=cure, outcome="unreadable") from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def check_addresses(host: str, addresses: list[str]) -> None:
    """See that all `addresses` of `host` are of the public network: one that is not spoils them all.

    Raises:
        InputError: "unreadable".
    """
    refused = [address for address in addresses if not is_public(address)]
    if refused or not addresses:
        what = f"is at {refused[0]}, which is no address of the public network" if refused else "has no address"
        message = f"The host {host!r} {what}."
        raise InputError(message, cure="Allow private addresses in the settings if you trust it.", outcome="unreadable")


def is_public(address: str) -> bool:
    """Say whether an address is of the public network, and so are those that it carries inside (IPv4 in IPv6).

    >>> [is_public(a) for a in ("93.184.216.34", "2606:4700::1111", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1")]
    [True, True, False, False, False]
    >>> [is_public(a) for a in ("64:ff9b::7f00:1", "2002:7f00:1::", "::1", "fe80::1%eth0", "100.64.0.1", "0.0.0.0")]
    [False, False, False, False, False, False]
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return all(_is_public(one) for one in (found, *_ipv4_from_ipv6(found)))


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if any(address in network for network in NEVER if network.version == address.version):
        return False
    if isinstance(address, IPv4Address):
        return address.is_global
    return address in GLOBAL_UNICAST or any(address in network for network in CARRIERS)


def _ipv4_from_ipv6(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    """Return the IPv4 addresses that an IPv6 address stands for."""
    if isinstance(address, IPv4Address):
        return []
    last = IPv4Address(int(address) & 0xFFFFFFFF)
    found = [last] if any(address in network for network in CARRIERS) else []
    if (int(address) >> 32) & 0xFFFFFFFF in ISATAP:
        found.append(last)
    return found + ([address.sixtofour] if address.sixtofour else [])
