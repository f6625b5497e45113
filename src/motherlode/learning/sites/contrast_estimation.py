"""A contrast of sites is estimated from named sites and from those that were examined.

Most known sites have no verdict by a user. Their classes are estimated by expectation maximization
(Dempster, Laird and Rubin 1977) over two normal distributions of contrasts with one variance. Sites
that a user has named keep their class, and every site is compared with centroids that it is left
out of. Then the centroids are made once more, with each site as far as it is likely to belong;
sites that no user has named count a quarter among the relevant ones.

The choices were measured on one web of 160 sites (docs/websites.md).
"""

from collections.abc import Sequence
from math import isnan, log, sqrt

import numpy as np
from msgspec import Struct
from scipy.sparse import csr_array

from motherlode.documents.text.terms import Bag
from motherlode.learning.matrix import Floats, Ints, Terms, count_matrix, unit_rows
from motherlode.learning.sites.contrast import (
    IRRELEVANT,
    MAX_LOG_ODDS,
    MIN_SEPARATION,
    PROFILE_PAGES,
    ContrastScale,
    PackedContrast,
    SiteContrast,
    SiteProfile,
    page_weight,
)

MIN_SITES_WITH_TERM = 2
MAX_FEATURES = 200_000
UNCERTAIN_WEIGHT = 0.25  # of sites that no user has named, among the relevant ones
CENTROID_SITES = 5.0  # whose centroid's length both centroids are given
COMMON_SHARE = 0.5  # common vocabulary weighs so much of the sites that no user has named
MIN_COMMON_SITES, MAX_COMMON_SITES = 2.0, 10.0  # the least only while no other site is named
PRIOR_SHARE, PRIOR_SITES = 0.2, 40.0  # of relevant sites before any was examined
MIN_DEVIATION = 0.02  # of contrasts, between the sites of a class
ALONE_SHARE = 0.5  # of its own contrast that others like a single example are expected to have
_ROUNDS = 30
_NEAR_ENOUGH = 1e-4
_MIN_SQUARE = 1e-12  # of the length of a centroid


class FittedContrast(Struct, frozen=True):
    """A contrast with the probability of each site that it was fitted to."""

    contrast: SiteContrast
    probabilities: dict[str, float]


def fit_contrast(
    profiles: Sequence[SiteProfile], common_pages: Sequence[Bag] = ()
) -> FittedContrast:
    """Learn from all known sites; at least one has to be named relevant by the user.

    `common_pages` are documents of common vocabulary, which stand for other sites until enough of
    these are known.
    """
    sites = _Sites.of(profiles, common_pages)
    relevance = np.where(np.isnan(sites.given), 0.0, sites.given)
    shares = sites.classify(relevance, 1.0 - relevance)
    named = ~np.isnan(sites.given)
    among_relevant = np.where(named, relevance, UNCERTAIN_WEIGHT * shares.probabilities)
    among_others = np.where(named, 1.0 - relevance, 1.0 - shares.probabilities)
    shares = sites.classify(among_relevant, among_others)
    packed = PackedContrast(
        terms=sites.terms.tobytes(),
        idf=sites.idf.astype(np.float32).tobytes(),
        direction=sites.direction(among_relevant, among_others).astype(np.float32).tobytes(),
        scale=shares.scale,
    )
    known = {
        profile.site: float(probability)
        for profile, probability in zip(profiles, shares.probabilities, strict=False)
    }
    return FittedContrast(SiteContrast(packed), known)


class _Shares(Struct, frozen=True):
    """How likely each site is relevant, and the distributions from which that follows."""

    probabilities: Floats
    scale: ContrastScale


