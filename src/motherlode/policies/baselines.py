"""Baselines for focused crawlers: crawl orders that know nothing, little, or everything."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag, unpack
from motherlode.learning.tunnel.centroids import Centroids
from motherlode.policies.follows import (
    ANYWHERE,
    QUEUE,
    follow_links,
    follow_seeds,
    links_within,
)
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import Moves, PolicyDefaults, Visit
from motherlode.records import ROOT, Document, Follow, Judgement, UrlKey
from motherlode.urls import Address

_LAST_PLACE = 10**9  # after all places of the oracle's itinerary
_HASH_FACTOR = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class BreadthFirst(PolicyDefaults):
    """Fetch level by level, in order of discovery."""

    name: ClassVar[str] = "breadth-first"
    seeds: Sequence[Address]
    options: CrawlOptions = ANYWHERE

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        return Moves(follow_links(visit, -float(visit.entry.depth + 1), self.options))


@dataclass(slots=True)
class DepthFirst(PolicyDefaults):
    """Fetch the latest discovery first; within a page, the first link first."""

    name: ClassVar[str] = "depth-first"
    seeds: Sequence[Address]
    options: CrawlOptions = ANYWHERE
    discovered: int = field(default=0, init=False)

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        links, depth = links_within(visit.document.links, self.options), visit.entry.depth + 1
        self.discovered += len(links)
        last = self.discovered
        return Moves(
            [
                Follow(link.url, link.key, QUEUE, float(last - place), depth)
                for place, link in enumerate(links)
            ]
        )


@dataclass(frozen=True, slots=True)
class RandomOrder(PolicyDefaults):
    """Fetch waiting URLs in a random order; `random_seed` fixes the order."""

    name: ClassVar[str] = "random"
    seeds: Sequence[Address]
    random_seed: int
    options: CrawlOptions = ANYWHERE

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        links, depth = links_within(visit.document.links, self.options), visit.entry.depth + 1
        return Moves(
            [Follow(link.url, link.key, QUEUE, self._rank(link.key), depth) for link in links]
        )

    def _rank(self, key: UrlKey) -> float:
        """Return a number that depends on URL and seed alone: rediscovery changes nothing."""
        mixed = (key ^ self.random_seed * _HASH_FACTOR) * _HASH_FACTOR % 2**64
        return (mixed ^ mixed >> 29) * _HASH_FACTOR % 2**64 / 2**64


@dataclass(frozen=True, slots=True)
class BestFirst(PolicyDefaults):
    """Fetch links from the pages most similar to the seeds first, by the cosine of tf vectors.

    This is naive best-first (Menczer, Pant and Srinivasan 2004, "Topical web crawlers", section
    3.1). `links` are those of seeds that were fetched before the crawl.
    """

    name: ClassVar[str] = "best-first"
    seeds: Sequence[Address]
    centroid: "Similarity"
    options: CrawlOptions = ANYWHERE
    links: Sequence[Follow] = ()

    def seed(self) -> Iterable[Follow]:
        return (*follow_seeds(self.seeds), *self.links)

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        cosines = [self.centroid.cosine(_terms(visit.document)) for visit in visits]
        # The margin is never above 0: no cosine alone means that a page is on the topic.
        return [Judgement(ROOT, min(cosine - 1.0, 0.0), score=cosine) for cosine in cosines]

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        return Moves(follow_links(visit, judgement.own_score if judgement else 0.0, self.options))


@dataclass(frozen=True, slots=True)
class Oracle(PolicyDefaults):
    """Follow an itinerary made from all labels and links: the upper bound for other policies."""

    name: ClassVar[str] = "oracle"
    seeds: Sequence[Address]
    place: Mapping[str, int]  # on the itinerary, by URL
    relevant: Container[str]

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        scores = [float(visit.url in self.relevant) for visit in visits]
        return [Judgement(ROOT, score - 0.5, score=score) for score in scores]

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        depth, links = visit.entry.depth + 1, visit.document.links
        ranks = [-float(self.place.get(link.url, _LAST_PLACE)) for link in links]
        return Moves(
            [
                Follow(link.url, link.key, QUEUE, rank, depth)
                for link, rank in zip(links, ranks, strict=True)
            ]
        )


class Similarity(Protocol):
    """Says how similar a document is to what is looked for, from 0 to 1."""

    def cosine(self, bag: Bag) -> float: ...


class NearestSubject:
    """The correlation of a document with the nearest of several subjects."""

    def __init__(self, centroids: Centroids) -> None:
        self._centroids = centroids

    def cosine(self, bag: Bag) -> float:
        return float(self._centroids.correlations([bag])[0].max())


class Centroid:
    """The sum of the seeds' unit vectors, as a unit vector.

    >>> bag = Bag(np.array([3, 7], np.uint32), np.array([1, 1], np.uint32))
    >>> seed = Document(vectors={TERMS: bag.pack()})
    >>> round(Centroid([seed]).cosine(_terms(seed)), 6)
    1.0
    """

    def __init__(self, examples: Iterable[Document]) -> None:
        bags = [bag for example in examples if len((bag := _terms(example)).terms)]
        terms = np.concatenate([np.zeros(0, np.uint32), *(bag.terms for bag in bags)])
        weights = np.concatenate([np.zeros(0), *(_unit(bag) for bag in bags)])
        self._terms, places = np.unique(terms, return_inverse=True)
        summed = np.bincount(places, weights, len(self._terms))
        self._weights = summed / (np.linalg.norm(summed) or 1.0)

    def cosine(self, bag: Bag) -> float:
        """Return the cosine of a document and the centroid, from 0 to 1."""
        if not len(self._terms) or not len(bag.terms):
            return 0.0
        places = np.minimum(np.searchsorted(self._terms, bag.terms), len(self._terms) - 1)
        shared = self._terms[places] == bag.terms
        return float(self._weights[places[shared]] @ _unit(bag)[shared])


def _unit(bag: Bag) -> npt.NDArray[np.float64]:
    """Return the log-damped counts as a unit vector."""
    damped = 1.0 + np.log(bag.counts)
    return damped / np.linalg.norm(damped) if len(damped) else damped


def _terms(document: Document) -> Bag:
    return unpack(document.vectors.get(TERMS, b""))
