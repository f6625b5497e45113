"""The effect of a user's marks on training and judging (SPEC B15, B21): they overrule the model.

Marks change no example. `lode train` and crawls both train by them, and a mark that is taken back
leaves nothing behind. An archetype that a user rejected is judged as if it were marked bad.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from msgspec.structs import replace

from motherlode.records import (
    ROOT,
    Example,
    Feedback,
    Judgement,
    Origin,
    PageId,
    TopicId,
    Verdict,
    Word,
)
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.marks import Marked, standing_marks
from motherlode.store.tables.pages import urls_of_pages
from motherlode.topics import TopicTree, show_path

_LABELS = {
    Word.GOOD: "good for",
    Word.BAD: "bad for",
    Word.DROPPED: "not to be learned from for",
}
MARKED_CONFIDENCE = 0.001  # in a page that is on a topic only because a user marked it


class PortalMarks:
    """All marks of a portal that are in force, and the archetypes that users rejected."""

    def __init__(
        self, marks: Sequence[Marked], tree: TopicTree, rejected: Iterable[Feedback] = ()
    ) -> None:
        self._tree = tree
        self._rejected: dict[PageId, list[TopicId]] = {}
        for feedback in rejected:
            self._rejected.setdefault(feedback.page, []).append(feedback.topic)
        self._by_page: dict[PageId, list[Marked]] = {}
        for marked in marks:
            self._by_page.setdefault(marked.mark.page, []).append(marked)
        self._by_url = {marked.url: marked.mark.page for marked in marks}
        self.marks = marks

    @classmethod
    def of(cls, session: Session, rejected: Iterable[Feedback] | None = None) -> Self:
        """Return the marks in the store; `rejected` are archetypes, by default those in
        the store.
        """
        tree = TopicTree(topic_rows.all_topics(session))
        rejected = rejected_archetypes(session, tree) if rejected is None else rejected
        return cls(standing_marks(session), tree, rejected)

    @property
    def pages(self) -> list[PageId]:
        """The pages that have a mark, or were rejected."""
        return list(self._by_page | self._rejected)

    def on(self, page: PageId) -> list[Marked]:
        return self._by_page.get(page, [])

    def page_at(self, url: str) -> PageId | None:
        """Return the page at a URL if it has a mark."""
        return self._by_url.get(url)

    def excludes(self, page: PageId, topic: TopicId) -> bool:
        """Return whether marks exclude a page from the examples of a topic.

        OTHERS excludes a page that is marked good for a topic beside it.
        """
        marks = self.on(page)
        if marks and self._tree[topic].is_others:
            beside = self._tree.descendants(self._tree[topic].parent or ROOT)
            good = [marked.mark.topic for marked in marks if marked.mark.word is Word.GOOD]
            return any(topic in beside for topic in good)
        return any(
            marked.mark.word in (Word.BAD, Word.DROPPED)
            and topic in self._tree.descendants(marked.mark.topic)
            for marked in marks
        )

    def examples(self) -> Iterator[Example]:
        """Yield the pages marked good, as examples of their topics."""
        for marked in self.marks:
            if marked.mark.word is Word.GOOD:
                yield _example(marked, marked.mark.topic)

    def counterexamples(self) -> Iterator[Example]:
        """Yield the pages marked bad for a topic, under its parent: they belong to OTHERS there."""
        for marked in self.marks:
            if marked.mark.word is Word.BAD:
                yield _example(marked, self._tree[marked.mark.topic].parent or ROOT)

    def overrule(self, page: PageId, judgement: Judgement) -> Judgement:
        """Return the judgement of a page, corrected by the marks on it."""
        for marked in reversed(self.on(page)):  # the last mark first
            if marked.mark.word is Word.GOOD:
                if judgement.topic in self._tree.descendants(marked.mark.topic):
                    return judgement
                return replace(
                    judgement,
                    topic=marked.mark.topic,
                    confidence=MARKED_CONFIDENCE,
                    probability=1.0,
                )
        bad = [marked.mark.topic for marked in self.on(page) if marked.mark.word is Word.BAD]
        bad += self._rejected.get(page, [])
        while (topic := self._bad_topic_above(judgement.topic, bad)) is not None:
            parent = self._tree[topic].parent or ROOT
            judgement = replace(judgement, topic=parent)
            if parent == ROOT:  # else the page is as surely on the parent as on the topic below
                confidence = min(judgement.confidence, 0.0)
                judgement = replace(judgement, confidence=confidence, probability=None)
        return judgement

    def _bad_topic_above(self, topic: TopicId, bad: Sequence[TopicId]) -> TopicId | None:
        """Return the first of the bad topics that contains this topic; None for the root."""
        if topic == ROOT:
            return None
        return next((above for above in bad if topic in self._tree.descendants(above)), None)


def rejected_archetypes(session: Session, tree: TopicTree) -> list[Feedback]:
    """Return what users rejected as archetypes of topics, and have not accepted since."""
    latest = {
        (feedback.topic, feedback.page): feedback
        for topic in tree
        for feedback in ledger.feedback_on(session, topic.id)
    }
    return [feedback for feedback in latest.values() if feedback.verdict is Verdict.BAD]


def mark_labels(marks: PortalMarks, tree: TopicTree, page: PageId) -> tuple[str, ...]:
    """Return the marks on a page in words, such as `good for owls`."""
    return tuple(
        f"{_LABELS[marked.mark.word]} {show_path(tree.path(marked.mark.topic))}"
        for marked in marks.on(
            page,
        )
    )


def _example(marked: Marked, topic: TopicId) -> Example:
    return Example(
        topic,
        marked.url,
        marked.title,
        origin=Origin.FEEDBACK,
        added_at=marked.mark.given_at,
    )


def user_counterexamples(
    session: Session, tree: TopicTree, rejected: Iterable[Feedback] | None = None
) -> tuple[Example, ...]:
    """Return pages that users call off a topic, as counterexamples under its parent (SPEC B15,
    B21).

    `rejected` are archetypes; by default, all that users rejected.
    """
    rejected = rejected_archetypes(session, tree) if rejected is None else rejected
    marked_bad = PortalMarks.of(session).counterexamples()
    return (*marked_bad, *_rejected_examples(session, tree, tuple(rejected)))


def _rejected_examples(
    session: Session, tree: TopicTree, rejected: tuple[Feedback, ...]
) -> Iterator[Example]:
    urls = urls_of_pages(session, [feedback.page for feedback in rejected])
    for feedback in rejected:
        parent = tree[feedback.topic].parent or ROOT
        url = urls.get(feedback.page)
        yield Example(parent, url, origin=Origin.FEEDBACK, added_at=feedback.given_at)
