"""The training set of a portal: its examples, and the counterexamples to tell them from.

See SPEC B7 and B16.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial

from msgspec import Struct

from motherlode.documents.features.meanings import (
    Meanings,
    NoMeaningsError,
    meanings_are_here,
    word_meanings,
)
from motherlode.documents.features.spaces import TERMS, Sample, Surroundings
from motherlode.documents.text.terms import Bag
from motherlode.learning.counterexamples import (
    Counterexamples,
    DomainBags,
    choose_counterexamples,
    common_documents,
)
from motherlode.learning.options import SETTINGS, LearningOptions, SemanticMode
from motherlode.lexicon.vocabulary import common_vocabulary, vocabulary_is_here
from motherlode.lexicon.wordnet import NoWordNetError
from motherlode.records import (
    ROOT,
    BadInputError,
    Document,
    Example,
    PageId,
    TopicId,
)
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree, virtual
from motherlode.training.feedback.marks import PortalMarks, user_counterexamples
from motherlode.training.samples import sample_of
from motherlode.training.training_document import (
    TrainingDocument,
    UnusableExample,
    is_trimmed,
    training_document,
    unusable_example,
)

_NO_WORDNET = "WordNet, the source of common vocabulary, is not here, and nothing is to be fetched."

DocumentsByTopic = dict[int, tuple[TrainingDocument, ...]]
DocumentOf = Callable[[Example], TrainingDocument | None]
# By page; without a page, by minus the number of the example.
_Documents = dict[int, TrainingDocument]


class TrainingSet(Struct, frozen=True):
    """The documents of topics and of OTHERS; several examples at one page are one document."""

    parents: dict[int, int]
    documents: DocumentsByTopic
    others: dict[int, Counterexamples[Sample]]
    unusable: tuple[UnusableExample, ...] = ()
    example_pages: frozenset[PageId] = frozenset()  # of topics and of OTHERS
    vocabulary_error: str = ""  # the reason why there is no common vocabulary
    meanings: Meanings | None = None  # of words


def training_set_of(  # noqa: PLR0913 - where each part comes from
    session: Session,
    tree: TopicTree,
    options: LearningOptions,
    *,
    offline: bool = False,
    examples: Sequence[Example] | None = None,
    document_of: DocumentOf | None = None,
    counterexamples: Sequence[Example] | None = None,
) -> TrainingSet:
    """Return the training set of examples, with counterexamples and common vocabulary.

    By default, the examples are those of the store with the pages marked good, and the
    counterexamples are all pages that users marked bad or rejected.
    """
    document_of = document_of or partial(training_document, session, spaces=options.spaces)
    if examples is None:
        examples = (*topic_rows.examples_of(session), *PortalMarks.of(session).examples())
    by_topic, unusable = _documents_by_topic(session, tree, examples, document_of)
    documents: DocumentsByTopic = {
        int(topic): tuple(of_topic.values())
        for topic, of_topic in by_topic.items()
        if not tree[topic].is_others
    }
    if counterexamples is None:
        counterexamples = user_counterexamples(session, tree)
    by_parent = _counterexamples(tree, by_topic, counterexamples, document_of)
    own = {
        parent: [document.sample for document in of_parent.values()]
        for parent, of_parent in by_parent.items()
    }
    parents = {
        int(
            topic.id,
        ): int(topic.parent)
        for topic in tree
        if topic.parent and not topic.is_others
    }
    texts, vocabulary_error = _vocabulary(offline=offline)
    return TrainingSet(
        parents=parents,
        documents=documents,
        others=_others(parents, documents, own, texts, options.spaces),
        unusable=tuple(unusable),
        example_pages=frozenset(
            document.page
            for group in (*by_topic.values(), *by_parent.values())
            for document in group.values()
            if document.page
        ),
        vocabulary_error=vocabulary_error,
        meanings=_meanings(options, offline=offline),
    )


def _documents_by_topic(
    session: Session, tree: TopicTree, examples: Iterable[Example], document_of: DocumentOf
) -> tuple[dict[TopicId, _Documents], list[UnusableExample]]:
    """Return the documents of examples, and the unusable examples."""
    marks = PortalMarks.of(session)
    by_topic: dict[TopicId, _Documents] = defaultdict(dict)
    unusable = []
    for example in examples:
        if tree[example.topic].parent is None:  # it belongs to all topics, and so to none
            continue
        document = document_of(example)
        if document is None:
            unusable.append(unusable_example(session, example))
        elif document.page is None or not marks.excludes(document.page, example.topic):
            key = document.page or -example.id
            if key not in by_topic[example.topic] or is_trimmed(example):
                by_topic[example.topic][key] = document
    return {topic: documents for topic, documents in by_topic.items() if documents}, unusable


def _counterexamples(
    tree: TopicTree,
    by_topic: Mapping[TopicId, _Documents],
    counterexamples: Iterable[Example],
    document_of: DocumentOf,
) -> dict[int, _Documents]:
    """Return, by parent, the user's documents for OTHERS, and these counterexamples.

    A page that was moved from one topic to another is an example, and no counterexample.
    """
    by_parent: dict[int, _Documents] = defaultdict(dict)
    for topic, documents in by_topic.items():
        if tree[topic].is_others:
            by_parent[int(tree[topic].parent or ROOT)] |= documents
    example_pages = {page for documents in by_topic.values() for page in documents}
    for example in counterexamples:
        document = document_of(example)
        if document is None or document.page is None or document.page in example_pages:
            continue
        by_parent[int(example.topic)].setdefault(document.page, document)
    return by_parent


def _vocabulary(*, offline: bool) -> tuple[dict[str, str], str]:
    """Return the texts of the common vocabulary, or the reason why there are none."""
    if offline and not vocabulary_is_here():
        return {}, _NO_WORDNET
    try:
        return common_vocabulary(), ""
    except NoWordNetError as error:
        return {}, str(error)


def _meanings(options: LearningOptions, *, offline: bool) -> Meanings | None:
    """Return the meanings of words if the options want them; in automatic mode, if available."""
    useful = TERMS in options.spaces and SETTINGS[options.setting].semantic_weight > 0
    if not useful or options.semantic is SemanticMode.OFF:
        return None
    if options.semantic is SemanticMode.AUTO:
        return _meanings_or_none()
    if offline and not meanings_are_here():
        raise BadInputError(
            "What words mean ('learning.semantic') is not known here, and nothing is to be fetched."
        )
    return word_meanings()


def _meanings_or_none() -> Meanings | None:
    try:
        return word_meanings() if meanings_are_here() else None
    except (NoMeaningsError, NoWordNetError):
        return None


def _others(
    parents: Mapping[int, int],
    documents: DocumentsByTopic,
    own: Mapping[int, Sequence[Sample]],
    texts: Mapping[str, str],
    spaces: Collection[str],
) -> dict[int, Counterexamples[Sample]]:
    """Return the counterexamples of every parent: the user's, and common vocabulary."""
    samples, domains = _common_samples(tuple(texts.items()), (TERMS, *spaces))
    samples = {name: {space: sample[space] for space in spaces} for name, sample in samples.items()}
    others: dict[int, Counterexamples[Sample]] = {}
    for parent in sorted(set(parents.values())):
        topics = [
            [
                document.sample[TERMS]
                for document in documents_below(topic, parents, documents)
                if TERMS in document.sample
            ]
            for topic in children_of(parent, parents)
        ]
        common = [samples[name] for name in common_documents(domains, topics)]
        others[parent] = choose_counterexamples(common, own.get(parent, ()), (), 0)
    return others


