"""What is told of topics: the tree in figures, and what a topic's own page says; for every front door."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from motherlode.export.site.records import Card, Weighed
from motherlode.export.site.rows import row_of
from motherlode.portal import Portal
from motherlode.records import Example, Topic, TopicId
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.judged import counts_by_topic, judged_for
from motherlode.store.removed import Removal, removals
from motherlode.topics import TopicTree, show_path
from motherlode.training.link_analysis import standings
from motherlode.training.topic_profile import (
    LOOKED_AT,
    ORIGINS,
    best_of,
    newest_of,
    precision_of,
    sites_of,
    terms_of,
    weighed,
)
from motherlode.training.training_set import page_behind
from motherlode.training.view import View

_EXAMPLES = 200  # of a topic that are listed
_BASE = 500  # pages of a topic that its links are analysed around
_ROUNDS = 100
_SURVEYED = 5_000  # pages of a topic, the surest, whose sites are counted
_SITES = 20


class TopicRow(Struct, frozen=True):
    """A topic of the tree. `pages` are its own; `below` has those of the topics below it besides."""

    id: int
    topic: str
    name: str
    parent: int
    depth: int
    others: bool
    examples: int
    pages: int
    below: int
    precision: float | None  # as xi-alpha expects it; None: nothing is known


class Topics(Struct, frozen=True):
    """The tree, parents first, and what was removed from it lately."""

    topics: list[TopicRow]
    removed: list[Removal]


class PageShown(Struct, frozen=True):
    """A page in a list, with how its text begins."""

    url: str
    title: str
    said: str
    host: str
    language: str
    fetched_at: float
    confidence: float


class ExampleShown(Struct, frozen=True):
    """An example: a page, or words without an address. `origin` says who chose it, `fetched` whether its page
    is there to be read and trimmed."""

    url: str | None
    title: str
    origin: str
    archetype: bool
    trimmed: bool
    fetched: bool


class TopicPage(Struct, frozen=True):
    """What a topic's own page says at once."""

    row: TopicRow
    best: list[PageShown]
    newest: list[PageShown]
    examples: list[ExampleShown]
    children: list[TopicRow]


class Site(Struct, frozen=True):
    host: str
    pages: int


class Surroundings(Struct, frozen=True):
    """The words that speak for a topic, what the links around it say, and where its pages are: `surveyed` of
    them, the surest. It takes a moment."""

    topic: str
    terms: list[str]
    authorities: list[Weighed]
    hubs: list[Weighed]
    sites: list[Site]
    surveyed: int


def topics_in(session: Session, portal: Portal) -> Topics:
    view = View(session, portal.config, TopicTree(topic_rows.all_topics(session)))
    return Topics(_rows(view), removals(session))


def topic_page(session: Session, portal: Portal, topic: TopicId) -> TopicPage:
    """Raises `KeyError` where there is no such topic."""
    tree = TopicTree(topic_rows.all_topics(session))
    view = View(session, portal.config, tree)
    rows = _rows(view)
    (row,) = [one for one in rows if one.id == topic] or [_row(view, tree[topic], Counter(), {})]
    within = tree.descendants(topic)
    surest = judged_for(session, within, LOOKED_AT)
    own = [one for one in view.examples if one.topic == topic]
    return TopicPage(
        row,
        [_shown(card) for card in best_of(session, surest)],
        [_shown(card) for card in newest_of(session, within)],
        [_example(session, one) for one in own[:_EXAMPLES]],
        [one for one in rows if one.parent == topic],
    )


def surroundings_of(session: Session, portal: Portal, topic: TopicId) -> Surroundings:
    tree = TopicTree(topic_rows.all_topics(session))
    classifier = View(session, portal.config, tree).classifier
    pages = judged_for(session, tree.descendants(topic), _SURVEYED)
    found = standings(session, tree, topic, base=_BASE, rounds=_ROUNDS) if pages else []
    return Surroundings(
        show_path(tree.path(topic)),
        terms_of(session, classifier, topic, pages),
        list(weighed(session, [one for one in found if not one.elsewhere], "authority")),
        list(weighed(session, found, "hub")),
        [Site(host, number) for host, number in sites_of(pages, _SITES)],
        len(pages),
    )


def _rows(view: View) -> list[TopicRow]:
    pages = counts_by_topic(view.session)
    examples = Counter(one.topic for one in view.examples)
    return [_row(view, topic, examples, pages) for topic in view.tree]


def _row(view: View, topic: Topic, examples: Counter[TopicId], pages: dict[TopicId, int]) -> TopicRow:
    path = view.tree.path(topic.id)
    within = _together(pages, view.tree.descendants(topic.id))
    own = 0 if topic.is_others else pages.get(topic.id, 0)
    return TopicRow(
        topic.id,
        show_path(path),
        topic.name,
        topic.parent or 0,
        len(path),
        topic.is_others,
        examples[topic.id],
        own,
        0 if topic.is_others else within - own,
        precision_of(view.classifier, topic.id),
    )


def _together(pages: dict[TopicId, int], topics: Iterable[TopicId]) -> int:
    return sum(pages.get(topic, 0) for topic in topics)


def _shown(card: Card) -> PageShown:
    row = row_of(card, 0)
    return PageShown(
        row.url, row.title, row.said, row.host, row.language, row.fetched_at, round(row.confidence, 4)
    )


def _example(session: Session, one: Example) -> ExampleShown:
    said = one.title or (one.text or "" if one.url is None else "")
    archetype = one.origin.value in ("archetype", "feedback")
    trimmed = one.url is not None and one.text is not None
    fetched = one.url is not None and page_behind(session, one.url) is not None
    return ExampleShown(one.url, said, ORIGINS[one.origin], archetype, trimmed, fetched)
