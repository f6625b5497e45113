"""Retraining and rejudging at a user's request: first tried, then saved (SPEC B21).

A training can be undone as long as nothing was crawled since: a crawl goes on from the judgements
of the training, and learns from the pages that it puts on a topic.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import time
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from motherlode.learning.tree import VERSION, TreeClassifier
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import (
    ROOT,
    TOPIC_MODEL,
    BadInputError,
    Example,
    Feedback,
    Model,
    ModelId,
    PageId,
    UsageError,
)
from motherlode.records.example_counts import count_examples
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.former_judgements import (
    FormerJudgements,
    former_judgements,
    keep_former_judgements,
    restore_judgements,
)
from motherlode.topics import TopicTree
from motherlode.training.feedback.marks import rejected_archetypes
from motherlode.training.feedback.move_reasons import MoveReasons
from motherlode.training.feedback.review import (
    Effect,
    ProgressCallback,
    effect_of_former,
    effect_of_judgements,
    judge_pages,
    save_judgements,
)
from motherlode.training.judgement_table import JudgementTable
from motherlode.training.topic_model import (
    latest_classifier,
    unpack_classifier,
    without_removed_topics,
)
from motherlode.training.trainer import Trainer, knows_topics, train
from motherlode.training.training_set import TrainingSet, documents_below


class RetrainingOptions(Struct, frozen=True):
    """What to learn from (by default, all that the store has), and the pages to judge (all)."""

    examples: tuple[Example, ...] | None = None
    rejected: tuple[Feedback, ...] | None = None
    only: tuple[PageId, ...] | None = None
    offline: bool = False
    on_progress: ProgressCallback = lambda _done, _total: None


class RetrainedModel(Struct, frozen=True):
    """A new classifier, its judgements of pages, and what they change; nothing is saved yet."""

    training_set: TrainingSet
    classifier: TreeClassifier
    judgements: JudgementTable
    effect: Effect


# Learns a classifier of topics from these examples.
LearnTopics = Callable[
    [Session, TopicTree, Config, Sequence[Example], Trainer], tuple[TrainingSet, TreeClassifier]
]


def learn_topics(
    session: Session,
    tree: TopicTree,
    config: Config,
    examples: Sequence[Example],
    trainer: Trainer,
) -> tuple[TrainingSet, TreeClassifier]:
    """Return the classifier of a portal's topics, learned from the examples alone."""
    return train(session, tree, config.learning, examples=examples, trainer=trainer)


def retrain(
    session: Session,
    tree: TopicTree,
    config: Config,
    options: RetrainingOptions,
    learn: LearnTopics = learn_topics,
) -> RetrainedModel:
    """Train again, and judge the pages by the new classifier.

    Raises `BadInputError` if there is nothing to learn from.
    """
    model = ledger.latest_model(session, TOPIC_MODEL)
    examples = topic_rows.examples_of(session) if options.examples is None else options.examples
    learning, offline = config.learning, options.offline
    trainer = Trainer(session, tree, learning, offline=offline, rejected=options.rejected)
    training_set, classifier = learn(session, tree, config, examples, trainer)
    judgements = judge_pages(
        session, classifier, options.only, options.on_progress, options.rejected
    )
    counts = {
        topic.id: count_examples(
            document.example
            for document in documents_below(topic.id, training_set.parents, training_set.documents)
        )
        for topic in tree
    }
    models = latest_classifier(session, tree), classifier
    given = options.rejected
    rejected = rejected_archetypes(session, tree) if given is None else given
    since = 0.0 if model is None else model.created_at
    reasons = MoveReasons(session, tree, models, rejected=rejected, since=since)
    effect = effect_of_judgements(session, tree, judgements, models, counts, reasons)
    return RetrainedModel(training_set, classifier, judgements, effect)


