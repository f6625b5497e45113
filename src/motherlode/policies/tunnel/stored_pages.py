"""What a tunnelling policy reads from the store when it is made: hits, and the newest pages."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag, unpack
from motherlode.learning.matrix import Floats
from motherlode.policies.tunnel.model import CentroidModel
from motherlode.policies.tunnel.steps import REACHED_HIT, HitPage, Reached, reached_from
from motherlode.records import Link, LinkFlag, Origin, UrlKey
from motherlode.store.queries.path_records import path_rows
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.notes import notes_of
from motherlode.store.tables.pages import links_from, vectors_of, vectors_of_all
from motherlode.training.training_document import page_at_url
from motherlode.urls import host_of, url_key


class PastPage(Struct, frozen=True):
    """A page that was fetched before the policy was made."""

    url: str
    depth: int
    parent_distance: float
    score: float
    correlations: Floats


def hit_pages(session: Session, model: CentroidModel, *, obey: bool) -> dict[UrlKey, HitPage]:
    """Return the fetched hits of all subjects by URL; `obey` leaves nofollow links out."""
    hits: dict[UrlKey, HitPage] = {}
    for example in topic_rows.examples_of(session):
        page = page_at_url(session, example.url or "") if example.origin is Origin.HIT else None
        if page is None or example.url is None:
            continue
        correlations = model.centroids.correlations([_bag(vectors_of(session, page.id))])[0]
        hit = HitPage(
            page=page.id,
            url=page.page.url,
            links=tuple(
                Link(link.url, url_key(link.url, host_of(link.url)), link.anchor, link.flags)
                for link in links_from(session, page.id)
                if not (obey and link.flags & LinkFlag.NOFOLLOW)
            ),
            language=page.language or "en",
            judgement=model.judgement_of(correlations),
            correlations=correlations,
        )
        hits[page.page.key] = hits[url_key(example.url, host_of(example.url))] = hit
    return hits


def reached_hits(session: Session) -> dict[str, Reached]:
    """Return the hits that the crawl has found links to, by URL, and where."""
    notes: Mapping[str, Mapping[str, object]] = notes_of(session, REACHED_HIT)
    return {url: reached_from(value) for url, value in notes.items()}


def newest_pages(session: Session, model: CentroidModel, limit: int) -> Iterator[PastPage]:
    """Yield the newest pages in the order in which they were fetched."""
    rows = [row for row in path_rows(session, newest=limit) if row.score is not None]
    vectors = vectors_of_all(session, {row.page for row in rows}, TERMS)
    bags = [unpack(vectors.get(row.page, b"")) for row in rows]
    for row, correlations in zip(rows, model.centroids.correlations(bags), strict=True):
        score = float(row.score or 0.0)
        yield PastPage(row.url, row.depth, row.parent_distance, score, correlations)


def _bag(vectors: Mapping[str, bytes]) -> Bag:
    return unpack(vectors.get(TERMS, b""))
