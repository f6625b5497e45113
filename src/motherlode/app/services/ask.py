"""A query, asked of the Web: what a person gives to begin with, as a portal (SPEC B31; BINGO!, 5.3)."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.services.addresses import web_address
from motherlode.app.services.documents import from_file, read_all
from motherlode.crawl.fetcher_setup import user_agent
from motherlode.documents.spaces import TERMS
from motherlode.fetch.loops import run
from motherlode.portal import Portal, create_portal
from motherlode.portal.config import Config
from motherlode.portal.directory import CONFIG, config_of, plant_into
from motherlode.portal.reading import default_config, parse_override
from motherlode.records import BadInputError, Example, LodeError, Origin, TopicId, UsageError
from motherlode.search.answers import QueryAnswer, answer_query
from motherlode.sources.bookmarks import holds_bookmarks, read_bookmarks
from motherlode.sources.searching import SearchSource
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.pages import count_pages, known_url
from motherlode.topics import OTHERS, Planting, TopicPath, TopicTree, plant, plant_query
from motherlode.topics.planting import Planted
from motherlode.topics.virtual import virtual_document
from motherlode.training.training_set import page_behind
from motherlode.urls import host_of, url_key

_NAME = 40  # characters of a directory's name
_SEARCHED = 20  # pages that a search source is asked for
_MAX_TEXT = 200_000  # characters of a local document
_UNPLACED = TopicId(0)


class NothingFetchedError(LodeError):
    """No page has come, so there is nothing to answer from."""


class Seeds(Struct, frozen=True):
    """What a person gives beside the query: pages and documents on it, and counterexamples."""

    examples: tuple[Example, ...] = ()
    others: tuple[Example, ...] = ()
    skipped: int = 0

    @property
    def pages(self) -> int:
        return sum(one.url is not None for one in self.examples)


class Place(Struct, frozen=True):
    """The portal that a query is asked in. `fresh`: it was made for it just now."""

    path: Path
    fresh: bool
    seeds: Seeds


def query_of(words: Iterable[str]) -> str:
    """The query, on one line. Raises `UsageError` where it says nothing."""
    query = " ".join(" ".join(words).encode(errors="replace").decode().split())
    if not query:
        raise UsageError('The query is empty; write what you look for, such as "barn owls at night".')
    if not virtual_document(query, [query]).vectors[TERMS]:
        raise UsageError("The query has no word that tells anything; name what you look for.")
    return query


def directory_for(query: str) -> Path:
    """Where the portal of a query lies if nobody says otherwise.

    >>> directory_for("Open source ARIES: recovery")
    PosixPath('open-source-aries-recovery')
    """
    name = "-".join(re.findall(r"[^\W_]+", query.casefold()))
    if len(name) > _NAME:
        name = name[:_NAME].rpartition("-")[0] or name[:_NAME]
    return Path(name or "query")


def open_place(
    query: str,
    sources: Sequence[str],
    directory: Path | None,
    overrides: Sequence[str],
    search: SearchSource | None = None,
) -> Place:
    """Make the portal of a query, or take up the one that there is; without a page, `search` is asked."""
    path = directory_for(query) if directory is None else directory
    exists = (path / CONFIG).is_file()
    config = config_of(path, overrides) if exists else default_config(overrides)
    if exists and not _is_of(path, query):
        raise BadInputError(f"{path} is the portal of something else; name another with --portal DIR.")
    seeds = _gathered(sources, config)
    if not seeds.pages and search is not None:
        seeds = _joined([seeds, _searched(query, search, config)])
    if not exists and not seeds.pages:
        raise UsageError(_nothing_to_begin_with(sources, seeds))
    user_agent(config)  # before anything is made: a crawl will want to know who it is
    if exists:
        _add(path, query, seeds)
    else:
        chosen = dict(parse_override(override) for override in overrides)
        create_portal(path, _planting(query, seeds, None), chosen)
    return Place(path, not exists, seeds)


def answer_from(portal: Portal, query: str, most: int) -> QueryAnswer:
    """The answer as far as the portal has it. Raises `NothingFetchedError` where no page has come."""
    with portal.store.reading() as session:
        if not count_pages(session):
            raise NothingFetchedError(f"No page could be fetched to begin with{_first_reason(session)}.")
        tree = TopicTree(topic_rows.all_topics(session))
        topic = _topic_of(session, query)
        if topic is None:
            raise BadInputError(f"The topic of this query is gone from {portal.path}.")
        return answer_query(session, tree, topic, query, most)


def _nothing_to_begin_with(sources: Sequence[str], seeds: Seeds) -> str:
    if not sources:
        return "There is no page to begin with; give some with --seeds URL or --seeds FILE (bookmarks, URLs)."
    what = "holds no address that can be crawled" if not seeds.examples else "is a document, not an address"
    return f"{sources[0][:200]} {what}; give a page to begin with, by --seeds URL."


# --- what a person gives --------------------------------------------------------------------------------


def _gathered(sources: Sequence[str], config: Config) -> Seeds:
    return _joined([_read(source, config) for source in sources])


def _read(source: str, config: Config) -> Seeds:
    """What lies behind a word on the command line: an address, a file of addresses, or a document."""
    if "://" in source:
        return Seeds((Example(_UNPLACED, web_address(source, config.urls).url),))
    path = Path(source)
    if not path.exists():
        raise UsageError(
            f"There is no file {source[:200]}; the address of a page begins with http:// or https://."
        )
    if holds_bookmarks(path):
        return _bookmarked(path, config)
    document = read_all(from_file(path), config)[0].document
    if document.unreadable or not document.vectors.get(TERMS):
        raise BadInputError(f"{path} cannot be read: {document.unreadable or 'it has no words'}.")
    text = document.text[:_MAX_TEXT] or document.title
    return Seeds((Example(_UNPLACED, None, title=document.title, text=text),))


def _bookmarked(path: Path, config: Config) -> Seeds:
    """All bookmarks of a file, whatever their folders; those under OTHERS are counterexamples."""
    planting = plant(read_bookmarks(path), path.stem, config.urls)
    on: list[Example] = []
    off: list[Example] = []
    for planted in planting.topics:
        (off if planted.path[-1:] == (OTHERS,) else on).extend(planted.examples)
    return Seeds(tuple(on), tuple(off), sum(planting.skipped.values()))


def _searched(query: str, search: SearchSource, config: Config) -> Seeds:
    urls = run(search.find(query, _SEARCHED))
    return _joined([_read(url, config) for url in urls[:_SEARCHED]])


def _joined(parts: Sequence[Seeds]) -> Seeds:
    """All of them as one, each page once."""
    examples = {one.url or one.text: one for part in reversed(parts) for one in reversed(part.examples)}
    others = {one.url: one for part in parts for one in part.others}
    return Seeds(
        tuple(reversed(examples.values())), tuple(others.values()), sum(part.skipped for part in parts)
    )


# --- the portal -----------------------------------------------------------------------------------------


def _planting(query: str, seeds: Seeds, at: TopicPath | None) -> Planting:
    """The query's topic, with the query itself as its first example; `at`: where the topic is already."""
    (planted,) = plant_query(query).topics
    topics = [Planted(planted.path if at is None else at, (*planted.examples, *seeds.examples))]
    if seeds.others:
        topics.append(Planted((OTHERS,), seeds.others))
    return Planting(tuple(topics))