class _Sites(Struct, frozen=True):
    """All known sites as rows: weighted means of their pages' vectors."""

    terms: Terms
    idf: Floats
    pages: csr_array  # of length one each
    owners: Ints  # the site of each page
    page_weights: Floats  # sum to 1 for each site
    rows: csr_array  # the sites
    given: Floats  # what users said; NaN: nothing
    counts: Floats  # how much each site counts

    @classmethod
    def of(cls, profiles: Sequence[SiteProfile], common_pages: Sequence[Bag]) -> "_Sites":
        weight = _common_weight(profiles)
        common = list(common_pages) if weight else []
        bags = [bag for profile in profiles for bag in profile.pages[:PROFILE_PAGES]] + common
        lengths = [len(profile.pages[:PROFILE_PAGES]) for profile in profiles] + [1] * len(common)
        owners = np.repeat(np.arange(len(lengths)), lengths)
        counts = np.ones(len(lengths))
        if common:
            counts[len(profiles) :] = weight / len(common)
        terms = _features(bags, owners)
        matrix = count_matrix(bags, terms)
        idf = _site_idf(matrix, owners, counts)
        weights = np.array(
            [
                page_weight(place, len(bag))
                for profile in profiles
                for place, bag in enumerate(profile.pages[:PROFILE_PAGES])
            ]
            + [1.0] * len(common)
        )
        totals = np.bincount(owners, weights, len(lengths))
        weights = weights / np.where(totals, totals, 1.0)[owners]
        pages = unit_rows(matrix, idf)
        gathering = csr_array((weights, (owners, np.arange(len(bags)))), (len(lengths), len(bags)))
        given = [profile.relevance for profile in profiles] + [IRRELEVANT] * len(common)
        return cls(
            terms=terms,
            idf=idf,
            pages=pages,
            owners=owners,
            page_weights=weights,
            rows=csr_array(gathering @ pages),
            given=np.array(given, np.float64),
            counts=counts,
        )

    def classify(self, among_relevant: Floats, among_others: Floats) -> _Shares:
        """Return how likely each site is relevant, by its contrast with these two centroids."""
        among_relevant = among_relevant * self.counts
        among_others = among_others * self.counts
        contrasts = self._contrasts(among_relevant, among_others)
        within = self._within_variance(among_relevant, among_others)
        spread: Floats = np.bincount(self.owners, self.page_weights**2, len(self.counts)).astype(
            np.float64
        )
        return _mixture(contrasts, self.given, self.counts, within * spread, within)

    def direction(self, among_relevant: Floats, among_others: Floats) -> Floats:
        """Return the relevant sites' centroid minus the others'."""
        relevant = self._centroid(among_relevant * self.counts)
        return relevant - self._centroid(among_others * self.counts)

    def _centroid(self, weights: Floats) -> Floats:
        total = np.asarray(self.rows.T @ weights).ravel()
        whole = float(weights.sum()) * self._centroid_length(weights)
        return total / whole if whole > 0.0 else total

    def _centroid_length(self, weights: Floats) -> float:
        """Return the length that a centroid of `CENTROID_SITES` such sites would have."""
        own = self._squares()
        total = np.asarray(self.rows.T @ weights).ravel()
        pairs = float(weights.sum() ** 2 - (weights**2).sum())
        mean_square = float((weights * own).sum() / max(weights.sum(), _MIN_SQUARE))
        between = ALONE_SHARE * mean_square
        if pairs > _MIN_SQUARE:
            between = max(0.0, float(total @ total - (weights**2 * own).sum()) / pairs)
        return sqrt(between + (mean_square - between) / CENTROID_SITES)

    def _squares(self) -> Floats:
        squares: Floats = np.asarray(self.rows.multiply(self.rows).sum(axis=1)).ravel()
        return squares

    def _contrasts(self, among_relevant: Floats, among_others: Floats) -> Floats:
        """Return the contrast of each site with centroids that it is left out of."""
        contrasts = self._cosines(among_relevant) - self._cosines(among_others)
        if (among_relevant > 0.0).sum() == 1:  # a single example has nothing to be compared with
            alone = int(among_relevant.argmax())
            whole = self._centroid(among_relevant) - self._centroid(among_others)
            contrasts[alone] = ALONE_SHARE * float((self.rows[[alone]] @ whole)[0])
        return contrasts

    def _cosines(self, weights: Floats) -> Floats:
        """Return the cosine part of each site with the weighted centroid of the other sites.

        Sites keep their lengths, which are below one: a site of many unlike pages has a short row.
        """
        total = np.asarray(self.rows.T @ weights).ravel()
        products = np.asarray(self.rows @ total) - weights * self._squares()
        others = weights.sum() - weights
        length = self._centroid_length(weights)
        cosines: Floats = products / np.maximum(others * length, _MIN_SQUARE)
        cosines[others <= _MIN_SQUARE] = 0.0
        return cosines

    def _within_variance(self, among_relevant: Floats, among_others: Floats) -> float:
        """Return the variance of the pages' contrasts within their sites."""
        pages = np.asarray(self.pages @ self.direction(among_relevant, among_others))
        means = np.bincount(self.owners, self.page_weights * pages, len(self.counts))
        sizes = np.bincount(self.owners, minlength=len(self.counts))
        free = int((sizes - 1).clip(min=0).sum())
        return float(((pages - means[self.owners]) ** 2).sum() / free) if free else 0.0


