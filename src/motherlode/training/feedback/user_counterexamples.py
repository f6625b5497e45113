"""Pages that users call off a topic: those marked bad, and rejected archetypes (SPEC B15, B21)."""

from collections.abc import Iterable, Iterator

from motherlode.records import ROOT, Example, Feedback, Origin
from motherlode.store.session import Session
from motherlode.store.tables.pages import urls_of_pages
from motherlode.topics import TopicTree
from motherlode.training.feedback.marks import PortalMarks, rejected_archetypes


def user_counterexamples(
    session: Session, tree: TopicTree, rejected: Iterable[Feedback] | None = None
) -> tuple[Example, ...]:
    """Return counterexamples under the parents of the topics that they are off.

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
