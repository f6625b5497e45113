"""The pages of a crawl that become training documents (BINGO!, section 3.1; SPEC B13).

In the paper, each training set decides which pages join the next one. With few examples such a
topic drifts: its most confident pages are a little off the topic, the plane learned from them takes
more of the same, and a few retrainings later no archetype is on the topic. So the user's own
examples alone decide which pages join, anew at every retraining (docs/quality.md, "Archetypes that
walked away").
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from time import time

from msgspec import Struct

from motherlode.documents.features.spaces import Sample
from motherlode.learning.archetypes import ArchetypeChange, choose_archetypes, choose_near_examples
from motherlode.learning.tree import TreeClassifier
from motherlode.portal.config import Config
from motherlode.records import (
    CHOSEN_ORIGINS,
    ROOT,
    Example,
    Origin,
    PageId,
    TopicId,
)
from motherlode.store import Session
from motherlode.store.tables.judgements import judged_for
from motherlode.store.tables.pages import urls_of_pages
from motherlode.topics import TopicTree
from motherlode.training.feedback.marks import PortalMarks, rejected_archetypes
from motherlode.training.link_analysis import Neighbourhood
from motherlode.training.samples import samples_in
from motherlode.training.topic_model import latest_classifier
from motherlode.training.trainer import Trainer, knows_topics
from motherlode.training.training_document import TrainingDocument

# The most confident pages of a topic: candidates for archetypes, and the base set of link analysis.
BASE_SET_PAGES = 500

NeighbourhoodOf = Callable[[TopicId], Neighbourhood]


class ArchetypeUpdate(Struct, frozen=True):
    """The archetypes that join the examples, and the earlier ones that leave."""

    added: list[Example] = []
    dropped: list[Example] = []


def update_archetypes(
    session: Session,
    tree: TopicTree,
    examples: Sequence[Example],
    config: Config,
    _neighbourhood_of: NeighbourhoodOf,
    trainer: Trainer,
) -> ArchetypeUpdate:
    """Choose archetypes by a classifier that is trained on the user's own examples alone."""
    own = tuple(user_examples(examples))
    if not knows_topics(trainer.classifier(own)):
        return ArchetypeUpdate()
    training_set, classifier = trainer.train(own)
    update, candidates = ArchetypeUpdate([], []), _Candidates(session, tree, examples)
    limit = min(config.bingo.authorities, config.bingo.confident)
    for number, documents in training_set.documents.items():
        topic = TopicId(number)
        of_topic = [example for example in examples if example.topic == topic]
        archetypes = [example for example in of_topic if example.origin is Origin.ARCHETYPE]
        archetype_samples = {
            example.url or "": document.sample
            for example in archetypes
            if (document := trainer.document_of(example)) is not None
        }
        earlier = _confidences(classifier, tree, topic, archetype_samples)
        training = _confidences(classifier, tree, topic, _samples_by_name(documents))
        candidate_samples = candidates.samples(candidates.of(topic), config.learning.spaces)
        confidences = _confidences(classifier, tree, topic, candidate_samples)
        threshold = _threshold(classifier, topic, training)
        change = choose_near_examples(earlier, confidences, threshold, limit)
        _add_change(update, topic, archetypes, change)
    return update


def update_archetypes_2003(
    session: Session,
    tree: TopicTree,
    examples: Sequence[Example],
    config: Config,
    neighbourhood_of: NeighbourhoodOf,
    trainer: Trainer,
) -> ArchetypeUpdate:
    """Choose archetypes as in the paper: by the model in use, trained on the earlier archetypes."""
    classifier = latest_classifier(session, tree)
    if classifier is None:
        return ArchetypeUpdate()
    training_set = trainer.training_set(tuple(examples))
    update, candidates = ArchetypeUpdate([], []), _Candidates(session, tree, examples)
    for number, documents in training_set.documents.items():
        topic = TopicId(number)
        confidences = {url: confidence for url, (_, confidence) in candidates.of(topic).items()}
        if not confidences:
            continue
        authorities = {
            page.url: page.authority
            for page in neighbourhood_of(topic).link_scores()
            if page.url in confidences
        }
        change = choose_archetypes(
            _confidences(classifier, tree, topic, _samples_by_name(documents)),
            confidences,
            {url: score for url, score in authorities.items() if score > 0},
            {
                _name(document.example)
                for document in documents
                if document.example.origin is not Origin.ARCHETYPE
            },
            limits=(config.bingo.authorities, config.bingo.confident),
        )
        _add_change(update, topic, [document.example for document in documents], change)
    return update


