"""The hubs and authorities of a topic, by the links between hosts."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from motherlode.app.services.portals.hints import advice_to_fetch, advice_to_train
from motherlode.portal import Portal
from motherlode.records import BadInputError, UsageError
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import count_pages
from motherlode.topics import parse_path, show_path
from motherlode.training.link_analysis import (
    LinkScores,
    best_pages,
    link_scores_of,
    topic_authorities,
)


class TopicLinks(Struct, frozen=True):
    """The authorities among a topic's pages, and the best hubs among them and the pages around."""

    topic: str
    pages: int
    on_topic: int
    authorities: list[LinkScores]
    hubs: list[LinkScores]


def topic_links(directory: Path, path: str, most: int, overrides: Sequence[str] = ()) -> TopicLinks:
    """Return the hubs and authorities of a topic.

    Raises `BadInputError` if no page is on the topic, and `UsageError` for OTHERS.
    """
    with Portal.reading(directory, overrides) as portal:
        tree = portal.tree()
        topic = tree.at(parse_path(path))
        if topic.is_others:
            raise UsageError("OTHERS holds the pages of no topic, so it has no hubs; name a topic.")
        with portal.store.reading() as session:
            pages = link_scores_of(session, tree, topic.id)
        on_topic = sum(page.margin is not None for page in pages)
        name = show_path(tree.path(topic.id))
        if not on_topic:
            raise BadInputError(f"No page is on '{name}' yet; {_advice(portal)}.")
    authorities, hubs = topic_authorities(pages, most), best_pages(pages, "hub", most)
    return TopicLinks(name, len(pages), on_topic, authorities, hubs)


def _advice(portal: Portal) -> str:
    with portal.store.reading() as session:
        needs_model = count_pages(session) and not ledger.last_model(session)
    return (
        advice_to_fetch(portal) if not needs_model else advice_to_train(portal, "judges the pages")
    )
