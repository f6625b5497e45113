"""Stored models: loaded by their kind, and fitted to the topics that the portal has now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from msgspec.structs import replace

from motherlode.documents.features.meanings import word_meanings
from motherlode.learning.links.model import unpack_link_model
from motherlode.learning.planes import PlaneGroup
from motherlode.learning.tree import ROOT, Sample, TreeClassifier
from motherlode.records import (
    LINK_MODEL,
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
from motherlode.training.judgement_reasons import TermContribution, term_contributions
from motherlode.training.training_set import knows_topics


class JudgingModel(Protocol):
    """A trained model that judges pages."""

    @property
    def spaces(self) -> Sequence[str]:
        """The feature spaces in which it wants to see pages."""
        ...

    def judge(self, samples: Sequence[Sample]) -> list[Judgement]:
        """Return a judgement for each page."""
        ...

    def explain(
        self, sample: Sample, judgement: Judgement, document: Document
    ) -> list[TermContribution]:
        """Return the terms that speak for and against a judgement, the strongest first."""
        ...

    def pack(self) -> bytes:
        """Return the model as bytes, for the store."""
        ...


@dataclass(frozen=True, slots=True)
class TopicModel:
    """A topic classifier with the number of its stored model."""

    classifier: TreeClassifier
    id: ModelId | None

    @property
    def spaces(self) -> Sequence[str]:
        return self.classifier.spaces

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

    def explain(
        self, sample: Sample, judgement: Judgement, document: Document
    ) -> list[TermContribution]:
        return term_contributions(self.classifier, sample, judgement.topic, document)

    def pack(self) -> bytes:
        return self.classifier.pack()


def _load_topic_model(model: Model, tree: TopicTree) -> TopicModel | None:
    classifier = usable_classifier(model.packed, tree)
    if classifier is None or not knows_topics(classifier):
        return None
    return TopicModel(classifier, model.id)


# By the kind of a stored model, the loader that fits it to the present topics. A loader returns
# None for a model of another version, and for a model that has no topic left to judge.
LOADERS: Mapping[str, Callable[[Model, TopicTree], Any]] = {
    TOPIC_MODEL: _load_topic_model,
    LINK_MODEL: lambda model, _tree: _unless_invalid(unpack_link_model, model.packed),
}


def load_model(model: Model, tree: TopicTree) -> Any:
    """Return a stored model, ready to be used; None if it cannot be used any more."""
    return LOADERS[model.kind](model, tree)


def latest_model(session: Session, tree: TopicTree, kind: str) -> Any:
    """Return the latest stored model of a kind, ready to be used; None if there is none."""
    stored = ledger.latest_model(session, kind)
    return None if stored is None else load_model(stored, tree)


def latest_judge(session: Session, tree: TopicTree) -> JudgingModel | None:
    """Return the latest model that judges pages by topics; None if there is none."""
    judge: JudgingModel | None = latest_model(session, tree, TOPIC_MODEL)
    return judge


def _unless_invalid(load: Callable[[bytes], Any], packed: bytes) -> Any:
    try:
        return load(packed)
    except ValueError:
        return None


# --- topic classifiers ---


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
        return without_removed_topics(unpack_classifier(packed), tree)
    except LodeError:
        return without_removed_topics(TreeClassifier.unpack(packed), tree)
    except ValueError:
        return None


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
