"""Search sources of a portal: their list, changes to it, and searches over several of them."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.sources import TrySourceRequest
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.crawl.fetcher_setup import user_agent
from motherlode.fetch import Web
from motherlode.fetch.event_loop import run
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.fetch.robots.robots_web import RobotsWeb
from motherlode.portal.config import Config
from motherlode.portal.directory import CONFIG, config_of
from motherlode.portal.editor import drop_named_section, keep_named_section
from motherlode.portal.settings import is_section_name, named_settings
from motherlode.records import BadInputError, LodeError, UsageError
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.hits import merge_hits, uniform_hits
from motherlode.sources.search.options import MAX_NAME_CHARS, SourceOptions
from motherlode.sources.search.pace import SHARED_PACE, RequestPace
from motherlode.sources.search.registry import KINDS_BY_NAME, SourceKind, kind_named
from motherlode.sources.search.source import Hit, LinkSource, SearchSource, SourceSetup
from motherlode.urls import UrlRules

SECTION = "sources"
MAX_FAILURES = 3  # in a row, after which a source is not asked again
MAX_QUERY_CHARS = 2_000

_Question = Callable[[SearchSource], Awaitable[Sequence[Hit]]]


class NamedSource(Struct, frozen=True):
    """A source that a user has named, with its options."""

    name: str
    options: SourceOptions

    @property
    def kind(self) -> SourceKind:
        return kind_named(self.options.kind)

    @property
    def key_variable(self) -> str:
        """The environment variable of its key; empty if it takes none."""
        return self.options.key_variable or self.kind.key_variable

    @property
    def key(self) -> str:
        return os.environ.get(self.key_variable, "").strip() if self.key_variable else ""

    @property
    def place(self) -> str:
        """The URL of its service, or the path of its file or portal."""
        return getattr(self.options, self.kind.place) or self.kind.default_url


class SourceStatus(Struct, frozen=True, kw_only=True):
    """A configured source with its terms. `state` says whether its key is present."""

    name: str
    kind: str
    place: str
    state: str
    key_variable: str
    terms: str
    terms_url: str


class SourceAnswer(Struct, frozen=True):
    """The hits of all sources, and one sentence for each source that failed."""

    hits: tuple[Hit, ...]
    problems: tuple[str, ...]


SearchAnswer = SourceAnswer  # `services.search` has a class of this name


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


def source_named(text: str, config: Config) -> NamedSource:
    """Return the source that a user means: a configured one, or `KIND` or `KIND:PLACE`.

    Raises `UsageError` if it is none, or lacks what its kind needs.
    """
    configured = config.sources.get(text)
    if configured is not None:
        return _checked(NamedSource(text, configured))
    name, _, place = text.partition(":")
    kind = KINDS_BY_NAME.get(name)
    if kind is None:
        raise _no_such_source(text, config)
    return _checked(NamedSource(text, _options({"kind": name, kind.place: place})))


def sources_in(directory: Path, overrides: Sequence[str] = ()) -> list[SourceStatus]:
    """Return the configured sources of a portal."""
    config = config_of(directory, overrides)
    return [_status(NamedSource(name, options)) for name, options in config.sources.items()]


def add_source(directory: Path, name: str, kind: str, given: Mapping[str, Any]) -> SourceStatus:
    """Write a source into the configuration of a portal, with the options that are given.

    Paths become absolute. Raises `UsageError` if the name is taken or the options do not fit.
    """
    check_source_name(name, config_of(directory))
    values = {"kind": kind_named(kind).name} | {
        key: value for key, value in given.items() if value is not None
    }
    source = _checked(NamedSource(name, _options(values)))
    values |= _absolute_paths(source)
    keep_named_section(directory, SECTION, name, values)
    return _status(NamedSource(name, _options(values)))


def check_source_name(name: str, config: Config) -> None:
    """Raise `UsageError` if a new source cannot have this name."""
    if not is_section_name(name):
        raise UsageError(
            f"{name[:60]!r} cannot be the name of a source; use up to {MAX_NAME_CHARS} letters, "
            "digits, '-' and '_'."
        )
    if name in config.sources:
        raise UsageError(f"There is a source {name} already; remove it first, or use another name.")


def remove_source(directory: Path, name: str) -> None:
    """Take a source out of the configuration of a portal."""
    config = config_of(directory)
    if name not in config.sources:
        raise _no_such_source(name, config)
    drop_named_section(directory, SECTION, name)


def try_source(config: Config, name: str, query: str, wanted: int) -> SourceAnswer:
    """Return what a source finds for a query. Raises `LodeError` if it fails."""
    if not query.split():
        raise UsageError("The query is empty; write what the source is to look for.")
    answer = search_sources(config, [name], query, wanted)
    if answer.problems:
        raise LodeError(answer.problems[0])
    return answer


def try_sources(config: Config, query: str, wanted: int) -> SourceAnswer:
    """Return what all sources of a portal find for a query. Raises `LodeError` if all fail."""
    if not query.split():
        raise UsageError("The query is empty; write what the sources are to look for.")
    if not config.sources:
        raise UsageError(
            "This portal has no search source to try; name one, as in 'try KIND:URL QUERY'."
        )
    answer = search_sources(config, list(config.sources), query, wanted)
    if len(answer.problems) == len(config.sources):
        raise LodeError(answer.problems[0])
    return answer


def search_sources(config: Config, names: Sequence[str], query: str, wanted: int) -> SourceAnswer:
    """Return what several sources find for a query, on an event loop of its own."""
    return run(_search(config, names, query, wanted))


def served_sources(registry: PortalRegistry, portal: str) -> list[SourceStatus]:
    """Return the sources of a served portal, without the paths of files on this machine."""
    statuses = sources_in(registry.path(portal))
    return [
        status
        if kind_named(status.kind).place == "url"
        else replace(status, place=Path(status.place).name)
        for status in statuses
    ]


def try_served_source(
    registry: PortalRegistry, portal: str, request: TrySourceRequest
) -> SourceAnswer:
    """Return what a configured source of a served portal finds.

    Visitors cannot name sources of their own, which could be files or hosts near this machine.
    """
    config = config_of(registry.path(portal))
    options = config.sources.get(request.name)
    if options is None:
        raise UsageError(f"This portal has no search source {request.name!r}.")
    try:
        return try_source(config, request.name, request.query, request.hits)
    except LodeError as error:
        message = str(error)
        for path in filter(None, (options.file, options.portal)):
            message = message.replace(path, Path(path).name)
        raise LodeError(message) from error


async def _search(config: Config, names: Sequence[str], query: str, wanted: int) -> SourceAnswer:
    async with open_sources(config, names) as sources:
        return await sources.search(query, wanted)


def _status(source: NamedSource) -> SourceStatus:
    kind = source.kind
    present = f"key in {source.key_variable}"
    missing = {"none": "no key needed", "optional": "without a key", "required": "key missing"}
    return SourceStatus(
        name=source.name,
        kind=kind.name,
        place=source.place,
        state=present if source.key else missing[kind.key],
        key_variable=source.key_variable,
        terms=kind.terms,
        terms_url=kind.terms_url,
    )


def _checked(source: NamedSource) -> NamedSource:
    kind = source.kind
    if not source.place:
        raise UsageError(
            f"The search source {source.name} has no {kind.place}; "
            f"set {SECTION}.NAME.{kind.place}, or write {kind.name}:{kind.place.upper()}."
        )
    return source


def _options(values: Mapping[str, Any]) -> SourceOptions:
    """Return the options of a source. Raises `UsageError` for a value that does not fit."""
    settings = {setting.name: setting for setting in named_settings(SECTION).values()}
    for name, value in values.items():
        try:
            msgspec.convert(value, settings[name].type)
        except msgspec.ValidationError as error:
            purpose = settings[name].description.rstrip(".")
            raise UsageError(
                f"{value!r:.100} cannot be {name}; what it is for: {purpose}."
            ) from error
    return msgspec.convert(values, SourceOptions)


def _absolute_paths(source: NamedSource) -> dict[str, str]:
    """Return the path of a source's file or portal as it is stored. Raises `BadInputError`."""
    place = source.kind.place
    if place == "url":
        return {}
    path = Path(source.place).absolute()
    if place == "file" and not path.is_file():
        raise BadInputError(f"There is no file {source.place[:200]}.")
    if place == "portal" and not (path / CONFIG).is_file():
        raise BadInputError(f"{source.place[:200]} is not a portal, which would have a {CONFIG}.")
    return {place: str(path)}


def _no_such_source(text: str, config: Config) -> UsageError:
    if text.startswith(("http://", "https://")):
        return UsageError(
            f"{text[:100]!r} is not a search source; write the kind before it, such as "
            f"opensearch:{text[:100]}."
        )
    known = [*config.sources, *KINDS_BY_NAME]
    near = get_close_matches(text[:100].partition(":")[0], known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
    return UsageError(f"There is no search source {text[:100]!r}; {hint}")
