"""Search a portal by the parameters that every front door understands."""

from collections.abc import Sequence
from pathlib import Path
from time import time

from msgspec import Struct

from motherlode.app.requests.search import SearchParameters
from motherlode.app.services.addresses import address_in
from motherlode.app.services.search.pool import SearchPool
from motherlode.app.services.search.searcher import (
    IndexProgress,
    IndexReadiness,
    SearchAnswer,
    announce_rebuild,
    answer_of,
    open_searcher,
    prepare_index,
)
from motherlode.app.text import parse_day
from motherlode.portal import Portal
from motherlode.records import UsageError
from motherlode.search.facets import Facets
from motherlode.search.last_search import save_last_search
from motherlode.search.query_builder import Filters
from motherlode.search.ranking import parse_weights
from motherlode.search.service import SearchRequest, SearchResults
from motherlode.urls import Address

_MAX_SECONDS = 2**62  # since 1970; the index can hold no later day


class DirectorySearch(Struct, frozen=True):
    """A search of a portal by its directory, with its results; `facets` only if requested."""

    request: SearchRequest
    results: SearchResults
    facets: Facets
    ready: IndexReadiness


def search_directory(
    directory: Path,
    parameters: SearchParameters,
    overrides: Sequence[str],
    progress: IndexProgress | None,
    *,
    with_facets: bool,
) -> DirectorySearch:
    """Search the portal in a directory, and remember the search as its last one.

    The index is brought up to date first while `progress` is shown; None: it is searched as it is.
    """
    with Portal.reading(directory, overrides) as portal:
        request = search_request(parameters, portal)
        ready = IndexReadiness()
        if progress is not None:
            announce_rebuild(portal, progress)
            ready = prepare_index(portal, progress.update)
        with open_searcher(portal) as searcher:
            results, facets = (
                searcher.search_with_facets(request, time())
                if with_facets
                else (searcher.search(request), Facets())
            )
        save_last_search(portal, request, results)
    return DirectorySearch(request, results, facets, ready)


def search_portal(pool: SearchPool, name: str, parameters: SearchParameters) -> SearchAnswer:
    """Search a served portal.

    Raises `UsageError` for parameters that make no sense, and `NoIndexError` without an index.
    """
    with pool.open(name) as (portal, searcher):
        request = search_request(parameters, portal)
        results, facets = searcher.search_with_facets(request, time())
        behind = pool.status(portal).behind
    return answer_of(request, results, facets, behind)


def save_search(pool: SearchPool, name: str, parameters: SearchParameters) -> None:
    """Search a served portal, and store it as the last search, which `--results` refers to."""
    with pool.open(name) as (portal, searcher):
        request = search_request(parameters, portal)
        save_last_search(portal, request, searcher.search(request))


def search_request(parameters: SearchParameters, portal: Portal) -> SearchRequest:
    """Return the search that parameters mean in a portal."""
    text = parameters.q.strip()
    if text and parameters.like:
        raise UsageError("Give a query, or a page to find similar pages of (--like), not both.")
    if not parameters.is_given:
        raise UsageError(
            "Say what to look for: a query, a page to find similar pages of (--like), or a filter."
        )
    return SearchRequest(
        weights=parse_weights(parameters.rank),
        text=text,
        like=_address(parameters.like, portal) if parameters.like else None,
        any_word=parameters.any,
        topic=parameters.topic,
        filters=_filters(parameters),
        limit=parameters.limit,
        page=parameters.page,
        places=parameters.why,
    )


def _address(url: str, portal: Portal) -> Address:
    with portal.store.reading() as session:
        return address_in(session, url, portal.config.urls)


def _filters(parameters: SearchParameters) -> Filters:
    def fold(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(value.strip().casefold() for value in values if value.strip())

    return Filters(
        sites=fold(parameters.site),
        types=fold(parameters.type),
        languages=fold(parameters.language),
        since=_second(parameters.since, end=False),
        until=_second(parameters.until, end=True),
    )


def _second(text: str, *, end: bool) -> int | None:
    if not text.strip():
        return None
    second = parse_day(text.strip(), time(), end=end)
    if second is None or abs(second) >= _MAX_SECONDS:
        raise UsageError(
            f"{text[:50]!r} is not a day; write it like 2026-11-30, or like 7d for a week ago."
        )
    return second
