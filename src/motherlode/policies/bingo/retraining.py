"""When a BINGO! crawl is retrained, and how it adopts what was learned (SPEC B11 to B15)."""

from collections.abc import Callable, Sequence
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.progress import Progress
from motherlode.crawl.retraining import Findings, NewModel, RetrainingPlan, StudyRunner
from motherlode.learning.links.model import VERSION as LINK_MODEL_VERSION
from motherlode.learning.links.model import unpack_link_model
from motherlode.learning.tree import VERSION
from motherlode.policies.bingo.options import BingoOptions
from motherlode.policies.bingo.steering import Bingo, Phase, policy_for
from motherlode.policies.bingo.study import StudyRequest, StudyResult, study
from motherlode.portal import Portal
from motherlode.records import LINK_MODEL, TOPIC_MODEL, Model, Outcome
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import count_pages
from motherlode.training.topic_model import unpack_classifier
from motherlode.workers.worker_pool import WorkerPool

FIRST_PAGES = 50  # before the first retraining
GROWTH = 0.35  # of the number of pages, before the next retraining
LARGE_CRAWL_PAGES = 2_000
LARGE_CRAWL_GROWTH = 1.0  # a large crawl takes longer to retrain, and gains less by it
_LEARNING_SHARE = 10  # the learning phase has one page in ten


def learning_share(options: BingoOptions, pages: int) -> int:
    """Return the pages of the learning phase: as configured, at most a tenth of the crawl."""
    return min(options.learn_pages, max(FIRST_PAGES, pages // _LEARNING_SHARE))


def pages_until_retraining(pages: int) -> float:
    """Return how many new pages are needed for a retraining, given the pages of the last one.

    >>> [pages_until_retraining(pages) for pages in (10, 200, 3_000)]
    [50, 70.0, 3000.0]
    """
    growth = GROWTH if pages < LARGE_CRAWL_PAGES else LARGE_CRAWL_GROWTH
    return max(FIRST_PAGES, growth * pages)


class LearningState(Struct, frozen=True):
    """The state of learning, stored in the report of each model so that a crawl can resume.

    `learned` says that the learning phase is over, whether or not harvesting has begun.
    """

    phase: Phase = Phase.LEARNING
    learned: bool = False
    pages: int = 0


def state_in(model: Model | None) -> LearningState:
    """Return the state of learning stored with a model; the initial state if there is none."""
    stored = {} if model is None else model.report.get("crawl", {})
    if not stored:
        return LearningState()
    return LearningState(Phase(stored["phase"]), stored["learned"], stored["pages"])


class BingoRetrainer:
    """Retrains a `Bingo` on the pages of its crawl.

    `plan.pause` is called when the learning phase is over, and harvesting does not begin.
    `plan.learn_pages` is an exact limit of the learning phase: the crawl waits for the retraining
    that ends it.
    """

    def __init__(self, portal: Portal, plan: RetrainingPlan | None = None) -> None:
        plan = plan or RetrainingPlan()
        self._portal, self._options = portal, portal.config.bingo
        self._runner = StudyRunner(portal, study, plan.process)
        self._pause: Callable[[], None] | None = plan.pause
        self._is_exact = plan.learn_pages is not None
        self._learn_pages = _learn_pages(self._options, plan)
        self._state = LearningState()
        self._pages = 0
        self._policy: Bingo | None = None
        self._is_adopting = False
        self.retrainings = 0

    async def begin(self, workers: WorkerPool) -> Bingo:
        self._pages, self._state = await workers.run_in_writer(self._load)
        harvests = self._state.learned or self._state.phase is Phase.HARVESTING
        harvests = harvests or not self._learn_pages
        phase = Phase.HARVESTING if harvests else Phase.LEARNING
        await self._train(StudyRequest(phase, archetypes=False), workers, learned=harvests)
        assert self._policy is not None  # noqa: S101 - the training made it
        return self._policy

    def record_outcomes(self, outcomes: Sequence[Outcome]) -> None:
        self._pages += sum(outcome.page is not None for outcome in outcomes)

    def due(self, *, idle: bool) -> bool:
        """Return whether to retrain: after enough new pages, at the end of the learning phase, or
        where nothing waits any more, since the new model may accept more pages."""
        new_pages = self._pages - self._state.pages
        if self._state.phase is Phase.LEARNING and (idle or self._has_learned()):
            return not (self._state.learned and self._pause)
        if not self._options.retrain:
            return False
        return new_pages > 0 if idle else new_pages >= pages_until_retraining(self._state.pages)

    def spare(self) -> float:
        if self._state.phase is Phase.LEARNING and self._is_exact:
            return self._learn_pages - self._pages
        return inf

    async def retrain(self, workers: WorkerPool) -> bool:
        state = self._state
        idle = self._pages - state.pages < FIRST_PAGES
        is_learning = state.phase is Phase.LEARNING
        learned = state.learned or self._has_learned() or (is_learning and idle)
        waits = learned and is_learning and self._pause is not None
        phase = Phase.HARVESTING if learned and not waits else state.phase
        await self._train(StudyRequest(phase, self._options.retrain), workers, learned=learned)
        if waits and self._pause is not None:
            self._pause()
        return True

    @property
    def is_behind(self) -> bool:
        """Whether there are many new pages since the last retraining, or it was interrupted."""
        many = self._pages - self._state.pages >= FIRST_PAGES
        harvests = self._state.phase is Phase.HARVESTING
        return self._options.retrain and harvests and (many or self._is_adopting)

    def describe(self, progress: Progress) -> Progress:
        return replace(
            progress,
            phase=self._state.phase.value,
            retrainings=self.retrainings,
        )

    def _has_learned(self) -> bool:
        return self._pages >= self._learn_pages

    def _load(self) -> tuple[int, LearningState]:
        with self._portal.store.reading() as session:
            return count_pages(session), state_in(ledger.latest_model(session, TOPIC_MODEL))

    async def _train(self, request: StudyRequest, workers: WorkerPool, *, learned: bool) -> None:
        """Retrain, and adopt the new models."""
        state = LearningState(request.phase, learned, self._pages)
        result = await self._runner.study(request, workers)
        self._is_adopting = True
        findings = findings_of(result, state)
        model = await self._runner.write_models(findings, workers)
        classifier, links = unpack_classifier(result.classifier), unpack_link_model(result.links)
        if self._policy is None:
            self._policy = policy_for(
                self._portal.config, classifier, model, result.home, result.phase, links
            )
        self._policy.adopt(classifier, links, model, result.phase, result.home, result.prospects)
        self._state = state
        self.retrainings += 1
        await self._runner.write_rest(findings, model, workers)
        self._is_adopting = False


def _learn_pages(options: BingoOptions, plan: RetrainingPlan) -> int:
    if plan.learn_pages is not None:
        return plan.learn_pages
    return options.learn_pages if plan.pages is None else learning_share(options, plan.pages)


def findings_of(result: StudyResult, state: LearningState) -> Findings:
    """Return the results of a retraining as they are stored, with the state of learning."""
    report = {
        "archetypes": len(result.added),
        "crawl": {"phase": state.phase.value, "learned": state.learned, "pages": state.pages},
    }
    return Findings(
        models=(
            NewModel(TOPIC_MODEL, VERSION, result.classifier, report),
            NewModel(LINK_MODEL, LINK_MODEL_VERSION, result.links),
        ),
        added=result.added,
        dropped=result.dropped,
        judgements=result.judgements,
        moves=result.moves,
        follows=result.follows,
    )