def _is_of(path: Path, query: str) -> bool:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return _topic_of(session, query) is not None


def _topic_of(session: Session, query: str) -> TopicId | None:
    asked = (one for one in topic_rows.examples_of(session) if one.origin is Origin.QUERY)
    return next((one.topic for one in asked if one.text == query), None)


def _add(path: Path, query: str, seeds: Seeds) -> None:
    """Give the topic of a query more to learn from."""
    if not seeds.examples and not seeds.others:
        return
    with Portal.writing(path, "lode ask") as portal, portal.store.writing() as session:
        topic = _topic_of(session, query)
        assert topic is not None  # noqa: S101 - it was there when the portal was looked at
        told = {one.text for one in topic_rows.examples_of(session, topic) if one.url is None}
        fresh = tuple(one for one in seeds.examples if one.url is not None or one.text not in told)
        tree = TopicTree(topic_rows.all_topics(session))
        (planted, *others) = _planting(query, replace(seeds, examples=fresh), tree.path(topic)).topics
        plant_into(session, Planting((replace(planted, examples=fresh), *others)))


def _first_reason(session: Session) -> str:
    """Why the first of the examples did not come."""
    for one in topic_rows.examples_of(session):
        if one.url and page_behind(session, one.url) is None:
            known = known_url(session, url_key(one.url, host_of(one.url)))
            why = known.reason if known is not None and known.reason else "not fetched"
            return f" ({one.url}: {why})"
    return ""
