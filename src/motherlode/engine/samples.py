"""Documents in the feature spaces that a portal learns in, out of its store (SPEC B18)."""

from collections.abc import Collection, Sequence

from motherlode.documents.spaces import ANCHORS, NEIGHBOURS, SPACES, TERMS, Surroundings
from motherlode.documents.terms import Bag, unpack
from motherlode.learning.tree import Sample
from motherlode.records import Document, PageId, UrlKey
from motherlode.store.pages import KeptPage, known_url, links_from, links_to, page_at, text_of, vectors_of
from motherlode.store.session import Session
from motherlode.urls import host_of, url_key

_ANCHORS = 100  # links whose words are read
_NEIGHBOURS = 20  # pages before and behind, each


def sample_of(document: Document, spaces: Collection[str], surroundings: Surroundings) -> Sample:
    """A document in each of these spaces."""
    found: dict[str, Bag] = {}
    for space in spaces:
        packed = document.vectors.get(space)
        found[space] = SPACES[space](document, surroundings) if packed is None else unpack(packed)
    return found


def stored_sample(session: Session, page: KeptPage, spaces: Collection[str]) -> Sample:
    """A stored page in each of these spaces; for terms alone, nothing but its vector is read."""
    vectors = vectors_of(session, page.id)
    if set(spaces) <= set(vectors):
        return {space: unpack(vectors[space]) for space in spaces}
    document = Document(
        title=page.title, language=page.language, text=text_of(session, page.id), vectors=vectors
    )
    return sample_of(document, spaces, surroundings_of(session, page.page.url, page.page.key, spaces))


def surroundings_of(session: Session, url: str, key: UrlKey, spaces: Collection[str]) -> Surroundings:
    """What the store knows of a page besides itself, as far as these spaces want it."""
    known = known_url(session, key)
    if known is None or not {ANCHORS, NEIGHBOURS} & set(spaces):
        return Surroundings(url)
    arriving = links_to(session, known.id, _ANCHORS)
    page = page_at(session, key)
    leaving = links_from(session, page.id) if page is not None else []
    neighbours: Sequence[Bag] = ()
    if NEIGHBOURS in spaces:
        behind = _pages(session, [link.url for link in leaving])
        before = list(dict.fromkeys(link.page for link in arriving))[:_NEIGHBOURS]
        neighbours = [bag for one in (*before, *behind) if (bag := _terms(session, one)) is not None]
    return Surroundings(url, tuple(link.anchor for link in arriving if link.anchor), tuple(neighbours))


def _pages(session: Session, urls: Sequence[str]) -> list[PageId]:
    """The first few of these URLs that are pages in the store."""
    found: list[PageId] = []
    for url in dict.fromkeys(urls):
        page = page_at(session, url_key(url, host_of(url)))
        if page is not None:
            found.append(page.id)
        if len(found) == _NEIGHBOURS:
            break
    return found


def _terms(session: Session, page: PageId) -> Bag | None:
    packed = vectors_of(session, page).get(TERMS)
    return None if packed is None else unpack(packed)
