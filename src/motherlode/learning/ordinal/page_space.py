"""Pages as points: their terms, and how near they are to the examples of a topic.

From a few examples, levels cannot be learned by terms alone: a page on the topic shares few of
them. So the last feature of a point is its nearness, which is 0 for a page like any other, and 1
for one that is as similar to the examples as they are to each other:

    nearness = (s - b) / (r - b),    r = c sqrt(n) / sqrt(1 + (n - 1) c)

s is three quarters the cosine of the page with the sum of the n examples' unit vectors, by terms,
and one quarter that by meaning (of vectors minus the mean of all pages). r is the s of a page whose
cosine with each example is c, the mean cosine of two examples. b is the median s of all pages, but
at most r / 2. Of several topics, the nearest counts.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from scipy.sparse import csr_array, hstack

from motherlode.documents.features.meanings import Meanings, Vectors
from motherlode.documents.text.terms import Bag
from motherlode.learning.matrix import (
    Floats,
    Ints,
    Terms,
    count_matrix,
    meaning_vectors,
    squares_outside,
    unit_rows,
)

MEANING_WEIGHT = 0.25  # in a similarity, where word meanings are known
SINGLE_EXAMPLE_SIMILARITY = 0.3  # r of a single example
MIN_SIMILARITY = 0.02  # of r, above b
MAX_TERMS = 20_000  # whose idf is kept
MIN_PAGES_WITH_TERM = 2


class SpaceOptions(Struct, frozen=True):
    """`features` is how many terms are compared, `nearness` the weight of the last feature.

    With a weight of 0 a page has the length of the compared terms alone, as in the paper.
    """

    features: int
    nearness: float


class PackedSpace(Struct, frozen=True):
    """A space as bytes, for the store. Similarities are in the order of `subjects`."""

    subjects: tuple[int, ...]
    terms: bytes  # uint32, ascending
    idf: bytes  # float32
    rare_idf: float  # of all other terms
    columns: bytes  # int64: the places of the compared terms among all
    centroids: bytes  # float32: a row of length one for each subject
    meaning_mean: bytes  # float32, of all pages; empty without meanings
    meaning_rows: bytes  # float32
    bases: tuple[float, ...]  # b
    references: tuple[float, ...]  # r
    nearness: float
    example_meanings: bytes = b""  # float32: the mean meaning of the examples of each subject
    meanings_digest: str = ""


class PageSpace:
    """Turns pages into points. Without the meanings it was fitted with, it goes by terms alone."""

    def __init__(self, packed: PackedSpace, meanings: Meanings | None) -> None:
        self.packed = packed
        self.terms: Terms = np.frombuffer(packed.terms, np.uint32)
        self.idf: Floats = np.frombuffer(packed.idf, np.float32).astype(np.float64)
        self.columns: Ints = np.frombuffer(packed.columns, np.int64)
        self.centroids: Floats = (
            np.frombuffer(packed.centroids, np.float32)
            .reshape(len(packed.subjects), -1)
            .astype(np.float64)
        )
        known = meanings is not None and meanings.digest == packed.meanings_digest
        self.meanings = meanings if known and packed.meaning_rows else None
        self._mean = np.frombuffer(packed.meaning_mean, np.float32)
        self.directions = np.frombuffer(packed.meaning_rows, np.float32).reshape(
            len(packed.subjects), -1
        )

    @property
    def compared_terms(self) -> Terms:
        return self.terms[self.columns]

    def nearness(self, bags: Sequence[Bag]) -> Floats:
        """Return the nearness of each page to each subject."""
        return self._nearness_of(self.unit_rows(bags), bags)

    def rows(self, bags: Sequence[Bag], nearness: Floats | None = None) -> csr_array:
        """Return the points of pages, nearness last; it is computed unless it is given."""
        units = self.unit_rows(bags)
        if nearness is None:
            nearness = self._nearness_of(units, bags).max(axis=1, initial=-np.inf)
        last = csr_array(self.packed.nearness * nearness[:, None])
        return csr_array(hstack([units[:, self.columns], last], format="csr"))

    def with_examples(self, examples: Mapping[int, Sequence[Bag]]) -> "PageSpace":
        """Return the space with other examples of the same subjects; idf and bases stay."""
        changes = _example_parts(self, examples, self._mean, self.meanings)
        references = tuple(
            max(reference, base + MIN_SIMILARITY)
            for reference, base in zip(changes["references"], self.packed.bases, strict=True)
        )
        return PageSpace(
            replace(self.packed, **changes | {"references": references}), self.meanings
        )

    def unit_rows(self, bags: Sequence[Bag]) -> csr_array:
        counts = count_matrix(bags, self.terms)
        if not self.packed.nearness:
            return unit_rows(counts, self.idf)
        outside = self.packed.rare_idf**2 * squares_outside(bags, counts)
        return unit_rows(counts, self.idf, outside)

    def _nearness_of(self, rows: csr_array, bags: Sequence[Bag]) -> Floats:
        similarities = np.asarray(rows @ self.centroids.T)
        if self.meanings is not None:
            vectors = meaning_vectors(bags, self.meanings)
            known = np.asarray(vectors.any(axis=1))
            cosines = np.maximum(
                _unit((vectors - self._mean).astype(np.float64)) @ self.directions.T, 0.0
            )
            mixed = (1.0 - MEANING_WEIGHT) * similarities + MEANING_WEIGHT * cosines
            similarities = np.where(known[:, None], mixed, similarities)
        bases = np.array(self.packed.bases)
        nearness: Floats = (similarities - bases) / (np.array(self.packed.references) - bases)
        return nearness


def fit_page_space(
    examples: Mapping[int, Sequence[Bag]],
    pages: Sequence[Bag],
    background: Sequence[Bag],
    options: SpaceOptions,
    meanings: Meanings | None = None,
) -> PageSpace:
    """Return the space of some pages, examples included; `background` counts for idf alone."""
    counted = [*pages, *background]
    given = np.concatenate(
        [np.array([], np.uint32), *(bag.terms for bags in examples.values() for bag in bags)]
    )
    terms, idf, columns = _vocabulary(pages, counted, given, options)
    packed = PackedSpace(
        subjects=tuple(sorted(examples)),
        terms=terms.tobytes(),
        idf=idf.astype(np.float32).tobytes(),
        rare_idf=float(np.log1p(len(counted))),
        columns=columns.tobytes(),
        centroids=np.zeros((len(examples), len(terms)), np.float32).tobytes(),
        meaning_mean=b"",
        meaning_rows=b"",
        bases=(0.0,) * len(examples),
        references=(1.0,) * len(examples),
        nearness=options.nearness,
    )
    return _with_examples(packed, examples, pages, background, meanings)


def _vocabulary(
    pages: Sequence[Bag], counted: Sequence[Bag], given: Terms, options: SpaceOptions
) -> tuple[Terms, Floats, Ints]:
    """Return all terms with their idf, and the places of those that are compared."""
    compared = _frequent(pages, options.features, min(MIN_PAGES_WITH_TERM, len(pages)))
    terms = compared
    if options.nearness:
        frequent = _frequent(counted, MAX_TERMS, MIN_PAGES_WITH_TERM)
        terms = np.unique(np.concatenate([compared, frequent, given]))
    counts = count_matrix(counted, terms)
    documents = np.bincount(counts.indices, minlength=len(terms))
    idf: Floats = np.log1p(len(counted) / np.maximum(documents, 1))
    return terms, idf, np.searchsorted(terms, compared).astype(np.int64)


def _frequent(bags: Sequence[Bag], most: int, least: int) -> Terms:
    """Return the terms of the most bags, ascending; each is in `least` at least."""
    terms = np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)])
    known, counts = np.unique(terms, return_counts=True)
    shared: Ints = np.flatnonzero(counts >= least)
    best = shared[np.argsort(-counts[shared], kind="stable")[:most]]
    return known[np.sort(best)]


def _with_examples(
    packed: PackedSpace,
    examples: Mapping[int, Sequence[Bag]],
    pages: Sequence[Bag],
    background: Sequence[Bag],
    meanings: Meanings | None,
) -> PageSpace:
    """Return the space with the centroids of the examples, and what nearness is measured by."""
    mean: Vectors = np.zeros(0, np.float32)
    if meanings is not None:
        mean = meaning_vectors([*pages, *background], meanings).mean(axis=0)
        packed = replace(packed, meaning_mean=mean.tobytes(), meanings_digest=meanings.digest)
    changes = _example_parts(PageSpace(packed, None), examples, mean, meanings)
    raw = PageSpace(replace(packed, **changes | {"references": packed.references}), meanings)
    medians = np.median(raw.nearness(pages), axis=0)  # of similarities: r is 1 and b is 0
    references = changes["references"]
    bases = tuple(
        min(float(median), reference / 2.0)
        for median, reference in zip(medians, references, strict=True)
    )
    changes["bases"] = bases
    changes["references"] = tuple(
        max(reference, base + MIN_SIMILARITY)
        for reference, base in zip(references, bases, strict=True)
    )
    return PageSpace(replace(packed, **changes), meanings)


def _example_parts(
    space: PageSpace,
    examples: Mapping[int, Sequence[Bag]],
    mean: Vectors,
    meanings: Meanings | None,
) -> dict[str, Any]:
    """Return the fields of a packed space that examples decide: centroids, directions and r."""
    subjects = space.packed.subjects
    units = [space.unit_rows(examples[subject]).toarray() for subject in subjects]
    centroids = _unit(np.array([each.sum(axis=0) for each in units]))
    cosines = [_mean_cosine(each) for each in units]
    parts: dict[str, Any] = {"centroids": centroids.astype(np.float32).tobytes()}
    if meanings is not None:
        vectors = [_directions(examples[each], mean, meanings) for each in subjects]
        directions = _unit(np.array([each.sum(axis=0) for each in vectors]))
        parts["meaning_rows"] = directions.astype(np.float32).tobytes()
        means = [meaning_vectors(examples[each], meanings).sum(axis=0) for each in subjects]
        parts["example_meanings"] = _unit(np.array(means)).astype(np.float32).tobytes()
        cosines = [
            (1.0 - MEANING_WEIGHT) * words + MEANING_WEIGHT * max(_mean_cosine(each), 0.0)
            for words, each in zip(cosines, vectors, strict=True)
        ]
    parts["references"] = tuple(
        reference_similarity(cosine, len(examples[subject]))
        for cosine, subject in zip(cosines, subjects, strict=True)
    )
    return parts


def _directions(bags: Sequence[Bag], mean: Vectors, meanings: Meanings) -> Floats:
    """Return what each page means beyond the mean; a row of zeros where it is not known."""
    vectors = meaning_vectors(bags, meanings)
    known = np.asarray(vectors.any(axis=1))
    directions: Floats = _unit((vectors - mean).astype(np.float64)) * known[:, None]
    return directions


def reference_similarity(cosine: float, examples: int) -> float:
    """Return the similarity with the centroid of a page as similar to each as they are in pairs.

    >>> round(reference_similarity(0.5, 1), 2), round(reference_similarity(0.5, 4), 3)
    (0.3, 0.632)
    """
    if examples < 2:  # noqa: PLR2004 - a pair
        return SINGLE_EXAMPLE_SIMILARITY
    cosine = max(cosine, 0.0)
    return cosine * sqrt(examples) / sqrt(1.0 + (examples - 1) * cosine)


def _mean_cosine(units: Floats) -> float:
    """Return the mean cosine of two different rows of length one."""
    number = len(units)
    if number < 2:  # noqa: PLR2004 - a pair
        return 0.0
    total = float((units.sum(axis=0) ** 2).sum() - (units**2).sum())
    return total / (number * (number - 1))


def _unit(rows: Floats) -> Floats:
    """Return the rows at length one; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    units: Floats = rows / np.where(lengths, lengths, 1.0)
    return units
