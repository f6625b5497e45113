"""Sites (host names) and registrable domains, by a public-suffix list that ships with
its package.
"""

from functools import cache, lru_cache
from ipaddress import ip_address

from publicsuffixlist import PublicSuffixList


def host_of(url: str) -> str:
    """The host name in a canonical URL, without its port; its site.

    >>> host_of("http://www.example.org:8080/a/b")
    'www.example.org'
    """
    authority = url.split("/", 3)[2]
    if authority.startswith("["):
        return authority.partition("]")[0] + "]"
    return authority.partition(":")[0]


@lru_cache(maxsize=65536)
def registrable_domain(host: str) -> str:
    """The part of a host name that somebody registered; an address, or a bare suffix, is its own.

    >>> registrable_domain("news.bbc.co.uk")
    'bbc.co.uk'
    """
    if _is_address(host):
        return host
    return _suffixes().privatesuffix(host) or host


def display_host(host: str) -> str:
    """A host name as people write it: `xn--bcher-kva.example` as `bücher.example`.

    One that does not survive the way back is shown as it is, so that it cannot pass for another.
    """
    try:
        shown = host.encode("ascii").decode("idna")
        return shown if shown.encode("idna").decode("ascii") == host else host
    except UnicodeError:
        return host


def _is_address(host: str) -> bool:
    if host.startswith("["):
        return True
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
