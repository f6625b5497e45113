"""The crawlers by levels (SPEC F3).

`ordinal-2007` follows links of pages of level i before those of level i + 1, gives all links of a
level the same rank, and discards pages beyond `ordinal.followed`. `ordinal` turns w.x into the
probability that a page is of level 0, and ranks a link by the probability that it leads there: by
all pages that link to the URL, its host, its name and the links near by. Nothing is discarded.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.follows import QUEUE, follow_seeds, links_within
from motherlode.policies.options import CrawlOptions
from motherlode.policies.ordinal.link_evidence import LinkKnowledge
from motherlode.policies.ordinal.model import ON_THE_THRESHOLD, OrdinalModel
from motherlode.policies.policy import NO_MOVES, Moves, PolicyDefaults, Visit
from motherlode.policies.registry import ORDINAL, ORDINAL_2007
from motherlode.records import Entry, Follow, Judgement, Link, PageId, TopicId, UrlKey
from motherlode.urls import Address


@dataclass(slots=True)
class Ordinal2007(PolicyDefaults):
    """As published: one rank for all links of a level. `links` are those of training pages.

    `examples` are the topics of the user's examples, by URL key.
    """

    name: ClassVar[str] = ORDINAL_2007
    seeds: Sequence[Address]
    model: OrdinalModel
    options: CrawlOptions
    followed: int  # the last level whose links are followed
    links: tuple[Follow, ...] = ()
    examples: Mapping[UrlKey, TopicId] = field(default_factory=dict)

    @property
    def spaces(self) -> Sequence[str]:
        return (TERMS,)

    def seed(self) -> Iterable[Follow]:
        return [*follow_seeds(self.seeds), *self.links]

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        judgements = self.model.judge([visit.sample for visit in visits])
        return accept_examples(visits, judgements, self.examples, self.model)

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        level = self.model.level_of(judgement.own_score)
        if level > self.followed or self._is_too_deep(visit.entry.depth + 1):
            return NO_MOVES
        links = links_within(visit.document.links, self.options)
        return Moves(level_follows(links, level, visit.entry.depth + 1))

    def summary(self) -> str:
        return self.model.levels_in_words()

    def _is_too_deep(self, depth: int) -> bool:
        return bool(self.options.depth) and depth > self.options.depth


def level_follows(
    links: Sequence[Link], level: int, depth: int, via: PageId | None = None
) -> list[Follow]:
    """Return the links of a page of a level, all at the same rank."""
    rank = -float(level)
    return [Follow(link.url, link.key, QUEUE, rank, depth, float(level), via=via) for link in links]


def accept_examples(
    visits: Sequence[Visit],
    judgements: Sequence[Judgement],
    examples: Mapping[UrlKey, TopicId],
    model: OrdinalModel | None = None,
) -> list[Judgement]:
    """Return judgements in which every example is accepted, also one that the model has not seen.

    Such an example was fetched, or has changed, since the model was learned.
    """
    accepted = list(judgements)
    for place, visit in enumerate(visits):
        topic, judgement = examples.get(visit.entry.key), judgements[place]
        if topic is not None and not judgement.is_accepted:
            score = judgement.own_score
            if model is not None:
                score = min(score, float(model.thresholds[0]))
            accepted[place] = replace(
                judgement, topic=topic, confidence=ON_THE_THRESHOLD, score=score
            )
    return accepted


@dataclass(slots=True)
class Ordinal(PolicyDefaults):
    """Ours: links by the probability that they lead to level 0.

    `examples` are the topics of the user's examples, by URL key.
    """

    name: ClassVar[str] = ORDINAL
    seeds: Sequence[Address]
    model: OrdinalModel
    options: CrawlOptions
    known: LinkKnowledge = field(default_factory=lambda: LinkKnowledge(Prospects()))
    links: tuple[Follow, ...] = ()
    examples: Mapping[UrlKey, TopicId] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known.use(self.model)

    @property
    def spaces(self) -> Sequence[str]:
        return (TERMS,)

    def seed(self) -> Iterable[Follow]:
        return [*follow_seeds(self.seeds), *self.links]

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        judgements = self.model.judge([visit.sample for visit in visits])
        return accept_examples(visits, judgements, self.examples, self.model)

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        value, key = judgement.own_score, visit.entry.key
        probability = 1.0 if key in self.examples else self.probability(value)
        links = links_within(visit.document.links, self.options)
        depth = visit.entry.depth + 1
        if not links or (self.options.depth and depth > self.options.depth):
            self.known.prospects.count_page(key, probability)
            return NO_MOVES
        about = (key, probability, visit.document.language or "en")
        return Moves(self.follows(links, self.model.level_of(value), depth, about))

    def follows(
        self,
        links: Sequence[Link],
        level: int,
        depth: int,
        about: tuple[UrlKey, float, str],
        via: PageId | None = None,
    ) -> list[Follow]:
        """Return the links of a page; `about` has its key, its probability and its language."""
        key, probability, language = about
        scored = self.known.prospects.score_links(links, language)
        ranks = self.known.prospects.add_page(probability, key, scored).tolist()
        return [
            Follow(link.url, link.key, QUEUE, rank, depth, float(level), via=via)
            for link, rank in zip(links, ranks, strict=True)
        ]

    def probability(self, value: float) -> float:
        """Return the probability that a page with this w.x is of level 0."""
        return float(self.model.probabilities(np.array([value]))[0])

    def rank_now(self, entry: Entry) -> float:
        """Return the current rank of a waiting entry; its old rank where nothing is known."""
        rank = self.known.prospects.rank(entry.key)
        return entry.rank if rank is None else rank

    def summary(self) -> str:
        return self.model.levels_in_words()

    def adopt(self, model: OrdinalModel, known: LinkKnowledge) -> None:
        """Use a new model, and what was learned of links with it, from now on."""
        known.use(model)
        known.prospects.add_missing_from(self.known.prospects)
        self.model, self.known = model, known
        ranks = known.prospects.ranks([link.key for link in self.links])
        self.links = tuple(
            link if np.isnan(rank) else replace(link, rank=float(rank))
            for link, rank in zip(self.links, ranks, strict=True)
        )
