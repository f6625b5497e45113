"""How likely a page appears in a site of each class, by the nearest of several centroids (SPEC W2).

Ester, Kriegel and Schubert (VLDB 2004), section 4.3.1. A class is the set of centroids of k-means
clusters of its training pages. With the cosine distance d_min to the nearest centroid of a class,

    Pr[p|C] = ln d_min(p, C) / sum over all classes j of ln d_min(p, C_j)

Distances are clamped into (0, 1]. A page at distance 1 from every class has equal shares. The
paper gives no number of clusters: it is chosen by cross-validation (`choose_page_classes`).
"""

from collections.abc import Sequence
from typing import Self

import msgspec
import numpy as np
from msgspec import Struct
from scipy.sparse import csr_array

from motherlode.documents.text.terms import Bag
from motherlode.learning.clusters.kmeans import SphericalKMeans
from motherlode.learning.matrix import Floats, Terms, count_matrix, idf_weights, unit_rows

VERSION = 1
CLUSTER_NUMBERS = (1, 2, 4, 8, 16)  # of one class, that are tried
FOLDS = 10
MIN_DISTANCE = 1e-9
MAX_FEATURES = 20_000  # the terms of the most pages
MIN_PAGES_WITH_TERM = 2

TARGET, OTHER = 0, 1  # the columns of the confidences


class PackedPageClasses(Struct, frozen=True):
    """Centroids as bytes, for the store."""

    terms: bytes  # uint32, ascending
    idf: bytes  # float64
    centroids: bytes  # float32, a row of length one for each centroid
    classes: tuple[int, ...]  # the class of each centroid
    error: float
    clusters: int
    version: int = VERSION


class PageClasses:
    """Classifies pages by the nearest centroid of each class.

    `error_` is the share of training pages that cross-validation classifies wrongly; 0 until
    `choose_page_classes` has measured it.
    """

    def __init__(self, clusters: int = 4, seed: int = 0) -> None:
        self.clusters = clusters
        self.seed = seed
        self.error_ = 0.0

    def fit(self, pages_of_classes: Sequence[Sequence[Bag]]) -> Self:
        """Learn from the training pages of each class. Every class needs a page."""
        return self.fit_vectors(_TrainingVectors.of(pages_of_classes))

    def fit_vectors(self, training: "_TrainingVectors") -> Self:
        """Learn from training pages that are vectors already."""
        self.terms_, self.idf_ = training.terms, training.idf
        centroids, classes = [], []
        for number, rows in enumerate(training.rows_of_classes):
            centres = SphericalKMeans(self.clusters, self.seed).fit(rows).centres_
            centroids.append(centres)
            classes += [number] * len(centres)
        self.centroids_ = np.concatenate(centroids).astype(np.float64)
        self.classes_ = np.array(classes, np.int64)
        return self

    def confidences(self, bags: Sequence[Bag]) -> Floats:
        """Return Pr[p|C] of each page (rows) for each class (columns)."""
        return self.confidences_of_vectors(self._rows(bags))

    def confidences_of_vectors(self, rows: csr_array) -> Floats:
        """Return Pr[p|C] of each page, whose vector is a row."""
        cosines = np.asarray(rows @ self.centroids_.T)
        number = int(self.classes_.max()) + 1
        nearest = [cosines[:, self.classes_ == each].max(axis=1) for each in range(number)]
        return class_shares(1.0 - np.stack(nearest, axis=1))

    def page_probabilities(self, bags: Sequence[Bag]) -> Floats:
        """Return Pr[p|target] of each page."""
        shares: Floats = self.confidences(bags)[:, TARGET]
        return shares

    def contributions(self, bag: Bag) -> list[tuple[int, float]]:
        """Return terms with their part of the target's cosine minus the other class's, by size."""
        row = self._rows([bag])
        cosines = np.asarray(row @ self.centroids_.T)[0]
        nearest = [
            self.centroids_[np.where(self.classes_ == each, cosines, -2.0).argmax()]
            for each in (TARGET, OTHER)
        ]
        parts = row.data * (nearest[TARGET] - nearest[OTHER])[row.indices]
        order = np.argsort(-np.abs(parts), kind="stable")
        return [(int(self.terms_[row.indices[at]]), float(parts[at])) for at in order if parts[at]]

    def pack(self) -> bytes:
        packed = PackedPageClasses(
            terms=self.terms_.tobytes(),
            idf=self.idf_.tobytes(),
            centroids=self.centroids_.astype(np.float32).tobytes(),
            classes=tuple(self.classes_.tolist()),
            error=self.error_,
            clusters=self.clusters,
        )
        return msgspec.msgpack.encode(packed)

    def _rows(self, bags: Sequence[Bag]) -> csr_array:
        return unit_rows(count_matrix(bags, self.terms_), self.idf_)


