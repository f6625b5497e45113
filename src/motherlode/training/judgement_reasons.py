"""Judge a document level by level, and explain the judgement by its terms (SPEC B7, B8, X8)."""

from msgspec import Struct

from motherlode.documents.features.spaces import Sample
from motherlode.documents.text.terms import spell
from motherlode.learning.term_evidence import SEMANTIC, SITES
from motherlode.learning.tree import ROOT, TreeClassifier
from motherlode.records import Document, TopicId
from motherlode.topics import OTHERS, TopicTree
from motherlode.training.certainty import Assessed

MAX_TERMS = 20
_LABELS = {SEMANTIC: "what it is about", SITES: "the site it is like"}  # of whole documents


class LevelMargins(Struct, frozen=True):
    """The margin of each topic below a parent, the highest first.

    `confidences` is the older name of `margins`.
    """

    parent: str
    margins: dict[str, float]
    confidences: dict[str, float]


class TermContribution(Struct, frozen=True):
    """A term, as the document spells it, and the part that it adds to the margin."""

    space: str
    word: str
    part: float


class JudgementReasons(Assessed, frozen=True):
    """The topic of a document, with the reasons.

    `steps` are the levels from the root down. `about` is the topic that the terms support or
    contradict: the document's own, or the nearest. `details` are sentences on the judgement, from
    models that have more to say than topics and terms.
    """

    topic: str
    others: bool
    steps: tuple[LevelMargins, ...]
    about: str
    terms: tuple[TermContribution, ...]
    details: tuple[str, ...] = ()


def judge_with_reasons(
    classifier: TreeClassifier,
    tree: TopicTree,
    sample: Sample,
    document: Document,
    max_terms: int = MAX_TERMS,
) -> JudgementReasons:
    """Return the judgement of a document with its reasons.

    The tree must have all topics of the classifier.
    """
    verdict = classifier.judge([sample])[0]
    about = verdict.topic if verdict.topic != ROOT else _nearest_topic(classifier, sample)
    return JudgementReasons(
        topic=_topic_label(tree, verdict.topic, others=verdict.others),
        margin=verdict.confidence,
        probability=verdict.probability,
        others=verdict.others,
        steps=tuple(_levels(classifier, tree, sample, verdict.topic)),
        about=_path(tree, about) if about else "",
        terms=tuple(term_contributions(classifier, sample, about, document))[:max_terms],
    )


def term_contributions(
    classifier: TreeClassifier, sample: Sample, topic: int, document: Document
) -> list[TermContribution]:
    """Return how much each term of a document adds to a topic's margin, the strongest first."""
    parts = classifier.explain(sample, topic)
    text = f"{document.title}\n{document.text}"
    words = spell({term for _, term, _ in parts}, text, document.language)
    contributions = []
    for space, term, part in parts:
        word = _LABELS.get(space) or words.get(term, f"#{term}")
        contributions.append(TermContribution(space, word, part))
    return contributions


def _levels(
    classifier: TreeClassifier, tree: TopicTree, sample: Sample, topic: int
) -> list[LevelMargins]:
    """Return the levels from the root to the document's topic, and the level below it."""
    line, parents = [topic], classifier.parents
    while line[-1] != ROOT:
        line.append(parents[line[-1]])
    levels = []
    for parent in reversed(line):
        distances = classifier.distances([sample], parent)
        if distances:
            margins = _highest_first(
                {_path(tree, child): float(d[0]) for child, d in distances.items()}
            )
            levels.append(LevelMargins(_path(tree, parent), margins, margins))
    return levels


def _highest_first(margins: dict[str, float]) -> dict[str, float]:
    return dict(sorted(margins.items(), key=lambda pair: (-pair[1], pair[0])))


def _nearest_topic(classifier: TreeClassifier, sample: Sample) -> int:
    """Return the topic with the highest margin; 0 if there is none."""
    distances = classifier.distances([sample])
    return max(distances, key=lambda topic: float(distances[topic][0]), default=0)


def _path(tree: TopicTree, topic: int) -> str:
    return "/".join(tree.path(TopicId(topic)))


def _topic_label(tree: TopicTree, topic: int, *, others: bool) -> str:
    path = tree.path(TopicId(topic))
    return "/".join((*path, OTHERS) if others or not path else path)
