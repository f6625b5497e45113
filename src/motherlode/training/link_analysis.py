"""Hubs and authorities of a topic, over the links that the store knows (SPEC B10)."""

from collections.abc import Collection, Iterable

import numpy as np
from msgspec import Struct

from motherlode.learning.links.hits import MAX_ROUNDS, HubsAndAuthorities
from motherlode.learning.links.pagerank import PageRank
from motherlode.records import Judgement, TopicId, UrlId
from motherlode.store.graph import Graph, TargetsFrom, graph_around
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


class Extent(Struct, frozen=True):
    """How far around a topic links are looked at, and how exactly."""

    base: int = BASE
    predecessors: int = PREDECESSORS
    rounds: int = MAX_ROUNDS


class Neighbourhood(Struct, frozen=True):
    """Every page of a topic and around it, with its links, and what it is worth as a hub or an authority."""

    graph: Graph
    confidences: list[float | None]
    elsewhere: list[bool]
    hits: HubsAndAuthorities

    def standings(self) -> list[Standing]:
        sources, targets = self.graph.edges.T
        ranks = PageRank().fit(sources, targets, len(self.graph.ids)).ranks_
        return [
            Standing(
                url,
                self.graph.ids[at],
                float(self.hits.hubs_[at]),
                float(self.hits.authorities_[at]),
                float(ranks[at]),
                self.confidences[at],
                self.elsewhere[at],
            )
            for at, url in enumerate(self.graph.urls)
        ]

    def hubs(self, most: int) -> list[UrlId]:
        """The best hubs."""
        scores = self.hits.hubs_
        return [self.graph.ids[at] for at in np.argsort(-scores, kind="stable")[:most] if scores[at] > 0]


def standings(
    session: Session,
    tree: TopicTree,
    topic: TopicId,
    *,
    base: int = BASE,
    predecessors: int = PREDECESSORS,
    rounds: int = MAX_ROUNDS,
) -> list[Standing]:
    """Every page of a topic and around it, in no order; scores are as exact as so many rounds make them."""
    return neighbourhood(session, tree, topic, Extent(base, predecessors, rounds)).standings()


def neighbourhood(
    session: Session,
    tree: TopicTree,
    topic: TopicId,
    extent: Extent,
    leading: TargetsFrom | None = None,
) -> Neighbourhood:
    """What a page passes on is weighed by its relevance: by how sure its topic is of it, in proportion to the
    surest. Pages of which nothing is known count half as much as the least sure one of the topic's own, and
    those that are elsewhere half as much again. `leading`: who knows where links lead, if not the store.
    """
    topics = {topic, *tree.descendants(topic)}
    pages = judged_for(session, topics, extent.base)
    graph = graph_around(session, [page.url_id for page in pages], extent.predecessors, leading)
    judged = judgements_of(session, {page for page in graph.pages if page is not None})
    told = [_confidence(None if page is None else judged.get(page), topics) for page in graph.pages]
    elsewhere = [page in judged and sure is None for page, sure in zip(graph.pages, told, strict=True)]
    sources, targets = graph.edges.T
    hits = HubsAndAuthorities(max_rounds=extent.rounds).fit(
        sources, targets, _hosts(graph), _relevance(told, elsewhere)
    )
    return Neighbourhood(graph, told, elsewhere, hits)


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
