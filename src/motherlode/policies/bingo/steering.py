"""The focused crawler of BINGO! (Sizov et al., CIDR 2003, sections 2.6, 3.3 and 4.2; SPEC B11, B14, B17).

It learns first and harvests then. While it learns it keeps near the examples, in their domains, and follows
only the links of pages on the topic that led there (sharp focus). While it harvests any page on any topic
passes its links on (soft focus). The links of rejected pages are followed for a few steps: a tunnel to what
may lie behind.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate, pairwise
from math import exp
from typing import Protocol

import numpy as np

from motherlode.documents.spaces import TERMS
from motherlode.learning.matrix import Ints
from motherlode.learning.options import VotingRule
from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.compiled import Floats
from motherlode.policies.bingo.names import ByMeaning, ByMention, ByWeight, Together, Voice
from motherlode.policies.bingo.prospects import Called, Prospects
from motherlode.policies.bounds import lets_in
from motherlode.policies.options import CrawlOptions, Focus, PolicyName
from motherlode.policies.policy import Visit
from motherlode.records import ROOT, Entry, Follow, Judgement, Link, ModelId, TopicId, UrlKey
from motherlode.urls import host_of, registrable_domain

STEEPNESS = 15.0  # how fast a distance to the plane becomes sure; docs/quality.md
FRONT = 1.0  # what is added to ranks at the front of the queue
LIKELY = 0.8  # what is put to the front is on the topic with this probability at least


class Phase(StrEnum):
    """What the crawl is for, now."""

    LEARNING = "learning"
    HARVESTING = "harvesting"


class Ranking(Protocol):
    """How promising links are."""

    def expect(self, visits: Sequence[Visit]) -> None:
        """The links of these pages are going to be ranked, page by page."""
        ...

    def rank(self, visit: Visit, judgement: Judgement, links: Sequence[Link]) -> Sequence[float]:
        """The rank of each link of a page."""
        ...

    def again(self, keys: Sequence[UrlKey], led: Floats) -> Floats:
        """The ranks of URLs by what is known now, and by how sure the pages are that `led` there; no number
        where nothing is known."""
        ...


class ByConfidence:
    """A link is as good as the page that it stands on is sure (BINGO!, section 4.2)."""

    def expect(self, _visits: Sequence[Visit]) -> None:
        """Nothing has to be prepared."""

    def rank(self, _visit: Visit, judgement: Judgement, links: Sequence[Link]) -> Sequence[float]:
        return [max(judgement.confidence, 0.0)] * len(links)

    def again(self, _keys: Sequence[UrlKey], led: Floats) -> Floats:
        return np.maximum(led, 0.0)


class ByProspects:
    """A link is as good as all that is known of its target promises."""

    def __init__(self, prospects: Prospects) -> None:
        self.prospects = prospects
        self._called: dict[UrlKey, Called] = {}  # the links of pages that are expected

    def expect(self, visits: Sequence[Visit]) -> None:
        self._called = {}
        by_language: dict[str, list[Visit]] = {}
        for visit in visits:
            by_language.setdefault(_language(visit), []).append(visit)
        for language, some in by_language.items():
            called = self.prospects.called(
                [link for visit in some for link in visit.document.links], language
            )
            ends = accumulate((len(visit.document.links) for visit in some), initial=0)
            for visit, (start, end) in zip(some, pairwise(ends), strict=True):
                self._called[visit.entry.key] = called.within(start, end)

    def rank(self, visit: Visit, judgement: Judgement, links: Sequence[Link]) -> Sequence[float]:
        called = self._called.get(visit.entry.key) if links is visit.document.links else None
        if called is None:
            called = self.prospects.called(links, _language(visit))
        ranks: list[float] = self.prospects.see(sureness(judgement), visit.entry.key, called).tolist()
        return ranks

    def again(self, keys: Sequence[UrlKey], _led: Floats) -> Floats:
        return self.prospects.estimates(keys)


def _language(visit: Visit) -> str:
    return visit.document.language or "en"


def sureness(judgement: Judgement) -> float:
    """How likely a page is on its topic, from 0 to 1, by its distance to the plane."""
    return 1.0 / (1.0 + exp(-STEEPNESS * judgement.confidence))


def probabilities(confidences: Floats) -> Floats:
    """The same of several pages; no number where a confidence is none."""
    probable: Floats = 1.0 / (1.0 + np.exp(-STEEPNESS * confidences))
    return probable


def is_on_topic(judgement: Judgement | None) -> bool:
    """Whether a page was judged to be on any topic."""
    return judgement is not None and judgement.topic != ROOT and judgement.confidence > 0


@dataclass(slots=True)
class Bingo:
    """`home` are the domains of the examples. `depth_first`: the learning phase goes deep before it goes
    wide, as in the paper. `decay`: what each rejected page on the way leaves of a rank. All of it, where the
    rank is by prospects, which know already how many parents are on no topic (docs/quality.md)."""

    classifier: TreeClassifier
    model: ModelId | None
    options: CrawlOptions
    ranking: Ranking
    home: Collection[str]
    phase: Phase = Phase.LEARNING
    depth_first: bool = False
    decay: float = 1.0
    _domains: dict[str, bool] = field(default_factory=dict)

    @property
    def spaces(self) -> Sequence[str]:
        return self.classifier.spaces

    def seed(self) -> tuple[Follow, ...]:
        """Nothing: the examples are in the store before a crawl begins, and their links wait there."""
        return ()

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        """The topic of each page; of those on none, the root, and how near the nearest topic is."""
        self.ranking.expect(visits)
        verdicts = self.classifier.judge([visit.sample for visit in visits])
        return [Judgement(TopicId(said.topic), said.confidence, self.model) for said in verdicts]

    def steer(self, visit: Visit, judgement: Judgement | None) -> list[Follow]:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        links = self._allowed(visit.document.links)
        return self._follows(visit, judgement, links, self.ranking.rank(visit, judgement, links))

    def steer_again(self, visit: Visit, judgement: Judgement) -> list[Follow]:
        """The same for a page that was seen before, and is thought of otherwise now."""
        links = self._allowed(visit.document.links)
        ranks = self.ranking.again([link.key for link in links], np.full(len(links), judgement.confidence))
        return self._follows(visit, judgement, links, np.nan_to_num(ranks).tolist())

    def _allowed(self, links: Sequence[Link]) -> Sequence[Link]:
        if not self.options.domains and not self.options.locked:
            return links
        return [link for link in links if self.allows(link.url)]

    def _follows(
        self, visit: Visit, judgement: Judgement, links: Sequence[Link], ranks: Sequence[float]
    ) -> list[Follow]:
        distance = self.distance(visit, judgement)
        depth = visit.entry.depth + 1
        if distance > self.options.reach or (self.options.depth and depth > self.options.depth):
            return []
        topic = judgement.topic if is_on_topic(judgement) else visit.entry.queue
        if self.phase is Phase.HARVESTING:  # the same as below, for every link of every page of a crawl
            queue, factor, far = TopicId(abs(topic)), self.decay**distance, float(distance)
            return [
                Follow(link.url, link.key, queue, rank * factor, depth, far)
                for link, rank in zip(links, ranks, strict=True)
            ]
        return [
            Follow(
                link.url,
                link.key,
                *self.place(link.url, topic, rank, depth, distance),
                depth,
                float(distance),
            )
            for link, rank in zip(links, ranks, strict=True)
        ]

    def places_now(self, entries: Sequence[Entry], topics: Ints, led: Floats) -> tuple[Ints, Floats]:
        """The queues and ranks of what waits, by what is known now: on these topics, and led to by pages that
        are as sure as this. Where nothing is known of an entry its rank is no number."""
        ranks = self.ranking.again([entry.key for entry in entries], led)
        if self.phase is Phase.HARVESTING:  # the same as below, for all that waits
            distances = np.array([entry.distance for entry in entries])
            return np.abs(topics), ranks * self.decay**distances
        placed = [
            self.place(entry.url, TopicId(topic), rank, entry.depth, entry.distance)
            for entry, topic, rank in zip(entries, topics.tolist(), ranks.tolist(), strict=True)
        ]
        return np.array([queue for queue, _ in placed], np.int64), np.array([rank for _, rank in placed])

    def rank_now(self, entry: Entry) -> float:
        """The rank of what waits, by what is known now; where that is nothing, the rank that it has."""
        book = self.prospects
        known = book.estimate(entry.key) if book is not None else None
        if known is None or entry.rank > FRONT + 1.0:  # or it comes before everything else
            return entry.rank
        stays = entry.rank > FRONT + LIKELY and known > LIKELY
        return float(known * self.decay**entry.distance) + FRONT * stays

    @property
    def prospects(self) -> Prospects | None:
        return self.ranking.prospects if isinstance(self.ranking, ByProspects) else None

    def adopt(
        self,
        classifier: TreeClassifier,
        model: ModelId,
        phase: Phase,
        home: Collection[str],
        prospects: Prospects | None,
    ) -> None:
        """Go on with what was learned."""
        self.classifier, self.model, self.phase, self.home = classifier, model, phase, home
        if prospects is not None:
            attend(prospects, classifier)
            if self.prospects is not None:
                prospects.take_over(self.prospects)
            self.ranking = ByProspects(prospects)

    def place(
        self, url: str, topic: TopicId, rank: float, depth: int, distance: float
    ) -> tuple[TopicId, float]:
        """Where a link waits: in which queue, and at which rank."""
        if self.phase is Phase.LEARNING and not self._is_near(url, depth):
            return later_queue(topic), rank
        if self._goes_deep():
            return TopicId(abs(topic)), depth + min(rank, 0.99)
        return TopicId(abs(topic)), rank * self.decay**distance

    def distance(self, visit: Visit, judgement: Judgement) -> int:
        """How many rejected pages in a row lead to this page's links; none, if it is accepted itself."""
        if is_on_topic(judgement) and (
            self._is_soft() or judgement.topic == visit.entry.queue or self._starts(visit)
        ):
            return 0
        return int(visit.entry.distance) + 1

    def allows(self, url: str) -> bool:
        """Whether a person lets the crawl go there."""
        if not self.options.domains and not self.options.locked:
            return True
        host = host_of(url)
        known = self._domains.get(host)
        if known is None:
            known = self._domains[host] = lets_in(host, self.options)
        return known

    def _is_soft(self) -> bool:
        return self.phase is Phase.HARVESTING and self.options.focus is Focus.SOFT

    def _starts(self, visit: Visit) -> bool:
        """Whether no page of any topic has led here."""
        return visit.entry.depth == 0 or visit.entry.queue in (ROOT, 0)

    def _goes_deep(self) -> bool:
        return self.depth_first and self.phase is Phase.LEARNING

    def _is_near(self, url: str, depth: int) -> bool:
        """Whether the learning phase goes there."""
        if self.options.learn_depth and depth > self.options.learn_depth:
            return False
        return not self.options.learn_at_home or registrable_domain(host_of(url)) in self.home


