"""The focused crawler of BINGO! (Sizov et al., CIDR 2003, sections 2.6, 3.3 and 4.2).

A crawl has two phases (SPEC B11, B14, B17). In the learning phase it stays near the examples, in
their domains, and follows only links from pages on the topic of the queue (sharp focus). In the
harvesting phase it follows links from pages on any topic (soft focus). Links from rejected pages
are followed for a few steps (a tunnel), since pages on the topic may lie behind them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate, pairwise
from math import exp
from typing import Protocol

import numpy as np

from motherlode.learning.links.model import LinkModel
from motherlode.learning.matrix import Ints
from motherlode.learning.options import VotingRule
from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.kernels import Floats
from motherlode.policies.bingo.link_text import text_evidence_of
from motherlode.policies.bingo.options import BingoOptions, Focus
from motherlode.policies.bingo.prospects import Prospects, ScoredLinks
from motherlode.policies.bounds import allows_host
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import Moves, PolicyDefaults, Visit
from motherlode.policies.registry import BINGO_2003
from motherlode.portal.config import Config
from motherlode.records import (
    NO_QUEUE,
    ROOT,
    Entry,
    Follow,
    Judgement,
    Lane,
    Link,
    ModelId,
    QueueId,
    TopicId,
    UrlKey,
)
from motherlode.urls import host_of, registrable_domain

NO_LINK_MODEL = LinkModel()
STEEPNESS = 15.0  # log-odds for a distance of 1 from the plane; docs/quality.md
FRONT_BONUS = 1.0  # added to the rank of URLs at the front of the queue
MIN_FRONT_PROBABILITY = 0.8  # that a URL at the front of the queue is on the topic


class Phase(StrEnum):
    """The phase of a crawl (SPEC B11, B14)."""

    LEARNING = "learning"
    HARVESTING = "harvesting"


class LinkRanking(Protocol):
    """A way to rank the links of pages."""

    def expect(self, visits: Sequence[Visit]) -> None:
        """Prepare to rank the links of these pages, page by page."""
        ...

    def rank(self, visit: Visit, judgement: Judgement, links: Sequence[Link]) -> Sequence[float]:
        """Return the rank of each link of a page."""
        ...

    def current_ranks(self, keys: Sequence[UrlKey], referrer_confidences: Floats) -> Floats:
        """Return the current ranks of URLs; NaN where nothing is known.

        `referrer_confidences` are those of the pages that led to the URLs.
        """
        ...


class ByConfidence:
    """Rank a link by the confidence of the page it stands on (BINGO!, section 4.2)."""

    def expect(self, _visits: Sequence[Visit]) -> None:
        """Nothing has to be prepared."""

    def rank(self, _visit: Visit, judgement: Judgement, links: Sequence[Link]) -> Sequence[float]:
        return [max(judgement.confidence, 0.0)] * len(links)

    def current_ranks(self, _keys: Sequence[UrlKey], referrer_confidences: Floats) -> Floats:
        return np.maximum(referrer_confidences, 0.0)


class ByProspects:
    """Rank a link by the prospects of its target."""

    def __init__(self, prospects: Prospects) -> None:
        self.prospects = prospects
        self._scored: dict[UrlKey, ScoredLinks] = {}  # the links of pages that are expected

    def expect(self, visits: Sequence[Visit]) -> None:
        self._scored = {}
        by_language: dict[str, list[Visit]] = {}
        for visit in visits:
            by_language.setdefault(_language(visit), []).append(visit)
        for language, group in by_language.items():
            scored = self.prospects.score_links(
                [link for visit in group for link in visit.document.links], language
            )
            ends = accumulate((len(visit.document.links) for visit in group), initial=0)
            for visit, (start, end) in zip(group, pairwise(ends), strict=True):
                self._scored[visit.entry.key] = scored.between(start, end)

    def rank(self, visit: Visit, judgement: Judgement, links: Sequence[Link]) -> Sequence[float]:
        scored = self._scored.get(visit.entry.key) if links is visit.document.links else None
        if scored is None:
            scored = self.prospects.score_links(links, _language(visit))
        probability = topic_probability(judgement)
        ranks: list[float] = self.prospects.add_page(probability, visit.entry.key, scored).tolist()
        return ranks

    def current_ranks(self, keys: Sequence[UrlKey], _referrer_confidences: Floats) -> Floats:
        return self.prospects.ranks(keys)


def _language(visit: Visit) -> str:
    return visit.document.language or "en"


def topic_probability(judgement: Judgement) -> float:
    """Return the probability that a page is on its topic, by its distance from the plane."""
    return 1.0 / (1.0 + exp(-STEEPNESS * judgement.confidence))


def topic_probabilities(confidences: Floats) -> Floats:
    """Return the probability that each page is on its topic; NaN where the confidence is NaN."""
    probabilities: Floats = 1.0 / (1.0 + np.exp(-STEEPNESS * confidences))
    return probabilities


@dataclass(slots=True)
class Bingo(PolicyDefaults):
    """The policy of BINGO!, with a classifier for pages and a ranking of links.

    `home` are the domains of the examples. With `depth_first`, the learning phase is depth-first,
    as in the paper. A rank is multiplied by `decay` for each rejected page on the way. With
    prospects `decay` is 1, since they count the parents that are on no topic (docs/quality.md).
    """

    classifier: TreeClassifier
    model: ModelId | None
    crawl: CrawlOptions
    options: BingoOptions
    ranking: LinkRanking
    home: Collection[str]
    phase: Phase = Phase.LEARNING
    depth_first: bool = False
    decay: float = 1.0
    links: LinkModel = NO_LINK_MODEL
    _domains: dict[str, bool] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.crawl.policy

    @property
    def spaces(self) -> Sequence[str]:
        return self.classifier.spaces

    def seed(self) -> tuple[Follow, ...]:
        """Return no URL: the examples are stored before a crawl, and their links are queued."""
        return ()

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        """Return the topic and confidence of each page.

        A page on no topic gets the root, and the confidence of the nearest topic.
        """
        self.ranking.expect(visits)
        verdicts = self.classifier.judge([visit.sample for visit in visits])
        return [
            Judgement(
                topic=TopicId(verdict.topic),
                confidence=verdict.confidence,
                model=self.model,
                probability=verdict.probability,
            )
            for verdict in verdicts
        ]

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        links = self._allowed(visit.document.links)
        ranks = self.ranking.rank(visit, judgement, links)
        return Moves(self._follows(visit, judgement, links, ranks))

    def steer_again(self, visit: Visit, judgement: Judgement) -> list[Follow]:
        """Return the links to follow from a known page whose judgement has changed."""
        links = self._allowed(visit.document.links)
        confidences = np.full(len(links), judgement.confidence)
        ranks = self.ranking.current_ranks([link.key for link in links], confidences)
        return self._follows(visit, judgement, links, np.nan_to_num(ranks).tolist())

    def _allowed(self, links: Sequence[Link]) -> Sequence[Link]:
        if not self.crawl.domains and not self.crawl.locked:
            return links
        return [link for link in links if self.allows(link.url)]

    def _follows(
        self, visit: Visit, judgement: Judgement, links: Sequence[Link], ranks: Sequence[float]
    ) -> list[Follow]:
        distance = self.distance(visit, judgement)
        depth = visit.entry.depth + 1
        reach, max_depth = self.options.reach(self.name), self.crawl.depth
        if distance > reach or (max_depth and depth > max_depth):
            return []
        queue = queue_of(judgement.topic) if judgement.is_accepted else visit.entry.queue
        if self.phase is Phase.HARVESTING:  # as `place`, but faster
            factor, tunnel = self.decay**distance, float(distance)
            return [
                Follow(link.url, link.key, queue, rank * factor, depth, tunnel)
                for link, rank in zip(links, ranks, strict=True)
            ]
        return [
            self._follow(link, queue, rank, depth, float(distance))
            for link, rank in zip(links, ranks, strict=True)
        ]

    def _follow(
        self,
        link: Link,
        queue: QueueId,
        rank: float,
        depth: int,
        distance: float,
    ) -> Follow:
        lane, rank = self.place(link.url, rank, depth, distance)
        return Follow(link.url, link.key, queue, rank, depth, distance, lane)

    def current_places(
        self,
        entries: Sequence[Entry],
        referrer_confidences: Floats,
    ) -> tuple[Ints, Floats]:
        """Return the current lane and rank of each waiting entry; a rank of NaN if it is unknown.

        `referrer_confidences` are those of the pages that led to the entries.
        """
        keys = [entry.key for entry in entries]
        ranks = self.ranking.current_ranks(keys, referrer_confidences)
        if self.phase is Phase.HARVESTING:  # as `place`, but for all entries at once
            distances = np.array([entry.distance for entry in entries])
            return np.full(len(entries), int(Lane.CRAWL)), ranks * self.decay**distances
        places = [
            self.place(entry.url, rank, entry.depth, entry.distance)
            for entry, rank in zip(entries, ranks.tolist(), strict=True)
        ]
        lanes = np.array([lane for lane, _ in places], np.int64)
        return lanes, np.array([rank for _, rank in places])

    def rank_now(self, entry: Entry) -> float:
        """Return the current rank of a waiting entry; its old rank where nothing is known."""
        rank = self.prospects.rank(entry.key) if self.prospects is not None else None
        if rank is None or entry.rank > FRONT_BONUS + 1.0:  # the latter comes before all others
            return entry.rank
        was_in_front = entry.rank > FRONT_BONUS + MIN_FRONT_PROBABILITY
        in_front = was_in_front and rank > MIN_FRONT_PROBABILITY
        return float(rank * self.decay**entry.distance) + FRONT_BONUS * in_front

    @property
    def prospects(self) -> Prospects | None:
        return self.ranking.prospects if isinstance(self.ranking, ByProspects) else None

    def adopt(
        self,
        classifier: TreeClassifier,
        links: LinkModel,
        model: ModelId,
        phase: Phase,
        home: Collection[str],
        prospects: Prospects | None,
    ) -> None:
        """Use a new model, phase and prospects from now on."""
        self.classifier, self.model, self.phase, self.home = classifier, model, phase, home
        self.links = links
        if prospects is not None:
            use_models(prospects, classifier, links)
            if self.prospects is not None:
                prospects.add_missing_from(self.prospects)
            self.ranking = ByProspects(prospects)

    def place(self, url: str, rank: float, depth: int, distance: float) -> tuple[Lane, float]:
        """Return the lane and rank of a link; the learning phase holds distant links back."""
        if self.phase is Phase.LEARNING and not self._is_in_learning_bounds(url, depth):
            return Lane.HELD, rank
        if self._is_depth_first():
            return Lane.CRAWL, depth + min(rank, 0.99)
        return Lane.CRAWL, rank * self.decay**distance

    def distance(self, visit: Visit, judgement: Judgement) -> int:
        """Return how many rejected pages in a row lead to this page's links; 0 if it is accepted.

        With sharp focus, a page on another topic than that of its queue counts as rejected.
        """
        is_on_queue_topic = queue_of(judgement.topic) == visit.entry.queue
        may_lead = self._is_soft() or is_on_queue_topic or self._is_start(visit)
        if judgement.is_accepted and may_lead:
            return 0
        return int(visit.entry.distance) + 1

    def allows(self, url: str) -> bool:
        """Return whether the user's options let the crawl go to a URL."""
        if not self.crawl.domains and not self.crawl.locked:
            return True
        host = host_of(url)
        allowed = self._domains.get(host)
        if allowed is None:
            allowed = self._domains[host] = allows_host(host, self.crawl)
        return allowed

    def _is_soft(self) -> bool:
        return self.phase is Phase.HARVESTING and self.options.focus is Focus.SOFT

    def _is_start(self, visit: Visit) -> bool:
        """Return whether no page of any topic has led to this page."""
        return visit.entry.depth == 0 or visit.entry.queue in (queue_of(ROOT), NO_QUEUE)

    def _is_depth_first(self) -> bool:
        return self.depth_first and self.phase is Phase.LEARNING

    def _is_in_learning_bounds(self, url: str, depth: int) -> bool:
        """Return whether the learning phase may fetch a URL."""
        if self.options.learn_depth and depth > self.options.learn_depth:
            return False
        return not self.options.learn_at_home or registrable_domain(host_of(url)) in self.home


