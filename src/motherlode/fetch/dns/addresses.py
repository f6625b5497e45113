"""Which addresses a crawler may connect to: those of the public Internet, unless a portal opens
others.

Asked of the address that is really connected to, after every resolution and every redirect, so that
neither a name that points inwards nor one that changes its mind (DNS rebinding) leads anywhere.
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

_Ip = IPv4Address | IPv6Address
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last four bytes are an IPv4 address
# What counts as global by the tables of Python, or of some versions of it, and leads inside all the
# same.
_INSIDE = tuple(
    ip_network(told)
    for told in (
        "168.63.129.16/32",  # Azure's metadata
        "192.0.0.0/24",  # for protocols; Oracle's metadata among them
        "192.88.99.0/24",  # the way to 6to4, which is no host
        # a NAT64 of one's own (RFC 8215): where in it IPv4 stands, only its owner knows
        "64:ff9b:1::/48",
        "fec0::/10",  # deprecated, and still routed inside
        "3fff::/20",  # for documentation
    )
)
_OWN = (".localhost", ".localdomain", ".local", ".internal", ".home.arpa")


@lru_cache(maxsize=10_000)
def is_public(address: str) -> bool:
    """Whether an address is one of the public Internet; what is no address is not.

    >>> is_public("93.184.216.34"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        ip: _Ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _inner(ip)
    return _is_global(ip) if inner is None else _is_global(inner)


def leads_inside(host: str) -> bool:
    """Whether a name is one of a machine or a network itself (RFC 6761, 6762 and 8375; `.internal`,
    where metadata are): for where nobody here resolves it.

    >>> names = ("localhost", "metadata.google.internal", "example.org")
    >>> tuple(map(leads_inside, names))
    (True, True, False)
    """
    return f".{host.lower().rstrip('.')}".endswith(_OWN)


def is_address(host: str) -> bool:
    """Whether a host is an address rather than a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_global(ip: _Ip) -> bool:
    if any(ip in network for network in _INSIDE):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not ip.is_unspecified


def _inner(ip: _Ip) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for, by any of the ways there are."""
    if isinstance(ip, IPv4Address):
        return None
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip.teredo is not None:
        return ip.teredo[1]
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return None