def save_retrained(portal: Portal, retrained: RetrainedModel, report: dict[str, Any]) -> ModelId:
    """Save the model with this report, its judgements, and what undoes them, in one transaction."""
    with portal.batch() as session:
        earlier = ledger.latest_model(session, TOPIC_MODEL)
        if earlier is not None and "crawl" in earlier.report:
            report = {**report, "crawl": earlier.report["crawl"]}  # the policy's own state
        packed = retrained.classifier.pack()
        model = Model(ModelId(0), TOPIC_MODEL, VERSION, time(), packed, report)
        saved = ledger.keep_model(session, model)
        keep_former_judgements(session, saved.id)
        save_judgements(session, retrained.judgements, saved.id)
        return saved.id


class UndoableTraining(Struct, frozen=True):
    """The latest training, the judgements before it, and what undoing it changes."""

    model: ModelId
    trained_at: float
    former: FormerJudgements
    effect: Effect


def undoable_training(session: Session, tree: TopicTree) -> UndoableTraining:
    """Return the latest training. Raises `UsageError` if it cannot be undone exactly."""
    model = ledger.latest_model(session, TOPIC_MODEL)
    former = None if model is None else former_judgements(session, model.id)
    if model is None or former is None:
        raise UsageError(
            "There is no training to take back; a training can be taken back until the next "
            "crawl learns."
        )
    if former.last_run != ledger.last_run(session):
        raise UsageError(
            "Pages were fetched since the latest training, so it cannot be taken back; "
            "'lode train DIR' learns again from what you say now."
        )
    if former.topic_ids() - {ROOT, *(topic.id for topic in tree)}:
        raise UsageError(
            "Topics were removed since the latest training, so it cannot be taken back; "
            "'lode topics DIR restore' brings them back."
        )
    effect = effect_of_former(session, tree, former)
    return UndoableTraining(model.id, model.created_at, former, effect)


def undo_training(portal: Portal) -> UndoableTraining:
    """Restore the model and all judgements before the latest training, in one transaction."""
    with portal.batch() as session:
        training = undoable_training(session, portal.tree())
        restore_judgements(session, training.model, training.former)
        ledger.undo_model(session, training.model, time())
        return training


class RejudgedPages(Struct, frozen=True):
    """New judgements by the model in use, and what they change; nothing is saved yet."""

    model: ModelId
    judgements: JudgementTable
    effect: Effect


def rejudge(
    session: Session,
    tree: TopicTree,
    only: Sequence[PageId] | None,
    on_progress: ProgressCallback,
) -> RejudgedPages:
    """Judge all pages, or `only` these, by the model in use."""
    model = ledger.latest_model(session, TOPIC_MODEL)
    if model is None:
        raise BadInputError("Nothing was learned yet; 'lode train DIR' does so.")
    try:
        classifier = without_removed_topics(unpack_classifier(model.packed), tree)
    except ValueError as error:
        raise BadInputError(
            f"The portal's model cannot be used ({error}); 'lode train DIR' makes a new one."
        ) from error
    if not knows_topics(classifier):
        raise BadInputError(
            "All topics that were learned are gone; 'lode train DIR' learns the others.",
        )
    judgements = judge_pages(session, classifier, only, on_progress)
    models = (classifier, classifier)
    reasons = MoveReasons(session, tree, models)
    effect = effect_of_judgements(session, tree, judgements, models, {}, reasons)
    return RejudgedPages(model.id, judgements, replace(effect, topics=()))


def save_rejudged(portal: Portal, rejudged: RejudgedPages) -> int:
    """Save the judgements in one transaction, and return their number."""
    with portal.batch() as session:
        return save_judgements(session, rejudged.judgements, rejudged.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSteps:
    """What `lode train`, `lode judge --again` and taking a training back do for a policy."""

    retrain: Callable[[Session, TopicTree, Config, RetrainingOptions], RetrainedModel] = retrain
    save: Callable[[Portal, RetrainedModel, dict[str, Any]], ModelId] = save_retrained
    undoable: Callable[[Session, TopicTree], UndoableTraining] = undoable_training
    undo: Callable[[Portal], UndoableTraining] = undo_training
    rejudge: Callable[
        [Session, TopicTree, Sequence[PageId] | None, ProgressCallback], RejudgedPages
    ] = rejudge
    save_rejudged: Callable[[Portal, RejudgedPages], int] = save_rejudged


TOPIC_TRAINING = TrainingSteps()
