"""Counterexamples: the documents of OTHERS (BINGO!, section 3.1; SPEC B16).

A topic's documents are full of words that have nothing to do with it. Only documents on other
subjects can show which words these are. So OTHERS has three kinds of documents: the user's own
counterexamples, pages of the crawl that were rejected with confidence, and documents of common
vocabulary (`motherlode.lexicon`) that are not close to a topic. The figures in this module, and the
rules that follow from them, come from small portals on the `schools` web.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct

from motherlode.documents.text.terms import Bag
from motherlode.learning.matrix import Floats, Terms, count_matrix, idf_weights, unit_rows

MAX_COMMON_DOCUMENTS = 50  # of common vocabulary
MAX_DEVIATIONS = 2.5  # from the median cosine; a domain that is nearer to a topic is left out
_MIN_COSINE_SPREAD = 0.01  # a smaller spread is chance, for example if a topic is not in English
_STANDARD_PER_MEDIAN_DEVIATION = 1.4826  # for a normal distribution


# A training document: a bag, or the bags of a document in several feature spaces.
D = TypeVar("D", bound=Sized)


class RejectedPage(Struct, Generic[D], frozen=True):
    """A page that no topic accepted, with its distance to the nearest topic's plane, below 0."""

    host: str
    document: D
    confidence: float


class CounterexampleLimits(Struct, frozen=True):
    """Limits of the crawl's pages that join OTHERS, and of the common documents that stay then.

    With n examples, n / (n + `trust_prior`) of the rejections are trusted.
    """

    max_per_example: int = 10
    max_per_host: int = 3
    trust_prior: float = 2.0
    max_common: int = MAX_COMMON_DOCUMENTS
    min_common: int = 20


class Counterexamples(Struct, Generic[D], frozen=True):
    """The documents of OTHERS, by their source."""

    user: tuple[D, ...] = ()
    rejected: tuple[D, ...] = ()
    common: tuple[D, ...] = ()

    @property
    def documents(self) -> tuple[D, ...]:
        return self.user + self.rejected + self.common


DEFAULT_LIMITS = CounterexampleLimits()


def domain_deviations(
    domains: Mapping[str, Bag],
    topics: Iterable[Sequence[Bag]],
) -> dict[str, float]:
    """Return how near each domain is to its nearest topic, in deviations from the median domain.

    `topics` has the training documents of each topic. A cosine alone says little: it is 0.18 for
    three pages on birds and the domain `birds`, and also for twenty pages on countries and `time`.
    But unrelated domains are about equally far from a topic, so related domains stand out. Median
    and median deviation are used because outliers would distort mean and variance.
    """
    space = (domains if isinstance(domains, DomainBags) else DomainBags(domains)).space
    deviations = [_deviations(space.cosines(bags)) for bags in topics if bags] if domains else []
    nearest = np.max(deviations, axis=0) if deviations else np.zeros(len(domains))
    return dict(zip(domains, nearest.tolist(), strict=True))


def common_documents(
    domains: Mapping[str, Bag],
    topics: Iterable[Sequence[Bag]],
    limit: int = MAX_COMMON_DOCUMENTS,
) -> dict[str, Bag]:
    """Return the domains that are close to no topic, nearest first, at most `limit`.

    The nearest teach most: they share words with the topics' documents but have another subject.
    With 5 examples for each topic, precision is 0.52 with the nearest 50 and 0.44 with the
    farthest. Domains beyond `MAX_DEVIATIONS` would teach that the topic's own words count against
    it, and the more so the fewer examples it has. With two, leaving them out raises average
    precision from 0.443 to 0.459.
    """
    deviations = domain_deviations(domains, topics)
    distant = [name for name in domains if deviations[name] < MAX_DEVIATIONS]
    distant.sort(key=lambda name: -deviations[name])
    return {name: domains[name] for name in distant[:limit]}


def choose_counterexamples(
    common: Sequence[D],
    user: Sequence[D],
    rejected: Iterable[RejectedPage[D]],
    examples: int,
    limits: CounterexampleLimits = DEFAULT_LIMITS,
) -> Counterexamples[D]:
    """Return the documents of OTHERS: all of the user's own, rejected pages, common vocabulary.

    `examples` is the number of training documents of the largest topic. `rejected` is best a sample
    of all rejections, about five times as many as may join: the most confident rejections of a long
    crawl teach least (average precision 0.68 instead of 0.71, with 20 examples). Each page that
    joins replaces a document of common vocabulary, the last first, because pages show better what
    pages look like. The first 20 stay: without them precision falls (0.48 instead of 0.54, with 5
    examples), and more of them change nothing.
    """
    trusted = confident_rejections(rejected, examples, limits)
    common_count = max(limits.max_common - len(user) - len(trusted), limits.min_common)
    return Counterexamples(tuple(user), trusted, tuple(common[:common_count]))


def confident_rejections(
    rejected: Iterable[RejectedPage[D]],
    examples: int,
    limits: CounterexampleLimits = DEFAULT_LIMITS,
) -> tuple[D, ...]:
    """Return the most confident rejections first, with limits by trust, host and example.

    With few examples, a topic is known so poorly that a third of the pages rejected around it may
    be on it. So with n examples, the most confident n / (n + 2) are trusted. A host gives three at
    most, or large sites would stand for the Web: without that limit the most confident pages are
    all alike and teach nothing. Ten join for each example: many more leave a topic of two documents
    without recall, many fewer leave a topic of twenty without precision.
    """
    rejections = [page for page in rejected if page.confidence < 0 and len(page.document)]
    trusted_count = int(len(rejections) * examples / max(examples + limits.trust_prior, 1))
    documents: list[D] = []
    pages_by_host: Counter[str] = Counter()
    for page in sorted(rejections, key=lambda page: page.confidence)[:trusted_count]:
        if pages_by_host[page.host] < limits.max_per_host:
            documents.append(page.document)
            pages_by_host[page.host] += 1
    return tuple(documents[: examples * limits.max_per_example])


class DomainBags(dict[str, Bag]):
    """Documents by domain name, with their vectors cached for repeated comparison with topics."""

    @cached_property
    def space(self) -> "_DomainSpace":
        return _DomainSpace(self)


class _DomainSpace:
    """The vectors of the domains over their common vocabulary."""

    def __init__(self, domains: Mapping[str, Bag]) -> None:
        bags = tuple(domains.values())
        terms = [np.array([], np.uint32), *(bag.terms for bag in bags)]
        self._vocabulary: Terms = np.unique(np.concatenate(terms))
        counts = count_matrix(bags, self._vocabulary)
        self._idf = idf_weights(counts)
        self._vectors = unit_rows(counts, self._idf)

    def cosines(self, bags: Sequence[Bag]) -> Floats:
        """Return the cosine of each domain with the centroid of the documents."""
        rows = unit_rows(count_matrix(bags, self._vocabulary), self._idf)
        centroid: Floats = np.asarray(rows.sum(axis=0)).ravel()
        length = float(np.linalg.norm(centroid)) or 1.0
        cosines: Floats = self._vectors @ (centroid / length)
        return cosines


def _deviations(values: Floats) -> Floats:
    """Return the modified z-score of each value (Iglewicz and Hoaglin 1993)."""
    above = values - np.median(values)
    median_deviation = float(np.median(np.abs(above)))
    spread = max(_STANDARD_PER_MEDIAN_DEVIATION * median_deviation, _MIN_COSINE_SPREAD)
    deviations: Floats = above / spread
    return deviations
