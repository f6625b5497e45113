"""A portal's topic tree with its examples."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from motherlode.portal import Portal
from motherlode.records import Example, TopicId
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import counts_by_topic
from motherlode.store.tables.marks import standing_marks
from motherlode.topics import TopicTree
from motherlode.training.portal_view import PortalView, untrained_topics


class PortalTree(Struct, frozen=True):
    """A portal's topics, their examples, and the number of relevance marks.

    `untrained` has the topics that the latest model does not know yet.
    """

    title: str
    tree: TopicTree
    examples: list[Example]
    marks: int
    untrained: frozenset[TopicId]


def tree_of(directory: Path, overrides: Sequence[str] = ()) -> PortalTree:
    """Return the topic tree of the portal in a directory."""
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        view = PortalView(session, portal.config, TopicTree(topic_rows.all_topics(session)))
        return PortalTree(
            title=portal.title,
            tree=view.tree,
            examples=view.examples,
            marks=len(standing_marks(session)),
            untrained=frozenset(untrained_topics(view, counts_by_topic(session))),
        )