@lru_cache(1)
def _common_samples(
    texts: tuple[tuple[str, str], ...], spaces: Collection[str]
) -> tuple[dict[str, Sample], DomainBags]:
    """Return the texts of the common vocabulary, which is English, in these feature spaces."""
    documents = {
        name: Document(
            title=name,
            text=text,
            language=virtual.LANGUAGE,
        )
        for name, text in texts
    }
    samples = {
        name: sample_of(
            document,
            spaces,
            Surroundings(),
        )
        for name, document in documents.items()
    }
    return samples, DomainBags({name: sample[TERMS] for name, sample in samples.items()})


def common_vocabulary_bags() -> list[Bag]:
    """Return the terms of each document of the common vocabulary; none where it is not here."""
    texts, _ = _vocabulary(offline=False)
    samples, _ = _common_samples(tuple(texts.items()), (TERMS,))
    return [sample[TERMS] for sample in samples.values()]


def children_of(parent: int, parents: Mapping[int, int]) -> list[int]:
    """Return the topics right below a parent."""
    return [topic for topic, above in parents.items() if above == parent]


def documents_below(
    topic: int, parents: Mapping[int, int], documents: DocumentsByTopic
) -> list[TrainingDocument]:
    """Return the training documents of a topic and of all topics below it."""
    below = list(documents.get(topic, ()))
    for child in children_of(topic, parents):
        below += documents_below(child, parents, documents)
    return below
