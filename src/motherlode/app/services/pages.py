"""One page of a portal: its text, its explanation, the links to it, and its original."""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from starlette.exceptions import HTTPException

from motherlode.app.services.addresses import address_in
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.documents.encoding import decode
from motherlode.documents.html.sanitizer import harmless_html
from motherlode.explain.explainer import explain
from motherlode.explain.explanations import Explanation
from motherlode.portal import Portal
from motherlode.records import LodeError, PageId, StoreError
from motherlode.store import Session
from motherlode.store.tables.pages import KeptPage, known_url, links_to, page_numbered, text_of
from motherlode.training.training_document import page_at_url
from motherlode.urls import Address, host_of, url_key

MAX_TEXT_CHARS = 100_000  # of a page that are shown
MAX_LINKS_SHOWN = 50
MAX_ORIGINAL_BYTES = 10 * 2**20  # that are shown; larger ones can be downloaded
_HTML = re.compile(r"text/html|application/xhtml\+xml", re.IGNORECASE)
_TEXT = re.compile(r"text/|application/(json|xml|.*\+xml)", re.IGNORECASE)
NEVER = (
    "The portal has never seen that page: it is no example, and no page that was fetched links to "
    "it."
)


class LinkingPage(Struct, frozen=True):
    """A page that links to another, and the words of the link."""

    url: str
    title: str
    anchor: str


class PageText(Struct, frozen=True):
    """The text of a stored page, with what is known of its response."""

    title: str
    language: str
    type: str
    size: int
    status: int
    fetched_at: float
    text: str
    whole: bool  # whether `text` is all of the text
    original: bool  # whether the archive has the response


class PageView(Struct, frozen=True):
    """A page. `page` is None if its URL is known, but was never fetched."""

    url: str
    page: PageText | None
    explanation: Explanation
    links_in: tuple[LinkingPage, ...]


class Original(Struct, frozen=True):
    """A response body as it was fetched.

    `shown` is a harmless version of it, or None if there is none.
    """

    body: bytes
    type: str
    shown: str | None = None
    is_html: bool = False


def page_view(
    registry: PortalRegistry, name: str, url: str, links: int = MAX_LINKS_SHOWN
) -> PageView:
    """Return a page of a served portal.

    Raises `HTTPException` if the portal has never seen it, and `UsageError` if it is no URL.
    """
    with registry.reading(name) as portal, portal.store.reading() as session:
        address = address_in(session, url, portal.config.urls)
        explanation = _explain(portal, session, address, links)
        stored = page_at_url(session, address.url)
        text = None if stored is None else _text(session, stored)
        return PageView(
            explanation.url, text, explanation, tuple(_links_to(session, explanation.url, links))
        )


def explain_url(
    directory: Path, url: str, links: int, overrides: Sequence[str] = ()
) -> Explanation:
    """Return how a URL was found, ranked and judged.

    Raises `LodeError` if the portal has never seen it.
    """
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        address = address_in(session, url, portal.config.urls)
        explanation = explain(session, portal.config, address, links)
    if explanation is None:
        raise LodeError(
            f"{directory} has never seen {address.url[:200]}: it is no example, and no page that "
            "was "
            "fetched links to it."
        )
    return explanation


def explanation_at(registry: PortalRegistry, name: str, url: str, links: int) -> Explanation:
    """Return the explanation of a URL of a served portal; it raises as `page_view` does."""
    with registry.reading(name) as portal, portal.store.reading() as session:
        return _explain(portal, session, address_in(session, url, portal.config.urls), links)


def _explain(portal: Portal, session: Session, address: Address, links: int) -> Explanation:
    explanation = explain(session, portal.config, address, links)
    if explanation is None:
        raise HTTPException(404, NEVER)
    return explanation


def original(registry: PortalRegistry, name: str, url: str) -> Original:
    """Return a page as it was fetched. Raises `HTTPException` if the archive does not have it."""
    with registry.reading(name) as portal, portal.store.reading() as session:
        stored = page_at_url(session, address_in(session, url, portal.config.urls).url)
        if stored is None or stored.page.archived is None:
            raise HTTPException(404, "The original of this page is not stored.")
        try:
            exchange = portal.archive.read(stored.page.archived)
        except StoreError as error:
            raise HTTPException(
                404, "The original of this page cannot be read any more."
            ) from error
    return _original(exchange.head, exchange.body, stored.page.mime)


def _original(head: bytes, body: bytes, mime: str) -> Original:
    is_html = _HTML.match(mime) is not None
    if len(body) > MAX_ORIGINAL_BYTES or not (is_html or _TEXT.match(mime)):
        return Original(body, mime)
    text = decode(body, content_type_in(head))
    return Original(body, mime, harmless_html(text) if is_html else text, is_html)


def content_type_in(head: bytes) -> str:
    """Return the Content-Type of an archived response; empty if it has none."""
    for line in head.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-type":
            return value.strip()
    return ""


def _text(session: Session, stored: KeptPage) -> PageText:
    page = stored.page
    try:
        text = text_of(session, stored.id)
    except LodeError:  # its stored text cannot be unpacked
        text = ""
    return PageText(
        stored.title,
        stored.language,
        page.mime,
        page.size,
        page.status,
        page.fetched_at,
        text[:MAX_TEXT_CHARS],
        len(text) <= MAX_TEXT_CHARS,
        page.archived is not None,
    )


def _links_to(session: Session, url: str, most: int) -> list[LinkingPage]:
    row = known_url(session, url_key(url, host_of(url)))
    once: dict[PageId, str] = {}
    for link in links_to(session, row.id, 10 * most) if row is not None else ():
        once[link.page] = once.get(link.page) or link.anchor
    pages = [
        (page_numbered(session, number), anchor) for number, anchor in list(once.items())[:most]
    ]
    return [
        LinkingPage(page.page.url, page.title, anchor) for page, anchor in pages if page is not None
    ]
