"""Addresses, as people write them."""

from urllib.parse import quote, unquote

from motherlode.records import UsageError
from motherlode.store import Session
from motherlode.store.pages import known_url
from motherlode.urls import Address, UrlError, UrlRules, address, url_key

_RULES = UrlRules()


def web_address(url: str, rules: UrlRules = _RULES) -> Address:
    """Where a page is. Raises `UsageError` if it is nowhere on the Web."""
    return _understood(url, url, rules)


def address_in(session: Session, url: str, rules: UrlRules) -> Address:
    """Which page of a portal is meant; `http://` may be left out.

    What stands behind a hash is a place in a page, and does not count; unless the portal has a file of that
    name from inside an archive, which is a page of its own.
    """
    asked = _understood(url if "://" in url else f"http://{url}", url, rules)
    inside = with_part(asked.url, url)
    key = url_key(inside, asked.host)
    return asked if known_url(session, key) is None else Address(inside, key, asked.host)


def with_part(page: str, url: str) -> str:
    """The address of a page, with what stands behind the hash of the URL that it was written as.

    >>> with_part("http://a.test/all.zip", "HTTP://a.test/all.zip#my page.html")
    'http://a.test/all.zip#my%20page.html'
    """
    return "#".join([page, *(quote(unquote(part)) for part in url.split("#")[1:])])


def _understood(url: str, written: str, rules: UrlRules) -> Address:
    try:
        return address(url, rules=rules)
    except UrlError as error:
        raise UsageError(f"{written[:100]!r} is not an address on the Web: {error.kind}.") from error
