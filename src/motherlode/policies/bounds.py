"""Where a person lets a crawl go: into some domains only, into others never (SPEC B29)."""

from collections.abc import Collection

from motherlode.policies.options import CrawlOptions


def lets_in(host: str, options: CrawlOptions) -> bool:
    """Whether a crawl may go to a host."""
    return within(host, options.domains or ("",)) and not within(host, options.locked)


def within(host: str, domains: Collection[str]) -> bool:
    """Whether a host is one of these or below one.

    >>> within("www.example.org", ["example.org"]), within("myexample.org", ["example.org"])
    (True, False)
    """
    return any(not domain or host == domain or host.endswith(f".{domain}") for domain in domains)
