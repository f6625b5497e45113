"""The profile of a topic, read from the store: for a static site and for the web application."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from motherlode.documents.features.fingerprints import NEAR, distance
from motherlode.documents.features.spaces import TERMS
from motherlode.learning.precision import PrecisionEstimate, estimate_precision
from motherlode.learning.tree import TreeClassifier
from motherlode.records import Origin, PageId, TopicId
from motherlode.records.example_counts import count_by_topic
from motherlode.store.queries.index_rows import Material, materials_of
from motherlode.store.session import Session
from motherlode.store.tables.judgements import Judged, latest_for, mean_probabilities
from motherlode.store.tables.pages import page_numbered, pages_at
from motherlode.training.certainty import Assessed
from motherlode.training.clusters import words_for_terms
from motherlode.training.link_analysis import LinkScores, best_pages, topic_authorities
from motherlode.training.portal_view import PortalView
from motherlode.training.training_document import pages_of_given
from motherlode.urls import host_of

BEST_PAGES = 20  # on a topic's own page
CANDIDATE_PAGES = 3 * BEST_PAGES  # some are near-duplicates
ORIGINS = {
    Origin.PERSON: "chosen by hand",
    Origin.QUERY: "a query",
    Origin.ARCHETYPE: "an archetype: chosen by the crawl",
    Origin.FEEDBACK: "an archetype that a person accepted",
    Origin.HIT: "a hit of a search source",
}
_NEWEST_PAGES = 10
_HUBS = 10  # and as many authorities
_CHARACTERISTIC_WORDS = 15
_MAX_HEADING_CHARS = 2_000
_MAX_TEXT_CHARS = 10_000  # that a site reads of a page
_FINGERPRINTS = 1 << 64  # the store keeps fingerprints as signed numbers


class PageCard(Assessed, frozen=True):
    """A page of a topic, with the beginning of its text; `headings` has one on each line.

    `merit` is that of a member of a collection.
    """

    url: str
    title: str
    text: str
    language: str
    fetched_at: float
    topic: int
    headings: str = ""
    merit: float | None = None


class HubOrAuthority(Assessed, frozen=True):
    """A hub or an authority with its score; `margin` is None if it is not on the topic."""

    url: str
    title: str
    score: float


def precision_estimates(view: PortalView) -> dict[TopicId, PrecisionEstimate]:
    """Return the estimated precision of each topic of which it is known.

    The examples of a topic are those of its subtopics, too.
    """
    counts = count_by_topic(view.examples)
    estimates = {}
    given = pages_of_given(view.session, view.examples)
    for topic, mean in mean_probabilities(view.session, without=given).items():
        below = view.tree.descendants(topic)
        examples = sum(counts[child].given for child in below if child in counts)
        estimate = estimate_precision(mean, examples)
        if estimate is not None:
            estimates[topic] = estimate
    return estimates


def best_cards(session: Session, pages: Sequence[Judged]) -> Iterator[PageCard]:
    """Yield the most confident pages, without near-duplicates of earlier ones."""
    page_ids = [page.page for page in pages]
    material_of = {material.page: material for material in materials_of(session, page_ids, TERMS)}
    fingerprints: list[int] = []
    for page in pages:
        material = material_of.get(page.page)
        if material is None or any(
            _are_similar(material.fingerprint, fingerprint) for fingerprint in fingerprints
        ):
            continue
        if len(fingerprints) == BEST_PAGES:
            return
        fingerprints.append(material.fingerprint)
        yield card_of(material, page.confidence, page.probability)


def newest_cards(session: Session, topics: Collection[TopicId]) -> Iterator[PageCard]:
    """Yield the latest pages on these topics."""
    latest = latest_for(session, topics, _NEWEST_PAGES)
    page_ids = [page for page, _ in latest]
    material_of = {material.page: material for material in materials_of(session, page_ids, TERMS)}
    for page, judgement in latest:
        if page in material_of:
            yield card_of(material_of[page], judgement.confidence, judgement.probability)


def authorities_among(session: Session, pages: Sequence[LinkScores]) -> tuple[HubOrAuthority, ...]:
    """Return the best authorities that are on the topic, with their titles."""
    return _with_titles(session, topic_authorities(pages, _HUBS), "authority")


def hubs_among(session: Session, pages: Sequence[LinkScores]) -> tuple[HubOrAuthority, ...]:
    """Return the best hubs with their titles, on the topic or around it."""
    return _with_titles(session, best_pages(pages, "hub", _HUBS), "hub")


def _with_titles(
    session: Session, pages: Sequence[LinkScores], by: str
) -> tuple[HubOrAuthority, ...]:
    page_at_url = pages_at(session, {page.url_id for page in pages})
    return tuple(
        HubOrAuthority(
            page.url,
            _title(session, page_at_url.get(page.url_id)),
            getattr(page, by),
            margin=page.margin,
            probability=page.probability,
        )
        for page in pages
    )


def sites_of(pages: Sequence[Judged], limit: int) -> list[tuple[str, int]]:
    """Return the hosts of these pages with their numbers of pages, the largest first."""
    counts = Counter(host_of(page.url) for page in pages)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def terms_of(
    session: Session, classifier: TreeClassifier | None, topic: TopicId, pages: Sequence[Judged]
) -> list[str]:
    """Return the characteristic words of a topic, as its most confident pages spell them."""
    if classifier is None or not classifier.planes(topic):
        return []
    characteristic = classifier.characteristic(topic, TERMS, 2 * _CHARACTERISTIC_WORDS)
    terms = [term for term, _ in characteristic]
    return words_for_terms(session, terms, pages[:BEST_PAGES])[:_CHARACTERISTIC_WORDS]


def card_of(material: Material, margin: float, probability: float | None) -> PageCard:
    return PageCard(
        url=material.url,
        title=material.title,
        text=(material.text.main or material.text.rest)[:_MAX_TEXT_CHARS],
        language=material.language,
        fetched_at=material.fetched_at,
        margin=margin,
        probability=probability,
        topic=material.topic,
        headings=material.text.headings[:_MAX_HEADING_CHARS],
    )


def _title(session: Session, page: PageId | None) -> str:
    stored = None if page is None else page_numbered(session, page)
    return "" if stored is None else stored.title


def _are_similar(first: int, second: int) -> bool:
    if not first or not second:
        return False
    return distance(first % _FINGERPRINTS, second % _FINGERPRINTS) <= NEAR
