"""Clusters of documents: spherical k-means (BINGO!, section 3.6; SPEC B22).

Documents are vectors of length one, and a cluster's centre is the direction of their sum (Dhillon
and Modha, Machine Learning 42, 2001). The first centres are drawn as in k-means++ (Arthur and
Vassilvitskii, SODA 2007): each is a document, drawn by its distance to the centres so far, which on
the sphere is 1 - cosine. If no number of clusters is given, the one of least impurity is taken
(`motherlode.learning.impurity`).
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from motherlode.documents.terms import Bag
from motherlode.learning.impurity import documents_with_term, impurity
from motherlode.learning.matrix import Floats, Ints, Terms, count_matrix, idf_weights, unit_rows

MAX_FEATURES = 5_000
MAX_CLUSTERS = 20
PATIENCE = 5  # after so many larger numbers of clusters without improvement, the search ends
STARTS = 2
MAX_ROUNDS = 50
_MIN_DOCUMENTS = 2  # a term of a single document joins nothing
_MAX_DOCUMENT_SHARE = 0.9  # a term of more documents separates nothing

_Matrix = npt.NDArray[np.float32]


class SphericalKMeans:
    """Clusters rows of length one and keeps the best of several starts; the seed fixes the result.

    >>> rows = csr_array(np.eye(2)[[0, 0, 1]])
    >>> SphericalKMeans(2).fit(rows).clusters_.tolist()
    [0, 0, 1]
    """

    def __init__(
        self, clusters: int, seed: int = 0, *, starts: int = STARTS, max_rounds: int = MAX_ROUNDS
    ) -> None:
        self.clusters = clusters
        self.seed = seed
        self.starts = starts
        self.max_rounds = max_rounds

    def fit(self, rows: csr_array) -> Self:
        """Cluster the rows. Clusters are numbered by size, then by their first document."""
        rows = csr_array(rows, dtype=np.float32)
        number = min(self.clusters, rows.shape[0])
        rng = np.random.default_rng(self.seed)
        runs = [self._run(rows, number, rng) for _ in range(self.starts if number > 1 else 1)]
        clusters = max(runs, key=lambda run: run[1])[0]
        self.clusters_: Ints = _number_by_size(clusters)
        self.centres_: _Matrix = _centres(rows, self.clusters_, number)
        self.cosines_: Floats = _own_cosines(rows @ self.centres_.T, self.clusters_).astype(np.float64)
        return self

    def _run(self, rows: csr_array, number: int, rng: np.random.Generator) -> tuple[Ints, float]:
        """Return the clusters from one start, and the mean cosine of documents to their centres."""
        centres = _draw_centres(rows, number, rng)
        clusters = np.full(rows.shape[0], -1, np.int64)
        for _ in range(self.max_rounds):
            cosines = rows @ centres.T
            assigned = _fill_empty(cosines.argmax(axis=1), cosines, number)
            if (assigned == clusters).all():
                break
            clusters = assigned
            centres = _centres(rows, clusters, number)
        return clusters, float(_own_cosines(rows @ centres.T, clusters).mean()) if len(clusters) else 0.0


class DocumentClusters:
    """Clusters documents by their terms, into a given number of clusters or that of least impurity.

    `clusters_` is the cluster of each document, `cosines_` its cosine to the centre, `impurities_`
    the bits for each number that was tried.
    """

    def __init__(self, clusters: int | None = None, seed: int = 0, *, most: int = MAX_CLUSTERS) -> None:
        self.clusters = clusters
        self.seed = seed
        self.most = most

    def fit(self, bags: Sequence[Bag]) -> Self:
        self.features_ = clustering_features(bags)
        counts = count_matrix(bags, self.features_)
        rows = unit_rows(counts, idf_weights(counts))
        numbers = [self.clusters] if self.clusters else _cluster_counts(len(bags), self.most)
        best: SphericalKMeans | None = None
        self.impurities_: dict[int, float] = {}
        for number in numbers:
            candidate = SphericalKMeans(number, self.seed).fit(rows)
            bits = impurity(counts, candidate.clusters_)
            if best is None or bits < min(self.impurities_.values()):
                best = candidate
            self.impurities_[number] = bits
            if number - len(best.centres_) >= PATIENCE:
                break
        assert best is not None  # noqa: S101 - at least one number is tried
        self.clusters_ = best.clusters_
        self.centres_ = best.centres_
        self.cosines_ = best.cosines_
        sizes = np.bincount(self.clusters_, minlength=len(self.centres_))
        self.shares_: Floats = (
            documents_with_term(counts, self.clusters_, len(sizes)) / np.maximum(sizes, 1)[:, None]
        )
        return self

    def characteristic(self, cluster: int, most: int = 10) -> list[tuple[int, float]]:
        """Return the terms of a cluster's centre that most exceed the mean of the other centres.

        Weights are multiplied by the share of documents that have the term, because a name may be
        heavy in a single document.
        """
        others = np.delete(self.centres_, cluster, axis=0)
        excess = self.centres_[cluster] - (others.mean(axis=0) if len(others) else 0.0)
        excess = excess * self.shares_[cluster]
        best = np.argsort(-excess, kind="stable")[:most]
        return [(int(self.features_[i]), float(excess[i])) for i in best if excess[i] > 0]


def clustering_features(bags: Sequence[Bag], most: int = MAX_FEATURES) -> Terms:
    """Return the terms of most documents, without those of a single one and those of nearly all."""
    every = np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)])
    terms, documents = np.unique(every, return_counts=True)
    several = documents >= _MIN_DOCUMENTS
    useful = several & (documents <= max(_MAX_DOCUMENT_SHARE * len(bags), _MIN_DOCUMENTS))
    kept = useful if useful.any() else several if several.any() else np.ones(len(terms), bool)
    terms, documents = terms[kept], documents[kept]
    features: Terms = np.sort(terms[np.argsort(-documents, kind="stable")[:most]])
    return features


def _cluster_counts(documents: int, most: int) -> list[int]:
    """Return the numbers of clusters to try, at most one for five documents."""
    return list(range(1, max(1, min(most, documents // 5)) + 1))


def _draw_centres(rows: csr_array, number: int, rng: np.random.Generator) -> _Matrix:
    """Return the first centres, each the best of a few draws by the distances that remain."""
    documents = rows.shape[0]
    draws = 2 + int(np.log(number))
    chosen: list[int] = []
    distances = np.ones(documents)
    for _ in range(number):
        candidates = [_draw(distances, rng.random()) for _ in range(draws)]
        cosines = rows @ rows[candidates].toarray().T
        remaining = np.minimum(distances[:, None], np.maximum(1.0 - cosines, 0.0))
        best = int(remaining.sum(axis=0).argmin())
        chosen.append(candidates[best])
        distances = remaining[:, best]
        distances[chosen] = 0.0
    centres: _Matrix = rows[chosen].toarray()
    return centres


def _draw(weights: Floats, quantile: float) -> int:
    """Return the index at a quantile of the weights."""
    sums = np.cumsum(weights)
    return min(int(np.searchsorted(sums, quantile * sums[-1], side="right")), len(weights) - 1)


def _centres(rows: csr_array, clusters: Ints, number: int) -> _Matrix:
    """Return the direction of each cluster's sum."""
    documents = rows.shape[0]
    ones = np.ones(documents, np.float32)
    members = csr_array((ones, (clusters, np.arange(documents))), shape=(number, documents))
    sums: _Matrix = (members @ rows).toarray()
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _fill_empty(clusters: Ints, cosines: _Matrix, number: int) -> Ints:
    """Return the clusters after each empty one has taken the document farthest from its centre."""
    sizes = np.bincount(clusters, minlength=number)
    own = _own_cosines(cosines, clusters).copy()
    for empty in np.flatnonzero(sizes == 0):
        own[sizes[clusters] < 2] = np.inf  # noqa: PLR2004 - the only document of a cluster stays
        outlier = int(own.argmin())
        sizes[clusters[outlier]] -= 1
        clusters[outlier] = empty
        sizes[empty] = 1
        own[outlier] = np.inf
    return clusters


def _own_cosines(cosines: _Matrix, clusters: Ints) -> _Matrix:
    own: _Matrix = cosines[np.arange(len(clusters)), clusters]
    return own


def _number_by_size(clusters: Ints) -> Ints:
    """Return the clusters numbered by size, then by their first document."""
    labels, first, sizes = np.unique(clusters, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    new_labels = np.empty(int(labels.max(initial=-1)) + 1, np.int64)
    new_labels[labels[order]] = np.arange(len(order))
    renumbered: Ints = new_labels[clusters]
    return renumbered
