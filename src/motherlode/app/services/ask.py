"""Answer a query by a crawl: its seeds, its portal and its answer (SPEC B31; BINGO!, 5.3)."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.services.addresses import web_address
from motherlode.app.services.documents import from_file, read_all
from motherlode.app.services.open_sources import SourceAnswer
from motherlode.app.services.sources import search_sources
from motherlode.crawl.fetcher_setup import user_agent
from motherlode.documents.features.spaces import TERMS
from motherlode.portal import Portal, create_portal
from motherlode.portal.config import Config
from motherlode.portal.config_reader import default_config, parse_override
from motherlode.portal.directory import CONFIG, config_of, plant_into
from motherlode.records import BadInputError, Example, LodeError, Origin, TopicId, UsageError
from motherlode.search.answers import QueryAnswer, answer_query
from motherlode.sources.bookmarks import holds_bookmarks, read_bookmarks
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import count_pages, known_url
from motherlode.topics import OTHERS, Planting, TopicPath, TopicTree, plant, plant_query
from motherlode.topics.tree_builder import Planted
from motherlode.topics.virtual import virtual_document
from motherlode.training.training_document import page_at_url
from motherlode.urls import host_of, url_key

MAX_DIRECTORY_CHARS = 40
MAX_SEARCH_HITS = 20  # of all search sources
MAX_TEXT_CHARS = 200_000  # of a local document
_UNPLACED = TopicId(0)


class NothingFetchedError(LodeError):
    """No page was fetched, so there is nothing to answer from."""


class Seeds(Struct, frozen=True):
    """The pages and documents that a user gives for a query, and counterexamples."""

    examples: tuple[Example, ...] = ()
    others: tuple[Example, ...] = ()
    skipped: int = 0

    @property
    def pages(self) -> int:
        return sum(example.url is not None for example in self.examples)


class QueryPortal(Struct, frozen=True):
    """The portal of a query. `fresh`: it was just made.

    `problems` has one sentence for each search source that failed.
    """

    path: Path
    fresh: bool
    seeds: Seeds
    problems: tuple[str, ...] = ()


def query_of(words: Iterable[str]) -> str:
    """Return the query on one line. Raises `UsageError` if it has no word that counts."""
    query = " ".join(" ".join(words).encode(errors="replace").decode().split())
    if not query:
        raise UsageError(
            'The query is empty; write what you look for, such as "barn owls at night".'
        )
    if not virtual_document(query, [query]).vectors[TERMS]:
        raise UsageError("The query has only stop words or numbers; name what you look for.")
    return query


def directory_for(query: str) -> Path:
    """Return the default directory for the portal of a query.

    >>> directory_for("Open source ARIES: recovery")
    PosixPath('open-source-aries-recovery')
    """
    name = "-".join(re.findall(r"[^\W_]+", query.casefold()))
    if len(name) > MAX_DIRECTORY_CHARS:
        name = name[:MAX_DIRECTORY_CHARS].rpartition("-")[0] or name[:MAX_DIRECTORY_CHARS]
    return Path(name or "query")


def open_query_portal(
    query: str,
    given: Sequence[str],
    directory: Path | None,
    overrides: Sequence[str],
    source_names: Sequence[str] = (),
) -> QueryPortal:
    """Make the portal of a query, or open the one that exists.

    It begins from what the user has given, and from the pages that search sources return.
    """
    path = directory_for(query) if directory is None else directory
    exists = (path / CONFIG).is_file()
    config = config_of(path, overrides) if exists else default_config(overrides)
    if exists and not _has_query(path, query):
        raise BadInputError(
            f"{path} is the portal of another query; name another directory with --portal DIR."
        )
    seeds = _seeds_of_all(given, config)
    answer = SourceAnswer((), ())
    if source_names:
        answer = search_sources(config, source_names, query, MAX_SEARCH_HITS)
        seeds = _merge([seeds, _seeds_of_hits(answer)])
    if not exists and not seeds.pages:
        raise _no_page(given, seeds, answer if source_names else None)
    user_agent(config)  # raises without a contact, before anything is made
    if exists:
        _add(path, query, seeds)
    else:
        chosen = dict(parse_override(override) for override in overrides)
        create_portal(path, _plant_query_topic(query, seeds, None), chosen)
    return QueryPortal(path, not exists, seeds, answer.problems)


def answer_from(portal: Portal, query: str, most: int) -> QueryAnswer:
    """Return the answer from the pages so far. Raises `NothingFetchedError` if there are none."""
    with portal.store.reading() as session:
        if not count_pages(session):
            raise NothingFetchedError(
                f"No page to start from could be fetched{_first_reason(session)}."
            )
        tree = TopicTree(topic_rows.all_topics(session))
        topic = _topic_of(session, query)
        if topic is None:
            raise BadInputError(f"The topic of this query is gone from {portal.path}.")
        return answer_query(session, tree, topic, query, most)


def _no_page(given: Sequence[str], seeds: Seeds, answer: SourceAnswer | None) -> LodeError:
    """Return the error of a query without a page to start from; `answer` is of its sources."""
    if answer is not None and answer.problems:
        problems = "; ".join(problem.rstrip(".") for problem in answer.problems)
        return LodeError(f"There is no page to start from: {problems}.")
    if answer is not None:
        return LodeError(
            "The search sources returned no page to start from; try other words, or give pages "
            "with --seeds."
        )
    if not given:
        return UsageError(
            "There is no page to start from; give some with --seeds URL or --seeds FILE "
            "(bookmarks, URLs), or find some with --source NAME."
        )
    problem = (
        "holds no URL that can be crawled" if not seeds.examples else "is a document, not a URL"
    )
    return UsageError(
        f"{given[0][:200]} {problem}; give a page to start from, by --seeds URL or --source NAME."
    )


def _seeds_of_all(given: Sequence[str], config: Config) -> Seeds:
    return _merge([_seeds_of(source, config) for source in given])


def _seeds_of(source: str, config: Config) -> Seeds:
    """Return the seeds of a source: a URL, a file of URLs, or a document."""
    if "://" in source:
        return Seeds((Example(_UNPLACED, web_address(source, config.urls).url),))
    path = Path(source)
    if not path.exists():
        raise UsageError(
            f"There is no file {source[:200]}; the URL of a page begins with http:// or https://."
        )
    if holds_bookmarks(path):
        return _bookmarks(path, config)
    document = read_all(from_file(path), config)[0].document
    if document.unreadable or not document.vectors.get(TERMS):
        raise BadInputError(f"{path} cannot be read: {document.unreadable or 'it has no words'}.")
    text = document.text[:MAX_TEXT_CHARS] or document.title
    return Seeds((Example(_UNPLACED, None, title=document.title, text=text),))


def _bookmarks(path: Path, config: Config) -> Seeds:
    """Return all bookmarks of a file; those under OTHERS are counterexamples."""
    planting = plant(read_bookmarks(path), path.stem, config.urls)
    on: list[Example] = []
    off: list[Example] = []
    for planted in planting.topics:
        (off if planted.path[-1:] == (OTHERS,) else on).extend(planted.examples)
    return Seeds(tuple(on), tuple(off), sum(planting.skipped.values()))


def _seeds_of_hits(answer: SourceAnswer) -> Seeds:
    """Return the hits of search sources as seeds, with what the sources say of them."""
    return Seeds(
        tuple(Example(_UNPLACED, hit.url, title=hit.title, note=hit.snippet) for hit in answer.hits)
    )


def _merge(parts: Sequence[Seeds]) -> Seeds:
    """Return all seeds as one record, each page once."""
    latest_first = (example for part in reversed(parts) for example in reversed(part.examples))
    examples = {example.url or example.text: example for example in latest_first}
    others = {example.url: example for part in parts for example in part.others}
    return Seeds(
        tuple(reversed(examples.values())),
        tuple(others.values()),
        sum(part.skipped for part in parts),
    )


def _plant_query_topic(query: str, seeds: Seeds, at: TopicPath | None) -> Planting:
    """Return the query's topic with the query itself as its first example.

    `at` is the path of the topic, if it exists already.
    """
    (planted,) = plant_query(query).topics
    topics = [Planted(planted.path if at is None else at, (*planted.examples, *seeds.examples))]
    if seeds.others:
        topics.append(Planted((OTHERS,), seeds.others))
    return Planting(tuple(topics))


def _has_query(path: Path, query: str) -> bool:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return _topic_of(session, query) is not None


def _topic_of(session: Session, query: str) -> TopicId | None:
    examples = topic_rows.examples_of(session)
    queries = (example for example in examples if example.origin is Origin.QUERY)
    return next((example.topic for example in queries if example.text == query), None)


def _add(path: Path, query: str, seeds: Seeds) -> None:
    """Add seeds to the topic of a query."""
    if not seeds.examples and not seeds.others:
        return
    with Portal.writing(path, "lode ask") as portal, portal.store.writing() as session:
        topic = _topic_of(session, query)
        assert topic is not None  # noqa: S101 - the caller has checked it
        examples = topic_rows.examples_of(session, topic)
        texts = {example.text for example in examples if example.url is None}
        new = tuple(
            example
            for example in seeds.examples
            if example.url is not None or example.text not in texts
        )
        tree = TopicTree(topic_rows.all_topics(session))
        (planted, *counterexamples) = _plant_query_topic(
            query, replace(seeds, examples=new), tree.path(topic)
        ).topics
        plant_into(session, Planting((replace(planted, examples=new), *counterexamples)))


def _first_reason(session: Session) -> str:
    """Return why the first example could not be fetched, in brackets."""
    for example in topic_rows.examples_of(session):
        url = example.url
        if url and page_at_url(session, url) is None:
            row = known_url(session, url_key(url, host_of(url)))
            reason = row.reason if row is not None and row.reason else "not fetched"
            return f" ({url}: {reason})"
    return ""
