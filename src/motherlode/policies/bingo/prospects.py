"""The prospects of links: the probability that each target is on the topic, before it is fetched.

A page on a topic links to other pages on it (Davison 2000, "Topical locality in the Web"), and to
pages that everybody links to. So the share of a URL's parents that are on the topic says more than
the best parent, which every famous page has sooner or later, and more than their sum, which is
fame itself. Where parents are few, the share of the host's pages that were on the topic stands in
for more of them. Each share is drawn towards the estimate one level up, the host's towards the
prior, as an m-estimate is (Cestnik 1990, "Estimating probabilities").

The text of links is further evidence (`link_text.py`; Chakrabarti, Punera and Subramanyam 2002,
"Accelerated focused crawling through online relevance feedback"). It is added to the log-odds, as
naive Bayes adds independent evidence. So are the outcomes of nearby links: links that are near each
other on a page lead to similar pages (Davison again), as the entries of a list do. Those are summed
whenever a retraining goes over all links. How much each kind of evidence is worth differs from web
to web, and is learned on the way (`learning.links.weights`). See docs/quality.md, "How links are
ranked".

The table has a fixed size, as the memory of `store.sieve`: the latest URL of a slot keeps it.
"""

from collections.abc import Sequence
from math import exp, log
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.learning.links.weights import LinkWeights
from motherlode.policies.bingo import kernels
from motherlode.policies.bingo.kernels import (
    HOST_ROW,
    HOST_SHIFT,
    HOST_SLOTS,
    MAX_EVIDENCE,
    MIN_PROBABILITY,
    PRIOR_PAGES,
    PRIOR_PARENTS,
    PRIOR_PROBABILITY,
    URL_ROW,
    Floats,
    Keys,
)
from motherlode.policies.bingo.link_text import (
    EvidenceSum,
    LinkTextEvidence,
    TextEvidence,
    WeightEvidence,
)
from motherlode.records import Link, UrlKey

_Sums = npt.NDArray[np.floating[Any]]

_NEARBY_WEIGHT = 0.5  # nearby links are half independent of the share
_PRIOR_NEARBY_LINKS = 2.0  # with the parents' share, added to the nearby links


class RankParts(Struct, frozen=True):
    """The rank of a URL, and the parts that add up to it."""

    rank: float
    parents: float
    host: float
    words: float
    near: float


class ScoredLinks(Struct, frozen=True):
    """Links: the keys of their URLs, and the evidence of their texts."""

    keys: Keys
    text: Floats

    def between(self, start: int, end: int) -> "ScoredLinks":
        """Return the links with an index from `start` up to, but not including, `end`."""
        return ScoredLinks(self.keys[start:end], self.text[start:end])


