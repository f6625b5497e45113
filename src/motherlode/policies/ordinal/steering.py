"""The crawlers by levels (SPEC F3).

`ordinal-2007` follows links of pages of level i before those of level i + 1, gives all links of a
level the same rank, and discards pages beyond `ordinal.followed`. `ordinal` ranks the links of a
level by what is known of each: the page, its anchor text, its URL, and its host. A level takes
`LEVEL_STEP` from a rank, so that a very good link of the next level may come first, and nothing is
discarded.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.learning.matrix import Floats
from motherlode.learning.tunnel.centroids import Centroids
from motherlode.policies.follows import QUEUE, follow_seeds, links_within
from motherlode.policies.options import CrawlOptions
from motherlode.policies.ordinal.model import ON_THE_THRESHOLD, OrdinalModel
from motherlode.policies.policy import NO_MOVES, Moves, PolicyDefaults, Visit
from motherlode.policies.registry import ORDINAL, ORDINAL_2007
from motherlode.policies.tunnel.link_scores import LinkEstimates
from motherlode.records import ROOT, Follow, Judgement, Link, PageId, TopicId, UrlKey
from motherlode.urls import Address

LEVEL_STEP = 0.2  # what each level takes from the rank of a link


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
    """Ours: links ranked within their level. Without a model yet, all pages are of one level.

    `scores` are made of the same `centroids`; `examples` are the topics of the user's examples, by
    URL key.
    """

    name: ClassVar[str] = ORDINAL
    seeds: Sequence[Address]
    centroids: Centroids
    scores: LinkEstimates
    options: CrawlOptions
    model: OrdinalModel | None = None
    links: tuple[Follow, ...] = ()
    examples: Mapping[UrlKey, TopicId] = field(default_factory=dict)

    @property
    def spaces(self) -> Sequence[str]:
        return (TERMS,)

    def seed(self) -> Iterable[Follow]:
        return [*follow_seeds(self.seeds), *self.links]

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        if self.model is not None:
            judgements = self.model.judge([visit.sample for visit in visits])
            return accept_examples(visits, judgements, self.examples, self.model)
        # Without levels, only examples are known to be on the topic; the score is the correlation.
        best = [float(self._correlations(visit.sample).max(initial=0.0)) for visit in visits]
        unknown = [Judgement(ROOT, min(value - 1.0, 0.0), score=value) for value in best]
        return accept_examples(visits, unknown, self.examples)

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        correlations = self._correlations(visit.sample)
        self.scores.add_page(visit.url, correlations)
        depth = visit.entry.depth + 1
        if bool(self.options.depth) and depth > self.options.depth:
            return NO_MOVES
        level = 0 if self.model is None else self.model.level_of(judgement.own_score)
        language = visit.document.language or "en"
        links = links_within(visit.document.links, self.options)
        return Moves(self.follows(links, level, depth, (correlations, language)))

    def follows(
        self,
        links: Sequence[Link],
        level: int,
        depth: int,
        about: tuple[Floats, str],
        via: PageId | None = None,
    ) -> list[Follow]:
        """Return the links of a page of a level; `about` are its correlations and its language."""
        if not links:
            return []
        ranks = self.scores.expected(links, *about).max(axis=1) - LEVEL_STEP * level
        return [
            Follow(link.url, link.key, QUEUE, rank, depth, float(level), via=via)
            for link, rank in zip(links, ranks.tolist(), strict=True)
        ]

    def summary(self) -> str:
        return "no levels learned yet" if self.model is None else self.model.levels_in_words()

    def adopt(self, model: OrdinalModel) -> None:
        """Use a new model from now on."""
        self.model, self.centroids = model, model.centroids
        self.scores.adopt(model.centroids)

    def _correlations(self, sample: Sample) -> Floats:
        correlations: Floats = self.centroids.correlations([sample[TERMS]])[0]
        return correlations
