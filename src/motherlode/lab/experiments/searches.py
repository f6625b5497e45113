"""How good the rankings of `lode search` are, on a web whose labels are known (SPEC B20;
docs/search.md).

The topics are split in two by chance: weights may be chosen by the queries of the first half, and
what is reported is about the second.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Annotated
from zlib import crc32

import numpy as np
import numpy.typing as npt
from msgspec import Meta, Struct

from motherlode.lab.defaults import RANDOM_SEED
from motherlode.lab.experiments.filled_portal import Progress, Sayings, filled
from motherlode.lab.experiments.grades import Quality, mean_quality, quality
from motherlode.lab.experiments.queries import Drawing, Query, QueryKind
from motherlode.lab.generated.dice import Dice
from motherlode.lab.labels import Labels
from motherlode.lab.loader import open_web
from motherlode.lab.trials.seeds import draw_seeds
from motherlode.portal import Portal
from motherlode.records import BadInputError, PageId, UsageError
from motherlode.search.index import PageIndex
from motherlode.search.indexer import index_directory, update_index
from motherlode.search.ranking import (
    AUTHORITY,
    BM25,
    CONFIDENCE,
    COSINE,
    SCORE_PARTS,
    TOPIC,
    Floats,
    combine_scores,
    parse_weights,
    rank_order,
)
from motherlode.search.service import SearchEngine, SearchRequest
from motherlode.store.tables.pages import urls_of_pages
from motherlode.topics import plant_seeds
from motherlode.urls import Address, UrlRules

_HELD_BACK = 20  # of what links say, one in so many
# Weights that are tried beside bm25=1.
_TRIED = {
    COSINE: (0.0, 0.25, 0.5, 1.0, 2.0),
    TOPIC: (0.0, 0.25, 0.5, 1.0, 2.0),
    CONFIDENCE: (0.0, 0.5),
    AUTHORITY: (0.0, 0.25, 0.5, 1.0),
}


class SearchExperiment(Struct, frozen=True):
    """What to ask. `pages`: at most so many, those of the topics first; `words`, `items`: queries a
    topic.
    """

    web: str
    topics: tuple[str, ...]
    examples: Annotated[int, Meta(ge=1)] = 5
    words: Annotated[int, Meta(ge=0)] = 3
    items: Annotated[int, Meta(ge=0)] = 6
    pages: Annotated[int, Meta(ge=1)] | None = None
    seed: int = RANDOM_SEED


class QueryHits(Struct, frozen=True):
    """A query, the pages that it found, and each part of their scores."""

    query: Query
    pages: npt.NDArray[np.int64]
    urls: list[str]
    values: dict[str, Floats]


class RankingQuality(Struct, frozen=True):
    """How good a ranking is: the mean over the kinds of queries, and each of them."""

    rank: str
    mean: Quality
    kinds: dict[QueryKind, Quality]


class SearchExperimentResult(Struct, frozen=True):
    """Everything there is to tell; `chosen` is by the first half. A half is a line for each
    ranking.
    """

    plan: SearchExperiment
    pages: int
    queries: dict[QueryKind, int]
    chosen: str | None
    first: list[RankingQuality]
    second: list[RankingQuality]


def large_topics(labels: Labels, least: int) -> tuple[str, ...]:
    """The topics that so many pages are labelled with, those below them aside."""
    own = Counter(chain.from_iterable(topics for _, topics in labels.items()))
    return tuple(sorted(topic for topic, pages in own.items() if pages >= least))


def measure(
    plan: SearchExperiment, ranks: Sequence[str], *, choose: bool, on_progress: Progress
) -> SearchExperimentResult:
    """Put the web into a portal, ask it everything, and compare each part alone and
    these rankings.
    """
    found, pages = _asked(plan, on_progress)
    halves = _halves(plan, found)
    chosen = best_weights(halves[0]) if choose else None
    everyone = list(dict.fromkeys((*SCORE_PARTS, *ranks, *([chosen] if chosen else []))))
    lines = [[line(rank, half) for rank in everyone] for half in halves]
    counts = {kind: sum(one.query.kind is kind for one in found) for kind in QueryKind}
    return SearchExperimentResult(plan, pages, counts, chosen, lines[0], lines[1])


def line(rank: str, found: Sequence[QueryHits]) -> RankingQuality:
    """How good a ranking of these queries is."""
    weights = parse_weights(rank)
    kinds = {}
    for kind in QueryKind:
        several = [_quality(one, weights) for one in found if one.query.kind is kind]
        if several:
            kinds[kind] = mean_quality(several)
    return RankingQuality(rank, mean_quality(kinds.values()), kinds)


def best_weights(found: Sequence[QueryHits]) -> str:
    """The weights with the best mean nDCG of the first ten; of equals, those with fewer parts."""
    tried = [line(rank, found) for rank in _sums()]
    best = max(tried, key=lambda one: (one.mean.ndcg_10, -one.rank.count("=")))
    return best.rank


def _sums() -> Iterator[str]:
    for steps in product(*_TRIED.values()):
        given = [f"{name}={step:g}" for name, step in zip(_TRIED, steps, strict=True) if step]
        yield ",".join([f"{BM25}=1", *given])


def _quality(one: QueryHits, weights: dict[str, float]) -> Quality:
    if not one.urls:
        return quality((), one.query.grades)
    scores, _ = combine_scores(one.values, weights)
    ranked = [one.urls[at] for at in rank_order(scores, one.pages).tolist()]
    return quality([url for url in ranked if url not in one.query.left_out], one.query.grades)


def _halves(
    plan: SearchExperiment, found: Sequence[QueryHits]
) -> tuple[list[QueryHits], list[QueryHits]]:
    left, drawn = sorted(plan.topics), list[str]()
    dice = Dice("halves", plan.seed)
    while left:
        drawn.append(left.pop(dice.below(len(left))))
    first = set(drawn[::2])
    return [one for one in found if one.query.topic in first], [
        one for one in found if one.query.topic not in first
    ]


# --- asking ---------------------------------------------------------------------------------------


def _asked(plan: SearchExperiment, on_progress: Progress) -> tuple[list[QueryHits], int]:
    """Every query with what it found, and how many pages it was asked of."""
    web = open_web(Path(plan.web))
    labels = web.labels()
    if len(plan.topics) < 2:  # noqa: PLR2004 - a half each
        raise UsageError("Name two topics at least: one half of them is measured.")
    seeds = {topic: draw_seeds(labels, topic, plan.examples, plan.seed) for topic in plan.topics}
    pages = _pages(plan, list(web.urls()), labels, seeds)
    planting = plant_seeds(
        [(tuple(topic.split("/")), [seed.url for seed in drawn]) for topic, drawn in seeds.items()],
        UrlRules(),
    )
    with filled(web, pages, planting, _HELD_BACK, on_progress) as (portal, sayings):
        indexed = update_index(portal).pages
        return list(_found(plan, portal, labels, pages, sayings, _examples(seeds))), indexed


def _examples(seeds: dict[str, tuple[Address, ...]]) -> frozenset[str]:
    return frozenset(seed.url for drawn in seeds.values() for seed in drawn)


def _pages(
    plan: SearchExperiment, urls: list[str], labels: Labels, seeds: dict[str, tuple[Address, ...]]
) -> list[str]:
    """All pages of the web, or so many: examples, then pages of the topics, then others, each by
    chance.
    """
    if plan.pages is None or plan.pages >= len(urls):
        return urls
    examples = _examples(seeds)
    relevant = frozenset[str]().union(*(labels.relevant(topic) for topic in plan.topics))

    def place(url: str) -> tuple[bool, bool, int]:
        return url not in examples, url not in relevant, crc32(f"{plan.seed} {url}".encode())

    return sorted(sorted(urls, key=place)[: plan.pages])


def _found(
    plan: SearchExperiment,
    portal: Portal,
    labels: Labels,
    pages: Sequence[str],
    sayings: Sayings,
    examples: frozenset[str],
) -> Iterator[QueryHits]:
    index = PageIndex.open(index_directory(portal))
    if index is None:
        raise BadInputError("The web has no page that could be searched.")
    tree = portal.tree()
    every = dict.fromkeys(SCORE_PARTS, 1.0)
    with portal.store.reading() as session:
        drawing = Drawing(labels, session, index, plan.seed)
        for topic in plan.topics:
            queries = [
                *drawing.of_topic(topic, pages, examples, plan.words),
                *drawing.items(topic, pages, sayings, plan.items),
            ]
            for query in queries:
                asked = SearchRequest(
                    every, query.text, any_word=query.any_word, topic=query.asked_of
                )
                scored = SearchEngine(portal, session, index, tree).score(asked)
                numbers = scored.matches.hits.pages
                urls = urls_of_pages(session, [PageId(page) for page in numbers.tolist()])
                yield QueryHits(
                    query, numbers, [urls[PageId(page)] for page in numbers.tolist()], scored.values
                )
