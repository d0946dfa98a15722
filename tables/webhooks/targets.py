"""What a webhook may reach: an address on the public internet, by its name and over TLS.

The URL is judged when it is given, each address that its name stands for when it is called, and only
addresses that were judged are connected to.  Source: security.md, "Webhook SSRF".
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, NamedTuple

import httpx

PORTS: Final = (443, 8443)
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_PUBLIC_6: Final = ip_network("2000::/3")
_CLOSED: Final = tuple(
    ip_network(each)
    for each in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",
        "100.64.0.0/10",  # behind a carrier
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, and the metadata of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",  # multicast, reserved, broadcast
        "2001::/23",  # Teredo among it
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)
"""The special-purpose addresses of IANA's registries; of IPv6 those within ``2000::/3``, for nothing else
is called at all: neither mapped addresses nor NAT64, local or multicast ones."""


class BadUrl(Exception):
    """This is no address that a webhook may have."""


class Target(NamedTuple):
    """Where a URL leads: ``host`` in ASCII; ``is_local``: to this very machine, as development may."""

    url: httpx.URL
    host: str
    port: int
    is_local: bool


def target_of(text: str, *, own: Collection[str] = (), to_loopback: bool = False) -> Target:
    """Return where a URL leads; ``own`` are names of this server.  Raises BadUrl."""
    try:
        url = httpx.URL(text)
        host = url.raw_host.decode("ascii").rstrip(".").lower()
    except (httpx.InvalidURL, UnicodeError):
        raise BadUrl from None
    if url.userinfo or url.fragment or not text.isprintable() or " " in text:
        raise BadUrl
    if to_loopback and url.scheme == "http" and host in _LOOPBACK:
        return Target(url, host, 80 if url.port is None else url.port, is_local=True)
    port = PORTS[0] if url.port is None else url.port
    if url.scheme != "https" or port not in PORTS or not _is_name(host) or _is_one_of(host, own):
        raise BadUrl
    return Target(url, host, port, is_local=False)


def _is_one_of(host: str, names: Collection[str]) -> bool:
    """Tell whether a host is one of some names; one that begins with a dot stands for all below it."""
    return any(
        host == each.removeprefix(".") or (each.startswith(".") and host.endswith(each)) for each in names
    )


def may_be_called(address: str, *, is_local: bool) -> bool:
    """Tell whether an address may be connected to: a public one, or for a local target this machine's."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if is_local:
        return found.is_loopback
    return _is_public(found)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address) and (address.scope_id is not None or address not in _PUBLIC_6):
        return False
    return not any(address in each for each in _CLOSED)


def _is_name(host: str) -> bool:
    """Tell whether a host is a name below a top-level domain, in no spelling a literal address."""
    *above, last = host.split(".")
    is_spelled = len(host) <= 253 and all(map(_LABEL.fullmatch, (*above, last)))
    return bool(above) and is_spelled and last[:1].isalpha() and last != "localhost"
