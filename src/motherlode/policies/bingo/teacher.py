"""When a crawl learns, and how what it learned is adopted, without anybody standing still (SPEC B11 to B15).

A lesson is studied in a process of its own. What comes of it is kept in portions, between the batches of the
crawl: first the model with its archetypes, then what it thinks of the pages, then the new places of what
waits. Killed in between, the crawl has a model and some old ranks: the next one begins with a lesson.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from math import inf
from pathlib import Path
from time import time
from typing import Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.progress import Progress
from motherlode.documents.options import ReadingOptions
from motherlode.learning.tree import VERSION
from motherlode.policies.bingo.retraining import Assignment, Insight, study
from motherlode.policies.bingo.steering import Bingo, Phase, policy_for
from motherlode.policies.options import CrawlOptions
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.portal.directory import DATABASE
from motherlode.records import BadInputError, Judgement, LodeError, Model, ModelId, Outcome, StoreGoneError
from motherlode.store import Session, Store, frontier, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.judged import keep_judgements
from motherlode.store.pages import count_pages
from motherlode.training.corpus import Shelf
from motherlode.training.opinion import classifier_of
from motherlode.training.training_set import KIND
from motherlode.workers.cpu_priority import lower_priority
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure
from motherlode.workers.worker_pool import WorkerPool

T = TypeVar("T")

FIRST = 50  # pages before the first lesson on the way
GROWTH = 0.35  # then one whenever there are so many times more,
SETTLED = 2_000  # and from so many pages on,
SLOWLY = (
    1.0  # whenever there are so many times more: a lesson goes over all pages, and tells less that is new
)
_TENTH = 10
_UNLIMITED = ReadingOptions(workers=1, seconds=3600.0, memory=2**16)
_PORTION = 5_000  # rows that are written at once: nobody who keeps pages waits for long


def learning_share(options: CrawlOptions, pages: int) -> int:
    """How many pages the learning phase may take of those that are asked for: a tenth, and as configured."""
    return min(options.learn_pages, max(FIRST, pages // _TENTH))


def wanted_for_lesson(pages: int) -> float:
    """How many more pages there must be for another lesson than at the last one.

    >>> wanted_for_lesson(10), wanted_for_lesson(200), wanted_for_lesson(3_000)
    (50, 70.0, 3000.0)
    """
    return max(FIRST, (GROWTH if pages < SETTLED else SLOWLY) * pages)


class StudyRoom:
    """A process to study in, which ends with this one, however that ends. An async context manager."""

    def __init__(self) -> None:
        self._workers: ProcessPool[Task, Insight | Away | str] = ProcessPool(_study, _UNLIMITED)

    async def __aenter__(self) -> Self:
        await self._workers.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._workers.__aexit__(None, None, None)

    async def study(self, portal: Portal, assignment: Assignment) -> Insight:
        """Study there. Raises `BadInputError` where there is nothing to learn from, and `StoreGoneError`."""
        (found,) = await self._workers.run([Task(portal.path / DATABASE, portal.config, assignment)])
        if isinstance(found, str):
            raise BadInputError(found)
        if isinstance(found, Away):
            raise StoreGoneError(found.reason)
        if isinstance(found, JobFailure):
            raise LodeError(f"Learning failed: the process that studies {found.reason}.")
        return found


class Away(Struct, frozen=True):
    """The database did not answer; what it said instead."""

    reason: str


class Task(Struct, frozen=True):
    """What is studied, and where it lies."""

    database: Path
    config: Config
    assignment: Assignment


def _study(task: Task) -> Insight | Away | str:
    """What is found out, or why nothing can be. Nobody waits for it: the crawl goes first."""
    lower_priority()
    try:
        with Store.open(task.database, task.config.store) as store, store.reading() as session:
            return study(session, task.config, task.assignment, _shelf(task.database, task.config.store.url))
    except BadInputError as error:
        return str(error)
    except StoreGoneError as error:
        return Away(str(error))


@lru_cache(1)
def _shelf(_database: Path, _url: str) -> Shelf:
    """What lessons keep of what they have read. The process has one portal, as a rule."""
    return Shelf()


class Standpoint(Struct, frozen=True):
    """How far learning is; kept in the report of each model, so that a crawl goes on from there."""

    phase: Phase = Phase.LEARNING
    learned: bool = False  # the learning phase is over, whether or not harvesting has begun
    pages: int = 0


class Teacher:
    """Teaches a `Bingo` what its crawl has found. `room`: where to study; None: on the spot.

    Where `pause` is given it is called instead of harvesting, once there is nothing more to learn: a person
    is to look at the archetypes first. `learn_pages`: those of the learning phase, if not as configured.
    `exact`: not one more, though everybody has to wait for the lesson that ends it.
    """

    def __init__(
        self,
        portal: Portal,
        room: StudyRoom | None = None,
        pause: Callable[[], None] | None = None,
        learn_pages: int | None = None,
        *,
        exact: bool = False,
    ) -> None:
        self._portal, self._room, self._pause, self._exact = portal, room, pause, exact
        self._options = portal.config.crawl
        self._learn_pages = self._options.learn_pages if learn_pages is None else learn_pages
        self._at = Standpoint()
        self._pages = self._archetypes = 0
        self._precision: float | None = None
        self._policy: Bingo | None = None
        self._is_adopting = False
        self.lessons = 0

    async def begin(self, workers: WorkerPool) -> Bingo:
        """Learn from what is there, and make the policy that goes on from there."""
        self._pages, self._at = await workers.run_in_writer(self._look)
        goes_on = self._at.learned or self._at.phase is Phase.HARVESTING or not self._learn_pages
        phase = Phase.HARVESTING if goes_on else Phase.LEARNING
        await self._give(Assignment(phase, archetypes=False), workers, learned=goes_on)
        assert self._policy is not None  # noqa: S101 - the lesson made it
        return self._policy

    def saw(self, outcomes: Sequence[Outcome]) -> None:
        self._pages += sum(outcome.page is not None for outcome in outcomes)

    def due(self, *, idle: bool) -> bool:
        """After some pages, and then whenever there are so many more as is wanted; at the end of the learning
        phase; and where nothing waits any more, for a lesson may find more to follow."""
        fresh = self._pages - self._at.pages
        if self._at.phase is Phase.LEARNING and (idle or self._has_learned()):
            return not (self._at.learned and self._pause)
        if not self._options.retrain:
            return False
        return fresh > 0 if idle else fresh >= wanted_for_lesson(self._at.pages)

    def spare(self) -> float:
        learns = self._at.phase is Phase.LEARNING
        return self._learn_pages - self._pages if learns and self._exact else inf

    async def teach(self, workers: WorkerPool) -> bool:
        idle = self._pages - self._at.pages < FIRST
        learned = self._at.learned or self._has_learned() or (self._at.phase is Phase.LEARNING and idle)
        waits = learned and self._at.phase is Phase.LEARNING and self._pause is not None
        phase = Phase.HARVESTING if learned and not waits else self._at.phase
        await self._give(Assignment(phase, self._options.retrain), workers, learned=learned)
        if waits and self._pause is not None:
            self._pause()
        return True

    @property
    def is_behind(self) -> bool:
        """Whether a last lesson is worth having, so that all pages are judged by all that was found: many are
        new to it, or one was broken off while it was being adopted."""
        many = self._pages - self._at.pages >= FIRST
        return self._options.retrain and self._at.phase is Phase.HARVESTING and (many or self._is_adopting)

    def told(self, progress: Progress) -> Progress:
        return replace(
            progress, phase=self._at.phase.value, retrainings=self.lessons, precision=self._precision
        )

    def _has_learned(self) -> bool:
        return self._pages >= self._learn_pages

    def _look(self) -> tuple[int, Standpoint]:
        with self._portal.store.reading() as session:
            model = ledger.latest_model(session, KIND)
            told = {} if model is None else model.report.get("crawl", {})
            at = Standpoint(Phase(told["phase"]), told["learned"], told["pages"]) if told else Standpoint()
            return count_pages(session), at

    async def _give(self, assignment: Assignment, workers: WorkerPool, *, learned: bool) -> None:
        """Study, and adopt what was found out."""
        pages = self._pages
        insight = await self._studied(assignment, workers)
        at = Standpoint(assignment.phase, learned, pages)
        self._is_adopting = True
        model = await workers.run_in_writer(partial(self._keep_model, insight, at))
        classifier = classifier_of(insight.packed)
        if self._policy is None:
            self._policy = policy_for(self._options, classifier, model, insight.home, insight.phase)
        self._policy.adopt(classifier, model, insight.phase, insight.home, insight.prospects)
        self._at, self._precision = at, insight.precision
        self.lessons += 1
        await self._keep_rest(insight, model, workers)
        self._is_adopting = False

    async def _studied(self, assignment: Assignment, workers: WorkerPool) -> Insight:
        if self._room is None:
            with self._portal.store.reading() as session:
                return study(session, self._portal.config, assignment)
        while True:
            try:
                return await self._room.study(self._portal, assignment)
            except StoreGoneError:
                # A worker pool that outlasts outages returns once the database is back.
                await workers.run_in_writer(self._look)

    def _keep_model(self, insight: Insight, at: Standpoint) -> ModelId:
        """The model with the examples that it was learned from."""
        report = {
            "precision": insight.precision,
            "archetypes": len(insight.added),
            "crawl": {"phase": at.phase.value, "learned": at.learned, "pages": at.pages},
        }
        with self._portal.batch() as session:
            topic_rows.add_examples(session, insight.added)
            for one in insight.dropped:
                topic_rows.remove_example(session, one.topic, one.url or "")
            model = Model(ModelId(0), KIND, VERSION, time(), insight.packed, report)
            return ledger.keep_model(session, model).id

    async def _keep_rest(self, insight: Insight, model: ModelId, workers: WorkerPool) -> None:
        """What the model thinks of pages, and where everything waits now; some at a time."""
        by = [(page, Judgement(said.topic, said.confidence, model)) for page, said in insight.thoughts]
        for portion in _portions(by):
            await workers.run_in_writer(partial(self._written, keep_judgements, portion))
        for moves in _portions(insight.moves):
            places = [(move.entry, move.queue, move.rank) for move in moves]
            await workers.run_in_writer(partial(self._written, frontier.move, places))
        for opened in _portions(insight.opened):
            await workers.run_in_writer(partial(self._written, frontier.offer_from, opened))

    def _written(self, write: Callable[[Session, Sequence[T]], object], rows: Sequence[T]) -> None:
        with self._portal.batch() as session:
            write(session, rows)


def _portions(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    return (rows[start : start + _PORTION] for start in range(0, len(rows), _PORTION))
