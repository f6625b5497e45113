"""URLs as users write them."""

from urllib.parse import quote, unquote

from motherlode.records import UsageError
from motherlode.store import Session
from motherlode.store.tables.pages import known_url
from motherlode.urls import Address, UrlError, UrlRules, address, url_key

_RULES = UrlRules()


def web_address(url: str, rules: UrlRules = _RULES) -> Address:
    """Return the address of a URL. Raises `UsageError` if it is none on the Web."""
    return _parse(url, url, rules)


def address_in(session: Session, url: str, rules: UrlRules) -> Address:
    """Return the address of the page that a user means; `http://` may be left out.

    A fragment is ignored, unless the portal has a file of that name from inside an archive, which
    is a page of its own.
    """
    page = _parse(url if "://" in url else f"http://{url}", url, rules)
    member = with_part(page.url, url)
    key = url_key(member, page.host)
    return page if known_url(session, key) is None else Address(member, key, page.host)


def with_part(page: str, url: str) -> str:
    """Return the URL of a page with the fragment of another URL.

    >>> with_part("http://a.test/all.zip", "HTTP://a.test/all.zip#my page.html")
    'http://a.test/all.zip#my%20page.html'
    """
    return "#".join([page, *(quote(unquote(part)) for part in url.split("#")[1:])])


def _parse(url: str, written: str, rules: UrlRules) -> Address:
    try:
        return address(url, rules=rules)
    except UrlError as error:
        raise UsageError(
            f"{written[:100]!r} is not an address on the Web: {error.kind}."
        ) from error
