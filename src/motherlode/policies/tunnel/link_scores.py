"""The expected correlation of a link's target with each subject, before it is fetched.

A weighted sum of what is known of a link: the correlations of the page that it stands on, the
cosines of its anchor text and of the words in its URL with the centroids, and the mean correlations
of the pages fetched from its host, with a few pages of the whole crawl's mean added:

    e = 0.02 + 0.30 page + 0.35 anchor + 0.35 URL + 0.30 host

The weights were rounded from a ridge regression of the correlations of fetched targets in simulated
crawls; learned anew in each crawl they brought nothing (docs/collecting.md).
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote

import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import SILENT_PARTS
from motherlode.documents.text.terms import sequences_of
from motherlode.learning.matrix import Floats
from motherlode.learning.tunnel.centroids import Centroids
from motherlode.records import Link
from motherlode.urls import host_of

CONSTANT, PAGE_WEIGHT, ANCHOR_WEIGHT, URL_WEIGHT, HOST_WEIGHT = 0.02, 0.30, 0.35, 0.35, 0.30
PRIOR_PAGES = 3.0  # of the whole crawl's mean, added to the pages of a host
MEAN_SHARE = 0.005  # of the newest page in the crawl's mean, which so follows the crawl
FIRST_MEAN = 0.1  # of a crawl without pages
MIN_SINKING_PAGES = 20  # of a host, before it can sink
MAX_SINKING_SHARE = 0.02  # of its pages that would join a collection
SINK = 1.0  # taken from the rank of URLs on a sinking host: behind all others
_MAX_URLS = 1 << 15  # whose words are kept: many pages have the same links
_MAX_HOSTS = 20_000  # whose means are kept; the hosts that were met last
_WORD = re.compile(r"[^\W\d_]+")


class LinkParts(Struct, frozen=True):
    """The cosines of one link's anchor and URL, and the mean of its host, with each subject."""

    anchor: Floats
    url: Floats
    host: Floats


class _HostMean(Struct):
    total: Floats
    pages: int = 0
    good: int = 0  # pages that would join a collection


class LinkEstimates:
    """Scores links by the centroids, and by what the hosts of a crawl have had so far.

    `min_merit` is the correlation from which a page would join a collection.
    """

    def __init__(self, centroids: Centroids, min_merit: float) -> None:
        self._centroids, self._min_merit = centroids, min_merit
        self._mean: Floats = np.full(len(centroids.subjects), FIRST_MEAN)
        self._hosts: OrderedDict[str, _HostMean] = OrderedDict()

    def adopt(self, centroids: Centroids) -> None:
        """Use new centroids of the same subjects; what is known of hosts stays."""
        self._centroids = centroids

    def add_page(self, url: str, correlations: Floats) -> None:
        """Count a fetched page for its host."""
        self._mean = (1.0 - MEAN_SHARE) * self._mean + MEAN_SHARE * correlations
        host = host_of(url)
        known = self._hosts.get(host)
        if known is None:
            known = self._hosts[host] = _HostMean(np.zeros(len(correlations)))
            if len(self._hosts) > _MAX_HOSTS:
                self._hosts.popitem(last=False)
        else:
            self._hosts.move_to_end(host)
        known.total = known.total + correlations
        known.pages += 1
        known.good += bool(len(correlations)) and float(correlations.max()) >= self._min_merit

    def expected(self, links: Sequence[Link], correlations: Floats, language: str) -> Floats:
        """Return the expected correlation of each link's target with each subject."""
        anchors, urls = self._names(links, language)
        hosts = [host_of(link.url) for link in links]
        means = {host: self._host_mean(host) for host in dict.fromkeys(hosts)}
        scores: Floats = (
            CONSTANT
            + PAGE_WEIGHT * correlations
            + ANCHOR_WEIGHT * anchors
            + URL_WEIGHT * urls
            + HOST_WEIGHT * np.array([means[host] for host in hosts]).reshape(len(links), -1)
        )
        return scores

    def parts_of(self, link: Link, language: str) -> LinkParts:
        """Return the parts of one link's score, to explain it."""
        anchors, urls = self._names([link], language)
        return LinkParts(anchors[0], urls[0], self._host_mean(host_of(link.url)))

    def sinks(self, host: str) -> bool:
        """Return whether a host gave many pages and hardly any that would join a collection."""
        known = self._hosts.get(host)
        if known is None or known.pages < MIN_SINKING_PAGES:
            return False
        return known.good <= MAX_SINKING_SHARE * known.pages

    def _names(self, links: Sequence[Link], language: str) -> tuple[Floats, Floats]:
        texts = [link.anchor for link in links] + [url_words(link.url) for link in links]
        cosines = self._centroids.correlations_of_names(sequences_of(texts, language))
        return cosines[: len(links)], cosines[len(links) :]

    def _host_mean(self, host: str) -> Floats:
        known = self._hosts.get(host)
        if known is None:
            return self._mean
        mean: Floats = (known.total + PRIOR_PAGES * self._mean) / (known.pages + PRIOR_PAGES)
        return mean


@lru_cache(_MAX_URLS)
def url_words(url: str) -> str:
    """Return the words in the path and query of a URL.

    >>> url_words("http://www.example.org/birds/barn-owl.html?page=2")
    'birds barn owl page'
    """
    path = unquote(url.partition("://")[2].partition("/")[2])
    return " ".join(part for part in _WORD.findall(path) if part.lower() not in SILENT_PARTS)
