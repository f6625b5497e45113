"""When policy `ordinal` learns anew, and what from: the links between all pages of the crawl."""

from collections.abc import Sequence
from functools import partial
from math import inf

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.progress import Progress
from motherlode.crawl.retraining import Findings, NewModel, RetrainingPlan, StudyRunner
from motherlode.learning.matrix import Floats
from motherlode.policies.ordinal.level_trainer import fit_our_levels, our_space
from motherlode.policies.ordinal.link_evidence import LinkKnowledge, changed_ranks, learn_links
from motherlode.policies.ordinal.model import VERSION, OrdinalModel, load_ordinal_model
from motherlode.policies.ordinal.restart import our_policy
from motherlode.policies.ordinal.steering import Ordinal
from motherlode.policies.ordinal.training_pages import crawled_levels, crawled_pages
from motherlode.policies.policy import Policy
from motherlode.policies.tunnel.subjects import meanings_of_words
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import ORDINAL_MODEL, Judgement, Model, Outcome, PageId, Requeue
from motherlode.store.session import Session
from motherlode.store.tables.pages import count_pages
from motherlode.training.corpus import CorpusCache, PageCorpus
from motherlode.training.judgement_table import JudgementTable
from motherlode.training.samples import samples_in
from motherlode.training.training_set import common_vocabulary_bags
from motherlode.workers.worker_pool import WorkerPool

FIRST_PAGES = 40  # that are fetched before the first retraining
GROWTH = 0.5  # of the number of pages, before the next one


class LevelStudy(Struct, frozen=True):
    """What was learned: the packed model, what links say, new judgements and new ranks."""

    packed: bytes
    sizes: dict[int, int]
    known: LinkKnowledge
    judgements: JudgementTable
    moves: list[Requeue]


def pages_until_retraining(pages: int) -> float:
    """Return how many more pages are fetched before the next retraining.

    >>> [pages_until_retraining(pages) for pages in (0, 40, 1000)]
    [40, 40, 500.0]
    """
    return max(FIRST_PAGES, GROWTH * pages)


def study_levels(
    session: Session, config: Config, _request: None, cache: CorpusCache | None
) -> LevelStudy:
    """Learn from the pages of the crawl, judge all of them, and rank all waiting URLs anew."""
    corpus = PageCorpus(session, cache)
    pages, numbers = crawled_pages(session, corpus)
    meanings = meanings_of_words(config.learning)
    space = our_space(pages, common_vocabulary_bags(), meanings, config.ordinal)
    levels = crawled_levels(session, corpus, (pages, numbers), space, config.ordinal.levels)
    model = fit_our_levels(pages, space, levels, config.ordinal)
    judged, probabilities = _judge_all(session, model)
    table = JudgementTable.of(judged)
    given = [numbers[place] for places in pages.example_places.values() for place in places]
    known = learn_links(session, model, corpus, (table.pages, probabilities), np.array(given))
    moves = list(changed_ranks(session, known.prospects))
    return LevelStudy(model.pack(), model.packed.sizes, known, table, moves)


def _judge_all(
    session: Session, model: OrdinalModel
) -> tuple[list[tuple[PageId, Judgement]], Floats]:
    """Return the judgement of each page, and the probability that it is of level 0."""
    judged: list[tuple[PageId, Judgement]] = []
    parts: list[Floats] = [np.zeros(0)]
    for batch in samples_in(session, model.spaces):
        samples = [sample for _, sample in batch]
        judgements = model.judge(samples)
        judged += zip([page for page, _ in batch], judgements, strict=True)
        values = np.array([judgement.own_score for judgement in judgements])
        given = np.array([model.is_example(sample) for sample in samples], bool)
        parts.append(np.where(given, 1.0, model.probabilities(values)))
    return judged, np.concatenate(parts)


class OrdinalRetrainer:
    """Retrains our policy on the links that its crawl has found."""

    def __init__(self, portal: Portal, plan: RetrainingPlan | None = None) -> None:
        plan = plan or RetrainingPlan()
        self._portal = portal
        self._runner = StudyRunner(portal, study_levels, plan.process)
        self._policy: Ordinal | None = None
        self._pages = self._learned_from = 0
        self._retrainings = 0

    async def begin(self, workers: WorkerPool) -> Policy:
        """Learn from the pages that there are, and return the policy."""
        self._pages = await workers.run_in_writer(self._count_pages)
        self._policy = await workers.run_in_writer(self._make_policy)
        await self.retrain(workers)
        self._retrainings = 0
        return self._policy

    def record_outcomes(self, outcomes: Sequence[Outcome]) -> None:
        """Count the pages that were stored."""
        self._pages += sum(outcome.page is not None for outcome in outcomes)

    def due(self, *, idle: bool) -> bool:
        """Return whether enough pages were fetched since, or any where nothing else is left."""
        new = self._pages - self._learned_from
        return new > 0 if idle else new >= pages_until_retraining(self._learned_from)

    def spare(self) -> float:
        """Return how many pages may be fetched before a retraining: the crawl waits for none."""
        return inf

    async def retrain(self, workers: WorkerPool) -> bool:
        """Retrain, and write the new judgements."""
        self._learned_from = self._pages
        study = await self._runner.study(None, workers)
        findings = Findings(
            models=(NewModel(ORDINAL_MODEL, VERSION, study.packed, {"levels": study.sizes}),),
            added=(),
            dropped=(),
            judgements=study.judgements,
            moves=study.moves,
            follows=(),
        )
        number = await self._runner.write_models(findings, workers)
        stored = Model(number, ORDINAL_MODEL, VERSION, 0.0, study.packed)
        await workers.run_in_writer(partial(self._adopt, stored, study.known))
        await self._runner.write_rest(findings, number, workers)
        self._retrainings += 1
        return True

    @property
    def is_behind(self) -> bool:
        """Whether pages were fetched that the model does not know."""
        return self._pages > self._learned_from

    def describe(self, progress: Progress) -> Progress:
        return replace(progress, retrainings=self._retrainings)

    def _adopt(self, stored: Model, known: LinkKnowledge) -> None:
        model = load_ordinal_model(stored, self._portal.tree(), complete=True)
        if self._policy is not None:
            self._policy.adopt(model, known)

    def _make_policy(self) -> Ordinal:
        with self._portal.store.reading() as session:
            return our_policy(session, self._portal, None)

    def _count_pages(self) -> int:
        with self._portal.store.reading() as session:
            return count_pages(session)
