"""The subjects of a portal, their hits, and the centroids that are made of them (SPEC T1).

A subject is a topic with documents to make a centroid of: hits of search sources, which need to be
so many, or pages that a person has named, of which one is enough.
"""

from collections.abc import Sequence

from msgspec import Struct, structs

from motherlode.documents.features.meanings import (
    Meanings,
    NoMeaningsError,
    meanings_are_here,
    word_meanings,
)
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag
from motherlode.learning.options import LearningOptions, SemanticMode
from motherlode.learning.tunnel.centroids import Centroids, fit_centroids
from motherlode.policies.tunnel.model import CentroidModel
from motherlode.policies.tunnel.options import TunnelOptions
from motherlode.portal import Portal
from motherlode.records import Example, Origin, TopicId
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree, show_path
from motherlode.training.training_document import (
    TrainingDocument,
    training_document,
    unusable_example,
)


class SubjectHit(Struct, frozen=True):
    """A hit of a subject. `problem` says why the centroid is not made of it; empty: it is."""

    url: str
    title: str
    problem: str = ""


class CollectionSubject(Struct, frozen=True):
    """A subject with its hits. `is_dropped`: it has too few for a centroid."""

    topic: TopicId
    name: str
    hits: tuple[SubjectHit, ...]
    is_dropped: bool
    bags: tuple[Bag, ...] = ()

    @property
    def used(self) -> int:
        """The number of hits that the centroid is made of."""
        return sum(not hit.problem for hit in self.hits)


def subjects_of(
    session: Session, tree: TopicTree, options: TunnelOptions
) -> list[CollectionSubject]:
    """Return the subjects of a portal in the order of its topic tree, dropped ones included."""
    examples = topic_rows.examples_of(session)
    return [
        _subject(session, topic.id, show_path(tree.path(topic.id)), of_topic, options)
        for topic in tree
        if not topic.is_others
        and (of_topic := [example for example in examples if example.topic == topic.id])
    ]


def _subject(
    session: Session,
    topic: TopicId,
    name: str,
    examples: Sequence[Example],
    options: TunnelOptions,
) -> CollectionSubject:
    """Return a subject with the first hits that have words, up to the number wanted."""
    hits: list[SubjectHit] = []
    bags: list[Bag] = []
    found = 0
    for example in examples:
        if example.origin is Origin.QUERY:
            continue  # the words of a subject alone make no centroid
        is_hit = example.origin is Origin.HIT
        document = None
        if is_hit and found >= options.max_hits:
            problem = f"not needed, the first {options.max_hits} are taken"
        else:
            document = training_document(session, example, (TERMS,))
            problem = _problem(session, example, document)
        if document is not None and not problem:
            bags.append(document.sample[TERMS])
            found += is_hit
        url, title = example.url or "", _title(example, document)
        hits.append(SubjectHit(url, title, problem))
    is_named = any(example.origin not in (Origin.HIT, Origin.QUERY) for example in examples)
    is_dropped = not bags or (not is_named and found < options.min_hits)
    return CollectionSubject(topic, name, tuple(hits), is_dropped, tuple(bags))


def _problem(session: Session, example: Example, document: TrainingDocument | None) -> str:
    """Return why no centroid can be made of an example; hits count only as fetched pages."""
    if document is None or (document.virtual and example.origin is Origin.HIT):
        return unusable_example(session, example).reason
    return ""


def _title(example: Example, document: TrainingDocument | None) -> str:
    return (document.document.title if document is not None else "") or example.title


def centroids_of(
    subjects: Sequence[CollectionSubject], options: TunnelOptions, meanings: Meanings | None
) -> Centroids | None:
    """Return the centroids of all subjects that are not dropped; None without any."""
    hits = {int(subject.topic): subject.bags for subject in subjects if not subject.is_dropped}
    return fit_centroids(hits, options.weighting, meanings) if hits else None


def meanings_of_words(options: LearningOptions) -> Meanings | None:
    """Return the word meanings, if they are wanted and installed."""
    if options.semantic is SemanticMode.ON:
        return word_meanings()
    if options.semantic is SemanticMode.OFF or not meanings_are_here():
        return None
    try:
        return word_meanings()
    except NoMeaningsError:
        return None


def without_bags(subject: CollectionSubject) -> CollectionSubject:
    """Return a subject without its term vectors, to be shown."""
    return structs.replace(subject, bags=())


def fit_model(session: Session, portal: Portal, *, with_meanings: bool) -> CentroidModel | None:
    """Return the centroids of the portal's subjects; None if no subject has enough hits."""
    config = portal.config
    tree = TopicTree(topic_rows.all_topics(session))
    subjects = subjects_of(session, tree, config.tunnel)
    meanings = meanings_of_words(config.learning) if with_meanings else None
    centroids = centroids_of(subjects, config.tunnel, meanings)
    threshold = config.tunnel.threshold
    return None if centroids is None else CentroidModel(centroids, threshold, tree=tree)
