"""Authority scores for ranking: HITS within a topic, or among the results (SPEC B10, B20).

The authorities of a topic are stored beside the index, because they take longer to compute than a
search may. They are computed again after a retraining, or when the portal has grown by a tenth.
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
from motherlode.store.queries.graph import graph_among
from motherlode.store.queries.index_rows import url_ids_of
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import count_pages, pages_at
from motherlode.topics import TopicTree
from motherlode.training.link_analysis import link_scores_of
from motherlode.urls import host_of

ROOT_SET_PAGES = 200  # results whose links are analysed; as many as Kleinberg took
MAX_HITS_ROUNDS = 100
MAX_GROWTH = 1.1  # of the portal since the authorities were computed

Floats = npt.NDArray[np.float64]


class Authorities(Struct, frozen=True, rename={"page_count": "known"}):
    """The authority scores of a topic's pages, and the model and portal size they are based on."""

    model: int
    page_count: int
    pages: list[int]
    scores: list[float]

    def scores_of(self, pages: Sequence[int]) -> Floats:
        """Return the score of each page, 0 for pages without one."""
        scores = dict(zip(self.pages, self.scores, strict=True))
        return np.array([scores.get(page, 0.0) for page in pages], np.float64)

    def is_current(self, model: int, page_count: int) -> bool:
        has_grown_little = self.page_count <= page_count <= self.page_count * MAX_GROWTH
        return self.model == model and has_grown_little


def topic_authorities(
    session: Session,
    tree: TopicTree,
    topic: TopicId,
    directory: Path,
) -> Authorities:
    """Return the authorities of a topic, cached in a file of `directory` if it can be written."""
    file = directory / f"authority-{int(topic)}"
    model, page_count = ledger.last_model(session), count_pages(session)
    cached = _load(file)
    if cached is not None and cached.is_current(model, page_count):
        return cached
    by_url_id = {
        standing.url_id: standing.authority
        for standing in link_scores_of(session, tree, topic, rounds=MAX_HITS_ROUNDS)
        if standing.authority > 0 and not standing.elsewhere
    }
    page_of = pages_at(session, by_url_id.keys())
    scores = {page_of[url_id]: score for url_id, score in by_url_id.items() if url_id in page_of}
    computed = Authorities(model, page_count, list(scores), list(scores.values()))
    _save(file, computed)
    return computed


def authority_among(session: Session, pages: Sequence[int], relevance: Floats) -> Floats:
    """Return the authority of the most relevant results among each other, 0 for the others.

    Links from and to other pages do not count. Kleinberg's base set includes such pages; it is
    mostly about popular pages, whatever the query was (docs/search.md). A result passes on
    authority in proportion to its relevance.
    """
    weights = scale_scores(relevance)
    root_set = rank_order(weights, np.array(pages, np.int64))[:ROOT_SET_PAGES].tolist()
    graph = graph_among(session, url_ids_of(session, [PageId(pages[at]) for at in root_set]))
    if not len(graph.edges):
        return np.zeros(len(pages))
    host_numbers: dict[str, int] = {}
    hosts = np.array(
        [host_numbers.setdefault(host_of(url), len(host_numbers)) for url in graph.urls], np.int64
    )
    position_of = {page: position for position, page in enumerate(pages)}
    positions = [position_of[int(page)] for page in graph.pages if page is not None]
    sources, targets = graph.edges.T
    estimator = HubsAndAuthorities(max_rounds=MAX_HITS_ROUNDS)
    estimator.fit(sources, targets, hosts, weights[positions])
    scores = np.zeros(len(pages))
    scores[positions] = estimator.authorities_
    return scores


def _load(file: Path) -> Authorities | None:
    try:
        return msgspec.msgpack.decode(file.read_bytes(), type=Authorities)
    except (OSError, msgspec.DecodeError):
        return None


def _save(file: Path, authorities: Authorities) -> None:
    """Write the cache file; if that fails, the authorities are just computed again."""
    new_file = file.with_suffix(".new")
    try:
        new_file.write_bytes(msgspec.msgpack.encode(authorities))
        new_file.replace(file)
    except OSError:
        return
