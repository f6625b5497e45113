"""How a site is examined: as published in 2004, and ours."""

from collections.abc import Callable
from dataclasses import dataclass

from motherlode.learning.sites.internal_order import link_weight, page_rank_in_site
from motherlode.learning.sites.link_rank import link_rank, page_link_weight
from motherlode.learning.sites.site_names import with_name
from motherlode.learning.sites.site_posterior import SiteEvidence, is_decided
from motherlode.policies.websites.examination import Examination, WaitingPage
from motherlode.policies.websites.options import WebsitesOptions
from motherlode.policies.websites.ranks import NamedEdgeRank
from motherlode.policies.websites.site_graph import SiteGraph

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

    def probability(self, site: Examination) -> float:
        evidence = SiteEvidence()
        for page in site.read:
            evidence = evidence.with_page(page.probability, self.error)
        return evidence.posterior(self.prior())

    def is_decided(self, site: Examination) -> bool:
        if not is_decided(site.probability, self.options.threshold):
            return False
        return not site.waiting or self._link_rank(site) >= self.options.link_rank

    def _link_rank(self, site: Examination) -> float:
        """Return the LinkRank of the pages read so far (SPEC W5)."""
        weights = [
            page_link_weight(page.probability, page.leaving, self.options.link_constant)
            for page in site.read
        ]
        return link_rank(weights, site.probability)


@dataclass(frozen=True, slots=True)
class ContrastJudge:
    """Ours: breadth-first from the home page, and a probability calibrated for the pages read.

    A site is decided after one page. Later it is read on, if that is worth more than another site
    (`decided_sites`). The names of the site count with its pages.
    """

    names: NamedEdgeRank
    graph: SiteGraph

    def page_rank(self, page: WaitingPage) -> float:
        return -float(page.depth) - 0.5 * is_file(page.address.url)

    def probability(self, site: Examination) -> float:
        contrast = self.names.contrast
        probability = contrast.probability(contrast.score_of(site.profile))
        linked = self.graph.waiting_site(site.site)
        return (
            probability if linked is None else with_name(probability, self.names.name_part(linked))
        )

    def is_decided(self, site: Examination) -> bool:  # noqa: ARG002
        return True


def is_file(url: str) -> bool:
    """Return whether a URL seems to lead to a file rather than to a page.

    >>> is_file("http://a.test/manual.PDF"), is_file("http://a.test/about.html")
    (True, False)
    """
    path = url.partition("?")[0].rpartition("/")[2]
    return "." in path and path.rpartition(".")[2].lower() in _FILES
