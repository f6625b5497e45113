"""The domains to which the user limits a crawl, or which it never enters (SPEC B29)."""

from collections.abc import Collection

from motherlode.policies.options import CrawlOptions


def allows_host(host: str, options: CrawlOptions) -> bool:
    """Return whether a crawl may fetch from a host."""
    return is_within(host, options.domains or ("",)) and not is_within(host, options.locked)


def is_within(host: str, domains: Collection[str]) -> bool:
    """Return whether a host is one of these domains, or below one of them.

    >>> [is_within(host, ["example.org"]) for host in ("www.example.org", "myexample.org")]
    [True, False]
    """
    return any(not domain or host == domain or host.endswith(f".{domain}") for domain in domains)