def user_examples(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield the examples that a user gave."""
    return (example for example in examples if example.origin is not Origin.ARCHETYPE)


def given_examples(examples: Sequence[Example]) -> Iterator[Example]:
    """Yield the user's examples that no model has chosen; of topics without any, all of the user's.

    Archetypes lie close around the model that chose them, also after a user has accepted them. So
    they say what a topic is, but not how far it reaches.
    """
    given = [example for example in examples if example.origin not in CHOSEN_ORIGINS]
    topics = {example.topic for example in given}
    others = (example for example in user_examples(examples) if example.topic not in topics)
    yield from (*given, *others)


def without_new_subtopics(examples: Sequence[Example], tree: TopicTree) -> list[Example]:
    """Return the examples without the pages that a user took for topics from clusters.

    A model has chosen those pages. They say how the new topics differ, but not what the topic above
    is: that is for its own examples. A topic is new if nothing was given to it or to its siblings,
    while something was to a topic above.
    """
    given = {example.topic for example in examples if example.origin not in CHOSEN_ORIGINS}
    return [
        example
        for example in examples
        if example.origin is not Origin.FEEDBACK
        or tree[example.topic].is_others
        or not _is_in_new_subtopic(tree, example.topic, given)
    ]


def _is_in_new_subtopic(tree: TopicTree, topic: TopicId, given: Collection[TopicId]) -> bool:
    def has_given(topic: TopicId) -> bool:
        return any(below in given for below in tree.descendants(topic))

    parent = tree[topic].parent or ROOT
    while parent != ROOT and not has_given(parent):
        parent = tree[parent].parent or ROOT
    is_below_given = parent != ROOT
    return is_below_given and not any(has_given(child.id) for child in tree.children(parent))


class _Candidates:
    """Pages that may become archetypes of a topic."""

    def __init__(self, session: Session, tree: TopicTree, examples: Iterable[Example]) -> None:
        self._session = session
        self._marks = PortalMarks.of(session)
        examples_at = {example.url for example in examples if example.url}
        self._excluded = examples_at | _rejected_urls(session, tree)

    def of(self, topic: TopicId) -> dict[str, tuple[PageId, float]]:
        """Return candidates by URL, with the confidence of the model in use."""
        return {
            judged.url: (judged.page, judged.confidence)
            for judged in judged_for(self._session, [topic], BASE_SET_PAGES)
            if judged.url not in self._excluded and not self._marks.excludes(judged.page, topic)
        }

    def samples(
        self,
        pages: Mapping[str, tuple[PageId, float]],
        spaces: Sequence[str],
    ) -> dict[str, Sample]:
        """Return these pages in the given feature spaces, by URL."""
        url_of = {page: url for url, (page, _) in pages.items()}
        batches = samples_in(self._session, spaces, only=sorted(url_of))
        return {url_of[page]: sample for batch in batches for page, sample in batch}


def _add_change(
    update: ArchetypeUpdate, topic: TopicId, examples: Iterable[Example], change: ArchetypeChange
) -> None:
    now = time()
    update.added.extend(
        Example(
            topic,
            url,
            origin=Origin.ARCHETYPE,
            added_at=now,
        )
        for url in change.added
    )
    update.dropped.extend(example for example in examples if _name(example) in change.dropped)


def _confidences(
    classifier: TreeClassifier, tree: TopicTree, topic: TopicId, samples: Mapping[str, Sample]
) -> dict[str, float]:
    """Return the distances of documents from a topic's plane, by name."""
    parent = tree[topic].parent or ROOT
    distances = classifier.distances(list(samples.values()), parent).get(topic)
    values = [0.0] * len(samples) if distances is None else distances.tolist()
    return dict(zip(samples, values, strict=True))


def _threshold(classifier: TreeClassifier, topic: TopicId, training: Mapping[str, float]) -> float:
    """Return the confidence that a page must exceed to become an archetype.

    It is the mean confidence in the topic's own documents if they are held out, since training
    flatters them. Of few documents that says little, so half of the training mean is the least.
    """
    held_out = max((plane.held_out for plane in classifier.planes(topic).values()), default=0.0)
    return max(held_out, sum(training.values()) / len(training) / 2)


def _samples_by_name(documents: Iterable[TrainingDocument]) -> dict[str, Sample]:
    return {_name(document.example): document.sample for document in documents}


def _name(example: Example) -> str:
    return example.url or f"#{example.id}"


def _rejected_urls(session: Session, tree: TopicTree) -> set[str]:
    """Return the URLs of pages that a user rejected as archetypes of any topic."""
    pages = [feedback.page for feedback in rejected_archetypes(session, tree)]
    return set(urls_of_pages(session, pages).values())
