"""Documents in the feature spaces that a portal learns in, read from its store (SPEC B18)."""

from collections.abc import Collection, Iterator, Sequence

from motherlode.documents.features.spaces import (
    ANCHORS,
    NEIGHBOURS,
    SPACES,
    TERMS,
    Sample,
    Surroundings,
)
from motherlode.documents.text.terms import Bag, unpack
from motherlode.records import Document, PageId, UrlKey
from motherlode.store.session import Session
from motherlode.store.tables.judgements import vectors_in
from motherlode.store.tables.pages import (
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

_MAX_ANCHORS = 100  # links to a page whose texts are read
_MAX_NEIGHBOURS = 20  # pages that link to a page, and as many that it links to
_BATCH_PAGES = 500


def sample_of(document: Document, spaces: Collection[str], surroundings: Surroundings) -> Sample:
    """Return a document in each of these feature spaces."""
    sample: dict[str, Bag] = {}
    for space in spaces:
        packed = document.vectors.get(space)
        if packed is None:
            sample[space] = SPACES[space](document, surroundings)
        else:
            sample[space] = unpack(packed)
    return sample


def stored_sample(session: Session, page: KeptPage, spaces: Collection[str]) -> Sample:
    """Return a stored page in each feature space; for terms alone, only its vector is read."""
    vectors = vectors_of(session, page.id)
    if set(spaces) <= set(vectors):
        return {space: unpack(vectors[space]) for space in spaces}
    text = text_of(session, page.id)
    document = Document(title=page.title, language=page.language, text=text, vectors=vectors)
    surroundings = surroundings_of(session, page.page.url, page.page.key, spaces)
    return sample_of(document, spaces, surroundings)


def surroundings_of(
    session: Session,
    url: str,
    key: UrlKey,
    spaces: Collection[str],
) -> Surroundings:
    """Return the anchors and neighbours of a page, as far as these feature spaces need them."""
    row = known_url(session, key)
    if row is None or not {ANCHORS, NEIGHBOURS} & set(spaces):
        return Surroundings(url)
    page = pages_at(session, [row.id]).get(row.id)
    inlinks = [link for link in links_to(session, row.id, _MAX_ANCHORS) if link.page != page]
    anchors = tuple(link.anchor for link in inlinks if link.anchor)
    if NEIGHBOURS not in spaces:
        return Surroundings(url, anchors)
    return Surroundings(url, anchors, _neighbours(session, page, inlinks))


def _neighbours(
    session: Session,
    page: PageId | None,
    inlinks: Sequence[KeptLink],
) -> tuple[Bag, ...]:
    """Return the terms of some pages that link to a page, and of some that it links to."""
    targets = [] if page is None else [link.url_id for link in links_from(session, page)]
    fetched = pages_at(session, targets)
    successors = dict.fromkeys(
        fetched[target] for target in targets if target in fetched and fetched[target] != page
    )
    predecessors = dict.fromkeys(link.page for link in inlinks)
    chosen = dict.fromkeys(
        [*list(predecessors)[:_MAX_NEIGHBOURS], *list(successors)[:_MAX_NEIGHBOURS]],
    )
    vectors = vectors_of_all(session, set(chosen), TERMS)
    return tuple(unpack(vectors[neighbour]) for neighbour in chosen if neighbour in vectors)


def samples_in(
    session: Session, spaces: Collection[str], step: int = 1, only: Sequence[PageId] | None = None
) -> Iterator[list[tuple[PageId, Sample]]]:
    """Yield the pages of the store in batches, in each of these feature spaces.

    Only page numbers that `step` divides are read, or the pages in `only`.
    """
    batches = vectors_in(session, TERMS, step) if only is None else _vectors_of(session, only)
    for batch in batches:
        if tuple(spaces) == (TERMS,):
            yield [(page, {TERMS: unpack(packed)}) for page, packed in batch]
        else:
            yield [(page, _sample(session, page, spaces)) for page, _ in batch]


def _vectors_of(session: Session, only: Sequence[PageId]) -> Iterator[list[tuple[PageId, bytes]]]:
    pages = sorted(only)
    for start in range(0, len(pages), _BATCH_PAGES):
        vectors = vectors_of_all(session, pages[start : start + _BATCH_PAGES], TERMS)
        if vectors:
            yield sorted(vectors.items())


def _sample(session: Session, page: PageId, spaces: Collection[str]) -> Sample:
    stored = page_numbered(session, page)
    return {} if stored is None else stored_sample(session, stored, spaces)
