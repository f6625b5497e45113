"""Centroids of subjects, and the correlation of a document with each (SPEC T1, T2, X2).

The first hits of a search source for a subject are concatenated into one vector, the centroid. The
correlation of a document with a centroid is their cosine (equation 1 is misprinted; the text says
cosine).

Two weightings:

- `ratio` is the paper's, without a logarithm: in a centroid, the frequency of a term in the hits of
  the subject divided by its frequency in the hits of all subjects; in a document, its frequency.
- `log` has  (1 + log tf) log((N + 1) / df)  in both, with df counted over the N hits of all
  subjects, each hit of length one, and only terms that two hits of one subject share. It is the
  default: on real pages no cosine of `ratio` reaches 0.25, let alone the paper's threshold of 0.5;
  with `log` the mean and the share of nuggets are close to the paper's (docs/collecting.md).

With word meanings, a quarter of the correlation is the cosine of what the words mean: centroids of
a few hits know few words.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import msgspec
import numpy as np
from msgspec import Struct
from numba import njit
from scipy.sparse import csr_array

from motherlode.documents.features.meanings import Meanings, Vectors
from motherlode.documents.text.terms import Bag
from motherlode.learning.matrix import Floats, Ints, Terms, count_matrix, meaning_vectors
from motherlode.learning.options import CentroidWeighting

VERSION = 1
MEANING_WEIGHT = 0.25  # of the correlation, where word meanings are known
MAX_NAME_TERMS = 32  # of a row that may have a term twice; documents have each term once
MIN_SHARED_HITS = 2  # of one subject that have a term, where a subject has so many hits


class PackedCentroids(Struct, frozen=True):
    """Centroids as bytes, for the store."""

    subjects: tuple[int, ...]
    weighting: CentroidWeighting
    terms: bytes  # uint32, ascending
    term_weights: bytes  # float32, of each term in a document
    rows: bytes  # float32, a row of length one for each subject
    meaning_mean: bytes = b""  # float32, of all hits
    meaning_rows: bytes = b""  # float32
    meanings_digest: str = ""
    version: int = VERSION


class Centroids:
    """The centroids of all subjects of a portal. `subjects` are their topic numbers, in order."""

    def __init__(self, packed: PackedCentroids, meanings: Meanings | None = None) -> None:
        self.packed = packed
        self.subjects: Ints = np.array(packed.subjects, np.int64)
        self.terms: Terms = np.frombuffer(packed.terms, np.uint32)
        self._term_weights: Floats = np.frombuffer(packed.term_weights, np.float32).astype(float)
        rows = np.frombuffer(packed.rows, np.float32).reshape(len(packed.subjects), -1)
        self._by_term: Floats = np.ascontiguousarray(rows.T, np.float64)
        uses_meanings = meanings is not None and meanings.digest == packed.meanings_digest
        self._meanings = meanings if uses_meanings and packed.meaning_rows else None
        self._meaning_mean = np.frombuffer(packed.meaning_mean, np.float32)
        meaning_rows = np.frombuffer(packed.meaning_rows, np.float32)
        self._meaning_rows = meaning_rows.reshape(len(packed.subjects), -1)

    def correlations(self, bags: Sequence[Bag]) -> Floats:
        """Return the correlation of each document with each subject, from 0 to 1."""
        lengths = np.fromiter(map(len, bags), np.int64, len(bags))
        terms = np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)])
        counts = np.concatenate([np.array([], np.uint32), *(bag.counts for bag in bags)])
        frequencies = np.maximum(counts, 1).astype(np.float64)
        if self.packed.weighting is CentroidWeighting.LOG:
            frequencies = 1.0 + np.log(frequencies)
        cosines = self._cosines(lengths, terms, frequencies)
        if self._meanings is None:
            return cosines
        vectors = meaning_vectors(bags, self._meanings)
        is_known = vectors.any(axis=1)
        nearness = np.maximum(_unit(vectors - self._meaning_mean) @ self._meaning_rows.T, 0.0)
        mixed = (1.0 - MEANING_WEIGHT) * cosines + MEANING_WEIGHT * nearness
        return np.where(is_known[:, None], mixed, cosines)

    def correlations_of_names(self, names: Sequence[Terms]) -> Floats:
        """Return the cosine of each name, such as the terms of an anchor text, with each subject.

        Every term of a name counts once; a name without a known term has 0.
        """
        lengths = np.fromiter(map(len, names), np.int64, len(names))
        terms = np.concatenate([np.array([], np.uint32), *names])
        return self._cosines(lengths, terms, np.ones(len(terms)))

    def _cosines(self, lengths: Ints, terms: Terms, frequencies: Floats) -> Floats:
        """Return the cosine of each row of terms with each subject; a term counts once a row."""
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        places = np.searchsorted(self.terms, terms)
        places[places == len(self.terms)] = 0
        is_known = self.terms[places] == terms if len(self.terms) else np.zeros(len(terms), bool)
        weights = np.where(is_known, frequencies * self._term_weights[places], 0.0)
        return _cosines(starts, places, weights, self._by_term)

    def contributions(self, bag: Bag, subject: int) -> list[tuple[int, float]]:
        """Return the terms of a document with their parts of its cosine, the largest first."""
        weighted = self._weighted(count_matrix([bag], self.terms))
        length = float(np.sqrt((weighted.data**2).sum())) or 1.0
        column = int(np.flatnonzero(self.subjects == subject)[0])
        parts = weighted.data * self._by_term[weighted.indices, column] / length
        order = np.argsort(-parts, kind="stable")
        terms = self.terms[weighted.indices[order]].tolist()
        return [
            (term, part) for term, part in zip(terms, parts[order].tolist(), strict=True) if part
        ]

    def heaviest_terms(self, subject: int, limit: int) -> list[tuple[int, float]]:
        """Return the terms with the largest weights in a centroid, with these weights."""
        column = self._by_term[:, int(np.flatnonzero(self.subjects == subject)[0])]
        order = np.argsort(-column, kind="stable")[:limit]
        return [(int(self.terms[place]), float(column[place])) for place in order if column[place]]

    def pack(self) -> bytes:
        """Return the centroids as bytes, with their version."""
        return msgspec.msgpack.encode(self.packed)

    def _weighted(self, counts: csr_array) -> csr_array:
        weighted = csr_array(counts, dtype=np.float64)
        if self.packed.weighting is CentroidWeighting.LOG:
            weighted.data = 1.0 + np.log(weighted.data)
        weighted.data *= self._term_weights[weighted.indices]
        return weighted


def fit_centroids(
    hits: Mapping[int, Sequence[Bag]],
    weighting: CentroidWeighting = CentroidWeighting.LOG,
    meanings: Meanings | None = None,
) -> Centroids:
    """Return the centroids of subjects, each given by the terms of its hits."""
    subjects = sorted(hits)
    bags = [bag for subject in subjects for bag in hits[subject]]
    ends = [0, *accumulate(len(hits[subject]) for subject in subjects)]
    terms = np.unique(np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)]))
    counts = count_matrix(bags, terms)
    fit = _fit_log if weighting is CentroidWeighting.LOG else _fit_ratio
    term_weights, rows = fit(counts, ends)
    is_used = (rows.any(axis=0) if len(rows) else np.zeros(len(terms), bool)) & (term_weights > 0)
    packed = PackedCentroids(
        subjects=tuple(subjects),
        weighting=weighting,
        terms=terms[is_used].tobytes(),
        term_weights=term_weights[is_used].astype(np.float32).tobytes(),
        rows=_unit(rows[:, is_used]).astype(np.float32).tobytes(),
    )
    if meanings is not None and subjects:
        packed = _with_meanings(packed, bags, ends, meanings)
    return Centroids(packed, meanings)


def unpack_centroids(packed: bytes, meanings: Meanings | None = None) -> Centroids:
    """Return the centroids that were packed.

    Raises `ValueError` for bytes that are none, or are of another version.
    """
    try:
        centroids = msgspec.msgpack.decode(packed, type=PackedCentroids)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"no centroids: {error}") from error
    if centroids.version != VERSION:
        raise ValueError(f"centroids of version {centroids.version}; this one knows {VERSION}")
    return Centroids(centroids, meanings)


def _fit_log(counts: csr_array, ends: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the weight of each term in a document, and the centroids."""
    is_there = csr_array((np.ones(len(counts.data)), counts.indices, counts.indptr), counts.shape)
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log((counts.shape[0] + 1) / np.maximum(documents, 1))
    weighted = csr_array(counts, dtype=np.float64)
    weighted.data = (1.0 + np.log(weighted.data)) * idf[weighted.indices]
    lengths = np.sqrt(weighted.multiply(weighted).sum(axis=1))
    row_of = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    weighted.data /= np.where(lengths, lengths, 1.0)[row_of]
    rows = _sums(weighted, ends)
    shared = _sums(is_there, ends)
    hits = np.diff(np.array(ends))[:, None]
    rows *= shared >= np.minimum(hits, MIN_SHARED_HITS)
    return idf, rows


