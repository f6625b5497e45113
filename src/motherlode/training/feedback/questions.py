"""The pages of which a user's answer would teach the model most (SPEC B15, B21).

Only pages are asked that were fetched and judged, and that the user has not judged: neither
examples nor marked or rejected pages. The choice itself is in `learning.informative_documents`.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import islice, zip_longest

import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag
from motherlode.learning.clusters.kmeans import clustering_features
from motherlode.learning.informative_documents import InformativeDocument, choose_informative
from motherlode.learning.matrix import Floats, count_matrix, idf_weights, unit_rows
from motherlode.learning.plane_distances import UNKNOWN_CONFIDENCE
from motherlode.learning.tree import TreeClassifier
from motherlode.records import ROOT, PageId, Topic, TopicId
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import nearest_to_plane
from motherlode.topics import TopicTree
from motherlode.training.corpus import CorpusCache, PageCorpus
from motherlode.training.feedback.marks import PortalMarks, rejected_archetypes
from motherlode.training.training_document import page_at_url

MAX_CANDIDATES = 1_000  # of a topic, those nearest to its plane: half on it, half not


class PageQuestion(Struct, frozen=True):
    """A page that may belong to a topic. `similar` of its `candidates` resemble it."""

    page: PageId
    topic: TopicId
    margin: float
    similar: int
    candidates: int


def choose_questions(
    session: Session,
    tree: TopicTree,
    classifier: TreeClassifier,
    count: int,
    within: TopicId | None = None,
) -> list[PageQuestion]:
    """Return up to `count` questions: topics in turn, those with the fewest examples first.

    `within` keeps to a topic and those below it.
    """
    maker = _QuestionMaker(session, tree, classifier, count)
    wanted = set(tree.descendants(ROOT if within is None else within))
    rankings = (maker.ranking(topic) for topic in maker.topics_in_turn() if topic.id in wanted)
    asked_topics = list(islice(filter(None, rankings), count))
    chosen: dict[PageId, PageQuestion] = {}
    for questions in zip_longest(*asked_topics):
        for question in filter(None, questions):
            chosen.setdefault(question.page, question)
    return list(chosen.values())[:count]


def answered_pages(session: Session, tree: TopicTree) -> set[PageId]:
    """Return the pages that a user has judged: examples, marked pages and rejected archetypes."""
    examples = (example.url for example in topic_rows.examples_of(session) if example.url)
    pages = (page_at_url(session, url) for url in examples)
    return {
        *(page.id for page in pages if page is not None),
        *PortalMarks.of(session).pages,
        *(feedback.page for feedback in rejected_archetypes(session, tree)),
    }


class _QuestionMaker:
    """Ranks the pages of topics by what their answers would teach."""

    def __init__(
        self, session: Session, tree: TopicTree, classifier: TreeClassifier, count: int
    ) -> None:
        self._session, self._tree, self._classifier = session, tree, classifier
        self._count = count
        self._answered = answered_pages(session, tree)
        self._rejected_by_all_below = cache(self._nearest_on)  # several topics share a parent

    def topics_in_turn(self) -> list[Topic]:
        """Return the topics that were learned, those with the fewest examples and marks first."""
        marks = Counter(marked.mark.topic for marked in PortalMarks.of(self._session).marks)
        examples = Counter(example.topic for example in topic_rows.examples_of(self._session))
        known = self._classifier.parents
        topics = [topic for topic in self._tree if int(topic.id) in known]
        return sorted(topics, key=lambda topic: marks[topic.id] + examples[topic.id])

    def ranking(self, topic: Topic) -> list[PageQuestion]:
        """Return the questions on a topic, the most informative first."""
        pages, bags, margins = self._candidates(topic)
        return [
            PageQuestion(
                page=pages[document.row],
                topic=topic.id,
                margin=float(margins[document.row]),
                similar=document.similar,
                candidates=len(pages),
            )
            for document in _choose(bags, margins, self._count)
        ]

    def _candidates(self, topic: Topic) -> tuple[list[PageId], list[Bag], Floats]:
        """Return the pages nearest to a topic's plane, with their terms and distances."""
        parent = topic.parent or ROOT
        nearest = (
            *self._nearest_on(tuple(self._tree.descendants(topic.id))),
            *self._rejected_by_all_below((parent,)),
        )
        pages: list[PageId] = []
        bags: list[Bag] = []
        margins: list[float] = []
        spaces = tuple(dict.fromkeys((TERMS, *self._classifier.groups_)))
        corpus = PageCorpus(self._session, CorpusCache(0))
        for batch in corpus.batches(spaces, only=nearest):
            by_topic = self._classifier.distances_for_rows(batch.batches, batch.selected, parent)
            for row, margin in zip(batch.selected.tolist(), by_topic[topic.id], strict=True):
                if margin != UNKNOWN_CONFIDENCE:
                    pages.append(PageId(int(batch.pages[row])))
                    bags.append(batch.batches[TERMS].bag(row))
                    margins.append(float(margin))
        return pages, bags, np.array(margins)

    def _nearest_on(self, topics: tuple[TopicId, ...]) -> list[PageId]:
        limit = MAX_CANDIDATES // 2
        nearest = nearest_to_plane(self._session, topics, limit + len(self._answered))
        return [page for page in nearest if page not in self._answered][:limit]


def _choose(bags: Sequence[Bag], margins: Floats, count: int) -> list[InformativeDocument]:
    if not bags:
        return []
    counts = count_matrix(bags, clustering_features(bags))
    return choose_informative(margins, unit_rows(counts, idf_weights(counts)), count)
