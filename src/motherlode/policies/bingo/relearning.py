"""Learning anew by what a person has marked, and judging anew by that: tried, then kept (SPEC B21)."""

from collections.abc import Sequence
from time import time
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from motherlode.learning.tree import VERSION, TreeClassifier
from motherlode.policies.bingo.archetypes import latest
from motherlode.policies.bingo.rescoring import Thoughts
from motherlode.policies.bingo.retraining import learned
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import BadInputError, Example, Model, ModelId, PageId
from motherlode.store import ledger
from motherlode.store import topics as topic_rows
from motherlode.store.session import Session
from motherlode.topics import TopicTree
from motherlode.training.opinion import classifier_of, fitted_to
from motherlode.training.review import Effect, Telling, effect_on, keep_thoughts, thoughts_on
from motherlode.training.training_set import KIND, Syllabus, can_tell, learn


class Wanted(Struct, frozen=True):
    """What to learn from, if not from the examples of the store, and which pages to judge, if not all."""

    examples: tuple[Example, ...] | None = None
    only: tuple[PageId, ...] | None = None
    offline: bool = False
    told: Telling = lambda _done, _of: None


class Relearned(Struct, frozen=True):
    """What was learned, what it makes of pages, and what moves by that; nothing of it is kept yet."""

    syllabus: Syllabus
    classifier: TreeClassifier
    thoughts: Thoughts
    effect: Effect


def relearn(session: Session, tree: TopicTree, config: Config, wanted: Wanted) -> Relearned:
    """Learn anew, as whoever made the model in use did. Raises `BadInputError` where nothing is taught."""
    model = ledger.latest_model(session, KIND)
    examples = topic_rows.examples_of(session) if wanted.examples is None else wanted.examples
    if model is not None and "crawl" in model.report:
        syllabus, classifier = learned(session, tree, config, examples, offline=wanted.offline)
    else:
        syllabus, classifier = learn(
            session, tree, config.learning, offline=wanted.offline, examples=examples
        )
    thoughts = thoughts_on(session, classifier, wanted.only, wanted.told)
    taught = {topic: len(lessons) for topic, lessons in syllabus.lessons.items()}
    effect = effect_on(session, tree, thoughts, (latest(session, tree), classifier), taught)
    return Relearned(syllabus, classifier, thoughts, effect)


def keep_relearned(portal: Portal, found: Relearned, told: dict[str, Any]) -> ModelId:
    """The model, with what is `told` of it, and all that it thinks, or neither."""
    with portal.batch() as session:
        before = ledger.latest_model(session, KIND)
        if before is not None and "crawl" in before.report:  # a crawl goes on in the phase that it was in
            told = {**told, "crawl": before.report["crawl"]}
        model = Model(ModelId(0), KIND, VERSION, time(), found.classifier.pack(), told)
        kept = ledger.keep_model(session, model)
        keep_thoughts(session, found.thoughts, kept.id)
        return kept.id


class Reviewed(Struct, frozen=True):
    """What the model in use makes of pages now; nothing of it is kept yet."""

    model: ModelId
    thoughts: Thoughts
    effect: Effect


def review(session: Session, tree: TopicTree, only: Sequence[PageId] | None, told: Telling) -> Reviewed:
    """Judge pages anew by the model in use, all or these alone."""
    model = ledger.latest_model(session, KIND)
    if model is None:
        raise BadInputError("Nothing was learned yet; 'lode train DIR' does so.")
    try:
        classifier = fitted_to(classifier_of(model.packed), tree)
    except ValueError as error:
        raise BadInputError(
            f"The portal's model cannot be used ({error}); 'lode train DIR' makes a new one."
        ) from error
    if not can_tell(classifier):
        raise BadInputError("All topics that were learned are gone; 'lode train DIR' learns the others.")
    thoughts = thoughts_on(session, classifier, only, told)
    effect = effect_on(session, tree, thoughts, (classifier, classifier), {})
    return Reviewed(model.id, thoughts, replace(effect, topics=()))


def keep_reviewed(portal: Portal, found: Reviewed) -> int:
    """Keep all of it or nothing. Returns how many pages were judged."""
    with portal.batch() as session:
        return keep_thoughts(session, found.thoughts, found.model)
