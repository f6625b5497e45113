"""Train classifiers on training sets; sure rejections of a first classifier join as
counterexamples.

See SPEC B7 and B16.
"""

from collections.abc import Sequence
from functools import cache, partial

from msgspec.structs import replace

from motherlode.documents.features.spaces import Sample
from motherlode.learning.counterexamples import (
    Counterexamples,
    RejectedPage,
    choose_counterexamples,
)
from motherlode.learning.options import SETTINGS, LearningOptions
from motherlode.learning.tree import TreeClassifier
from motherlode.records import (
    ROOT,
    BadInputError,
    Example,
    Feedback,
    NotYetError,
    UnfetchedExamplesError,
)
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import urls_of_pages
from motherlode.topics import TopicTree
from motherlode.training.corpus import CorpusCache, PageCorpus, judge_batches
from motherlode.training.feedback.marks import PortalMarks, user_counterexamples
from motherlode.training.training_document import training_document
from motherlode.training.training_set import (
    DocumentOf,
    TrainingSet,
    children_of,
    documents_below,
    training_set_of,
)
from motherlode.urls import host_of

_PAGES_PER_EXAMPLE = 100  # sampled for counterexamples; ten of them may join
_MAX_SAMPLED_PAGES = 2_500  # for all examples; a few of each host may join


class Trainer:
    """Makes training sets and classifiers of examples; nothing is read or trained twice."""

    def __init__(
        self,
        session: Session,
        tree: TopicTree,
        options: LearningOptions,
        corpus_cache: CorpusCache | None = None,
        *,
        offline: bool = False,
        rejected: Sequence[Feedback] | None = None,
    ) -> None:
        self._session, self._options = session, options
        self.corpus = PageCorpus(session, corpus_cache)
        self.document_of: DocumentOf = cache(
            partial(training_document, session, spaces=options.spaces),
        )
        collect = partial(
            training_set_of,
            session,
            tree,
            options,
            offline=offline,
            document_of=self.document_of,
        )
        off_topic = user_counterexamples(session, tree, rejected)
        marked_good = tuple(PortalMarks.of(session).examples())
        self.training_set = cache(
            lambda examples: collect(examples=(*examples, *marked_good), counterexamples=off_topic)
        )
        self.classifier = cache(lambda examples: fit(self.training_set(examples), options))
        self.train = cache(self._train)
        self._collect, self._off_topic = collect, off_topic

    def _train(self, examples: tuple[Example, ...]) -> tuple[TrainingSet, TreeClassifier]:
        """Train on examples, and again with the pages that the first classifier surely rejects."""
        training_set, classifier = self.training_set(examples), self.classifier(examples)
        larger = with_rejected_pages(self._session, training_set, classifier, self.corpus)
        is_same = larger is training_set
        return larger, classifier if is_same else fit(larger, self._options)

    def classifiers_without_marks(
        self, examples: tuple[Example, ...]
    ) -> tuple[TreeClassifier, ...]:
        """Return a classifier of these examples alone, and one with the user's counterexamples, if
        any.
        """
        counterexamples: list[tuple[Example, ...]] = [()]
        if self._off_topic:
            counterexamples.append(self._off_topic)
        return tuple(
            fit(self._collect(examples=examples, counterexamples=off_topic), self._options)
            for off_topic in counterexamples
        )


def train(
    session: Session,
    tree: TopicTree,
    options: LearningOptions,
    *,
    offline: bool = False,
    examples: Sequence[Example] | None = None,
    trainer: Trainer | None = None,
) -> tuple[TrainingSet, TreeClassifier]:
    """Return the classifier of a portal's topics, and its training set.

    Both depend on the examples (by default, of the store), pages and options alone. Raises
    `BadInputError` if there is nothing to learn from.
    """
    trainer = trainer or Trainer(session, tree, options, offline=offline)
    given = tuple(topic_rows.examples_of(session) if examples is None else examples)
    training_set = trainer.training_set(given)
    _check_documents(training_set, options)
    if not knows_topics(trainer.classifier(given)):
        error = training_set.vocabulary_error.rstrip(".")
        reason = f" ({error})" if error else ""
        raise BadInputError(
            f"There is nothing in the space of {', '.join(options.spaces)} to tell the topic from: "
            f"add another topic beside it, or counterexamples under OTHERS{reason}."
        )
    return trainer.train(given)


def _check_documents(training_set: TrainingSet, options: LearningOptions) -> None:
    """Raise `BadInputError` if no topic has a training document."""
    if training_set.documents:
        return
    if not training_set.unusable:
        raise BadInputError(
            "There is nothing to learn from, for no topic has an example; "
            "'lode topics DIR example TOPIC URL' gives it one."
        )
    first = training_set.unusable[0]
    failed = all(unusable.could_not_be_fetched for unusable in training_set.unusable)
    is_waiting = any(unusable.is_waiting for unusable in training_set.unusable)
    error: type[BadInputError] = NotYetError if is_waiting else BadInputError
    if failed:
        error = UnfetchedExamplesError
    raise error(
        f"There is nothing to learn from in the space of {', '.join(options.spaces)}: "
        "no example was fetched that has words "
        f"({first.example.url or first.example.title}: {first.reason})."
    )


def with_rejected_pages(
    session: Session, training_set: TrainingSet, classifier: TreeClassifier, corpus: PageCorpus
) -> TrainingSet:
    """Return the training set with pages that this classifier surely rejects as counterexamples.

    Earlier models have no say in it: a user adds examples because pages were wrongly rejected, and
    those must not count against the examples. The pages are a sample of all.
    """
    parents, documents = training_set.parents, training_set.documents
    largest = max(
        (len(documents_below(topic, parents, documents)) for topic in children_of(ROOT, parents)),
        default=0,
    )
    others = training_set.others.get(ROOT, Counterexamples[Sample]())
    step = max(
        corpus.page_count // (_PAGES_PER_EXAMPLE * max(largest, 1)),
        corpus.sampling_step(_MAX_SAMPLED_PAGES),
    )
    batches = corpus.batches(tuple(classifier.groups_), step)
    rejected = [
        rejected_page
        for judged in judge_batches(session, batches, classifier)
        for rejected_page in judged.rejected_pages()
        if rejected_page[0] not in training_set.example_pages
    ]
    urls = urls_of_pages(session, [page for page, _, _ in rejected])
    candidates = [
        RejectedPage(
            host_of(urls[page]),
            sample,
            confidence,
        )
        for page, sample, confidence in rejected
    ]
    chosen = choose_counterexamples(others.common, others.user, candidates, largest)
    if not chosen.rejected:
        return training_set
    return replace(training_set, others={**training_set.others, ROOT: chosen})


def fit(training_set: TrainingSet, options: LearningOptions) -> TreeClassifier:
    """Return the classifier fitted to a training set."""
    samples = {
        topic: [document.sample for document in documents]
        for topic, documents in training_set.documents.items()
    }
    others = {parent: chosen.documents for parent, chosen in training_set.others.items()}
    untrained = TreeClassifier(
        SETTINGS[options.setting],
        options.spaces,
        options.rule,
        training_set.meanings,
    )
    return untrained.fit(training_set.parents, samples, others)


def knows_topics(classifier: TreeClassifier) -> bool:
    """Return whether a classifier knows any topic below the root; else it accepts nothing."""
    return any(group.parent == ROOT for groups in classifier.groups_.values() for group in groups)
