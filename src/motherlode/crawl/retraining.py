"""Retraining during a crawl: when it is due, how it runs, and how its results are stored.

A policy that learns has a `Retrainer` (SPEC B11 to B15). It runs a study, which learns from the
store, in a separate process while the crawl goes on. The findings are written in portions between
the batches of the crawl: first the models with their training examples, then the new judgements,
then the new ranks of waiting URLs. If the process is killed in between, there is a new model with
some old ranks; the next crawl begins with a retraining.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from time import time
from typing import Any, Generic, Protocol, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.progress import Progress
from motherlode.documents.options import ReadingOptions
from motherlode.policies.policy import Policy
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.portal.directory import DATABASE
from motherlode.records import (
    BadInputError,
    Example,
    Follow,
    LodeError,
    Model,
    ModelId,
    Outcome,
    PageId,
    Requeue,
    StoreGoneError,
)
from motherlode.store import Session, Store
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import keep_judgements
from motherlode.training.corpus import CorpusCache
from motherlode.training.judgement_table import JudgementTable
from motherlode.workers.cpu_priority import lower_priority
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure
from motherlode.workers.worker_pool import WorkerPool

Request = TypeVar("Request")
Result = TypeVar("Result")
Row = TypeVar("Row")

# Learns from the store of a crawl. It writes nothing.
Study = Callable[[Session, Config, Request, CorpusCache | None], Result]

_TRAINING_PROCESS = ReadingOptions(workers=1, seconds=3600.0, memory=2**16)
_MAX_ROWS_AT_ONCE = 5_000  # so that the crawl's own writing does not wait for long


class Retrainer(Protocol):
    """Decides when to retrain, retrains, and lets the policy use the new model."""

    async def begin(self, workers: WorkerPool) -> Policy:
        """Train on the stored pages, and return the policy for the crawl."""
        ...

    def record_outcomes(self, outcomes: Sequence[Outcome]) -> None:
        """Count outcomes that were committed."""
        ...

    def due(self, *, idle: bool) -> bool:
        """Return whether to retrain now; `idle`: without it, nothing is left to fetch."""
        ...

    def spare(self) -> float:
        """Return how many pages may still be fetched before a retraining must be finished."""
        ...

    async def retrain(self, workers: WorkerPool) -> bool:
        """Retrain, and return whether the ranks of waiting URLs have changed."""
        ...

    @property
    def is_behind(self) -> bool:
        """Whether another retraining is worth it after the crawl, so that it counts all pages."""
        ...

    def describe(self, progress: Progress) -> Progress:
        """Return the progress of the crawl with that of the learning added."""
        ...


class RetrainingPlan(Struct, frozen=True):
    """How a crawl is retrained.

    `process` runs the study; None: this process does. `pages` is the page limit of the crawl.
    `learn_pages` is the exact number of pages after which a policy that first learns and then
    uses what it has learned goes over to the latter; None: as configured. `pause` is called at that
    moment, instead of going on, so that the user can give feedback. Other policies ignore both.
    """

    process: "TrainingProcess | None" = None
    pages: int | None = None
    learn_pages: int | None = None
    pause: Callable[[], None] | None = None


class NewModel(Struct, frozen=True):
    """A trained model that is not stored yet."""

    kind: str
    version: int
    packed: bytes
    report: dict[str, Any] = {}


class Findings(Struct, frozen=True):
    """The results of a retraining, to be written. The first model judges pages."""

    models: tuple[NewModel, ...]
    added: Sequence[Example]
    dropped: Sequence[Example]
    judgements: JudgementTable
    moves: Sequence[Requeue]
    follows: Sequence[tuple[PageId, Follow]]  # links of pages that only the new model accepts


class TrainingProcess:
    """A process for studies, as an async context manager; it never outlives this process."""

    def __init__(self) -> None:
        self._pool: ProcessPool[_Job, Any] = ProcessPool(_run_study, _TRAINING_PROCESS)

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._pool.__aexit__(None, None, None)

    @property
    def cpu_seconds(self) -> float:
        """The CPU time that the process has used."""
        return self._pool.cpu_seconds

    async def study(
        self,
        portal: Portal,
        study: "Study[Request, Result]",
        request: Request,
    ) -> Result:
        """Run a study. Raises `BadInputError` if there is nothing to learn, or `StoreGoneError`."""
        job = _Job(portal.path / DATABASE, portal.config, study, request)
        (result,) = await self._pool.run([job])
        if isinstance(result, _NothingToLearn):
            raise result.error(result.reason)
        if isinstance(result, _Unreachable):
            raise StoreGoneError(result.reason)
        if isinstance(result, JobFailure):
            raise LodeError(f"Training failed: its process {result.reason}.")
        study_result: Result = result
        return study_result


class _NothingToLearn(Struct, frozen=True):
    reason: str
    error: type[BadInputError]


class _Unreachable(Struct, frozen=True):
    """The database did not answer."""

    reason: str


class _Job(Struct, frozen=True):
    database: Path
    config: Config
    study: Any
    request: Any


def _run_study(job: _Job) -> Any:
    """Run a study at low priority: the crawl goes first."""
    lower_priority()
    try:
        with Store.open(job.database, job.config.store) as store, store.reading() as session:
            cache = _corpus_cache(job.database, job.config.store.url)
            return job.study(session, job.config, job.request, cache)
    except BadInputError as error:
        return _NothingToLearn(str(error), type(error))
    except StoreGoneError as error:
        return _Unreachable(str(error))


@lru_cache(1)
def _corpus_cache(_database: Path, _url: str) -> CorpusCache:
    """Return the cache of pages that earlier studies have read; usually there is one portal."""
    return CorpusCache()


class StudyRunner(Generic[Request, Result]):
    """Runs studies, in a training process if there is one, and writes their findings."""

    def __init__(
        self, portal: Portal, study: "Study[Request, Result]", process: TrainingProcess | None
    ) -> None:
        self._portal, self._study, self._process = portal, study, process

    async def study(self, request: Request, workers: WorkerPool) -> Result:
        """Run a study; after an outage of the database, run it again."""
        if self._process is None:
            with self._portal.store.reading() as session:
                return self._study(session, self._portal.config, request, None)
        while True:
            try:
                return await self._process.study(self._portal, self._study, request)
            except StoreGoneError:
                # A resilient worker pool returns once the database is back.
                await workers.run_in_writer(self._touch)

    async def write_models(self, findings: Findings, workers: WorkerPool) -> ModelId:
        """Write the models with their training examples; return the judging model."""
        return await workers.run_in_writer(partial(self._write_models, findings))

    async def write_rest(self, findings: Findings, model: ModelId, workers: WorkerPool) -> None:
        """Write the judgements of pages and the new ranks of waiting URLs, in portions."""
        table = findings.judgements
        judged = [(page, replace(judgement, model=model)) for page, judgement in table]
        for judgements in _portions(judged):
            await self._write(keep_judgements, judgements, workers)
        for moves in _portions(findings.moves):
            await self._write(frontier.move, moves, workers)
        for follows in _portions(findings.follows):
            await self._write(frontier.offer_from, follows, workers)

    def _write_models(self, findings: Findings) -> ModelId:
        with self._portal.batch() as session:
            topic_rows.add_examples(session, findings.added)
            for example in findings.dropped:
                topic_rows.remove_example(session, example.topic, example.url or "")
            kept = [
                ledger.keep_model(
                    session,
                    Model(ModelId(0), new.kind, new.version, time(), new.packed, new.report),
                )
                for new in reversed(findings.models)  # the judging model has the highest number
            ]
        return kept[-1].id

    async def _write(
        self,
        write: Callable[[Session, Sequence[Row]], object],
        rows: Sequence[Row],
        workers: WorkerPool,
    ) -> None:
        def write_rows() -> None:
            with self._portal.batch() as session:
                write(session, rows)

        await workers.run_in_writer(write_rows)

    def _touch(self) -> None:
        with self._portal.store.reading():
            pass


def _portions(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    starts = range(0, len(rows), _MAX_ROWS_AT_ONCE)
    return (rows[start : start + _MAX_ROWS_AT_ONCE] for start in starts)
