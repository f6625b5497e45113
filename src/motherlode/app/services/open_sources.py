"""Search sources that are open: several are searched at once, and each at its own pace."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from msgspec import Struct

from motherlode.app.services.named_sources import NamedSource, source_named
from motherlode.crawl.fetcher_setup import user_agent
from motherlode.fetch import Web
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.fetch.robots.robots_web import RobotsWeb
from motherlode.portal.config import Config
from motherlode.records import LodeError
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.hits import merge_hits, uniform_hits
from motherlode.sources.search.options import SourceOptions
from motherlode.sources.search.pace import SHARED_PACE, RequestPace
from motherlode.sources.search.source import Hit, LinkSource, SearchSource, SourceSetup
from motherlode.urls import UrlRules

MAX_FAILURES = 3  # in a row, after which a source is not asked again
MAX_QUERY_CHARS = 2_000

_Question = Callable[[SearchSource], Awaitable[Sequence[Hit]]]


class SourceAnswer(Struct, frozen=True):
    """The hits of all sources, and one sentence for each source that failed."""

    hits: tuple[Hit, ...]
    problems: tuple[str, ...]


class _OpenSource:
    """A source that can be searched, and how often it has failed in a row."""

    def __init__(self, name: str, source: SearchSource | None, problem: str) -> None:
        self.name = name
        self._source = source
        self._problem = problem
        self._failures = 0
        self._turn = asyncio.Lock()

    async def search(self, query: str, wanted: int) -> Sequence[Hit]:
        """Return the hits of the source, which is asked one thing at a time.

        Raises `SourceError`.
        """
        return await self._ask(lambda source: source.search(query, wanted))

    async def pages_linking_to(self, url: str, wanted: int) -> Sequence[Hit]:
        """Return the pages that link to a URL. Raises `SourceError`."""

        def ask(source: SearchSource) -> Coroutine[Any, Any, Sequence[Hit]]:
            if not isinstance(source, LinkSource):
                raise SourceError(
                    self.name,
                    "does not say which pages link to a page; mediawiki, searxng and opensearch do",
                )
            return source.pages_linking_to(url, wanted)

        return await self._ask(ask)

    async def _ask(self, ask: _Question) -> Sequence[Hit]:
        if self._source is None:
            raise SourceError(self.name, self._problem)
        async with self._turn:
            return await self._answer(self._source, ask)

    async def _answer(self, source: SearchSource, ask: _Question) -> Sequence[Hit]:
        if self._failures >= MAX_FAILURES:
            raise SourceError(
                self.name, f"is not asked any more after {MAX_FAILURES} failures in a row"
            )
        try:
            hits = await ask(source)
        except LodeError as error:
            self._failures += 1
            raise _as_source_error(self.name, error) from error
        except Exception as error:
            self._failures += 1
            kind = type(error).__name__
            raise SourceError(self.name, f"sent an answer that cannot be read ({kind})") from error
        self._failures = 0
        return hits


class Sources:
    """Several open sources, which are searched at once."""

    def __init__(self, sources: Sequence[_OpenSource], rules: UrlRules) -> None:
        self._sources = sources
        self._rules = rules

    async def search(self, query: str, wanted: int) -> SourceAnswer:
        """Return at most `wanted` hits, taken from the sources in turn, each page once."""
        words = " ".join(query.split())[:MAX_QUERY_CHARS]
        if not words:
            return SourceAnswer((), ())
        return await self._asked(lambda source: source.search(words, wanted), wanted)

    async def pages_linking_to(self, url: str, wanted: int) -> SourceAnswer:
        """Return at most `wanted` pages that link to a URL, each once."""
        return await self._asked(lambda source: source.pages_linking_to(url, wanted), wanted)

    async def _asked(
        self, ask: Callable[[_OpenSource], Awaitable[Sequence[Hit]]], wanted: int
    ) -> SourceAnswer:
        results = await asyncio.gather(*(self._hits_of(source, ask) for source in self._sources))
        lists = [result for result in results if not isinstance(result, SourceError)]
        problems = tuple(str(result) for result in results if isinstance(result, SourceError))
        return SourceAnswer(merge_hits(lists, wanted), problems)

    async def _hits_of(
        self, source: _OpenSource, ask: Callable[[_OpenSource], Awaitable[Sequence[Hit]]]
    ) -> list[Hit] | SourceError:
        """Return the hits of one source, or its error: the others go on without it."""
        try:
            hits = await ask(source)
        except SourceError as error:
            return error
        usable = list(uniform_hits(hits, self._rules))
        if hits and not usable:
            return SourceError(source.name, "returned no link that can be crawled")
        return usable


def _as_source_error(name: str, error: LodeError) -> SourceError:
    return error if isinstance(error, SourceError) else SourceError(name, f"fails: {error}")


@asynccontextmanager
async def open_sources(
    config: Config,
    names: Sequence[str],
    *,
    web: Web | None = None,
    pace: RequestPace = SHARED_PACE,
) -> AsyncIterator[Sources]:
    """Open search sources by their names in the configuration, or as `KIND` or `KIND:PLACE`.

    `web` replaces the network, such as by a replay. Raises `UsageError` for a name that is none.
    """
    chosen = [source_named(name, config) for name in dict.fromkeys(names)]
    async with AsyncExitStack() as stack:
        if web is None:
            web = await stack.enter_async_context(
                HttpWeb(config.network, _agent(chosen, config), config.dns)
            )
        yield Sources([_opened(source, config, web, pace) for source in chosen], config.urls)


def _agent(sources: Sequence[NamedSource], config: Config) -> str:
    """Return the User-Agent; sources on this machine need no contact, as nothing is sent."""
    is_online = any(source.kind.place == "url" for source in sources)
    return user_agent(config) if is_online else config.crawler.name


@asynccontextmanager
async def opened_client(
    config: Config, options: SourceOptions, name: str
) -> AsyncIterator[SearchClient]:
    """Open the client of a source, which keeps to its pace and, for a form, to robots.txt."""
    source = NamedSource(name, options)
    async with HttpWeb(config.network, _agent([source], config), config.dns) as web:
        yield _client(source, config, web, SHARED_PACE)


def _client(source: NamedSource, config: Config, web: Web, pace: RequestPace) -> SearchClient:
    politeness = config.politeness
    polite_delay = politeness.sandbox_delay if config.network.connect else politeness.delay
    if source.kind.asks_robots:
        web = RobotsWeb(web, RobotsCache(web, config.robots, config.crawler.name))
    return SearchClient(
        name=source.name,
        web=web,
        pace=pace,
        interval=max(source.kind.interval, source.options.delay, polite_delay),
        key_variable=source.key_variable if source.key else "",
    )


def _opened(source: NamedSource, config: Config, web: Web, pace: RequestPace) -> _OpenSource:
    kind = source.kind
    if kind.key == "required" and not source.key:
        advice = f"needs a key; set {source.key_variable} in your environment ({kind.terms_url})"
        return _OpenSource(source.name, None, advice)
    setup = SourceSetup(
        client=_client(source, config, web, pace),
        options=source.options,
        url=source.place if kind.place == "url" else "",
        key=source.key,
        contact=source.options.contact or config.crawler.contact,
    )
    return _OpenSource(source.name, kind.open(setup), "")
