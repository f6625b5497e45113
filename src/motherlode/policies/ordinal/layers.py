"""The layers around the examples of a portal, from all sources of back-links (SPEC F1)."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from motherlode.learning.ordinal.layers import layers_around
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import Origin, TopicId, UrlKey
from motherlode.sources.back_links.edge_file import pages_linking_to as pages_in_file
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import known_url, page_numbered, pages_linking_to, redirect_of
from motherlode.topics import TopicTree
from motherlode.urls import Address, address, host_of, url_key

BackLinks = Callable[[Sequence[str]], Iterator[str]]
_MAX_LINKING = 1_000  # pages of a store that link to one URL


def example_urls(session: Session, config: Config) -> list[str]:
    """Return the examples of all topics: they are level 0. Counterexamples and hits are not."""
    return [example.url for example in _examples(session, config)]


def example_topics(session: Session, config: Config) -> dict[UrlKey, TopicId]:
    """Return the topic of each example, by the key of its URL."""
    return {example.key: topic for example, topic in _examples(session, config).items()}


def _examples(session: Session, config: Config) -> dict[Address, TopicId]:
    tree = TopicTree(topic_rows.all_topics(session))
    known: dict[Address, TopicId] = {}
    for example in topic_rows.examples_of(session):
        is_learned = example.origin is not Origin.HIT and not tree[example.topic].is_others
        if example.url and is_learned:
            known.setdefault(address(example.url, rules=config.urls), example.topic)
    return known


def layers_of(session: Session, config: Config) -> dict[str, int]:
    """Return the level of each URL around the examples, by all sources of back-links.

    Of each level, the first `ordinal.level_pages` count; the own links of the portal come first.
    """
    options = config.ordinal

    def linking_to(targets: list[str]) -> list[str]:
        found: dict[str, None] = {}
        for source in _sources(session, config):
            for url in source(targets):
                found.setdefault(url)
                if len(found) >= options.level_pages + len(targets):
                    return list(found)
        return list(found)

    return layers_around(example_urls(session, config), linking_to, options.levels)


def _sources(session: Session, config: Config) -> Iterator[BackLinks]:
    yield lambda targets: linking_in_store(session, targets)
    for name in config.ordinal.edge_files:
        yield lambda targets, path=Path(name): _linking_in_file(path, targets, config)  # type: ignore[misc]
    for name in config.ordinal.portals:
        yield lambda targets, path=Path(name): _linking_in_portal(path, targets)  # type: ignore[misc]


def linking_in_store(session: Session, targets: Sequence[str]) -> Iterator[str]:
    """Yield the fetched pages that link to one of these URLs, or to one that redirects there."""
    for target in targets:
        known = known_url(session, url_key(target, host_of(target)))
        if known is None:
            continue
        ids = [known.id, *filter(None, [redirect_of(session, known.id)])]
        for _, linking in pages_linking_to(session, ids, _MAX_LINKING):
            for number in sorted(linking):
                page = page_numbered(session, number)
                if page is not None:
                    yield page.page.url


def _linking_in_file(path: Path, targets: Sequence[str], config: Config) -> Iterator[str]:
    wanted = frozenset(targets)
    return (page.url for page in pages_in_file(path, wanted, config.urls))


def _linking_in_portal(path: Path, targets: Sequence[str]) -> Iterator[str]:
    with Portal.reading(path) as other, other.store.reading() as session:
        yield from linking_in_store(session, targets)