def _mixture(
    contrasts: Floats, given: Floats, counts: Floats, noise: Floats, within: float
) -> _Shares:
    """Fit two normal distributions with one variance; named sites keep their class.

    `noise` is the part of each site's variance that comes from the choice of its pages. Sites that
    no user has named count less for the relevant mean, or many doubtful ones would move it.
    """
    named = ~np.isnan(given)
    counts_if_relevant = np.where(named, counts, UNCERTAIN_WEIGHT * counts)
    relevant = np.where(named, given, 0.0)
    unnamed = counts * ~named
    relevant_mean = _mean(contrasts, relevant * counts, 0.0)
    others = np.where(named, 1.0 - given, 1.0) * counts
    other_mean = _mean(contrasts, others, min(0.0, relevant_mean - MIN_SEPARATION))
    variance = max(float(np.average((contrasts - other_mean) ** 2, weights=others + 1e-9)), 1e-4)
    share = PRIOR_SHARE
    for _ in range(_ROUNDS):
        separation = relevant_mean - other_mean
        odds = separation * (contrasts - (relevant_mean + other_mean) / 2) / variance
        odds = np.clip(odds + log(share / (1.0 - share)), -MAX_LOG_ODDS, MAX_LOG_ODDS)
        if separation < MIN_SEPARATION:
            odds = np.full(len(contrasts), log(share / (1.0 - share)))
        estimated = np.where(named, given, 1.0 / (1.0 + np.exp(-odds)))
        if np.abs(estimated - relevant).max(initial=0.0) < _NEAR_ENOUGH:
            break
        relevant = estimated
        weights, other_weights = relevant * counts_if_relevant, (1.0 - relevant) * counts
        relevant_mean = _mean(contrasts, weights, relevant_mean)
        other_mean = _mean(contrasts, other_weights, other_mean)
        squares = weights * (contrasts - relevant_mean) ** 2
        squares += other_weights * (contrasts - other_mean) ** 2
        total = float(weights.sum() + other_weights.sum())
        variance = max(float(squares.sum()) / total, MIN_DEVIATION**2)
        found = float((relevant * unnamed).sum())
        share = (found + PRIOR_SHARE * PRIOR_SITES) / (float(unnamed.sum()) + PRIOR_SITES)
    between = max(variance - float(np.average(noise, weights=counts)), MIN_DEVIATION**2)
    scale = ContrastScale(relevant_mean, other_mean, between, within, min(max(share, 0.01), 0.99))
    return _Shares(relevant, scale)


def _mean(values: Floats, weights: Floats, otherwise: float) -> float:
    return float((values * weights).sum() / weights.sum()) if weights.sum() > 0.0 else otherwise


def _common_weight(profiles: Sequence[SiteProfile]) -> float:
    """Return for how many irrelevant sites common vocabulary stands.

    Many of the sites met on the way are relevant, so they alone would say little of the others.
    """
    unnamed = sum(isnan(profile.relevance) for profile in profiles)
    has_others = any(profile.relevance == IRRELEVANT for profile in profiles)
    least = 0.0 if has_others else MIN_COMMON_SITES
    return min(max(COMMON_SHARE * unnamed, least), MAX_COMMON_SITES)


def _features(bags: Sequence[Bag], owners: Ints) -> Terms:
    """Return the terms of at least two sites; of too many, those of the most sites."""
    pairs = [
        bag.terms.astype(np.uint64) << np.uint64(32) | np.uint64(owner)
        for bag, owner in zip(bags, owners.tolist(), strict=True)
    ]
    distinct = np.unique(np.concatenate([np.array([], np.uint64), *pairs]))
    terms, sites = np.unique(distinct >> np.uint64(32), return_counts=True)
    shared = sites >= MIN_SITES_WITH_TERM
    terms, sites = terms[shared], sites[shared]
    most = np.argsort(-sites, kind="stable")[:MAX_FEATURES]
    return np.sort(terms[most]).astype(np.uint32)


def _site_idf(matrix: csr_array, owners: Ints, counts: Floats) -> Floats:
    """Return log((N + 1) / (n + 1/2)) of each term, n of N sites having it; at least 0."""
    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    width = matrix.shape[1]
    pairs = np.unique(owners[row_of] * width + matrix.indices)
    sites = np.bincount(pairs % width, counts[pairs // width], width) if width else np.zeros(0)
    idf: Floats = np.maximum(np.log((counts.sum() + 1.0) / (sites + 0.5)), 0.0)
    return idf
