"""What a site is: a host, unless the user says otherwise (SPEC W1).

A user may say that a part of a host is a site of its own (`example.org/~anna/`), or that several
hosts or parts are one site (`www.example.org` and `shop.example.org`). The site is then called by
the first of them.
"""

from collections.abc import Mapping, Sequence

from motherlode.urls.canonical_form import Address, UrlError, address
from motherlode.urls.sites import host_of

Groups = Sequence[Sequence[str]]


class SiteRules:
    """Finds the site of a URL. `groups` are prefixes of URLs without scheme, grouped by site.

    >>> rules = SiteRules([["www.a.org", "shop.a.org"], ["b.org/~anna"]])
    >>> [rules.site_of(url) for url in ("http://shop.a.org/1", "http://b.org/~anna/x", "http://b.org/")]
    ['www.a.org', 'b.org/~anna/', 'b.org']
    """

    def __init__(self, groups: Groups = ()) -> None:
        self._prefixes: Mapping[str, list[tuple[str, str]]] = _by_host(groups)

    @property
    def divides_hosts(self) -> bool:
        """Whether one host may hold several sites."""
        return any(path != "/" for rules in self._prefixes.values() for path, _ in rules)

    def is_grouped(self, url: str) -> bool:
        """Return whether the user has said what is a site on the host of a canonical URL."""
        return host_of(url) in self._prefixes

    def site_of(self, url: str) -> str:
        """Return the site of a canonical URL: the longest prefix that fits, or its host."""
        host = host_of(url)
        rules = self._prefixes.get(host)
        if rules is None:
            return host
        path = _path_of(url)
        return next((site for prefix, site in rules if f"{path}/".startswith(prefix)), host)

    def home_of(self, url: str) -> Address:
        """Return the home page of the site that a canonical URL belongs to."""
        site = self.site_of(url)
        scheme, _, rest = url.partition("://")
        if site == host_of(url):
            return address(f"{scheme}://{rest.partition('/')[0]}/")
        return address(f"{scheme}://{site}" if "/" in site else f"{scheme}://{site}/")


def check_groups(groups: Groups) -> None:
    """Raise `ValueError` if a prefix is none, or belongs to two sites."""
    seen: set[str] = set()
    for group in groups:
        if not group:
            raise ValueError("a site needs at least one host or prefix")
        for prefix in group:
            tidy = tidy_prefix(prefix)
            if tidy in seen:
                raise ValueError(f"{prefix!r} belongs to two sites")
            seen.add(tidy)


def _by_host(groups: Groups) -> dict[str, list[tuple[str, str]]]:
    """Return the prefixes of each host with their sites, the longest first."""
    by_host: dict[str, list[tuple[str, str]]] = {}
    for group in groups:
        name = tidy_prefix(group[0])
        site = name.removesuffix("/") if name.count("/") == 1 else name
        for prefix in group:
            host, _, path = tidy_prefix(prefix).partition("/")
            by_host.setdefault(host, []).append((f"/{path}", site))
    return {host: sorted(rules, key=_longest_first) for host, rules in by_host.items()}


def _longest_first(rule: tuple[str, str]) -> tuple[int, str]:
    return -len(rule[0]), rule[0]


def tidy_prefix(prefix: str) -> str:
    """Return a prefix as host and path that end in a slash. Raises `ValueError`."""
    text = prefix.strip().rpartition("://")[2]
    try:
        url = address(f"http://{text}").url
    except UrlError as error:
        raise ValueError(f"{prefix[:80]!r} is no host or prefix of a URL") from error
    rest = url.partition("://")[2]
    return rest if rest.endswith("/") else f"{rest}/"


def _path_of(url: str) -> str:
    rest = url.partition("://")[2].partition("#")[0].partition("?")[0]
    return "/" + rest.partition("/")[2]
