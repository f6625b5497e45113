"""When our crawl for websites learns anew, and what from: all sites that were examined so far."""

from collections.abc import Sequence
from functools import partial
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.progress import Progress
from motherlode.crawl.retraining import Findings, NewModel, RetrainingPlan, StudyRunner
from motherlode.learning.sites.contrast import unpack_contrast
from motherlode.policies.policy import Policy
from motherlode.policies.registry import WEBSITES
from motherlode.policies.websites.model import VERSION, SiteModel, fit_site_contrast, topic_of_sites
from motherlode.policies.websites.ranks import NamedEdgeRank
from motherlode.policies.websites.restart import our_policy
from motherlode.policies.websites.steering import WebsitePolicy
from motherlode.policies.websites.stored_sites import (
    SITE_NOTE,
    SiteState,
    portal_sites,
    revise_probabilities,
    stored_verdicts,
)
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import SITE_CONTRAST_MODEL, ModelId, Outcome, TopicId
from motherlode.store.session import Session
from motherlode.training.corpus import CorpusCache
from motherlode.training.judgement_table import JudgementTable
from motherlode.training.samples import samples_in
from motherlode.workers.worker_pool import WorkerPool

FIRST_SITES = 3  # that are examined before the first retraining
GROWTH = 0.2  # of the number of examined sites, before the next one


class SiteStudy(Struct, frozen=True):
    """What was learned: the packed contrast, and how likely each known site is relevant."""

    topic: TopicId
    formula: bytes
    probabilities: dict[str, float]
    judgements: JudgementTable


def sites_until_retraining(examined: int) -> float:
    """Return how many more sites are examined before the next retraining.

    >>> [sites_until_retraining(examined) for examined in (0, 10, 100)]
    [3, 3, 20.0]
    """
    return max(FIRST_SITES, GROWTH * examined)


def study_sites(
    session: Session,
    config: Config,
    _request: None,
    _cache: CorpusCache | None,
) -> SiteStudy:
    """Learn from all examined sites, and judge all pages anew."""
    sites = portal_sites(session, config)
    fitted = fit_site_contrast(session, sites)
    topic = topic_of_sites(session)
    model = SiteModel(topic, fitted.contrast)
    judged = (
        (page, judgement)
        for batch in samples_in(session, model.spaces)
        for page, judgement in zip(
            [page for page, _ in batch],
            model.judge([sample for _, sample in batch]),
            strict=True,
        )
    )
    return SiteStudy(
        topic=topic,
        formula=fitted.contrast.pack(),
        probabilities=fitted.probabilities,
        judgements=JudgementTable.of(judged),
    )


class WebsitesRetrainer:
    """Retrains our policy on the sites that its crawl has examined."""

    def __init__(self, portal: Portal, plan: RetrainingPlan | None = None) -> None:
        plan = plan or RetrainingPlan()
        self._portal = portal
        self._runner = StudyRunner(portal, study_sites, plan.process)
        self._policy: WebsitePolicy | None = None
        self._examined: set[str] = set()
        self._learned_from = 0
        self._retrainings = 0

    async def begin(self, workers: WorkerPool) -> Policy:
        """Learn from the named sites and those examined before."""
        self._examined = await workers.run_in_writer(self._examined_sites)
        await self.retrain(workers)
        self._retrainings = 0
        assert self._policy is not None  # noqa: S101 - the retraining made it
        return self._policy

    def record_outcomes(self, outcomes: Sequence[Outcome]) -> None:
        """Note the sites that were decided, each once."""
        notes = [note for outcome in outcomes for note in outcome.notes if note.kind == SITE_NOTE]
        self._examined |= {note.key for note in notes if note.value["state"] == SiteState.EXAMINED}

    def due(self, *, idle: bool) -> bool:
        """Return whether enough sites were examined since, or any where nothing else is left."""
        new = len(self._examined) - self._learned_from
        return new > 0 if idle else new >= sites_until_retraining(self._learned_from)

    def spare(self) -> float:
        """Return how many pages may be fetched before a retraining: the crawl waits for none."""
        return inf

    async def retrain(self, workers: WorkerPool) -> bool:
        """Retrain, and write the new judgements and verdicts."""
        self._learned_from = len(self._examined)
        study = await self._runner.study(None, workers)
        findings = Findings(
            models=(
                NewModel(
                    SITE_CONTRAST_MODEL,
                    VERSION,
                    SiteModel(study.topic, unpack_contrast(study.formula)).pack(),
                ),
            ),
            added=(),
            dropped=(),
            judgements=study.judgements,
            moves=(),
            follows=(),
        )
        number = await self._runner.write_models(findings, workers)
        await self._adopt(study, number, workers)
        await self._runner.write_rest(findings, number, workers)
        await workers.run_in_writer(partial(self._revise, study.probabilities))
        self._retrainings += 1
        return False

    @property
    def is_behind(self) -> bool:
        """Whether sites were examined that the model does not know."""
        return len(self._examined) > self._learned_from

    def describe(self, progress: Progress) -> Progress:
        return replace(progress, retrainings=self._retrainings)

    async def _adopt(self, study: SiteStudy, number: ModelId, workers: WorkerPool) -> None:
        contrast = unpack_contrast(study.formula)
        model = SiteModel(study.topic, contrast, number)
        if self._policy is None:
            self._policy = await workers.run_in_writer(partial(self._make_policy, model))
        if isinstance(self._policy.graph.rank, NamedEdgeRank):
            self._policy.graph.rank.adopt(contrast)
        self._policy.adopt(model, study.probabilities)

    def _make_policy(self, model: SiteModel) -> WebsitePolicy:  # type: ignore[type-arg]
        with self._portal.store.reading() as session:
            sites = portal_sites(session, self._portal.config)
            return our_policy(session, self._portal.config, sites, model, WEBSITES)

    def _revise(self, probabilities: dict[str, float]) -> None:
        with self._portal.batch() as session:
            revise_probabilities(session, self._portal.config, probabilities)

    def _examined_sites(self) -> set[str]:
        with self._portal.store.reading() as session:
            return {
                site
                for site, verdict in stored_verdicts(session).items()
                if verdict.state is SiteState.EXAMINED
            }
