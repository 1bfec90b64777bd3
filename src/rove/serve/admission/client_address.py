"""The client's address: the other end of the connection, or what a trusted proxy says in X-Forwarded-For."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import Scope

Network = IPv4Network | IPv6Network
FORWARDED = "x-forwarded-for"
IPV6_PREFIX = 64


def client_address(scope: Scope, proxies: Sequence[Network]) -> str:
    """Return the address that a request comes from, a whole /64 where it is IPv6: one holder has as many.

    Where the other end is a proxy of `proxies`, it is the last address of X-Forwarded-For that is none of them; what
    stands before that anybody could have written.

    >>> scope = {"type": "http", "client": ("10.0.0.1", 80), "headers": [(b"x-forwarded-for", b"1.1.1.1, 2001:db8::7")]}
    >>> client_address(scope, []), client_address(scope, [ip_network("10.0.0.0/8")])
    ('10.0.0.1', '2001:db8::/64')
    """
    peer = scope.get("client")
    address = _parse_ip_address(peer[0]) if peer else None
    hops = [hop for line in Headers(scope=scope).getlist(FORWARDED) for hop in line.split(",")]
    while address and hops and any(address in proxy for proxy in proxies):
        before = _parse_ip_address(hops.pop())
        if before is None:
            break
        address = before
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address) if address else "unknown"


def _parse_ip_address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
