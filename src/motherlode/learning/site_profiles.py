"""What the sites of a topic's examples are about: evidence on pages, beside the planes.

A plane tells the examples from common vocabulary. On webs of sites that is not enough: what the
sites have in common (an R package's reference, a wiki's templates) looks like the topic. So words
count by how few hosts have them, as in the inverse document frequency, with hosts as documents
(Kwon and Lee 2003, "Text categorization based on k-nearest neighbor approach for web site
classification", take sites as documents, too). A page is compared with the profile of the topic,

    v = h mean of the examples' hosts + (1 - h) mean of the examples,

where all vectors have length 1. h is how homogeneous hosts are on this web: the intraclass
correlation of pages' cosines with the examples, by hosts (Fisher 1925). If pages of a host are as
different as pages of several hosts, h is near 0. Below MIN_HOMOGENEITY the profile has no say. The
distance of a page from the topic's plane grows by

    STRENGTH h z,

where z is the cosine of page and profile, standardised over the pages of the crawl. Everything is
learned at each retraining. The results are in docs/decisions/2026-11-19-sites-in-judgements.md.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from scipy.sparse import csr_matrix

from motherlode.learning.matrix import Floats, Ints, Terms

if TYPE_CHECKING:
    from motherlode.learning.scorer import BagBatch  # which uses profiles

STRENGTH = 1 / 6  # of a distance for one standard deviation, where hosts are homogeneous
MAX_TERMS = 50_000  # those on most pages are kept
MIN_HOSTS = 3
MIN_HOMOGENEITY = 0.4  # measured: 0.4 to 0.9 on most of rsites, 0 to 0.38 on schools
MIN_PAGES = 30
MIN_TERM_HOSTS = 2
_MIN_TERM_PAGES = 2
_MAX_CONTRIBUTION = 1.0


class TopicProfile(Struct, frozen=True):
    """The profile of one topic: the weights of terms, and how cosines with it are standardised."""

    weights: bytes  # float32
    mean: float
    deviation: float


_SILENT = TopicProfile(b"", 0.0, 1.0)  # of a topic without example pages


class Profiles(Struct, frozen=True):
    """The profiles of several topics, and how homogeneous hosts are."""

    terms: bytes = b""  # uint32, ascending
    idf: bytes = b""  # float32
    topics: tuple[TopicProfile, ...] = ()
    homogeneity: float = 0.0

    def is_valid(self) -> bool:
        """Return whether the arrays fit together; models are read from files."""
        arrays = (self.idf, *(topic.weights for topic in self.topics))
        if len(self.terms) % 4 or any(len(array) not in (0, len(self.terms)) for array in arrays):
            return False
        if len(self.idf) != len(self.terms):
            return False
        terms = np.frombuffer(self.terms, np.uint32)
        numbers = [self.homogeneity, *(topic.mean for topic in self.topics)]
        return bool(
            (terms[1:] > terms[:-1]).all()
            and all(np.isfinite(np.frombuffer(array, np.float32)).all() for array in arrays)
            and np.isfinite(numbers).all()
            and all(topic.deviation > 0 for topic in self.topics)
        )

    def only(self, indices: Collection[int]) -> "Profiles":
        """Return the profiles of the topics at these indices."""
        if not self.topics:
            return self
        return replace(self, topics=tuple(self.topics[index] for index in indices))


class ProfileScorer:
    """Scores pages by profiles."""

    def __init__(self, profiles: Profiles) -> None:
        self._terms = np.frombuffer(profiles.terms, np.uint32)
        self._idf = np.frombuffer(profiles.idf, np.float32).astype(np.float64)
        self._weights = np.zeros((len(self._terms), len(profiles.topics)))
        for column, topic in enumerate(profiles.topics):
            if topic.weights:
                self._weights[:, column] = np.frombuffer(topic.weights, np.float32)
        self._means = np.array([topic.mean for topic in profiles.topics])
        self._deviations = np.array([topic.deviation for topic in profiles.topics])
        self._strength = STRENGTH * profiles.homogeneity

    @property
    def has_say(self) -> bool:
        """Return whether there is any evidence."""
        return self._strength > 0 and len(self._means) > 0

    def contributions(self, batch: "BagBatch", rows: Ints) -> Floats:
        """Return the amount to add to the distance of each row, by topic."""
        vectors = _vectors(batch, rows, self._terms, self._idf)
        scores = (np.asarray(vectors @ self._weights) - self._means) / self._deviations
        parts: Floats = np.clip(self._strength * scores, -_MAX_CONTRIBUTION, _MAX_CONTRIBUTION)
        return parts


def learn_profiles(batch: "BagBatch", hosts: Ints, examples: Sequence[Ints]) -> Profiles:
    """Return the profiles of topics.

    `hosts` has the host of each page in the batch, `examples` the rows of each topic's examples.
    """
    known = [rows for rows in examples if len(rows)]
    _, host_of_page = np.unique(hosts, return_inverse=True)
    host_count = int(host_of_page.max(initial=-1)) + 1
    if not known or len(batch) < MIN_PAGES or host_count < MIN_HOSTS:
        return Profiles()
    terms = _frequent_terms(batch.terms)
    rows = np.arange(len(batch))
    present = _vectors(batch, rows, terms, np.ones(len(terms)))
    in_host = csr_matrix((np.ones(len(rows)), (host_of_page, rows)), (host_count, len(rows)))
    frequency = np.asarray(((in_host @ present) > 0).sum(axis=0)).ravel()
    idf = np.log((host_count + 1.0) / (frequency + 1.0))
    idf[frequency < MIN_TERM_HOSTS] = 0.0
    vectors = _vectors(batch, rows, terms, idf)
    centroids = _unit_rows(in_host @ vectors)
    by_page = [np.asarray(vectors[own].mean(axis=0)).ravel() for own in known]
    homogeneity = float(
        np.mean(
            [intraclass_correlation(np.asarray(vectors @ mean), host_of_page) for mean in by_page]
        )
    )
    if homogeneity < MIN_HOMOGENEITY:
        return Profiles()
    means = iter(by_page)
    profiles = []
    for own in examples:
        if not len(own):
            profiles.append(_SILENT)
            continue
        by_host = np.asarray(centroids[np.unique(host_of_page[own])].mean(axis=0)).ravel()
        weights = homogeneity * by_host + (1.0 - homogeneity) * next(means)
        cosines = np.asarray(vectors @ weights)
        profiles.append(
            TopicProfile(
                weights.astype(np.float32).tobytes(),
                float(cosines.mean()),
                max(float(cosines.std()), 1e-6),
            )
        )
    return Profiles(
        terms.astype(np.uint32).tobytes(),
        idf.astype(np.float32).tobytes(),
        tuple(profiles),
        homogeneity,
    )


def intraclass_correlation(values: Floats, groups: Ints) -> float:
    """Return the share of the variance of values that is between groups; at least 0.

    >>> intraclass_correlation(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    _, groups, counts = np.unique(groups, return_inverse=True, return_counts=True)
    total, group_count = len(values), len(counts)
    if not 1 < group_count < total:
        return 0.0
    means = np.bincount(groups, values) / counts
    within = float(((values - means[groups]) ** 2).sum()) / (total - group_count)
    between = float((counts * (means - values.mean()) ** 2).sum()) / (group_count - 1)
    size = (total - float((counts**2).sum()) / total) / (group_count - 1)
    variance = max((between - within) / size, 0.0)
    return variance / (variance + within) if variance + within > 0 else 0.0


def _frequent_terms(terms: Terms) -> Terms:
    words, counts = np.unique(terms, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:MAX_TERMS]
    selected: Terms = words[np.sort(frequent[counts[frequent] >= _MIN_TERM_PAGES])]
    return selected


def _vectors(batch: "BagBatch", rows: Ints, terms: Terms, idf: Floats) -> csr_matrix:
    """Return the vectors of length 1 of the given rows, in the space of the given terms."""
    lengths = np.diff(batch.starts)[rows]
    positions = np.repeat(batch.starts[rows] - (lengths.cumsum() - lengths), lengths)
    positions += np.arange(lengths.sum())
    wanted, counts = batch.terms[positions], batch.counts[positions]
    columns = np.minimum(terms.searchsorted(wanted), max(len(terms) - 1, 0))
    known = terms[columns] == wanted if len(terms) else np.zeros(len(wanted), bool)
    values = (1.0 + np.log(np.maximum(counts[known], 1).astype(np.float64))) * idf[columns[known]]
    row_of = np.repeat(np.arange(len(rows)), lengths)[known]
    matrix = csr_matrix((values, (row_of, columns[known])), (len(rows), len(terms)))
    return _unit_rows(matrix)


def _unit_rows(matrix: csr_matrix) -> csr_matrix:
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = 1.0 / np.maximum(lengths, 1e-12)
    return csr_matrix(matrix.multiply(scale[:, None]))
