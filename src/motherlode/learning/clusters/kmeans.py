"""Clusters of documents: spherical k-means (BINGO!, section 3.6; SPEC B22).

Documents are vectors of length one, and a cluster's centre is the direction of their sum (Dhillon
and Modha, Machine Learning 42, 2001). The first centres are drawn as in k-means++ (Arthur and
Vassilvitskii, SODA 2007): each is a document, drawn by its distance to the centres so far, which on
the sphere is 1 - cosine. If no number of clusters is given, the number with the least impurity
is taken (`motherlode.learning.clusters.impurity`).
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from motherlode.documents.text.terms import Bag
from motherlode.learning.clusters.impurity import documents_with_term, impurity
from motherlode.learning.matrix import Floats, Ints, Terms, count_matrix, idf_weights, unit_rows

MAX_FEATURES = 5_000
MAX_CLUSTERS = 20
PATIENCE = 5  # larger numbers of clusters to try without improvement
STARTS = 2
MAX_ROUNDS = 50
_MIN_DOCUMENTS = 2  # a term of a single document joins no documents
_MAX_DOCUMENT_SHARE = 0.9  # a term of more documents separates no documents

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
        cosines = _own_cosines(rows @ self.centres_.T, self.clusters_)
        self.cosines_: Floats = cosines.astype(np.float64)
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
        cosines = _own_cosines(rows @ centres.T, clusters)
        return clusters, float(cosines.mean()) if len(clusters) else 0.0


class DocumentClusters:
    """Clusters documents by their terms; without a number of clusters, that of least impurity.

    `clusters_` is the cluster of each document, `cosines_` its cosine to the centre, `impurities_`
    the bits per document for each number that was tried.
    """

    def __init__(
        self,
        clusters: int | None = None,
        seed: int = 0,
        *,
        max_clusters: int = MAX_CLUSTERS,
    ) -> None:
        self.clusters = clusters
        self.seed = seed
        self.max_clusters = max_clusters

    def fit(self, bags: Sequence[Bag]) -> Self:
        self.features_ = clustering_features(bags)
        counts = count_matrix(bags, self.features_)
        rows = unit_rows(counts, idf_weights(counts))
        numbers = _cluster_counts(len(bags), self.max_clusters)
        if self.clusters:
            numbers = [self.clusters]
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
        with_term = documents_with_term(counts, self.clusters_, len(sizes))
        self.shares_: Floats = with_term / np.maximum(sizes, 1)[:, None]
        return self

    def characteristic(self, cluster: int, limit: int = 10) -> list[tuple[int, float]]:
        """Return the terms of a cluster's centre that most exceed the mean of the other centres.

        Weights are multiplied by the share of documents that have the term, because a name may be
        heavy in a single document.
        """
        others = np.delete(self.centres_, cluster, axis=0)
        excess = self.centres_[cluster] - (others.mean(axis=0) if len(others) else 0.0)
        excess = excess * self.shares_[cluster]
        best = np.argsort(-excess, kind="stable")[:limit]
        return [(int(self.features_[i]), float(excess[i])) for i in best if excess[i] > 0]


def clustering_features(bags: Sequence[Bag], limit: int = MAX_FEATURES) -> Terms:
    """Return the terms of the most documents, without terms of one document or of nearly all."""
    all_terms = np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)])
    terms, documents = np.unique(all_terms, return_counts=True)
    is_shared = documents >= _MIN_DOCUMENTS
    max_documents = max(_MAX_DOCUMENT_SHARE * len(bags), _MIN_DOCUMENTS)
    is_useful = is_shared & (documents <= max_documents)
    if not is_useful.any():
        is_useful = is_shared if is_shared.any() else np.ones(len(terms), bool)
    terms, documents = terms[is_useful], documents[is_useful]
    features: Terms = np.sort(terms[np.argsort(-documents, kind="stable")[:limit]])
    return features


def _cluster_counts(documents: int, max_clusters: int) -> list[int]:
    """Return the numbers of clusters to try: up to one cluster for five documents."""
    return list(range(1, max(1, min(max_clusters, documents // 5)) + 1))


def _draw_centres(rows: csr_array, number: int, rng: np.random.Generator) -> _Matrix:
    """Return the first centres; each is the one of a few draws that leaves the least distances."""
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
    """Return the clusters after each empty cluster took the document farthest from its centre."""
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
