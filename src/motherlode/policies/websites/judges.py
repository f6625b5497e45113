"""How a site is examined: as published in 2004, and ours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from motherlode.documents.text.terms import Bag
from motherlode.learning.sites.contrast import SiteContrast
from motherlode.learning.sites.internal_order import link_weight, page_rank_in_site
from motherlode.learning.sites.site_posterior import SiteEvidence, is_decided
from motherlode.policies.websites.examination import ReadPage, WaitingPage
from motherlode.policies.websites.options import WebsitesOptions

# Paths that end so are seldom pages that say what a site is for.
_FILES = frozenset(
    (
        *("7z", "avi", "bz2", "csv", "doc", "docx", "epub", "exe", "gif", "gz", "ico", "jpeg"),
        *("jpg", "json", "mov", "mp3", "mp4", "odt", "pdf", "png", "ppt", "pptx", "ps", "rar"),
        *("rss", "svg", "tar", "tgz", "txt", "webp", "xls", "xlsx", "xml", "zip"),
    )
)


@dataclass(frozen=True, slots=True)
class PaperJudge:
    """The paper's: best-first by variance, the product of corrected likelihoods (SPEC W3, W4).

    `error` is that of the page classifier; `prior` returns the share of relevant sites so far.
    """

    options: WebsitesOptions
    error: float
    prior: Callable[[], float]

    def page_rank(self, page: WaitingPage) -> float:
        weights = [
            link_weight([source.probability, 1.0 - source.probability]) for source in page.sources
        ]
        return page_rank_in_site(weights)

    def probability(self, pages: Sequence[ReadPage], profile: Sequence[Bag]) -> float:  # noqa: ARG002
        evidence = SiteEvidence()
        for page in pages:
            evidence = evidence.with_page(page.probability, self.error)
        return evidence.posterior(self.prior())

    def is_decided(self, pages: Sequence[ReadPage], probability: float) -> bool:  # noqa: ARG002
        return is_decided(probability, self.options.threshold)


@dataclass(frozen=True, slots=True)
class ContrastJudge:
    """Ours: breadth-first from the home page, and a probability calibrated for the pages read."""

    options: WebsitesOptions
    contrast: SiteContrast

    def page_rank(self, page: WaitingPage) -> float:
        return -float(page.depth) - 0.5 * is_file(page.address.url)

    def probability(self, pages: Sequence[ReadPage], profile: Sequence[Bag]) -> float:  # noqa: ARG002
        return self.contrast.probability(self.contrast.score_of(profile))

    def is_decided(self, pages: Sequence[ReadPage], probability: float) -> bool:
        return is_enough(len(pages), probability, self.options)


def is_enough(pages: int, probability: float, options: WebsitesOptions) -> bool:
    """Return whether policy `websites` has read enough pages of a site to decide.

    An unlikely site is not read on: most sites are irrelevant, and one page each is their price.
    """
    if pages >= options.decide_pages or probability < options.unlikely:
        return True
    return pages >= options.min_pages and is_decided(probability, options.threshold)


def is_file(url: str) -> bool:
    """Return whether a URL seems to lead to a file rather than to a page.

    >>> is_file("http://a.test/manual.PDF"), is_file("http://a.test/about.html")
    (True, False)
    """
    path = url.partition("?")[0].rpartition("/")[2]
    return "." in path and path.rpartition(".")[2].lower() in _FILES
