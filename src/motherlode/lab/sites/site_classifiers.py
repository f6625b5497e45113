"""Classifiers of sites as they are compared: what each learns from, and which pages it reads.

Each is fitted to labelled sites, then reads a site page by page until it has decided.
"""

from collections.abc import Sequence
from typing import Protocol, Self

from msgspec import Struct

from motherlode.lab.sites.labelled_sites import LabelledSites, SiteDocument
from motherlode.learning.sites.contrast import (
    IRRELEVANT,
    PROFILE_PAGES,
    RELEVANT,
    SiteContrast,
    SiteProfile,
    SiteScore,
)
from motherlode.learning.sites.contrast_estimation import fit_contrast
from motherlode.learning.sites.internal_order import link_weight, page_rank_in_site
from motherlode.learning.sites.page_classes import TARGET, PageClasses, choose_page_classes
from motherlode.learning.sites.page_value import page_value, sure_value
from motherlode.learning.sites.site_posterior import (
    SiteEvidence,
    is_decided,
    smoothed_prior,
)
from motherlode.policies.websites.options import WebsitesOptions

EVEN = 0.5


class Classification(Struct, frozen=True):
    """Whether a site is held for relevant, and how many of its pages were read for that."""

    is_relevant: bool
    pages: int


class SiteClassifier(Protocol):
    """A classifier of sites."""

    def fit(self, relevant: Sequence[str], others: Sequence[str]) -> Self:
        """Learn from labelled sites of both classes."""
        ...

    def judge(self, site: str) -> Classification: ...


class PublishedClassifier:
    """The paper's site classifier: page classes, the internal order, the corrected posterior."""

    def __init__(self, sites: LabelledSites, options: WebsitesOptions, seed: int = 0) -> None:
        self._sites, self._options, self._seed = sites, options, seed

    def fit(self, relevant: Sequence[str], others: Sequence[str]) -> Self:
        number = self._options.training_pages
        self._classes = choose_page_classes(
            [
                [[page.bag for page in self._sites.first_pages(site, number)] for site in sites]
                for sites in (relevant, others)
            ],
            self._seed,
        )
        self._prior = smoothed_prior(len(relevant), len(relevant) + len(others))
        return self

    def judge(self, site: str) -> Classification:
        crawl = _InternalCrawl(self._sites, self._classes, site)
        evidence, posterior = SiteEvidence(), self._prior
        while evidence.pages < self._options.max_pages:
            confidence = crawl.next_confidence()
            if confidence is None:
                break
            evidence = evidence.with_page(confidence, self._classes.error_)
            posterior = evidence.posterior(self._prior)
            if is_decided(posterior, self._options.threshold):
                break
        return Classification(posterior > EVEN, evidence.pages)


class HomepageClassifier:
    """The paper's homepage classifier: page classes of home pages, which reads home pages."""

    def __init__(self, sites: LabelledSites, seed: int = 0) -> None:
        self._sites, self._seed = sites, seed

    def fit(self, relevant: Sequence[str], others: Sequence[str]) -> Self:
        self._classes = choose_page_classes(
            [
                [[page.bag for page in self._sites.first_pages(site, 1)] for site in sites]
                for sites in (relevant, others)
            ],
            self._seed,
        )
        return self

    def judge(self, site: str) -> Classification:
        pages = self._sites.first_pages(site, 1)
        if not pages:
            return Classification(is_relevant=False, pages=0)
        return Classification(self._classes.confidences([pages[0].bag])[0][TARGET] > EVEN, 1)


class ContrastClassifier:
    """Our site classifier: the contrast of a site's first pages, breadth-first.

    It reads on as long as a page of a doubtful verdict has more value than one of a sure verdict,
    up to so many pages (`most`). It does not know what others call a site.
    """

    def __init__(
        self, sites: LabelledSites, options: WebsitesOptions, most: int = PROFILE_PAGES
    ) -> None:
        self._sites, self._most = sites, most
        self._least_value = sure_value(options.threshold)

    def fit(self, relevant: Sequence[str], others: Sequence[str]) -> Self:
        profiles = [
            SiteProfile(site, [page.bag for page in self._pages(site)], relevance)
            for sites, relevance in ((relevant, RELEVANT), (others, IRRELEVANT))
            for site in sites
        ]
        self._contrast: SiteContrast = fit_contrast(profiles).contrast
        return self

    def judge(self, site: str) -> Classification:
        score = SiteScore()
        for page in self._pages(site):
            contrast = float(self._contrast.contrasts([page.bag])[0])
            score = score.with_page(contrast, len(page.bag))
            if page_value(self._contrast.probability(score), score.pages) <= self._least_value:
                break
        return Classification(self._contrast.probability(score) > EVEN, score.pages)

    def _pages(self, site: str) -> list[SiteDocument]:
        return self._sites.first_pages(site, self._most)


class _InternalCrawl:
    """The pages of a site in the order of SPEC W3, each with its confidence for the target."""

    def __init__(self, sites: LabelledSites, classes: PageClasses, site: str) -> None:
        self._sites, self._classes = sites, classes
        self._weights: dict[str, list[float]] = {sites.home(site): [1.0]}
        self._done: set[str] = set()

    def next_confidence(self) -> float | None:
        """Read the best page; None if none is left."""
        while (url := self._best()) is not None:
            self._done.add(url)
            page = self._sites.page(url)
            if page is not None and (page.url == url or page.url not in self._done):
                self._done.add(page.url)
                confidences = self._classes.confidences([page.bag])[0].tolist()
                for link in page.links:
                    self._weights.setdefault(link, []).append(link_weight(confidences))
                return float(confidences[TARGET])
        return None

    def _best(self) -> str | None:
        """Return the page of the highest rank; of equal ones, the one found first."""
        waiting = [url for url in self._weights if url not in self._done]
        return max(waiting, key=lambda url: page_rank_in_site(self._weights[url]), default=None)
