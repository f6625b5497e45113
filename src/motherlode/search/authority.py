"""Authority for ranking: HITS within a topic, or among what was found (SPEC B10, B20).

Of a topic it is worked out once and kept beside the index, since it takes longer than a search may. It is
worked out again when the topic was judged anew, or the portal has grown by a tenth.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.learning.links.hits import HubsAndAuthorities
from motherlode.records import PageId, TopicId
from motherlode.search.ranking import rank_order, scale_scores
from motherlode.store import ledger
from motherlode.store.graph import graph_among
from motherlode.store.indexed import url_ids_of
from motherlode.store.pages import count_pages, pages_at
from motherlode.store.session import Session
from motherlode.topics import TopicTree
from motherlode.training.link_analysis import standings
from motherlode.urls import host_of

ROOT_SET_PAGES = 200  # results that are compared with each other, as many as Kleinberg took
_ROUNDS = 100
_GROWTH = 1.1

Floats = npt.NDArray[np.float64]


class Authorities(Struct, frozen=True):
    """The authorities of a topic, by what was known when the portal had so many pages and this model."""

    model: int
    known: int
    pages: list[int]
    scores: list[float]

    def of(self, wanted: Sequence[int]) -> Floats:
        """The score of each page; 0, where it has none."""
        told = dict(zip(self.pages, self.scores, strict=True))
        return np.array([told.get(page, 0.0) for page in wanted], np.float64)


def topic_authorities(session: Session, tree: TopicTree, topic: TopicId, place: Path) -> Authorities:
    """The authorities of a topic, kept in a file in `place` if that can be written."""
    file = place / f"authority-{int(topic)}"
    model, known = ledger.last_model(session), count_pages(session)
    kept = _kept(file)
    if kept is not None and kept.model == model and kept.known <= known <= kept.known * _GROWTH:
        return kept
    found = [
        one
        for one in standings(session, tree, topic, rounds=_ROUNDS)
        if one.authority > 0 and not one.elsewhere
    ]
    at = pages_at(session, {one.url_id for one in found})
    told = [(at[one.url_id], one.authority) for one in found if one.url_id in at]
    fresh = Authorities(model, known, [page for page, _ in told], [score for _, score in told])
    _keep(file, fresh)
    return fresh


def authority_among(session: Session, found: Sequence[int], relevance: Floats) -> Floats:
    """The authority of the most relevant results among each other; the others have none.

    Links from and to pages that were not found do not count: Kleinberg's base set, which has them, is mostly
    about what everybody links to, whatever was asked (docs/search.md). What a result passes on is weighed by
    its relevance.
    """
    weights = scale_scores(relevance)
    root = rank_order(weights, np.array(found, np.int64))[:ROOT_SET_PAGES].tolist()
    base = url_ids_of(session, [PageId(found[at]) for at in root])
    graph = graph_among(session, base)
    if not len(graph.edges):
        return np.zeros(len(found))
    numbers: dict[str, int] = {}
    hosts = np.array([numbers.setdefault(host_of(url), len(numbers)) for url in graph.urls], np.int64)
    place = {page: at for at, page in enumerate(found)}
    at = [place[int(page)] for page in graph.pages if page is not None]
    sources, targets = graph.edges.T
    scores = np.zeros(len(found))
    scores[at] = HubsAndAuthorities(max_rounds=_ROUNDS).fit(sources, targets, hosts, weights[at]).authorities_
    return scores


def _kept(file: Path) -> Authorities | None:
    try:
        return msgspec.msgpack.decode(file.read_bytes(), type=Authorities)
    except (OSError, msgspec.DecodeError):
        return None


def _keep(file: Path, found: Authorities) -> None:
    """It can be worked out again, so that nothing is lost where it cannot be written."""
    fresh = file.with_suffix(".new")
    try:
        fresh.write_bytes(msgspec.msgpack.encode(found))
        fresh.replace(file)
    except OSError:
        return
