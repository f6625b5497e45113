"""Clusters of documents: spherical k-means (BINGO!, section 3.6; SPEC B22).

Documents are vectors of length one, and a cluster's centre is the direction of their sum (Dhillon and Modha,
Machine Learning 42, 2001). The first centres are drawn as in k-means++ (Arthur and Vassilvitskii, SODA 2007):
each a document, by its distance to the centres that are there, which on the sphere is 1 - cosine.
How many clusters there are is chosen by their impurity (impurity.py), where nobody says.
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
MAX_CLUSTERS = 20  # clusters that are tried
PATIENCE = 5  # numbers of clusters in a row that are no better, after which no more are tried
STARTS = 2
MAX_ROUNDS = 50
_LEAST = 2  # documents that have a feature, or it joins nobody
_SPREAD = 0.9  # share of the documents; what more of them have tells no cluster from another

_Matrix = npt.NDArray[np.float32]


class SphericalKMeans:
    """So many clusters of rows of length one; the best of some starts, the same for the same seed.

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
        """Cluster the rows. Clusters are numbered by size, of equals by their first document."""
        rows = csr_array(rows, dtype=np.float32)
        number = min(self.clusters, rows.shape[0])
        dice = np.random.default_rng(self.seed)
        tried = [self._run(rows, number, dice) for _ in range(self.starts if number > 1 else 1)]
        clusters = max(tried, key=lambda one: one[1])[0]
        self.clusters_: Ints = _by_size(clusters)
        self.centres_: _Matrix = _centres(rows, self.clusters_, number)
        self.cosines_: Floats = _own(rows @ self.centres_.T, self.clusters_).astype(np.float64)
        return self

    def _run(self, rows: csr_array, number: int, dice: np.random.Generator) -> tuple[Ints, float]:
        """Clusters from one start, and the mean cosine of documents to their centres."""
        centres = _drawn(rows, number, dice)
        clusters = np.full(rows.shape[0], -1, np.int64)
        for _ in range(self.max_rounds):
            cosines = rows @ centres.T
            fresh = _peopled(cosines.argmax(axis=1), cosines, number)
            if (fresh == clusters).all():
                break
            clusters = fresh
            centres = _centres(rows, clusters, number)
        return clusters, float(_own(rows @ centres.T, clusters).mean()) if len(clusters) else 0.0


class DocumentClusters:
    """Clusters of documents by their terms; of so many, or of as many as are least mixed.

    `clusters_` is the cluster of each document, `cosines_` how central it is there, `impurities_` the bits of
    each number that was tried.
    """

    def __init__(self, clusters: int | None = None, seed: int = 0, *, most: int = MAX_CLUSTERS) -> None:
        self.clusters = clusters
        self.seed = seed
        self.most = most

    def fit(self, bags: Sequence[Bag]) -> Self:
        self.features_ = clustering_features(bags)
        counts = count_matrix(bags, self.features_)
        rows = unit_rows(counts, idf_weights(counts))
        numbers = [self.clusters] if self.clusters else _numbers(len(bags), self.most)
        best: SphericalKMeans | None = None
        self.impurities_: dict[int, float] = {}
        for number in numbers:
            found = SphericalKMeans(number, self.seed).fit(rows)
            mixed = impurity(counts, found.clusters_)
            if best is None or mixed < min(self.impurities_.values()):
                best = found
            self.impurities_[number] = mixed
            if number - len(best.centres_) >= PATIENCE:
                break
        assert best is not None  # noqa: S101 - there is one number at least
        self.clusters_ = best.clusters_
        self.centres_ = best.centres_
        self.cosines_ = best.cosines_
        sizes = np.bincount(self.clusters_, minlength=len(self.centres_))
        self.shares_: Floats = (
            documents_with_term(counts, self.clusters_, len(sizes)) / np.maximum(sizes, 1)[:, None]
        )
        return self

    def characteristic(self, cluster: int, most: int = 10) -> list[tuple[int, float]]:
        """The terms that are heaviest in a cluster's centre, against the mean of the other centres.

        What few of its documents have counts by their share: a name may be heavy in one of them alone.
        """
        others = np.delete(self.centres_, cluster, axis=0)
        more = self.centres_[cluster] - (others.mean(axis=0) if len(others) else 0.0)
        more = more * self.shares_[cluster]
        best = np.argsort(-more, kind="stable")[:most]
        return [(int(self.features_[place]), float(more[place])) for place in best if more[place] > 0]


