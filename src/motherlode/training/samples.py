"""Documents in the feature spaces that a portal learns in, out of its store (SPEC B18)."""

from collections.abc import Collection, Iterator, Sequence

from motherlode.documents.spaces import ANCHORS, NEIGHBOURS, SPACES, TERMS, Surroundings
from motherlode.documents.terms import Bag, unpack
from motherlode.learning.tree import Sample
from motherlode.records import Document, PageId, UrlKey
from motherlode.store.judged import vectors_in
from motherlode.store.pages import (
    KeptLink,
    KeptPage,
    known_url,
    links_from,
    links_to,
    page_numbered,
    pages_at,
    text_of,
    vectors_of,
    vectors_of_all,
)
from motherlode.store.session import Session

_ANCHORS = 100  # links whose words are read
_NEIGHBOURS = 20  # pages before and behind, each
_AT_ONCE = 500


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
    page = pages_at(session, [known.id]).get(known.id)
    arriving = [link for link in links_to(session, known.id, _ANCHORS) if link.page != page]
    anchors = tuple(link.anchor for link in arriving if link.anchor)
    if NEIGHBOURS not in spaces:
        return Surroundings(url, anchors)
    return Surroundings(url, anchors, _neighbours(session, page, arriving))


def _neighbours(session: Session, page: PageId | None, arriving: Sequence[KeptLink]) -> tuple[Bag, ...]:
    """The terms of some pages that link to a page, and of some that it links to."""
    leaving = [] if page is None else [link.url_id for link in links_from(session, page)]
    fetched = pages_at(session, leaving)
    behind = dict.fromkeys(fetched[one] for one in leaving if one in fetched and fetched[one] != page)
    before = dict.fromkeys(link.page for link in arriving)
    chosen = dict.fromkeys([*list(before)[:_NEIGHBOURS], *list(behind)[:_NEIGHBOURS]])
    vectors = vectors_of_all(session, set(chosen), TERMS)
    return tuple(unpack(vectors[one]) for one in chosen if one in vectors)


def samples_in(
    session: Session, spaces: Collection[str], every: int = 1, only: Sequence[PageId] | None = None
) -> Iterator[list[tuple[PageId, Sample]]]:
    """The pages of the store, some at even distances, or these, in each of these spaces; some at a time."""
    vectors = vectors_in(session, TERMS, every) if only is None else _vectors_of(session, only)
    for found in vectors:
        if tuple(spaces) == (TERMS,):
            yield [(page, {TERMS: unpack(packed)}) for page, packed in found]
        else:
            yield [(page, _sample(session, page, spaces)) for page, _ in found]


def _vectors_of(session: Session, only: Sequence[PageId]) -> Iterator[list[tuple[PageId, bytes]]]:
    ordered = sorted(only)
    for start in range(0, len(ordered), _AT_ONCE):
        found = vectors_of_all(session, ordered[start : start + _AT_ONCE], TERMS)
        if found:
            yield sorted(found.items())


def _sample(session: Session, page: PageId, spaces: Collection[str]) -> Sample:
    kept = page_numbered(session, page)
    return {} if kept is None else stored_sample(session, kept, spaces)