class Prospects:
    """The evidence on URLs that links lead to. `size` is a power of two; a slot takes 24 bytes."""

    def __init__(self, size: int = 1 << 20) -> None:
        self._last = size - 1
        self._mask = np.int64(size - 1)
        self._urls = np.zeros(size, URL_ROW)
        self._hosts = np.zeros(HOST_SLOTS, HOST_ROW)
        self._keys, self._parents = self._urls["key"], self._urls["parents"]
        self._sums = self._urls["probability_sum"]
        self._text = self._urls["text"]  # of the last link
        self._nearby = self._urls["nearby"]
        self._host_pages, self._host_sums = self._hosts["pages"], self._hosts["probability_sum"]
        self._link_text, self.weights = LinkTextEvidence(WeightEvidence({})), LinkWeights()

    @property
    def size(self) -> int:
        """The number of URLs that there is room for."""
        return len(self._keys)

    def __getstate__(self) -> dict[str, object]:
        """Return the used slots only: the table is sent to the crawl after each retraining."""
        used, hosts = np.flatnonzero(self._parents), np.flatnonzero(self._host_pages)
        return {
            "size": self.size,
            "urls": self._rows(used),
            "hosts": (hosts, self._host_pages[hosts], self._host_sums[hosts]),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["size"])  # type: ignore[misc]
        self.set_urls(*state["urls"])
        hosts, self._host_pages[hosts], self._host_sums[hosts] = state["hosts"]

    def use_evidence(
        self,
        evidence: TextEvidence,
        weights: LinkWeights = LinkWeights(),  # noqa: B008 - it is frozen
    ) -> None:
        """Score link texts by this evidence, and weigh all evidence so, from now on.

        Neither is pickled with the table.
        """
        self._link_text, self.weights = LinkTextEvidence(evidence), weights

    def use_text_evidence(
        self,
        kinds: Sequence[TextEvidence],
        weights: LinkWeights = LinkWeights(),  # noqa: B008 - it is frozen
    ) -> None:
        """Score link texts by these kinds of evidence: by words and, if known, by mentions."""
        text_weights = (weights.words, weights.mentions)[: len(kinds)]
        self.use_evidence(EvidenceSum(kinds, text_weights), weights)

    def score_links(self, links: Sequence[Link], language: str = "en") -> ScoredLinks:
        """Return links with the evidence of their texts; many at once take less time per link."""
        keys = np.array([link.key for link in links], np.int64)
        return ScoredLinks(keys, self._link_text.of_links(keys, links, language))

    def add_page(self, probability: float, page: UrlKey, links: ScoredLinks) -> Floats:
        """Add a page that is on the topic with this probability, and return the ranks of its links.

        Of several links to a URL, the text of the last one counts. The page counts once.
        """
        self.count_page(page, probability)
        tables = self._urls, self._hosts
        ranks: Floats = kernels.record_links(
            links.keys,
            links.text,
            probability,
            tables,
            self.weights.share,
        )
        return ranks

    def set_urls(self, keys: Keys, parents: _Sums, sums: _Sums, text: _Sums, nearby: _Sums) -> None:
        """Set the number of parents of URLs, the sums of their probabilities, and the evidence of
        the last link's text and of nearby links."""
        slots = keys & self._mask
        self._keys[slots], self._nearby[slots] = keys, nearby
        self._parents[slots], self._sums[slots], self._text[slots] = parents, sums, text

    def set_nearby(self, key: UrlKey, probability_sum: float, pages: int) -> None:
        """Set the evidence of nearby links, which lead to this many pages with this sum."""
        slot = key & self._last
        row = slice(slot, slot + 1)
        share = self.shares(np.array([key]), self._parents[row], self._sums[row])
        evidence = nearby_evidence((probability_sum, pages), share)[0]
        self._nearby[slot] = self.weights.near * evidence

    def _rows(self, slots: Keys) -> tuple[Keys, _Sums, _Sums, _Sums, _Sums]:
        """Return the arguments with which `set_urls` restores these slots."""
        sums = self._parents[slots], self._sums[slots], self._text[slots], self._nearby[slots]
        return self._keys[slots], *sums

    def add_missing_from(self, other: "Prospects") -> None:
        """Copy the URLs that only the other table knows; the crawl wrote to it in the meantime.

        The evidence of texts and nearby links keeps its old weights until the next retraining.
        """
        slots = np.flatnonzero(other._parents)
        slots = slots[self._parents[other._keys[slots] & self._mask] == 0]
        self.set_urls(*other._rows(slots))

    def count_page(self, key: UrlKey, probability: float) -> None:
        """Count a page for the host of its URL."""
        slot = (key >> HOST_SHIFT) % HOST_SLOTS
        self._host_pages[slot] += 1.0
        self._host_sums[slot] += probability

    def count_pages(self, keys: Keys, probabilities: Floats) -> None:
        """Count pages for the hosts of their URLs, the last one first; NaN is not counted."""
        known = np.flatnonzero(np.isfinite(probabilities))[::-1]
        slots = (keys[known] >> HOST_SHIFT) % HOST_SLOTS
        np.add.at(self._host_pages, slots, 1.0)
        np.add.at(self._host_sums, slots, probabilities[known])

    @property
    def link_text(self) -> LinkTextEvidence:
        return self._link_text

    def rank(self, key: UrlKey) -> float | None:
        """Return the present rank of a URL; None if the table does not hold it (any more)."""
        slot = key & self._last
        parents = self._parents.item(slot)
        if self._keys.item(slot) != key or not parents:
            return None
        share = _m_estimate(self._sums.item(slot), parents, self._host_share(key), PRIOR_PARENTS)
        return self._combine(share, self._text.item(slot) + self._nearby.item(slot))

    def _host_share(self, key: UrlKey) -> float:
        host = (key >> HOST_SHIFT) % HOST_SLOTS
        pages, probability_sum = self._host_pages.item(host), self._host_sums.item(host)
        return float(_m_estimate(probability_sum, pages, PRIOR_PROBABILITY, PRIOR_PAGES))

    def _combine(self, share: float, evidence: float) -> float:
        """Return the rank by the share of parents and host, and by further evidence.

        Numpy takes five times as long for a single number, and every entry that is taken is ranked.
        """
        share = min(max(share, MIN_PROBABILITY), 1.0 - MIN_PROBABILITY)
        odds = exp(self.weights.share * log(share / (1.0 - share)) + min(evidence, MAX_EVIDENCE))
        return odds / (1.0 + odds)

    def rank_parts(self, key: UrlKey) -> RankParts | None:
        """Return the present rank of a URL and its parts; None if the table does not hold it."""
        rank = self.rank(key)
        if rank is None:
            return None
        slot = key & self._last
        weight = float(self._parents[slot]) + PRIOR_PARENTS
        parents = float(self._sums[slot]) / weight
        host = PRIOR_PARENTS * self._host_share(key) / weight
        by_share = self._combine(parents + host, 0.0)
        by_share_and_text = self._combine(parents + host, self._text.item(slot))
        scale = by_share / (parents + host)  # by the learned weight of the share
        return RankParts(
            rank=rank,
            parents=scale * parents,
            host=scale * host,
            words=by_share_and_text - by_share,
            near=rank - by_share_and_text,
        )

    def ranks(self, keys: Sequence[UrlKey]) -> Floats:
        """Return the present ranks of URLs; NaN where the table does not hold one."""
        wanted = np.array(keys, np.int64)
        slots = wanted & self._mask
        known = (self._keys[slots] == wanted) & (self._parents[slots] > 0)
        shares = self.shares(wanted, self._parents[slots], self._sums[slots])
        evidence = np.minimum(self._text[slots] + self._nearby[slots], MAX_EVIDENCE)
        odds = np.exp(self.weights.share * logit(shares) + evidence)
        return np.where(known, odds / (1.0 + odds), np.nan)

    def shares(self, keys: Keys, parents: _Sums, sums: _Sums, own: _Sums | None = None) -> Floats:
        """Return the probabilities that URLs are on the topic by their parents and hosts alone.

        With `own`, the probabilities of the pages at the URLs, these pages are not counted for
        their hosts.
        """
        hosts = (keys >> HOST_SHIFT) % HOST_SLOTS
        host_sums, pages = self._host_sums[hosts], self._host_pages[hosts]
        if own is not None:
            host_sums, pages = np.maximum(host_sums - own, 0.0), np.maximum(pages - 1.0, 0.0)
        host_shares = _m_estimate(host_sums, pages, PRIOR_PROBABILITY, PRIOR_PAGES)
        shares = _m_estimate(sums, parents, host_shares, PRIOR_PARENTS)
        clipped: Floats = np.clip(shares, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)
        return clipped


def _m_estimate(total: Any, count: Any, prior: Any, weight: float) -> Any:
    """Return the share total / count, drawn towards the prior; of numbers or of arrays."""
    return (total + weight * prior) / (count + weight)


def nearby_evidence(nearby: Any, share: Any) -> Any:
    """Return the evidence of nearby links for a URL with this share; of numbers or of arrays.

    `nearby` is the sum of the probabilities of the pages behind them, and their number.
    """
    probability_sum, pages = nearby
    estimate = _m_estimate(probability_sum, pages, share, _PRIOR_NEARBY_LINKS)
    nearby_share = np.clip(estimate, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)
    return _NEARBY_WEIGHT * (logit(nearby_share) - logit(share))


def logit(share: Any) -> Any:
    """Return the log-odds of a share; of a number or of an array."""
    return np.log(share / (1.0 - share))