def clustering_features(bags: Sequence[Bag], most: int = MAX_FEATURES) -> Terms:
    """The terms that documents are compared by: those of most of them that are neither alone nor nearly
    everywhere."""
    terms = np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)])
    found, occurring = np.unique(terms, return_counts=True)
    several = occurring >= _LEAST
    telling = several & (occurring <= max(_SPREAD * len(bags), _LEAST))
    kept = telling if telling.any() else several if several.any() else np.ones(len(found), bool)
    found, occurring = found[kept], occurring[kept]
    features: Terms = np.sort(found[np.argsort(-occurring, kind="stable")[:most]])
    return features


def _numbers(documents: int, most: int) -> list[int]:
    """The numbers of clusters to try: one for five documents is the most that says anything."""
    return list(range(1, max(1, min(most, documents // 5)) + 1))


def _drawn(rows: csr_array, number: int, dice: np.random.Generator) -> _Matrix:
    """The first centres; each the best of a few that were drawn, by how near they leave everybody."""
    documents = rows.shape[0]
    tries = 2 + int(np.log(number))
    chosen: list[int] = []
    far = np.ones(documents)
    for _ in range(number):
        places = [_draw(far, dice.random()) for _ in range(tries)]
        cosines = rows @ rows[places].toarray().T
        left = np.minimum(far[:, None], np.maximum(1.0 - cosines, 0.0))
        best = int(left.sum(axis=0).argmin())
        chosen.append(places[best])
        far = left[:, best]
        far[chosen] = 0.0
    centres: _Matrix = rows[chosen].toarray()
    return centres


def _draw(weights: Floats, where: float) -> int:
    """A place by its weight; where nothing has any, the first."""
    sums = np.cumsum(weights)
    return min(int(np.searchsorted(sums, where * sums[-1], side="right")), len(weights) - 1)


def _centres(rows: csr_array, clusters: Ints, number: int) -> _Matrix:
    """The direction of each cluster's sum."""
    documents = rows.shape[0]
    member = csr_array(
        (np.ones(documents, np.float32), (clusters, np.arange(documents))), shape=(number, documents)
    )
    sums: _Matrix = (member @ rows).toarray()
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _peopled(clusters: Ints, cosines: _Matrix, number: int) -> Ints:
    """The same with nobody left empty: a cluster without documents takes the one that is least at home."""
    sizes = np.bincount(clusters, minlength=number)
    own = _own(cosines, clusters).copy()
    for empty in np.flatnonzero(sizes == 0):
        own[sizes[clusters] < 2] = np.inf  # noqa: PLR2004 - who is alone stays
        stranger = int(own.argmin())
        sizes[clusters[stranger]] -= 1
        clusters[stranger] = empty
        sizes[empty] = 1
        own[stranger] = np.inf
    return clusters


def _own(cosines: _Matrix, clusters: Ints) -> _Matrix:
    own: _Matrix = cosines[np.arange(len(clusters)), clusters]
    return own


def _by_size(clusters: Ints) -> Ints:
    """The same clusters, numbered by size; of equals, by their first document."""
    named, first, sizes = np.unique(clusters, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    places = np.empty(int(named.max(initial=-1)) + 1, np.int64)
    places[named[order]] = np.arange(len(order))
    ranked: Ints = places[clusters]
    return ranked
