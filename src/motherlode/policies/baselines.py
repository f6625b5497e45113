"""What focused crawlers are measured against: orders that know nothing, little, or everything."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import Bag, unpack
from motherlode.policies.bounds import lets_in
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import Visit
from motherlode.records import Document, Follow, Judgement, TopicId, UrlKey
from motherlode.urls import Address, host_of

QUEUE = TopicId(1)
ANYWHERE = CrawlOptions()
FIRST = 1e9  # above every rank that a baseline gives
_NOWHERE = 10**9  # behind every place of the oracle's way
_MIX = 0x9E3779B97F4A7C15


def follow_seeds(seeds: Sequence[Address]) -> Iterator[Follow]:
    """The seeds, first of all, in their order."""
    return (Follow(seed.url, seed.key, QUEUE, FIRST - place, depth=0) for place, seed in enumerate(seeds))


def follow_links(visit: Visit, rank: float, options: CrawlOptions = ANYWHERE) -> Iterator[Follow]:
    """Every link of a page that leads where the crawl may go, at one rank."""
    depth, links = visit.entry.depth + 1, visit.document.links
    if options.domains or options.locked:
        links = tuple(link for link in links if lets_in(host_of(link.url), options))
    return (Follow(link.url, link.key, QUEUE, rank, depth) for link in links)


@dataclass(frozen=True, slots=True)
class BreadthFirst:
    """Level by level, in order of discovery."""

    spaces: ClassVar[Sequence[str]] = ()
    seeds: Sequence[Address]
    options: CrawlOptions = ANYWHERE

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def judge(self, visits: Sequence[Visit]) -> list[None]:
        return [None] * len(visits)

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Iterable[Follow]:
        return follow_links(visit, -float(visit.entry.depth + 1), self.options)


@dataclass(slots=True)
class DepthFirst:
    """The latest discovery first; within a page, the first link first."""

    spaces: ClassVar[Sequence[str]] = ()
    seeds: Sequence[Address]
    discovered: int = field(default=0, init=False)

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def judge(self, visits: Sequence[Visit]) -> list[None]:
        return [None] * len(visits)

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Iterable[Follow]:
        last = self.discovered + len(visit.document.links)
        self.discovered = last
        for place, link in enumerate(visit.document.links):
            yield Follow(link.url, link.key, QUEUE, float(last - place), visit.entry.depth + 1)


@dataclass(frozen=True, slots=True)
class RandomOrder:
    """Any waiting URL is as good as any other."""

    spaces: ClassVar[Sequence[str]] = ()
    seeds: Sequence[Address]
    chance: int

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def judge(self, visits: Sequence[Visit]) -> list[None]:
        return [None] * len(visits)

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Iterable[Follow]:
        for link in visit.document.links:
            yield Follow(link.url, link.key, QUEUE, self._rank(link.key), visit.entry.depth + 1)

    def _rank(self, key: UrlKey) -> float:
        """A number that depends on the URL and the run alone, so that a rediscovery changes nothing."""
        mixed = (key ^ self.chance * _MIX) * _MIX % 2**64
        return (mixed ^ mixed >> 29) * _MIX % 2**64 / 2**64


@dataclass(frozen=True, slots=True)
class BestFirst:
    """Links of the pages most like the seeds first: cosine of tf vectors (naive best-first,
    Menczer, Pant and Srinivasan 2004, "Topical web crawlers", section 3.1)."""

    spaces: ClassVar[Sequence[str]] = ()
    seeds: Sequence[Address]
    centroid: "Centroid"
    options: CrawlOptions = ANYWHERE

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        return [Judgement(QUEUE, self.centroid.cosine(_terms(visit.document))) for visit in visits]

    def steer(self, visit: Visit, judgement: Judgement | None) -> Iterable[Follow]:
        return follow_links(visit, judgement.confidence if judgement else 0.0, self.options)


@dataclass(frozen=True, slots=True)
class Oracle:
    """Knows the labels and the links, and follows the way it has worked out: the ceiling."""

    spaces: ClassVar[Sequence[str]] = ()
    seeds: Sequence[Address]
    place: Mapping[str, int]  # in its way, by URL
    relevant: Container[str]

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        return [Judgement(QUEUE, float(visit.entry.url in self.relevant)) for visit in visits]

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Iterable[Follow]:
        for link in visit.document.links:
            rank = -float(self.place.get(link.url, _NOWHERE))
            yield Follow(link.url, link.key, QUEUE, rank, visit.entry.depth + 1)


class Centroid:
    """The sum of the seeds' unit vectors, as a unit vector.

    >>> seed = Document(vectors={TERMS: Bag(np.array([3, 7], np.uint32), np.array([1, 1], np.uint32)).pack()})
    >>> round(Centroid([seed]).cosine(_terms(seed)), 6)
    1.0
    """

    def __init__(self, examples: Iterable[Document]) -> None:
        bags = [bag for example in examples if len((bag := _terms(example)).terms)]
        both = [
            np.concatenate(parts) for parts in ([b.terms for b in bags], [_unit(b) for b in bags]) if parts
        ]
        numbers, weights = both or (np.zeros(0, np.uint32), np.zeros(0))
        self._terms, places = np.unique(numbers, return_inverse=True)
        summed = np.bincount(places, weights, len(self._terms))
        self._weights = summed / (np.linalg.norm(summed) or 1.0)

    def cosine(self, bag: Bag) -> float:
        """The cosine of a document and the centroid, from 0 to 1."""
        if not len(self._terms) or not len(bag.terms):
            return 0.0
        places = np.minimum(np.searchsorted(self._terms, bag.terms), len(self._terms) - 1)
        shared = self._terms[places] == bag.terms
        return float(self._weights[places[shared]] @ _unit(bag)[shared])


def _unit(bag: Bag) -> npt.NDArray[np.float64]:
    """Counts, damped by their logarithm, on the unit sphere."""
    damped = 1.0 + np.log(bag.counts)
    return damped / np.linalg.norm(damped) if len(damped) else damped


def _terms(document: Document) -> Bag:
    return unpack(document.vectors.get(TERMS, b""))
