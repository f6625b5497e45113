"""Relevant sites told from other sites by a contrast of two centroids (ours, for SPEC W4).

A page's contrast is its cosine with the centroid of the relevant sites minus its cosine with the
centroid of all other known sites:

    s(p) = cos(p, c_relevant) - cos(p, c_other)

A centroid of few sites is longer than one of many, because of what is peculiar to each. So both are
given the length of a centroid of five such sites, where q is the mean product of two different
sites and m the mean product of a site with itself:

    |c|^2 = q + (m - q) / 5

A site's contrast is the mean over its first pages, the i-th with weight 1/i: pages near the home
page say what a site is for. A page of few terms weighs less. Terms weigh log((N + 1) / (n + 1/2)),
n of N sites having them, so that what all sites share, such as a template, does not count.

How far a site of n pages scatters follows from a one-way random effects model, with one variance
between sites of a class and one between the pages of a site:

    var(n) = var_between + var_within * sum w_i^2 / (sum w_i)^2

So the probability of a site is calibrated for the pages read, where a product of page likelihoods
saturates. `contrast_estimation` fits it.
"""

from collections.abc import Sequence
from math import exp, log

import msgspec
import numpy as np
from msgspec import Struct

from motherlode.documents.text.terms import Bag
from motherlode.learning.matrix import Floats, Terms, count_matrix, unit_rows

VERSION = 1
PROFILE_PAGES = 6  # of a site, the first ones read; more say what it contains, not what it is for
FULL_PAGE_TERMS = 50  # a page of fewer different terms weighs less
MIN_SEPARATION = 0.01  # of the classes' means; closer ones say nothing
MAX_LOG_ODDS = 30.0

RELEVANT, IRRELEVANT = 1.0, 0.0
UNKNOWN = float("nan")


class SiteProfile(Struct, frozen=True):
    """The first pages of a site, in the order in which they were read.

    `relevance` is 1 or 0 where a user has named the site, and NaN elsewhere.
    """

    site: str
    pages: Sequence[Bag]
    relevance: float = UNKNOWN


class ContrastScale(Struct, frozen=True):
    """The two distributions of contrasts, and the share of relevant sites."""

    relevant_mean: float
    other_mean: float
    between: float  # variances
    within: float
    share: float


class PackedContrast(Struct, frozen=True):
    """The direction of contrasts as bytes, for the store."""

    terms: bytes  # uint32, ascending
    idf: bytes  # float32
    direction: bytes  # float32
    scale: ContrastScale
    version: int = VERSION


class SiteScore(Struct, frozen=True):
    """The contrast of a site, of the pages read so far."""

    weighted: float = 0.0
    weight: float = 0.0
    squares: float = 0.0  # of the weights
    pages: int = 0

    def with_page(self, contrast: float, terms: int) -> "SiteScore":
        """Return the score with one more page, which has so many different terms."""
        if self.pages >= PROFILE_PAGES:
            return msgspec.structs.replace(self, pages=self.pages + 1)
        weight = page_weight(self.pages, terms)
        return SiteScore(
            self.weighted + weight * contrast,
            self.weight + weight,
            self.squares + weight * weight,
            self.pages + 1,
        )


class SiteContrast:
    """The contrast of pages and sites, and the probability that follows from it."""

    def __init__(self, packed: PackedContrast) -> None:
        self.packed = packed
        self.scale = packed.scale
        self.terms: Terms = np.frombuffer(packed.terms, np.uint32)
        self._idf = np.frombuffer(packed.idf, np.float32).astype(np.float64)
        self._direction = np.frombuffer(packed.direction, np.float32).astype(np.float64)

    def contrasts(self, bags: Sequence[Bag]) -> Floats:
        """Return the contrast of each page, from -1 to 1; 0 without known terms."""
        rows = unit_rows(count_matrix(bags, self.terms), self._idf)
        contrasts: Floats = np.asarray(rows @ self._direction)
        return contrasts

    def contrast_of_name(self, terms: Terms) -> float:
        """Return the contrast of a name, such as an anchor text; every term counts once."""
        ones = np.ones(len(terms), np.uint32)
        return float(self.contrasts([Bag(np.unique(terms), ones[: len(np.unique(terms))])])[0])

    def log_odds(self, score: SiteScore) -> float:
        """Return the log-odds that a site of this score is relevant."""
        scale = self.scale
        prior = log(scale.share / (1.0 - scale.share))
        separation = scale.relevant_mean - scale.other_mean
        if score.weight <= 0.0 or separation < MIN_SEPARATION:
            return prior
        variance = scale.between + scale.within * score.squares / score.weight**2
        middle = (scale.relevant_mean + scale.other_mean) / 2
        odds = separation * (score.weighted / score.weight - middle) / variance + prior
        return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, odds))

    def probability(self, score: SiteScore) -> float:
        """Return the probability that a site of this score is relevant."""
        return 1.0 / (1.0 + exp(-self.log_odds(score)))

    def page_probabilities(self, bags: Sequence[Bag]) -> Floats:
        """Return the probability that a site is relevant of which only this page is known."""
        scores = (
            SiteScore().with_page(contrast, len(bag))
            for contrast, bag in zip(self.contrasts(bags).tolist(), bags, strict=True)
        )
        return np.array([self.probability(score) for score in scores])

    def score_of(self, bags: Sequence[Bag]) -> SiteScore:
        """Return the score of a site of which these pages were read, in this order."""
        score = SiteScore()
        for contrast, bag in zip(self.contrasts(bags).tolist(), bags, strict=True):
            score = score.with_page(contrast, len(bag))
        return score

    def contributions(self, bag: Bag) -> list[tuple[int, float]]:
        """Return the terms of a page with their parts of its contrast, the largest first."""
        row = unit_rows(count_matrix([bag], self.terms), self._idf)
        parts = row.data * self._direction[row.indices]
        order = np.argsort(-np.abs(parts), kind="stable")
        terms = self.terms[row.indices[order]].tolist()
        return [
            (term, part) for term, part in zip(terms, parts[order].tolist(), strict=True) if part
        ]

    def pack(self) -> bytes:
        return msgspec.msgpack.encode(self.packed)


def page_weight(place: int, terms: int) -> float:
    """Return the weight of a site's page, by its place in the order of reading and its terms.

    >>> [page_weight(0, 500), page_weight(1, 500), page_weight(0, 5)]
    [1.0, 0.5, 0.1]
    """
    return min(1.0, terms / FULL_PAGE_TERMS) / (place + 1)


def unpack_contrast(packed: bytes) -> SiteContrast:
    """Return the contrast that was packed. Raises `ValueError` for bytes that are none."""
    try:
        read = msgspec.msgpack.decode(packed, type=PackedContrast)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"no contrast of sites: {error}") from error
    if read.version != VERSION:
        raise ValueError(f"a contrast of version {read.version}; this one knows {VERSION}")
    return SiteContrast(read)