def _fit_ratio(counts: csr_array, ends: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the weight of each term in a document, which is 1, and the centroids."""
    rows = _sums(csr_array(counts, dtype=np.float64), ends)
    totals = rows.sum(axis=0)
    return np.ones(counts.shape[1]), rows / np.where(totals, totals, 1.0)


def _sums(matrix: csr_array, ends: Sequence[int]) -> Floats:
    """Return the sums of consecutive rows; `ends` are the borders between the groups."""
    groups = len(ends) - 1
    group_of = np.repeat(np.arange(groups), np.diff(np.array(ends)))
    ones = np.ones(len(group_of))
    summing = csr_array((ones, (group_of, np.arange(len(group_of)))), (groups, matrix.shape[0]))
    sums: Floats = (summing @ matrix).toarray()
    return sums


def _with_meanings(
    packed: PackedCentroids, bags: Sequence[Bag], ends: Sequence[int], meanings: Meanings
) -> PackedCentroids:
    """Return the centroids with the mean meaning of each subject's hits."""
    vectors = meaning_vectors(bags, meanings)
    is_known = vectors.any(axis=1)
    if not is_known.any():
        return packed
    mean = vectors[is_known].mean(axis=0)
    centred = _unit(vectors - mean) * is_known[:, None]
    rows = _unit(_sums(csr_array(centred.astype(np.float64)), ends))
    return msgspec.structs.replace(
        packed,
        meaning_mean=mean.astype(np.float32).tobytes(),
        meaning_rows=rows.astype(np.float32).tobytes(),
        meanings_digest=meanings.digest,
    )


@njit(cache=True)
def _cosines(starts: Ints, places: Ints, weights: Floats, by_term: Floats) -> Floats:
    """Return the cosine of each row with each subject. Terms of weight 0 are not known.

    Compiled: a page has a hundred names of a few terms each.
    """
    cosines = np.zeros((len(starts) - 1, by_term.shape[1]))
    for row in range(len(cosines)):
        square = 0.0
        for at in range(starts[row], starts[row + 1]):
            weight, place, is_first = weights[at], places[at], True
            if starts[row + 1] - starts[row] <= MAX_NAME_TERMS:
                for before in range(starts[row], at):
                    is_first = is_first and places[before] != place
            if weight == 0.0 or not is_first:
                continue
            square += weight * weight
            for subject in range(by_term.shape[1]):
                cosines[row, subject] += weight * by_term[place, subject]
        if square > 0.0:
            cosines[row] /= np.sqrt(square)
    return cosines


def _unit(rows: Vectors | Floats) -> Floats:
    """Return the rows at length one; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: Floats = rows / np.where(lengths, lengths, 1.0)
    return units
