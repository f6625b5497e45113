"""The topic tree in figures, the page of one topic, and the analysis of its links."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from motherlode.export.site.rows import row_of
from motherlode.learning.precision import PrecisionEstimate
from motherlode.portal import Portal
from motherlode.records import Example, Topic, TopicId
from motherlode.records.example_counts import ExampleCounts, count_by_topic
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import counts_by_topic, judged_for
from motherlode.store.tables.removed_topics import Removal, removals
from motherlode.topics import TopicTree, show_path
from motherlode.training.certainty import Assessed
from motherlode.training.link_analysis import link_scores_of
from motherlode.training.portal_view import PortalView, untrained_topics
from motherlode.training.topic_profile import (
    CANDIDATE_PAGES,
    ORIGINS,
    HubOrAuthority,
    PageCard,
    authorities_among,
    best_cards,
    hubs_among,
    newest_cards,
    precision_estimates,
    sites_of,
    terms_of,
)
from motherlode.training.training_document import page_at_url

MAX_EXAMPLES_LISTED = 200
_BASE = 500  # pages of a topic that its links are analysed around
_ROUNDS = 100
MAX_SURVEYED_PAGES = 5_000  # of a topic, those with the highest margin
MAX_SITES = 20


class TopicRow(Struct, frozen=True):
    """A topic of the tree.

    `examples` counts all; `examples_from` counts those of users and of the crawl. `pages` are its
    own; `below` counts the pages of its subtopics. `trained` is False while the latest model does
    not know the topic: then it has no pages, though it has fetched examples.
    """

    id: int
    topic: str
    name: str
    parent: int
    depth: int
    others: bool
    examples: int
    pages: int
    below: int
    precision: float | None  # as estimated; None: unknown
    examples_from: ExampleCounts
    trained: bool = True
    estimate: PrecisionEstimate | None = None


class Topics(Struct, frozen=True):
    """The topics, parents first, and the latest removals."""

    topics: list[TopicRow]
    removed: list[Removal]


class PageShown(Assessed, frozen=True):
    """A page in a list, with the beginning of its text."""

    url: str
    title: str
    excerpt: str
    host: str
    language: str
    fetched_at: float


class ExampleShown(Struct, frozen=True):
    """An example: a page, or a text without a URL.

    `origin` says who chose it; `fetched`, whether its page can be read and trimmed.
    """

    url: str | None
    title: str
    origin: str
    archetype: bool
    trimmed: bool
    fetched: bool


class TopicPage(Struct, frozen=True):
    """The page of a topic, as far as it needs no analysis of links."""

    row: TopicRow
    best: list[PageShown]
    newest: list[PageShown]
    examples: list[ExampleShown]
    children: list[TopicRow]


class SitePages(Struct, frozen=True):
    """A host, and the number of the topic's pages on it."""

    host: str
    pages: int


class TopicSurroundings(Struct, frozen=True):
    """The terms of a topic, its authorities and hubs, and the sites of its pages.

    The sites are those of the `surveyed` pages with the highest margin.
    """

    topic: str
    terms: list[str]
    authorities: list[HubOrAuthority]
    hubs: list[HubOrAuthority]
    sites: list[SitePages]
    surveyed: int


def topics_in(session: Session, portal: Portal) -> Topics:
    """Return the topic tree in figures."""
    view = PortalView(session, portal.config, TopicTree(topic_rows.all_topics(session)))
    return Topics(_rows(view), removals(session))


def topic_page(session: Session, portal: Portal, topic: TopicId) -> TopicPage:
    """Return the page of a topic. Raises `KeyError` if there is no such topic."""
    tree = TopicTree(topic_rows.all_topics(session))
    view = PortalView(session, portal.config, tree)
    rows = _rows(view)
    (own_row,) = [row for row in rows if row.id == topic] or [_row(view, tree[topic], {}, {})]
    within = tree.descendants(topic)
    surest = judged_for(session, within, CANDIDATE_PAGES)
    examples = [example for example in view.examples if example.topic == topic]
    return TopicPage(
        own_row,
        [_shown(card) for card in best_cards(session, surest)],
        [_shown(card) for card in newest_cards(session, within)],
        [_example(session, example) for example in examples[:MAX_EXAMPLES_LISTED]],
        [row for row in rows if row.parent == topic],
    )


def surroundings_of(session: Session, portal: Portal, topic: TopicId) -> TopicSurroundings:
    """Return terms, hubs, authorities and sites of a topic; this takes a moment."""
    tree = TopicTree(topic_rows.all_topics(session))
    classifier = PortalView(session, portal.config, tree).classifier
    pages = judged_for(session, tree.descendants(topic), MAX_SURVEYED_PAGES)
    scores = link_scores_of(session, tree, topic, base=_BASE, rounds=_ROUNDS) if pages else []
    return TopicSurroundings(
        show_path(tree.path(topic)),
        terms_of(session, classifier, topic, pages),
        list(authorities_among(session, scores)),
        list(hubs_among(session, scores)),
        [SitePages(host, number) for host, number in sites_of(pages, MAX_SITES)],
        len(pages),
    )


def _rows(view: PortalView) -> list[TopicRow]:
    pages = counts_by_topic(view.session)
    examples = count_by_topic(view.examples)
    untrained = untrained_topics(view, pages)
    estimates = precision_estimates(view)
    return [
        replace(
            _row(view, topic, examples, pages),
            trained=topic.id not in untrained,
            precision=estimates[topic.id].value if topic.id in estimates else None,
            estimate=estimates.get(topic.id),
        )
        for topic in view.tree
    ]


def _row(
    view: PortalView,
    topic: Topic,
    examples: Mapping[TopicId, ExampleCounts],
    pages: dict[TopicId, int],
) -> TopicRow:
    path = view.tree.path(topic.id)
    within = _together(pages, view.tree.descendants(topic.id))
    own_pages = 0 if topic.is_others else pages.get(topic.id, 0)
    counts = examples.get(topic.id, ExampleCounts())
    return TopicRow(
        id=topic.id,
        topic=show_path(path),
        name=topic.name,
        parent=topic.parent or 0,
        depth=len(path),
        others=topic.is_others,
        examples=counts.total,
        pages=own_pages,
        below=0 if topic.is_others else within - own_pages,
        precision=None,
        examples_from=counts,
    )


def _together(pages: dict[TopicId, int], topics: Iterable[TopicId]) -> int:
    return sum(pages.get(topic, 0) for topic in topics)


def _shown(card: PageCard) -> PageShown:
    row = row_of(card, 0)
    return PageShown(
        row.url,
        row.title,
        row.excerpt,
        row.host,
        row.language,
        row.fetched_at,
        margin=row.margin,
        probability=row.probability,
    )


def _example(session: Session, example: Example) -> ExampleShown:
    text = example.title or (example.text or "" if example.url is None else "")
    archetype = example.origin.value in ("archetype", "feedback")
    trimmed = example.url is not None and example.text is not None
    fetched = example.url is not None and page_at_url(session, example.url) is not None
    return ExampleShown(example.url, text, ORIGINS[example.origin], archetype, trimmed, fetched)
