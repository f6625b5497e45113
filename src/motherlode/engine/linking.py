"""Hubs and authorities of a topic, over the links that the store knows (SPEC B10)."""

from collections.abc import Collection, Iterable

import numpy as np
from msgspec import Struct

from motherlode.learning.hits import MAX_ROUNDS, Hits
from motherlode.learning.pagerank import PageRank
from motherlode.records import Judgement, TopicId, UrlId
from motherlode.store.graph import Graph, graph_around
from motherlode.store.judged import judged_for, judgements_of
from motherlode.store.session import Session
from motherlode.topics import TopicTree
from motherlode.urls import host_of

BASE = 5_000  # pages of the topic, the surest
PREDECESSORS = 20  # of each


class Standing(Struct, frozen=True):
    """A page among the links around a topic."""

    url: str
    url_id: UrlId
    hub: float
    authority: float
    pagerank: float
    confidence: float | None  # None: it is not on the topic
    elsewhere: bool = False  # it was judged, and is on another topic or on none


def standings(
    session: Session,
    tree: TopicTree,
    topic: TopicId,
    *,
    base: int = BASE,
    predecessors: int = PREDECESSORS,
    rounds: int = MAX_ROUNDS,
) -> list[Standing]:
    """Every page of a topic and around it, in no order; scores are as exact as so many rounds make them.

    What a page passes on is weighed by its relevance: by how sure its topic is of it, in proportion to the
    surest. Pages of which nothing is known count half as much as the least sure one of the topic's own, and
    those that are elsewhere half as much again.
    """
    topics = {topic, *tree.descendants(topic)}
    pages = judged_for(session, topics, base)
    graph = graph_around(session, [page.url_id for page in pages], predecessors)
    judged = judgements_of(session, {page for page in graph.pages if page is not None})
    told = [_confidence(None if page is None else judged.get(page), topics) for page in graph.pages]
    elsewhere = [page in judged and sure is None for page, sure in zip(graph.pages, told, strict=True)]
    relevance = _relevance(told, elsewhere)
    hosts = _hosts(graph)
    sources, targets = graph.edges.T
    hits = Hits(max_rounds=rounds).fit(sources, targets, hosts, relevance)
    ranks = PageRank().fit(sources, targets, len(graph.ids)).ranks_
    return [
        Standing(
            url,
            graph.ids[at],
            float(hits.hubs_[at]),
            float(hits.authorities_[at]),
            float(ranks[at]),
            told[at],
            elsewhere[at],
        )
        for at, url in enumerate(graph.urls)
    ]


def best(found: Iterable[Standing], by: str, most: int) -> list[Standing]:
    """Those that count for anything as hubs or authorities, the best first."""
    counting = [one for one in found if getattr(one, by) > 0]
    return sorted(counting, key=lambda one: (-getattr(one, by), one.url))[:most]


def _confidence(judgement: Judgement | None, topics: Collection[TopicId]) -> float | None:
    """How sure it is that a page is on one of these topics; None: it is not, or was not judged."""
    if judgement is None or judgement.topic not in topics or judgement.confidence <= 0:
        return None
    return judgement.confidence


def _relevance(
    told: list[float | None], elsewhere: list[bool]
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    known = [value for value in told if value is not None]
    if not known:
        return np.ones(len(told))
    least = min(known) / 2
    values = [
        least / (1 + away) if value is None else value for value, away in zip(told, elsewhere, strict=True)
    ]
    return np.array(values) / max(known)


def _hosts(graph: Graph) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(host_of(url), len(numbers)) for url in graph.urls], np.int64)
