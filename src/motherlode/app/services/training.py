"""Learn a portal's topics from examples and marks, and judge all pages by the new model."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.training import TrainRequest
from motherlode.app.services.crawl_problem import told_examples
from motherlode.crawl.context import CrawlContext
from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.fetcher_setup import reading_options_of, user_agent
from motherlode.crawl.preparation import prepare, unfetched
from motherlode.fetch.event_loop import run
from motherlode.fetch.http import HttpWeb
from motherlode.policies.kind import training_of
from motherlode.portal import Portal
from motherlode.records import TopicId
from motherlode.search.indexer import ProgressCallback
from motherlode.search.last_search import ResultSet
from motherlode.training.feedback.review import Effect
from motherlode.training.report import TopicReport, report_on
from motherlode.training.training_document import UnusableExample
from motherlode.training.user_retraining import RetrainedModel, RetrainingOptions
from motherlode.workers.fork_client import early_fork_server
from motherlode.workers.worker_pool import ProcessWorkerPool

Say = Callable[[str], None]


class LostExample(Struct, frozen=True):
    """An example that nothing was learned from, and why."""

    example: str
    why: str


class TrainResult(Struct, frozen=True):
    """A new model, its training set, and its effect on the pages.

    `semantic`: whether word meanings count. `others`: counterexamples below each parent topic.
    `effect`: the pages that moved.
    """

    model: int
    setting: str
    spaces: tuple[str, ...]
    rule: str
    semantic: bool
    fetched: int
    missing: list[LostExample]
    others: dict[str, int]
    note: str
    topics: list[TopicReport]
    judged: int
    effect: Effect


def train_directory(
    directory: Path, request: TrainRequest, say: Say, on_progress: ProgressCallback
) -> TrainResult:
    """Learn the topics of a portal, fetching examples first, and judge its pages."""
    with early_fork_server(), Portal.crawling(directory, "train", request.settings) as portal:
        training_of(portal.config.crawl.policy)  # before anything is fetched
        fetched = 0 if request.offline or not unfetched(portal) else run(_fetch(portal, say))
        with told_examples(portal):
            return _train(portal, request, fetched, on_progress)


def preview_training(
    directory: Path, request: TrainRequest, on_progress: ProgressCallback
) -> Effect:
    """Return what training would change; nothing is fetched or stored."""
    with Portal.reading(directory, request.settings) as portal:
        return _relearn(portal, replace(request, offline=True), on_progress).effect


class UndoResult(Struct, frozen=True):
    """A training that was taken back, or would be; `effect`: the pages that go back."""

    model: int
    trained_at: float
    effect: Effect
    kept: bool


def undo_training_in(directory: Path, request: TrainRequest) -> UndoResult:
    """Take back the latest training, or with `preview` only return what that would change.

    Raises `UsageError` if that cannot be done exactly.
    """
    if request.preview:
        with (
            Portal.reading(directory, request.settings) as portal,
            portal.store.reading() as session,
        ):
            steps = training_of(portal.config.crawl.policy)
            training = steps.undoable(session, portal.tree())
    else:
        with Portal.writing(directory, "lode train", request.settings) as portal:
            training = training_of(portal.config.crawl.policy).undo(portal)
    return UndoResult(
        training.model, training.trained_at, training.effect, kept=not request.preview
    )


async def _fetch(portal: Portal, say: Say) -> int:
    config = portal.config
    async with (
        HttpWeb(config.network, user_agent(config), config.dns) as web,
        ProcessWorkerPool(reading_options_of(config), config.reading) as workers,
    ):
        counters = CrawlCounters()
        fetched = await prepare(portal, web, context=CrawlContext(workers, counters=counters))
    for advice in counters.advice:
        say(advice)
    return fetched


def _relearn(
    portal: Portal, request: TrainRequest, on_progress: ProgressCallback
) -> RetrainedModel:
    with portal.store.reading() as session:
        tree = portal.tree()
        results = ResultSet(portal, session, tree) if request.results else None
        pages = results.pages if results else None
        options = RetrainingOptions(only=pages, offline=request.offline, on_progress=on_progress)
        steps = training_of(portal.config.crawl.policy)
        learned = steps.retrain(session, tree, portal.config, options)
        if results is None:
            return learned
        order = results.order(dict(learned.judgements))
        return replace(learned, effect=replace(learned.effect, order=order))


def _train(
    portal: Portal, request: TrainRequest, fetched: int, on_progress: ProgressCallback
) -> TrainResult:
    options, tree = portal.config.learning, portal.tree()
    learned = _relearn(portal, request, on_progress)
    training_set = learned.training_set
    report = report_on(learned.classifier, training_set, tree, options)
    examples = {topic.path: topic.examples for topic in report}
    steps = training_of(portal.config.crawl.policy)
    model = steps.save(portal, learned, {"examples": examples})
    others = {
        "/".join(tree.path(TopicId(parent))) or "/": len(batch.documents)
        for parent, batch in training_set.others.items()
    }
    return TrainResult(
        model=model,
        setting=options.setting,
        spaces=options.spaces,
        rule=options.rule,
        semantic=training_set.meanings is not None,
        fetched=fetched,
        missing=[_lost(missing) for missing in training_set.unusable],
        others=others,
        note=training_set.vocabulary_error,
        topics=report,
        judged=len(learned.judgements.pages),
        effect=learned.effect,
    )


def _lost(missing: UnusableExample) -> LostExample:
    return LostExample(missing.example.url or missing.example.title, missing.reason)