class _TrainingVectors(Struct, frozen=True):
    """The training pages of each class as rows, with the features that they have."""

    terms: Terms
    idf: Floats
    rows_of_classes: tuple[csr_array, ...]

    @classmethod
    def of(cls, pages_of_classes: Sequence[Sequence[Bag]]) -> Self:
        bags = [bag for pages in pages_of_classes for bag in pages]
        terms = _features(bags)
        counts = count_matrix(bags, terms)
        idf = idf_weights(counts)
        rows = unit_rows(counts, idf)
        ends = np.cumsum([len(pages) for pages in pages_of_classes])
        return cls(
            terms,
            idf,
            tuple(
                rows[end - len(pages) : end]
                for pages, end in zip(pages_of_classes, ends.tolist(), strict=True)
            ),
        )

    def rows(self, bags: Sequence[Bag]) -> csr_array:
        """Return other pages as rows of the same features."""
        return unit_rows(count_matrix(bags, self.terms), self.idf)


def class_shares(distances: Floats) -> Floats:
    """Return the shares of classes from the distances of pages (rows) to classes (columns).

    >>> class_shares(np.array([[0.5, 0.25], [1.0, 1.0]])).round(4).tolist()
    [[0.3333, 0.6667], [0.5, 0.5]]
    """
    logs = -np.log(np.clip(distances, MIN_DISTANCE, 1.0))
    totals = logs.sum(axis=1, keepdims=True)
    shares: Floats = np.where(totals > 0.0, logs / np.where(totals, totals, 1.0), 1 / logs.shape[1])
    return shares


def choose_page_classes(
    sites_of_classes: Sequence[Sequence[Sequence[Bag]]], seed: int = 0
) -> PageClasses:
    """Return the classifier with the number of clusters of least error, fitted to all pages.

    The training pages come by class and site. Cross-validation leaves out whole sites, so that no
    page is judged by its neighbours; a class with one site is divided by pages.
    """
    groups = [_groups(sites) for sites in sites_of_classes]
    largest = max(sum(map(len, sites)) for sites in sites_of_classes)
    tried = [number for number in CLUSTER_NUMBERS if number == 1 or number <= largest]
    errors = _errors(groups, tried, seed)
    best = min(errors, key=lambda clusters: (errors[clusters], clusters))
    classes = PageClasses(best, seed).fit(
        [[bag for site in sites for bag in site] for sites in sites_of_classes]
    )
    classes.error_ = errors[best]
    return classes


def unpack_page_classes(packed: bytes) -> PageClasses:
    """Return the classifier that was packed. Raises `ValueError` for bytes that are none."""
    try:
        read = msgspec.msgpack.decode(packed, type=PackedPageClasses)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"no page classes: {error}") from error
    if read.version != VERSION:
        raise ValueError(f"page classes of version {read.version}; this one knows {VERSION}")
    classes = PageClasses(read.clusters)
    classes.terms_ = np.frombuffer(read.terms, np.uint32)
    classes.idf_ = np.frombuffer(read.idf, np.float64)
    rows = np.frombuffer(read.centroids, np.float32).reshape(len(read.classes), -1)
    classes.centroids_ = rows.astype(np.float64)
    classes.classes_ = np.array(read.classes, np.int64)
    classes.error_ = read.error
    return classes


def _groups(sites: Sequence[Sequence[Bag]]) -> list[Sequence[Bag]]:
    """Return the pages that are left out together."""
    filled = [site for site in sites if site]
    return filled if len(filled) > 1 else [[bag] for site in filled for bag in site]


def _errors(
    groups: Sequence[Sequence[Sequence[Bag]]], cluster_numbers: Sequence[int], seed: int
) -> dict[int, float]:
    """Return, by number of clusters, the share of pages misclassified when their group is left out.

    The vectors of a fold are made once for all numbers of clusters.
    """
    wrong, pages = dict.fromkeys(cluster_numbers, 0), 0
    for fold in range(FOLDS):
        tested = [of_class[fold::FOLDS] for of_class in groups]
        taught = [
            [group for place, group in enumerate(of_class) if place % FOLDS != fold]
            for of_class in groups
        ]
        if not any(tested) or not all(taught):
            continue
        training = _TrainingVectors.of([_joined(of_class) for of_class in taught])
        tested_pages = [_joined(of_class) for of_class in tested]
        rows = training.rows(_joined(tested_pages))
        truth = np.repeat(np.arange(len(tested)), [len(of_class) for of_class in tested_pages])
        pages += len(truth)
        for clusters in cluster_numbers:
            classes = PageClasses(clusters, seed).fit_vectors(training)
            chosen = classes.confidences_of_vectors(rows).argmax(axis=1)
            wrong[clusters] += int((chosen != truth).sum())
    return {number: wrong[number] / pages if pages else 0.5 for number in cluster_numbers}


def _joined(groups: Sequence[Sequence[Bag]]) -> list[Bag]:
    return [bag for group in groups for bag in group]


def _features(bags: Sequence[Bag]) -> Terms:
    """Return the terms of at least two pages; of too many, those of the most pages."""
    every = np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)])
    terms, pages = np.unique(every, return_counts=True)
    shared = pages >= min(MIN_PAGES_WITH_TERM, len(bags))
    terms, pages = terms[shared], pages[shared]
    most = np.argsort(-pages, kind="stable")[:MAX_FEATURES]
    return np.sort(terms[most])
