"""Fetching a portal's examples: a topic is learned from its pages, so they must be there."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from motherlode.engine.reading import Read
from motherlode.engine.rounds import Limits, crawl
from motherlode.engine.training import page_behind
from motherlode.fetch import Web
from motherlode.policies.baselines import follow_links
from motherlode.portal import Portal
from motherlode.records import Document, Entry, Follow, Judgement, TopicId, UrlKey
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree
from motherlode.urls import Address, address

_QUEUE = TopicId(0)  # of no topic: what else waits is not fetched with them
_FIRST = 2e9


@dataclass(frozen=True, slots=True)
class _Examples:
    """The examples and nothing else; their links wait for the crawl, except those of counterexamples."""

    seeds: Sequence[Address]
    against: Collection[UrlKey]

    def seed(self) -> Iterable[Follow]:
        return (Follow(one.url, one.key, _QUEUE, _FIRST - place) for place, one in enumerate(self.seeds))

    def judge(self, _entry: Entry, _document: Document) -> None:
        return None

    def steer(self, entry: Entry, document: Document, _judgement: Judgement | None) -> Iterable[Follow]:
        return () if entry.key in self.against else follow_links(entry, document, -float(entry.depth + 1))


async def fetch_examples(portal: Portal, web: Web, read: Read) -> int:
    """Fetch the examples that the store has no page of. Returns how many came."""
    wanted = list(_unfetched(portal))
    if not wanted:
        return 0
    policy = _Examples([one for one, _ in wanted], {one.key for one, against in wanted if against})
    limits = Limits(len(wanted), command="train")
    return (await crawl(portal, web, policy, limits, lambda _progress: None, read)).pages


def missing_examples(portal: Portal) -> int:
    """How many examples the store has no page of."""
    return sum(1 for _ in _unfetched(portal))


def _unfetched(portal: Portal) -> Iterator[tuple[Address, bool]]:
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = {one.url: one for one in topic_rows.examples_of(session) if one.url}
        for url, example in examples.items():
            if page_behind(session, url) is None:
                yield address(url, rules=portal.config.urls), tree[example.topic].is_others
