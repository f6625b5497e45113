"""One document, judged step by step, with what carried the judgement (SPEC B7, B8, X8)."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.meanings import word_meanings
from motherlode.documents.terms import spell
from motherlode.learning.planes import PlaneGroup
from motherlode.learning.tree import ROOT, SEMANTIC, Sample, TreeClassifier
from motherlode.records import Document, LodeError, TopicId
from motherlode.topics import OTHERS, TopicTree

_ABOUT = "what it is about"


class Step(Struct, frozen=True):
    """One level on the way down: how sure each topic below a parent is."""

    parent: str
    confidences: dict[str, float]


class Telling(Struct, frozen=True):
    """A term, as the document spells it, and what it adds to the confidence."""

    space: str
    word: str
    part: float


class Opinion(Struct, frozen=True):
    """Where a document goes, and why. `about` is the topic that the terms speak for or against."""

    topic: str
    confidence: float
    others: bool
    steps: tuple[Step, ...]
    about: str
    terms: tuple[Telling, ...]


def classifier_of(packed: bytes) -> TreeClassifier:
    """A kept model, with what words mean if it was taught that.

    Raises `ValueError` for one that cannot be used, `LodeError` where the meanings cannot be had.
    """
    classifier = TreeClassifier.unpack(packed)
    if classifier.meanings_digest:
        classifier.meanings = word_meanings()
        if classifier.meanings.digest != classifier.meanings_digest:
            raise ValueError("words had other meanings when it was made")
    return classifier


def fits(classifier: TreeClassifier, tree: TopicTree) -> bool:
    """Whether all topics that a classifier knows are still there, and where they were."""
    now = {int(topic.id): int(topic.parent or ROOT) for topic in tree}
    return all(now.get(topic) == parent for topic, parent in _parents(classifier).items())


def fitted_to(classifier: TreeClassifier, tree: TopicTree) -> TreeClassifier:
    """The classifier without topics that were removed since: what they would have taken goes to others.

    Topics that were renamed or moved are known by their numbers, and judged where they were.
    """
    kept = TreeClassifier(classifier.settings, classifier.spaces, classifier.rule, classifier.meanings)
    kept.groups_ = {space: tuple(_left(groups, tree)) for space, groups in classifier.groups_.items()}
    return kept


def still_of_use(packed: bytes, tree: TopicTree) -> TreeClassifier | None:
    """A kept model for the topics that there are, without meanings where those cannot be had; None: it is of
    another version."""
    try:
        return fitted_to(classifier_of(packed), tree)
    except LodeError:
        return fitted_to(TreeClassifier.unpack(packed), tree)
    except ValueError:
        return None


def opinion_on(
    classifier: TreeClassifier, tree: TopicTree, sample: Sample, document: Document, most: int = 20
) -> Opinion:
    """What the classifier thinks of a document, and because of which terms. Its topics are in the tree."""
    said = classifier.judge([sample])[0]
    steps = _steps(classifier, tree, sample, said.topic)
    about = said.topic if said.topic != ROOT else _surest(classifier, sample)
    return Opinion(
        _named(tree, said.topic, others=said.others),
        said.confidence,
        said.others,
        tuple(steps),
        "/".join(tree.path(TopicId(about))) if about else "",
        tuple(telling(classifier, sample, about, document))[:most],
    )


def _steps(classifier: TreeClassifier, tree: TopicTree, sample: Sample, topic: int) -> list[Step]:
    """From the root down to where the document stayed, and one level below that."""
    line, parents = [topic], _parents(classifier)
    while line[-1] != ROOT:
        line.append(parents[line[-1]])
    steps = []
    for parent in reversed(line):
        sure = classifier.distances([sample], parent)
        if sure:
            told = {"/".join(tree.path(TopicId(one))): float(value[0]) for one, value in sure.items()}
            steps.append(Step("/".join(tree.path(TopicId(parent))), _sorted(told)))
    return steps


def _parents(classifier: TreeClassifier) -> dict[int, int]:
    """The parent of each topic, as the classifier has it."""
    every = (group for groups in classifier.groups_.values() for group in groups)
    return {plane.topic: group.parent for group in every for plane in group.planes}


def _left(groups: tuple[PlaneGroup, ...], tree: TopicTree) -> Iterator[PlaneGroup]:
    here = {int(topic.id) for topic in tree}
    for group in groups:
        planes = tuple(plane for plane in group.planes if plane.topic in here)
        if planes:
            yield replace(group, planes=planes)


def _sorted(confidences: dict[str, float]) -> dict[str, float]:
    return dict(sorted(confidences.items(), key=lambda pair: (-pair[1], pair[0])))


def _surest(classifier: TreeClassifier, sample: Sample) -> int:
    """The topic that comes nearest to wanting a document; 0: there is none."""
    sure = classifier.distances([sample])
    return max(sure, key=lambda topic: float(sure[topic][0]), default=0)


def _named(tree: TopicTree, topic: int, *, others: bool) -> str:
    path = tree.path(TopicId(topic))
    return "/".join((*path, OTHERS) if others or not path else path)


def telling(classifier: TreeClassifier, sample: Sample, topic: int, document: Document) -> list[Telling]:
    """What the terms of a document say for a topic and against it, the most telling first."""
    parts = classifier.explain(sample, topic)
    words = spell({term for _, term, _ in parts}, f"{document.title}\n{document.text}", document.language)
    return [
        Telling(space, _ABOUT if space == SEMANTIC else words.get(term, f"#{term}"), part)
        for space, term, part in parts
    ]
