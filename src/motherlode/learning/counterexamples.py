"""What topics are told from besides each other: the documents of OTHERS (BINGO!, section 3.1; SPEC B16).

A topic's documents are full of words that have nothing to do with it; only documents on something else can
teach which. So OTHERS has the person's own counterexamples, then pages of the crawl that
were surely rejected, then documents of common vocabulary (`motherlode.lexicon`), less what is close to a
topic. The figures here are of small portals on the `schools` web, as are the rules that they speak for.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct

from motherlode.documents.terms import Bag
from motherlode.learning.matrix import Floats, Terms, count_matrix, idf_weights, unit_rows

MAX_COMMON_DOCUMENTS = 50  # of common vocabulary
MAX_DEVIATIONS = 2.5  # deviations from the median
_LEAST_SPREAD = 0.01  # of cosines; what differs by less differs by chance, as where a topic is not in English
_TO_STANDARD = 1.4826  # from median deviations to standard ones, were it a normal distribution


# What classifiers are fitted on: a bag, or the bags of a document in several feature spaces.
D = TypeVar("D", bound=Sized)


class RejectedPage(Struct, Generic[D], frozen=True):
    """A page of the crawl that no topic wanted, with its distance to the nearest topic's plane, below 0."""

    host: str
    document: D
    confidence: float


class CounterexampleLimits(Struct, frozen=True):
    """How many pages of the crawl join OTHERS, and how much common vocabulary stays when they do."""

    max_per_example: int = 10
    max_per_host: int = 3
    doubt: float = 2.0
    max_common: int = MAX_COMMON_DOCUMENTS
    min_common: int = 20


class Counterexamples(Struct, Generic[D], frozen=True):
    """The documents of OTHERS by where they come from."""

    user: tuple[D, ...] = ()
    rejected: tuple[D, ...] = ()
    common: tuple[D, ...] = ()

    @property
    def documents(self) -> tuple[D, ...]:
        return self.user + self.rejected + self.common


DEFAULT_LIMITS = CounterexampleLimits()


def domain_deviations(domains: Mapping[str, Bag], topics: Iterable[Sequence[Bag]]) -> dict[str, float]:
    """How near each domain is to the topic that it is nearest to, in deviations from the median domain.

    `topics` are the training documents of each. A cosine by itself says little: that of three pages on birds
    with `birds` is 0.18, and so is that of twenty pages on countries with `time`. But the domains that
    have nothing to do with a topic are about equally far from it, so the others stand out. Median and
    median deviation, because mean and variance would be drawn by what stands out.
    """
    space = (domains if isinstance(domains, DomainBags) else DomainBags(domains)).space
    found = [_deviations(space.cosines(bags)) for bags in topics if bags] if domains else []
    nearest = np.max(found, axis=0) if found else np.zeros(len(domains))
    return dict(zip(domains, nearest.tolist(), strict=True))


def common_documents(
    domains: Mapping[str, Bag], topics: Iterable[Sequence[Bag]], number: int = MAX_COMMON_DOCUMENTS
) -> dict[str, Bag]:
    """The domains that are close to no topic, at most so many, the nearest of them first.

    The nearest, as they teach most: they share words with the topics' documents and yet are something
    else. From 5 examples a topic, precision is 0.52 with the nearest 50, and 0.44 with the farthest. What
    is beyond `MAX_DEVIATIONS` would teach that the topic's own words are not its own, the more so the fewer
    examples it has: from two, leaving it out raises average precision from 0.443 to 0.459.
    """
    near = domain_deviations(domains, topics)
    left = sorted((name for name in domains if near[name] < MAX_DEVIATIONS), key=lambda name: -near[name])
    return {name: domains[name] for name in left[:number]}


def choose_counterexamples(
    common: Sequence[D],
    own: Sequence[D],
    rejected: Iterable[RejectedPage[D]],
    examples: int,
    limits: CounterexampleLimits = DEFAULT_LIMITS,
) -> Counterexamples[D]:
    """The documents of OTHERS: all of the person's own, then rejected pages, then common vocabulary.

    `examples` says how many training documents the largest topic has; `rejected` are best a sample of all
    rejections, some five times as many as may join, for the very surest of a long crawl teach least (average
    precision 0.68 for 0.71, from 20 examples). Each page that joins takes the place of a document of common
    vocabulary, the last first, for pages say better what pages look like. The first 20 stay: without them
    precision is lower (0.48 for 0.54, from 5 examples), and more of them change nothing.
    """
    joining = confident_rejections(rejected, examples, limits)
    places = max(limits.max_common - len(own) - len(joining), limits.min_common)
    return Counterexamples(tuple(own), joining, tuple(common[:places]))


def confident_rejections(
    rejected: Iterable[RejectedPage[D]], examples: int, limits: CounterexampleLimits = DEFAULT_LIMITS
) -> tuple[D, ...]:
    """The surest rejections first: none that is in doubt, a few of a host, and ten for each example.

    In doubt are the least sure of them. From a few examples a topic is known so badly that a third of the
    pages rejected around it may be on it; so with n examples the surest n / (n + 2) are trusted. A few of a
    host, or large sites would stand for the Web: without that limit the surest are all alike, and nothing
    is learned from them. Ten for each example, because many more leave a topic of two documents without
    recall, and many fewer a topic of twenty without precision.
    """
    refused = [page for page in rejected if page.confidence < 0 and len(page.document)]
    trusted = int(len(refused) * examples / max(examples + limits.doubt, 1))
    taken: list[D] = []
    of_host: Counter[str] = Counter()
    for page in sorted(refused, key=lambda page: page.confidence)[:trusted]:
        if of_host[page.host] < limits.max_per_host:
            taken.append(page.document)
            of_host[page.host] += 1
    return tuple(taken[: examples * limits.max_per_example])


class DomainBags(dict[str, Bag]):
    """Documents by the names of their domains, to be compared with topics again and again."""

    @cached_property
    def space(self) -> "_Space":
        return _Space(self)


class _Space:
    """The domains as vectors, over the words that they have."""

    def __init__(self, domains: Mapping[str, Bag]) -> None:
        bags = tuple(domains.values())
        terms = [np.array([], np.uint32), *(bag.terms for bag in bags)]
        self._vocabulary: Terms = np.unique(np.concatenate(terms))
        counts = count_matrix(bags, self._vocabulary)
        self._idf = idf_weights(counts)
        self._vectors = unit_rows(counts, self._idf)

    def cosines(self, bags: Sequence[Bag]) -> Floats:
        """The cosine of each domain and the centroid of these documents."""
        rows = unit_rows(count_matrix(bags, self._vocabulary), self._idf)
        centroid: Floats = np.asarray(rows.sum(axis=0)).ravel()
        length = float(np.linalg.norm(centroid)) or 1.0
        cosines: Floats = self._vectors @ (centroid / length)
        return cosines


def _deviations(values: Floats) -> Floats:
    """How far each value is above the median (the modified z-score of Iglewicz and Hoaglin, 1993)."""
    above = values - np.median(values)
    spread = max(_TO_STANDARD * float(np.median(np.abs(above))), _LEAST_SPREAD)
    deviations: Floats = above / spread
    return deviations
