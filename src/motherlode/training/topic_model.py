"""The model that judges pages by a tree of topics, fitted to the topics that the portal has now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from motherlode.documents.features.meanings import word_meanings
from motherlode.documents.features.spaces import Sample
from motherlode.learning.planes import PlaneGroup
from motherlode.learning.tree import ROOT, TreeClassifier
from motherlode.records import (
    TOPIC_MODEL,
    Document,
    Judgement,
    LodeError,
    Model,
    ModelId,
    TopicId,
)
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.topics import TopicTree
from motherlode.training.judgement_reasons import JudgementReasons, judge_with_reasons
from motherlode.training.models import NoTopicsLeftError
from motherlode.training.trainer import knows_topics


@dataclass(frozen=True, slots=True)
class TopicModel:
    """A topic classifier with the number of its stored model, and the topics of its portal.

    `is_outdated`: topics were removed or moved after the training.
    """

    classifier: TreeClassifier
    id: ModelId | None
    tree: TopicTree
    is_outdated: bool = False

    @property
    def spaces(self) -> Sequence[str]:
        return self.classifier.spaces

    @property
    def topics(self) -> frozenset[TopicId]:
        return frozenset(map(TopicId, self.classifier.parents))

    def judge(self, samples: Sequence[Sample]) -> list[Judgement]:
        verdicts = self.classifier.judge(samples)
        return [
            Judgement(
                topic=TopicId(verdict.topic),
                confidence=verdict.confidence,
                model=self.id,
                probability=verdict.probability,
            )
            for verdict in verdicts
        ]

    def explain(self, sample: Sample, document: Document) -> JudgementReasons:
        return judge_with_reasons(self.classifier, self.tree, sample, document)

    def pack(self) -> bytes:
        return self.classifier.pack()


def load_topic_model(model: Model, tree: TopicTree, *, complete: bool) -> TopicModel:
    """Return a stored topic model without the topics that were removed since.

    With `complete`, word meanings that are not available are an error, a `LodeError`.
    Raises `ValueError` if the model cannot be used.
    """
    trained = unpack_classifier(model.packed) if complete else _unpack_available(model.packed)
    classifier = without_removed_topics(trained, tree)
    if not knows_topics(classifier):
        raise NoTopicsLeftError("all its topics are gone")
    return TopicModel(classifier, model.id, tree, is_outdated=not fits_tree(trained, tree))


def unpack_classifier(packed: bytes) -> TreeClassifier:
    """Return a stored classifier, with word meanings if it was trained with them.

    Raises `ValueError` if it cannot be used, `LodeError` if the meanings are not available.
    """
    classifier = TreeClassifier.unpack(packed)
    if classifier.meanings_digest:
        classifier.meanings = word_meanings()
        if classifier.meanings.digest != classifier.meanings_digest:
            raise ValueError("it was trained with another table of word meanings")
    return classifier


def usable_classifier(packed: bytes, tree: TopicTree) -> TreeClassifier | None:
    """Return a stored classifier without removed topics; None if it is of another version.

    It has no word meanings where they are not available.
    """
    try:
        return without_removed_topics(_unpack_available(packed), tree)
    except ValueError:
        return None


def _unpack_available(packed: bytes) -> TreeClassifier:
    """Return a stored classifier, without word meanings where they are not available."""
    try:
        return unpack_classifier(packed)
    except LodeError:
        return TreeClassifier.unpack(packed)


def latest_classifier(session: Session, tree: TopicTree) -> TreeClassifier | None:
    """Return the model in use, for the present topics; None without one, or if it is outdated."""
    model = ledger.latest_model(session, TOPIC_MODEL)
    return None if model is None else usable_classifier(model.packed, tree)


def fits_tree(classifier: TreeClassifier, tree: TopicTree) -> bool:
    """Return whether all topics of a classifier still exist, below the same parents."""
    parents = {int(topic.id): int(topic.parent or ROOT) for topic in tree}
    return all(parents.get(topic) == parent for topic, parent in classifier.parents.items())


def without_removed_topics(classifier: TreeClassifier, tree: TopicTree) -> TreeClassifier:
    """Return the classifier without removed topics; their pages go to OTHERS.

    Topics that were renamed or moved are known by their numbers, and judged where they were.
    """
    fitted = TreeClassifier(
        classifier.settings, classifier.spaces, classifier.rule, classifier.meanings
    )
    fitted.groups_ = {
        space: tuple(_groups_in_tree(groups, tree)) for space, groups in classifier.groups_.items()
    }
    return fitted


def _groups_in_tree(groups: Sequence[PlaneGroup], tree: TopicTree) -> Iterator[PlaneGroup]:
    existing = {int(topic.id) for topic in tree}
    for group in groups:
        planes = tuple(plane for plane in group.planes if plane.topic in existing)
        if planes:
            yield replace(group, planes=planes)
