"""Hubs and authorities of a topic, over the links in the store (SPEC B10)."""

from collections.abc import Collection, Iterable

import numpy as np
from msgspec import Struct

from motherlode.learning.links.hits import MAX_ROUNDS, HubsAndAuthorities
from motherlode.learning.links.pagerank import PageRank
from motherlode.learning.matrix import Floats, Ints
from motherlode.records import Judgement, TopicId, UrlId
from motherlode.store.queries.graph import Graph, TargetsFrom, graph_around
from motherlode.store.session import Session
from motherlode.store.tables.judgements import judged_for, judgements_of
from motherlode.topics import TopicTree
from motherlode.training.certainty import Assessed
from motherlode.urls import host_of

BASE_SET_PAGES = 5_000  # the most confident of the topic
MAX_PREDECESSORS = 20  # of each page


class LinkScores(Assessed, frozen=True):
    """The scores of a page by the links around a topic; `margin` is None if it is not on it."""

    url: str
    url_id: UrlId
    hub: float
    authority: float
    pagerank: float
    elsewhere: bool = False  # it was judged, and is on another topic or on none


class NeighbourhoodLimits(Struct, frozen=True):
    """Limits of the pages around a topic that are analysed, and of the rounds of scoring."""

    base: int = BASE_SET_PAGES
    predecessors: int = MAX_PREDECESSORS
    rounds: int = MAX_ROUNDS


class Neighbourhood(Struct, frozen=True):
    """The pages on a topic and around it, with their links and scores."""

    graph: Graph
    judgements: list[Judgement | None]  # None: not on the topic
    elsewhere: list[bool]
    hits: HubsAndAuthorities

    def link_scores(self) -> list[LinkScores]:
        sources, targets = self.graph.edges.T
        ranks = PageRank().fit(sources, targets, len(self.graph.ids)).ranks_
        return [
            LinkScores(
                url=url,
                url_id=self.graph.ids[index],
                hub=float(self.hits.hubs_[index]),
                authority=float(self.hits.authorities_[index]),
                pagerank=float(ranks[index]),
                margin=None if judgement is None else judgement.confidence,
                probability=None if judgement is None else judgement.probability,
                elsewhere=self.elsewhere[index],
            )
            for index, (url, judgement) in enumerate(
                zip(self.graph.urls, self.judgements, strict=True)
            )
        ]

    def hubs(self, limit: int) -> list[UrlId]:
        """Return the best hubs."""
        scores = self.hits.hubs_
        best = np.argsort(-scores, kind="stable")[:limit]
        return [self.graph.ids[index] for index in best if scores[index] > 0]


def link_scores_of(
    session: Session,
    tree: TopicTree,
    topic: TopicId,
    *,
    base: int = BASE_SET_PAGES,
    predecessors: int = MAX_PREDECESSORS,
    rounds: int = MAX_ROUNDS,
) -> list[LinkScores]:
    """Return the scores of all pages on a topic and around it, in no particular order."""
    limits = NeighbourhoodLimits(base, predecessors, rounds)
    return neighbourhood(session, tree, topic, limits).link_scores()


def neighbourhood(
    session: Session,
    tree: TopicTree,
    topic: TopicId,
    limits: NeighbourhoodLimits,
    read_targets: TargetsFrom | None = None,
) -> Neighbourhood:
    """Return the neighbourhood of a topic, in which the score that a page passes on is weighted.

    The weight is its relevance: its margin in proportion to the highest. A page without
    judgement counts half as much as the least confident page on the topic, and a page on another
    topic half of that. Links are read by `read_targets`, by default from the store.
    """
    topics = {topic, *tree.descendants(topic)}
    pages = judged_for(session, topics, limits.base)
    url_ids = [page.url_id for page in pages]
    graph = graph_around(session, url_ids, limits.predecessors, read_targets)
    judgements = judgements_of(session, {page for page in graph.pages if page is not None})
    on_topic = [
        _if_on_topic(None if page is None else judgements.get(page), topics) for page in graph.pages
    ]
    elsewhere = [
        page in judgements and judgement is None
        for page, judgement in zip(graph.pages, on_topic, strict=True)
    ]
    sources, targets = graph.edges.T
    hits = HubsAndAuthorities(max_rounds=limits.rounds).fit(
        sources, targets, _host_numbers(graph), _relevance(on_topic, elsewhere)
    )
    return Neighbourhood(graph, on_topic, elsewhere, hits)


def best_pages(pages: Iterable[LinkScores], by: str, limit: int) -> list[LinkScores]:
    """Return the pages with the highest positive score as `hub` or `authority`."""
    positive = [page for page in pages if getattr(page, by) > 0]
    return sorted(positive, key=lambda page: (-getattr(page, by), page.url))[:limit]


def topic_authorities(pages: Iterable[LinkScores], limit: int) -> list[LinkScores]:
    """Return the best authorities that were fetched and are on the topic.

    Cited identifiers (DOIs, PubMed numbers, archive copies) have high scores on many topics: they
    are linked from everywhere and never fetched. They count in HITS, but tell a user nothing.
    """
    on_topic = [page for page in pages if page.margin is not None]
    return best_pages(on_topic, "authority", limit)


def _if_on_topic(judgement: Judgement | None, topics: Collection[TopicId]) -> Judgement | None:
    """Return the judgement if the page is on one of these topics; else None."""
    if judgement is None or judgement.topic not in topics or not judgement.is_accepted:
        return None
    return judgement


def _relevance(judgements: list[Judgement | None], elsewhere: list[bool]) -> Floats:
    known = [judgement.confidence for judgement in judgements if judgement is not None]
    if not known:
        return np.ones(len(judgements))
    unknown = min(known) / 2
    values = [
        unknown / (1 + is_elsewhere) if judgement is None else judgement.confidence
        for judgement, is_elsewhere in zip(judgements, elsewhere, strict=True)
    ]
    return np.array(values) / max(known)


def _host_numbers(graph: Graph) -> Ints:
    numbers: dict[str, int] = {}
    hosts = [numbers.setdefault(host_of(url), len(numbers)) for url in graph.urls]
    return np.array(hosts, np.int64)
