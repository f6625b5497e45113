"""One page of a portal: what it says, why it is here, what leads to it and where it leads."""

import re

from msgspec import Struct
from starlette.exceptions import HTTPException

from motherlode.app.services.addresses import address_in
from motherlode.app.services.registry import Shelf
from motherlode.documents.encoding import decode
from motherlode.documents.harmless import harmless_html
from motherlode.explain.explainer import explain
from motherlode.explain.explanations import Explanation
from motherlode.portal import Portal
from motherlode.records import LodeError, PageId, StoreError
from motherlode.store import Session
from motherlode.store.pages import KeptPage, known_url, links_to, page_numbered, text_of
from motherlode.training.training_set import page_behind
from motherlode.urls import Address, host_of, url_key

TEXT = 100_000  # characters of a page that are shown
_LINKS = 50
_LARGEST = 10 * 2**20  # bytes of an original that is shown
_HTML = re.compile(r"text/html|application/xhtml\+xml", re.IGNORECASE)
_TEXT = re.compile(r"text/|application/(json|xml|.*\+xml)", re.IGNORECASE)
NEVER = "The portal has never seen that page: it is no example, and no page that was fetched links to it."


class Linking(Struct, frozen=True):
    """A page that links to another, and the words of the link."""

    url: str
    title: str
    anchor: str


class PageText(Struct, frozen=True):
    """What a page says, as it is kept."""

    title: str
    language: str
    type: str
    size: int
    status: int
    fetched_at: float
    text: str
    whole: bool  # whether all of the text is here
    original: bool  # whether what came is kept as it came


class PageView(Struct, frozen=True):
    """A page. `page` is None where it was seen and never fetched."""

    url: str
    page: PageText | None
    explanation: Explanation
    links_in: tuple[Linking, ...]


class Original(Struct, frozen=True):
    """What was fetched, as it came. `shown`: made harmless, so that it can be looked at; None: it cannot."""

    body: bytes
    type: str
    shown: str | None = None
    is_html: bool = False


def page_view(shelf: Shelf, name: str, url: str, links: int = _LINKS) -> PageView:
    """Raises `HTTPException` where the portal has never seen it, `UsageError` where it is no address."""
    with shelf.reading(name) as portal, portal.store.reading() as session:
        asked = address_in(session, url, portal.config.urls)
        explanation = _explained(portal, session, asked, links)
        kept = page_behind(session, asked.url)
        text = None if kept is None else _text(session, kept)
        return PageView(explanation.url, text, explanation, tuple(_arriving(session, explanation.url, links)))


def explained(shelf: Shelf, name: str, url: str, links: int) -> Explanation:
    """Raises what `page_view` does."""
    with shelf.reading(name) as portal, portal.store.reading() as session:
        return _explained(portal, session, address_in(session, url, portal.config.urls), links)


def _explained(portal: Portal, session: Session, asked: Address, links: int) -> Explanation:
    found = explain(session, portal.config, asked, links)
    if found is None:
        raise HTTPException(404, NEVER)
    return found


def original(shelf: Shelf, name: str, url: str) -> Original:
    """Raises `HTTPException` where nothing is kept."""
    with shelf.reading(name) as portal, portal.store.reading() as session:
        kept = page_behind(session, address_in(session, url, portal.config.urls).url)
        if kept is None or kept.page.archived is None:
            raise HTTPException(404, "What was fetched from there is not kept.")
        try:
            exchange = portal.archive.read(kept.page.archived)
        except StoreError as error:
            raise HTTPException(404, "What was fetched from there cannot be read any more.") from error
    return _original(exchange.head, exchange.body, kept.page.mime)


def _original(head: bytes, body: bytes, mime: str) -> Original:
    is_html = _HTML.match(mime) is not None
    if len(body) > _LARGEST or not (is_html or _TEXT.match(mime)):
        return Original(body, mime)
    text = decode(body, _content_type(head))
    return Original(body, mime, harmless_html(text) if is_html else text, is_html)


def _content_type(head: bytes) -> str:
    for line in head.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-type":
            return value.strip()
    return ""


def _text(session: Session, kept: KeptPage) -> PageText:
    of = kept.page
    try:
        text = text_of(session, kept.id)
    except LodeError:  # what is kept of it cannot be unpacked
        text = ""
    return PageText(
        kept.title,
        kept.language,
        of.mime,
        of.size,
        of.status,
        of.fetched_at,
        text[:TEXT],
        len(text) <= TEXT,
        of.archived is not None,
    )


def _arriving(session: Session, url: str, most: int) -> list[Linking]:
    known = known_url(session, url_key(url, host_of(url)))
    once: dict[PageId, str] = {}
    for link in links_to(session, known.id, 10 * most) if known is not None else ():
        once[link.page] = once.get(link.page) or link.anchor
    pages = [(page_numbered(session, number), anchor) for number, anchor in list(once.items())[:most]]
    return [Linking(page.page.url, page.title, anchor) for page, anchor in pages if page is not None]