def policy_for(
    options: CrawlOptions,
    classifier: TreeClassifier,
    model: ModelId | None,
    home: Collection[str],
    phase: Phase,
) -> Bingo:
    """The policy that a portal is crawled by, in a phase."""
    if options.policy is PolicyName.BINGO_2003:
        classifier.rule = rule_of(phase)
        paper = Bingo(classifier, model, options, ByConfidence(), home, phase, depth_first=True)
        paper.decay = options.decay
        return paper
    prospects = Prospects()
    attend(prospects, classifier)
    return Bingo(classifier, model, options, ByProspects(prospects), home, phase)


def attend(book: Prospects, classifier: TreeClassifier) -> None:
    """Links are weighed from now on by what this classifier knows, and its crawl has learned."""
    weights, voices = classifier.weights, voices_of(classifier)
    book.listen(Together(voices, (weights.words, weights.mentions)[: len(voices)]), weights)


def voices_of(classifier: TreeClassifier) -> list[Voice]:
    """What names say for any topic below the root; and by how many pages on any of them mention them."""
    mentioned = [ByMention(classifier.mentions)] if classifier.mentions.terms else []
    return [_by_words(classifier), *mentioned]


def _by_words(classifier: TreeClassifier) -> Voice:
    """What names say by what they mean, where that and the topics are known; else by the planes' weights."""
    senses = [
        plane.centroid.direction
        for group in classifier.groups_.get(TERMS, ())
        if group.parent == ROOT
        for plane in group.planes
        if plane.centroid is not None
    ]
    if classifier.meanings is None or not senses:
        return ByWeight(term_weights(classifier))
    return ByMeaning(classifier.meanings, [np.frombuffer(direction, np.float32) for direction in senses])


def term_weights(classifier: TreeClassifier) -> dict[int, float]:
    """What each term says for any topic below the root: its best weight there, times its idf."""
    found: dict[int, float] = {}
    for group in classifier.groups_.get(TERMS, ()):
        if group.parent == ROOT:
            features = np.frombuffer(group.features, np.uint32)
            idf = np.frombuffer(group.idf, np.float32)
            for plane in group.planes:
                places = np.frombuffer(plane.feature_indices, np.uint32)
                weights = np.frombuffer(plane.weights, np.float32) * idf[places]
                for term, weight in zip(features[places].tolist(), weights.tolist(), strict=True):
                    found[term] = max(weight, found.get(term, weight))
    return found


def rule_of(phase: Phase) -> VotingRule:
    """How feature spaces decide together, where there are several (SPEC B11, B14)."""
    return VotingRule.UNANIMOUS if phase is Phase.LEARNING else VotingRule.WEIGHTED


def later_queue(queue: TopicId) -> TopicId:
    """Where a topic's links wait that are not for the learning phase."""
    return TopicId(-abs(queue))
