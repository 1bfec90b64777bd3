"""Proxies of the environment: which of them an address is asked through, and never one for this machine itself."""

from __future__ import annotations

import os
from importlib.util import find_spec
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from socket import inet_aton
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from rove.errors import ConfigError

KINDS = ("http", "https", "socks5", "socks5h")
LOCAL_NAMES = ("localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback")
SOCKS_PACKAGE = "socksio"


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine by its name or number, however it is written; no name is looked up.

    >>> [is_loopback(host) for host in ("localhost", "api.localhost", "127.0.0.53", "127.1", "0.0.0.0", "[::1]")]
    [True, True, True, True, True, True]
    >>> [is_loopback(host) for host in ("localhost.example.com", "10.0.0.1", "127.example.com", "")]
    [False, False, False, False]
    """
    name = host.casefold().strip("[]").rstrip(".")
    if name in LOCAL_NAMES or name.endswith(".localhost"):
        return True
    address = _parse_host_address(name.partition("%")[0])
    return address is not None and (address.is_loopback or address.is_unspecified)


def _parse_host_address(name: str) -> IPv4Address | IPv6Address | None:
    """Read a number as connections do ("127.1" is one); None of a name."""
    try:
        found = ip_address(name)
    except ValueError:
        try:
            return IPv4Address(inet_aton(name))
        except (OSError, ValueError):
            return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment wants for a URL, e.g. "http://proxy.example.com:3128"; None: none.

    HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are read as everywhere, in either case. Besides, NO_PROXY may name
    networks ("10.0.0.0/8"), and this machine is never asked through a proxy.

    Raises:
        ConfigError: the proxy is of a kind that cannot be used.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or is_loopback(host) or _is_excepted(host, parts.netloc.rpartition("@")[2], proxies.get("no", "")):
        return None
    found = found if "://" in found else f"http://{found}"
    kind = urlsplit(found).scheme
    if kind not in KINDS or (kind.startswith("socks") and find_spec(SOCKS_PACKAGE) is None):
        message = f"The environment's proxy for {parts.scheme}://{host} is of the kind {kind!r}, which is not at hand."
        cure = f"Give an http proxy, or name {host} in NO_PROXY."
        if kind.startswith("socks"):
            cure += f" For SOCKS, run: pip install {SOCKS_PACKAGE}"
        raise ConfigError(message, cure=cure)
    return found


def except_host(host: str) -> None:
    """Name a host in this process's own NO_PROXY: for clients that read the environment themselves."""
    named = [entry for entry in getproxies().get("no", "").split(",") if entry]
    if host not in named:
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join([*named, host])


def _is_excepted(host: str, netloc: str, exceptions: str) -> bool:
    """Say whether NO_PROXY, or what the system has in its place, names a host: itself, its domain, or its network."""
    if proxy_bypass(host) or proxy_bypass(netloc):
        return True
    return any(_is_no_proxy_match(entry.strip().casefold(), host) for entry in exceptions.split(",") if entry.strip())


def _is_no_proxy_match(entry: str, host: str) -> bool:
    if entry.startswith("*."):
        return host.endswith(entry[1:])
    try:
        return ip_address(host) in ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        return False