def policy_for(
    config: Config,
    classifier: TreeClassifier,
    model: ModelId | None,
    home: Collection[str],
    phase: Phase,
    links: LinkModel = NO_LINK_MODEL,
) -> Bingo:
    """Return the policy for a portal's crawl in a phase."""
    if config.crawl.policy == BINGO_2003:
        classifier.rule = rule_of(phase)
        return Bingo(
            classifier=classifier,
            model=model,
            crawl=config.crawl,
            options=config.bingo,
            ranking=ByConfidence(),
            home=home,
            phase=phase,
            depth_first=True,
            decay=config.bingo.decay,
        )
    prospects = Prospects()
    use_models(prospects, classifier, links)
    return Bingo(
        classifier=classifier,
        model=model,
        crawl=config.crawl,
        options=config.bingo,
        ranking=ByProspects(prospects),
        home=home,
        phase=phase,
        links=links,
    )


def use_models(prospects: Prospects, classifier: TreeClassifier, links: LinkModel) -> None:
    """Weigh links by this classifier and by the link model from now on."""
    evidence = text_evidence_of(classifier, links.mentions)
    prospects.use_text_evidence(evidence, links.weights)


def rule_of(phase: Phase) -> VotingRule:
    """Return how several feature spaces vote in a phase (SPEC B11, B14)."""
    return VotingRule.UNANIMOUS if phase is Phase.LEARNING else VotingRule.WEIGHTED


def queue_of(topic: TopicId) -> QueueId:
    """Return the queue of a topic, which has the topic's number."""
    return QueueId(topic)
