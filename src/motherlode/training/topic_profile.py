"""What a topic's own page says, out of the store: for a static site and for the web application."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from motherlode.documents.similarity import NEAR, distance
from motherlode.documents.spaces import TERMS
from motherlode.export.site.records import Card, Weighed
from motherlode.learning.tree import TreeClassifier
from motherlode.records import Origin, PageId, TopicId
from motherlode.store.indexed import Material, materials_of
from motherlode.store.judged import Judged, latest_for
from motherlode.store.pages import page_numbered, pages_at
from motherlode.store.session import Session
from motherlode.training.clusters import spelled_in
from motherlode.training.link_analysis import Standing, best
from motherlode.urls import host_of

BEST = 20  # pages on a topic's own page
LOOKED_AT = 3 * BEST  # pages to find them among: some are nearly the same
ORIGINS = {
    Origin.PERSON: "chosen by hand",
    Origin.QUERY: "a query",
    Origin.ARCHETYPE: "an archetype: chosen by the crawl",
    Origin.FEEDBACK: "an archetype that a person accepted",
}
_NEWEST = 10
_LINKED = 10  # hubs, and authorities
_TERMS = 15  # words that speak for a topic
_HEADINGS = 2_000  # characters of headings
_SAID = 10_000  # characters of a text that a site looks at
_PRINTS = 1 << 64  # the store has them with a sign


def precision_of(classifier: TreeClassifier | None, topic: TopicId) -> float | None:
    """What is expected of a topic in the space that knows it best, as `lode train` tells it."""
    planes = {} if classifier is None else classifier.planes(topic)
    found = max((plane.precision for plane in planes.values()), default=0.0)
    return found or None  # of few examples xi-alpha may say nothing at all, which is 0


def best_of(session: Session, surest: Sequence[Judged]) -> Iterator[Card]:
    """The surest pages, of those that are nearly the same the first."""
    there = {one.page: one for one in materials_of(session, [one.page for one in surest], TERMS)}
    prints: list[int] = []
    for one in surest:
        material = there.get(one.page)
        if material is None or any(_alike(material.fingerprint, known) for known in prints):
            continue
        if len(prints) == BEST:
            return
        prints.append(material.fingerprint)
        yield card_of(material, one.confidence)


def newest_of(session: Session, topics: Collection[TopicId]) -> Iterator[Card]:
    """The pages on these topics that were found last."""
    latest = latest_for(session, topics, _NEWEST)
    there = {one.page: one for one in materials_of(session, [page for page, _ in latest], TERMS)}
    for page, confidence in latest:
        if page in there:
            yield card_of(there[page], confidence)


def weighed(session: Session, found: Sequence[Standing], by: str) -> tuple[Weighed, ...]:
    """The best hubs, or authorities, with their titles."""
    chosen = best(found, by, _LINKED)
    at = pages_at(session, {one.url_id for one in chosen})
    return tuple(
        Weighed(one.url, _title(session, at.get(one.url_id)), getattr(one, by), one.confidence)
        for one in chosen
    )


def sites_of(pages: Sequence[Judged], most: int) -> list[tuple[str, int]]:
    """The sites that these pages are on, those with the most pages first."""
    counted = Counter(host_of(one.url) for one in pages)
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:most]


def terms_of(
    session: Session, classifier: TreeClassifier | None, topic: TopicId, surest: Sequence[Judged]
) -> list[str]:
    """The words that speak for a topic, as its surest pages spell them."""
    if classifier is None or not classifier.planes(topic):
        return []
    terms = [term for term, _ in classifier.characteristic(topic, TERMS, 2 * _TERMS)]
    return spelled_in(session, terms, surest[:BEST])[:_TERMS]


def card_of(material: Material, confidence: float) -> Card:
    return Card(
        url=material.url,
        title=material.title,
        text=(material.text.main or material.text.rest)[:_SAID],
        language=material.language,
        fetched_at=material.fetched_at,
        confidence=confidence,
        topic=material.topic,
        headings=material.text.headings[:_HEADINGS],
    )


def _title(session: Session, page: PageId | None) -> str:
    kept = None if page is None else page_numbered(session, page)
    return "" if kept is None else kept.title


def _alike(one: int, other: int) -> bool:
    return bool(one and other) and distance(one % _PRINTS, other % _PRINTS) <= NEAR
