"""The report on a training: the size, quality and characteristic words of each topic (SPEC B7)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import spell
from motherlode.learning.options import LearningOptions
from motherlode.learning.tree import TreeClassifier
from motherlode.records import TopicId
from motherlode.records.example_counts import ExampleCounts, count_examples
from motherlode.topics import OTHERS, TopicTree
from motherlode.training.trainer import fit
from motherlode.training.training_document import TrainingDocument
from motherlode.training.training_set import TrainingSet, documents_below

_FOLDS = 5
_MAX_WORDS = 10


class XiAlphaFigures(Struct, frozen=True):
    """The xi-alpha estimates of a plane (SPEC B9).

    They weigh feature spaces against each other. They are not shown to users, because they say
    little about the pages of a crawl (docs/quality.md, "Estimates").
    """

    precision: float
    recall: float
    error: float


class TopicReport(Struct, frozen=True):
    """The report on one topic.

    `examples` counts all, those of its subtopics too; `examples_from` counts those of users and of
    the crawl.
    """

    topic: int
    path: str
    examples: int
    virtual: int
    features: dict[str, int]
    xi_alpha: dict[str, XiAlphaFigures]  # by feature space
    terms: tuple[str, ...]
    confusions: dict[str, int]  # the topics of documents that were held out of the training
    examples_from: ExampleCounts


def report_on(
    classifier: TreeClassifier,
    training_set: TrainingSet,
    tree: TopicTree,
    options: LearningOptions,
) -> list[TopicReport]:
    """Return a report on each topic that was learned."""
    confusions = _confusions(training_set, tree, options)
    reports = []
    for topic in tree:
        planes = classifier.planes(topic.id)
        if not planes:
            continue
        documents = documents_below(topic.id, training_set.parents, training_set.documents)
        reports.append(
            TopicReport(
                topic=topic.id,
                path="/".join(tree.path(topic.id)),
                examples=len(documents),
                virtual=sum(document.virtual for document in documents),
                features={
                    space: len(
                        plane.feature_indices,
                    )
                    // 4
                    for space, plane in planes.items()
                },
                xi_alpha={
                    space: XiAlphaFigures(plane.precision, plane.recall, plane.error)
                    for space, plane in planes.items()
                },
                terms=tuple(_words(classifier, topic.id, documents)),
                confusions=confusions.get(topic.id, {}),
                examples_from=count_examples(document.example for document in documents),
            )
        )
    return reports


def _words(
    classifier: TreeClassifier,
    topic: int,
    documents: Sequence[TrainingDocument],
) -> list[str]:
    """Return the words of a topic's most characteristic terms, as its documents spell them."""
    terms = [term for term, _ in classifier.characteristic(topic, TERMS, 2 * _MAX_WORDS)]
    spellings: dict[int, str] = {}
    for training_document in documents:
        document = training_document.document
        text = f"{document.title}\n{document.text}"
        spellings = {**spell(terms, text, document.language), **spellings}
    return [spellings[term] for term in terms if term in spellings][:_MAX_WORDS]


def _confusions(
    training_set: TrainingSet, tree: TopicTree, options: LearningOptions
) -> dict[int, dict[str, int]]:
    """Return the topics of each topic's documents when a fifth of them is held out at a time."""
    confusions: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for fold in range(_FOLDS):
        kept = {
            topic: tuple(
                document
                for index, document in enumerate(documents)
                if index % _FOLDS != fold or len(documents) == 1
            )
            for topic, documents in training_set.documents.items()
        }
        held_out = [
            (topic, document)
            for topic, documents in training_set.documents.items()
            for index, document in enumerate(documents)
            if index % _FOLDS == fold and len(documents) > 1
        ]
        if not held_out:
            continue
        classifier = fit(replace(training_set, documents=kept), options)
        verdicts = classifier.judge([document.sample for _, document in held_out])
        for (topic, _), verdict in zip(held_out, verdicts, strict=True):
            path = tree.path(TopicId(verdict.topic))
            name = "/".join((*path, OTHERS) if verdict.others or not path else path)
            for above in _line(topic, training_set.parents):
                confusions[above][name] += 1
    return {topic: dict(sorted(counts.items())) for topic, counts in confusions.items()}


def _line(topic: int, parents: Mapping[int, int]) -> Iterator[int]:
    """Yield a topic and all topics above it, without the root."""
    while topic in parents:
        yield topic
        topic = parents[topic]
