"""The crawler of Bergmark, Lagoze and Sbityakov (ECDL 2002) for many collections at once, and ours.

`tunnel-2002` follows links first in, first out, and prunes paths whose distance exceeds the cutoff.
`tunnel` has the same distance and cutoff. It ranks links by what is known of them, has a queue for
each subject, lets the queues take turns so that no subject starves, and learns the cutoff.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from motherlode.documents.features.spaces import TERMS
from motherlode.learning.matrix import Floats
from motherlode.learning.tunnel.learned_cutoff import LearnedCutoff
from motherlode.policies.follows import QUEUE, follow_seeds
from motherlode.policies.policy import Moves, PolicyDefaults, Visit
from motherlode.policies.registry import TUNNEL, TUNNEL_2002
from motherlode.policies.tunnel.link_scores import SINK, LinkEstimates
from motherlode.policies.tunnel.model import CentroidModel
from motherlode.policies.tunnel.steps import Step, Steps
from motherlode.records import Follow, Judgement, QueueId, UrlKey
from motherlode.urls import Address, host_of


@dataclass(slots=True)
class Tunnel2002(PolicyDefaults):
    """First in, first out, with pruning: as published, without any ranking.

    A rank is minus the number of links that were discovered before; `discovered` is their number.
    The order of URLs in the store is not that of the crawl: it includes the links of the hits.
    """

    name: ClassVar[str] = TUNNEL_2002
    seeds: Sequence[Address]
    model: CentroidModel
    steps: Steps
    discovered: int = 0
    links: tuple[Follow, ...] = ()
    _correlations: dict[UrlKey, Floats] = field(default_factory=dict)

    @property
    def spaces(self) -> Sequence[str]:
        return (TERMS,)

    def seed(self) -> Iterable[Follow]:
        return [*follow_seeds(self.seeds), *self.links]

    def begin_at_hits(self) -> None:
        """Take the links of seeds that are hits, and so fetched already, as seeds."""
        hits = [hit for seed in self.seeds if (hit := self.steps.hits.get(seed.key)) is not None]
        steps = [step for hit in hits for step in self.steps.from_hit(hit)[0]]
        self.links = tuple(follow for step in steps for follow in self.follows(step))

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        rows = self.model.correlations([visit.sample for visit in visits])
        self._correlations = {visit.entry.key: row for visit, row in zip(visits, rows, strict=True)}
        return [self.model.judgement_of(row) for row in rows]

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        steps, notes = self.steps.after(visit, judgement, self.correlations_of(visit))
        return Moves([follow for step in steps for follow in self.follows(step)], notes)

    def follows(self, step: Step) -> list[Follow]:
        """Return the links of a step, ranked behind all that were discovered before."""
        first = self.discovered + 1
        self.discovered += len(step.links)
        return [
            Follow(link.url, link.key, QUEUE, -float(rank), step.depth, step.distance, via=step.via)
            for rank, link in enumerate(step.links, first)
        ]

    def correlations_of(self, visit: Visit) -> Floats:
        """Return the correlations of a page, as they were when it was judged."""
        known = self._correlations.get(visit.entry.key)
        return self.model.correlations([visit.sample])[0] if known is None else known


@dataclass(slots=True)
class Tunnel(Tunnel2002):
    """Ranked links, a queue for each subject, and a cutoff that is learned on the way."""

    name: ClassVar[str] = TUNNEL
    scores: LinkEstimates = field(kw_only=True)
    learned_cutoff: LearnedCutoff | None = field(kw_only=True, default=None)

    @property
    def takes_turns(self) -> bool:
        return True

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        correlations = self.correlations_of(visit)
        self.scores.add_page(visit.url, correlations)
        self._learn(visit, judgement)
        steps, notes = self.steps.after(visit, judgement, correlations)
        return Moves([follow for step in steps for follow in self.follows(step)], notes)

    def _learn(self, visit: Visit, judgement: Judgement) -> None:
        if self.learned_cutoff is not None and visit.entry.depth:
            is_nugget = judgement.own_score >= self.model.threshold
            self.learned_cutoff.add(visit.entry.distance, is_nugget=is_nugget)
            self.steps.cutoff = self.learned_cutoff.cutoff

    def follows(self, step: Step) -> list[Follow]:
        """Return the links of a step in the queues of the subjects that they promise most for."""
        if not step.links:
            return []
        expected = self.scores.expected(step.links, step.correlations, step.language)
        nearest = np.argmax(expected, axis=1)
        ranks = expected[np.arange(len(nearest)), nearest]
        queues = self.model.centroids.subjects[nearest].tolist()
        sinking = self._sinking(step)
        return [
            Follow(
                link.url,
                link.key,
                QueueId(queue),
                rank - SINK if host_of(link.url) in sinking else rank,
                step.depth,
                step.distance,
                via=step.via,
            )
            for link, queue, rank in zip(step.links, queues, ranks.tolist(), strict=True)
        ]

    def _sinking(self, step: Step) -> frozenset[str]:
        if not self.steps.tunnel.sinking:
            return frozenset()
        hosts = {host_of(link.url) for link in step.links}
        return frozenset(host for host in hosts if self.scores.sinks(host))
