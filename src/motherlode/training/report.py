"""What can be said of topics that were learned: from how much, how well, by which words (SPEC B7)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import spell
from motherlode.learning.options import LearningOptions
from motherlode.learning.tree import TreeClassifier
from motherlode.records import TopicId
from motherlode.topics import OTHERS, TopicTree
from motherlode.training.training_set import Lesson, Syllabus, fit, under

_FOLDS = 5
_TERMS = 10


class Lore(Struct, frozen=True):
    """What is reported of one topic."""

    topic: int
    path: str
    examples: int
    virtual: int
    features: dict[str, int]
    precision: dict[str, float]
    recall: dict[str, float]
    error: dict[str, float]
    terms: tuple[str, ...]
    confusions: dict[str, int]  # where documents went that were left out of the training


def report_on(
    classifier: TreeClassifier, syllabus: Syllabus, tree: TopicTree, options: LearningOptions
) -> list[Lore]:
    """What can be said of each topic that was learned."""
    confusions = _confusions(syllabus, tree, options)
    found = []
    for topic in tree:
        planes = classifier.planes(topic.id)
        if not planes:
            continue
        lessons = under(topic.id, syllabus.parents, syllabus.lessons)
        found.append(
            Lore(
                topic.id,
                "/".join(tree.path(topic.id)),
                len(lessons),
                sum(lesson.virtual for lesson in lessons),
                {space: len(plane.feature_indices) // 4 for space, plane in planes.items()},
                {space: plane.precision for space, plane in planes.items()},
                {space: plane.recall for space, plane in planes.items()},
                {space: plane.error for space, plane in planes.items()},
                tuple(_words(classifier, topic.id, lessons)),
                confusions.get(topic.id, {}),
            )
        )
    return found


def _words(classifier: TreeClassifier, topic: int, lessons: Sequence[Lesson]) -> Iterator[str]:
    """The words behind the terms that speak most for a topic, as its documents spell them."""
    wanted = [term for term, _ in classifier.characteristic(topic, TERMS, 2 * _TERMS)]
    spelled: dict[int, str] = {}
    for lesson in lessons:
        document = lesson.document
        told = spell(wanted, f"{document.title}\n{document.text}", document.language)
        spelled = {**told, **spelled}
    found = [spelled[term] for term in wanted if term in spelled]
    yield from found[:_TERMS]


def _confusions(syllabus: Syllabus, tree: TopicTree, options: LearningOptions) -> dict[int, dict[str, int]]:
    """Where each topic's documents go if the training leaves them out, a fifth of them at a time."""
    told: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for fold in range(_FOLDS):
        kept = {
            topic: tuple(one for place, one in enumerate(found) if place % _FOLDS != fold or len(found) == 1)
            for topic, found in syllabus.lessons.items()
        }
        left = [
            (topic, one)
            for topic, found in syllabus.lessons.items()
            for place, one in enumerate(found)
            if place % _FOLDS == fold and len(found) > 1
        ]
        if not left:
            continue
        classifier = fit(replace(syllabus, lessons=kept), options)
        for (topic, _), said in zip(left, classifier.judge([one.sample for _, one in left]), strict=True):
            path = tree.path(TopicId(said.topic))
            named = "/".join((*path, OTHERS) if said.others or not path else path)
            for above in _line(topic, syllabus.parents):
                told[above][named] += 1
    return {topic: dict(sorted(found.items())) for topic, found in told.items()}


def _line(topic: int, parents: Mapping[int, int]) -> Iterator[int]:
    """A topic and all above it, without the root."""
    while topic in parents:
        yield topic
        topic = parents[topic]
