"""The links around some pages, redirects resolved (SPEC B10, B25)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct
from sqlalchemy import select

from motherlode.records import PageId, UrlId, UrlKey, UrlState
from motherlode.store.queries.link_targets import Numbers, targets_from
from motherlode.store.schema import links, pages, redirects, urls
from motherlode.store.session import Session
from motherlode.store.tables.pages import pages_linking_to

TargetsFrom = Callable[
    [Sequence[int]], Iterator[tuple[Numbers, Numbers]]
]  # as `leads.targets_from`

_MAX_HOPS = 25
_AT_ONCE = 1_000  # pages whose links are read


class Graph(Struct, frozen=True):
    """URLs, and links between them by their places in that list, a row for each, sorted; the first
    are the pages that it is about.
    """

    ids: tuple[UrlId, ...]
    urls: tuple[str, ...]
    pages: tuple[PageId | None, ...]  # None: it was never fetched
    edges: Numbers


class LinkedPage(Struct, frozen=True):
    """A page with links: URL, key, anchor and flags of each, in their order."""

    id: PageId
    url_id: UrlId
    url: str
    key: UrlKey
    language: str
    depth: int
    distance: float
    links: list[tuple[str, UrlKey, str, int]]


def opening_pages(session: Session, wanted: Sequence[PageId]) -> Iterator[LinkedPage]:
    """These pages with those of their links that lead to what nothing has become of yet."""
    page = (pages.c.id, pages.c.url_id, urls.c.url, urls.c.key, pages.c.language)
    for start in range(0, len(wanted), _AT_ONCE):
        part = wanted[start : start + _AT_ONCE]
        query = (
            select(*page, pages.c.depth, pages.c.distance)
            .join_from(pages, urls, urls.c.id == pages.c.url_id)
            .where(pages.c.id.in_(part))
            .order_by(pages.c.id)
        )
        leaving = _open_links(session, part)
        rows: Iterable[Sequence[Any]] = session.connection.execute(query)
        yield from (LinkedPage(*[*row, leaving.get(row[0], [])]) for row in rows)


def _open_links(
    session: Session, of: Sequence[int]
) -> dict[int, list[tuple[str, UrlKey, str, int]]]:
    """The links of some pages, as far as they lead to what is open."""
    columns = ("page_id", "position", "url_id", "anchor", "flags")
    rows = sorted(session.bulk.find(links, "page_id", of, columns))
    named = session.bulk.find(
        urls, "id", _numbers(row[2] for row in rows), ("id", "url", "key", "state")
    )
    spelled = {number: (url, key) for number, url, key, state in named if state == UrlState.OPEN}
    found: dict[int, list[tuple[str, UrlKey, str, int]]] = {}
    for page, _, number, anchor, flags in rows:
        if number in spelled:
            found.setdefault(page, []).append((*spelled[number], anchor, flags))
    return found


def targets_of(session: Session, of: Collection[UrlId]) -> set[UrlId]:
    """The URLs that the pages at these URLs link to."""
    return set(
        map(UrlId, _leaving(partial(targets_from, session), _pages_at(session, of)).tolist())
    )


def graph_around(
    session: Session, base: Sequence[UrlId], predecessors: int, leading: TargetsFrom | None = None
) -> Graph:
    """These pages, all that they link to, and at most so many pages that link to each of them.

    Then, of all that are pages themselves, the links among them. A link to a URL that is redirected
    is one to where the redirects lead; links of a page to itself are left out. `leading`: who knows
    where links lead.
    """
    leading = leading or partial(targets_from, session)
    page_of = _pages_at(session, base)
    arriving = _arriving(session, page_of, predecessors)
    named = [*base, *sorted(arriving), *_leaving(leading, page_of).tolist()]
    final = resolved(session, set(named))
    nodes = list(dict.fromkeys(final.get(one, one) for one in named))
    sources = _pages_at(session, nodes)
    return _graph(session, nodes, sources, leading)


def graph_among(session: Session, wanted: Mapping[PageId, UrlId]) -> Graph:
    """These pages with their URLs, and the links among them, directly or by redirects."""
    sources: dict[int, int] = {url_id: page for page, url_id in wanted.items()}
    return _graph(session, list(sources), sources, partial(targets_from, session))


def _graph(
    session: Session, nodes: Sequence[int], sources: Mapping[int, int], leading: TargetsFrom
) -> Graph:
    rows = session.bulk.find(urls, "id", _numbers(nodes), ("id", "url"))
    spelled: dict[int, str] = {row[0]: row[1] for row in rows}
    return Graph(
        tuple(map(UrlId, nodes)),
        tuple(spelled[node] for node in nodes),
        tuple(PageId(sources[node]) if node in sources else None for node in nodes),
        _edges(session, nodes, sources, leading),
    )


def _edges(
    session: Session, nodes: Sequence[int], sources: Mapping[int, int], leading: TargetsFrom
) -> Numbers:
    """The links among these URLs, by their places, each once; `sources` are those of them that are
    pages.
    """
    places = _Places(nodes)
    owners = _Places([sources.get(node, 0) for node in nodes])
    found = [
        np.array([], np.int64)
    ]  # a link is one number: that sorts ten times faster than a pair
    for owning, targets in leading(_numbers(sources.values())):
        starts, ends = owners.of(owning), places.of(targets)
        outside = ends < 0
        unknown = _distinct(targets[outside])
        final = resolved(session, unknown.tolist())
        if final:
            led = np.array([final.get(one, one) for one in unknown.tolist()], np.int64)
            ends[outside] = places.of(led[unknown.searchsorted(targets[outside])])
        joined = (ends >= 0) & (ends != starts)
        found.append(_distinct(starts[joined] * len(nodes) + ends[joined]))
    pairs = _distinct(np.concatenate(found))
    return np.stack(np.divmod(pairs, max(len(nodes), 1)), axis=1)


class _Places:
    """Where numbers stand in a list. It takes 8 bytes for each up to the largest, and is asked for
    many.
    """

    def __init__(self, listed: Sequence[int]) -> None:
        self._places = np.full(max(listed, default=0) + 2, -1, np.int64)
        self._places[np.array(listed, np.int64)] = np.arange(len(listed))

    def of(self, numbers: Numbers) -> Numbers:
        """The place of each; -1, where it has none."""
        return self._places.take(numbers, mode="clip")  # the last one is of nothing


def _leaving(leading: TargetsFrom, page_of: Mapping[int, int]) -> Numbers:
    """The URLs that pages link to, in the order of their numbers."""
    targets = [_distinct(found) for _, found in leading(_numbers(page_of.values()))]
    return _distinct(np.concatenate([np.array([], np.int64), *targets]))


def _distinct(numbers: Numbers) -> Numbers:
    """Each number once, in rising order; numpy's own `unique` takes five times as long."""
    ordered = np.sort(numbers)
    fresh = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return ordered[fresh]


def _arriving(session: Session, page_of: Mapping[int, int], limit: int) -> set[int]:
    """The URLs of pages that link to these, by whichever of their names; so many to
    each at most.
    """
    if limit <= 0:
        return set()
    names = _aliases(session, page_of)
    every = [*page_of, *(name for others in names.values() for name in others)]
    told = dict(pages_linking_to(session, map(UrlId, every), limit + 1))
    chosen: set[int] = set()
    for url_id, page in page_of.items():
        linking = dict.fromkeys(
            one for name in (url_id, *names.get(url_id, ())) for one in told[UrlId(name)]
        )
        linking.pop(PageId(page), None)
        chosen.update(list(linking)[:limit])
    return {row[0] for row in session.bulk.find(pages, "id", _numbers(chosen), ("url_id",))}


def _aliases(session: Session, wanted: Iterable[int]) -> dict[int, list[int]]:
    """The URLs from which redirects lead to each of these, by one hop or by several."""
    owner = {one: one for one in wanted}
    found: dict[int, list[int]] = {}
    fresh = set(owner)
    for _ in range(_MAX_HOPS):
        rows = session.bulk.find(redirects, "target_id", _numbers(fresh), ("url_id", "target_id"))
        leads = {source: target for source, target in _pairs(rows) if source not in owner}
        fresh = set(leads) - set(_pages_at(session, leads))
        if not fresh:
            break
        for source in sorted(fresh):
            owner[source] = owner[leads[source]]
            found.setdefault(owner[source], []).append(source)
    return found


def resolved(session: Session, named: Collection[int]) -> dict[int, int]:
    """Where redirects lead in the end, for those that are redirected."""
    final = _leads(session, named)
    for _ in range(_MAX_HOPS):
        further = _leads(session, final.values())
        if not further:
            break
        final = {url: further.get(target, target) for url, target in final.items()}
    return final


def _leads(session: Session, named: Iterable[int]) -> dict[int, int]:
    """Where these URLs are redirected to. A URL that is a page is not: it was redirected at another
    time.
    """
    leads = dict(
        _pairs(session.bulk.find(redirects, "url_id", _numbers(named), ("url_id", "target_id")))
    )
    kept = _pages_at(session, leads)
    return {url: target for url, target in leads.items() if url not in kept}


def _pages_at(session: Session, named: Iterable[int]) -> dict[int, int]:
    """The pages at these URLs, in the order of the URLs' numbers."""
    found = _pairs(session.bulk.find(pages, "url_id", _numbers(named), ("url_id", "id")))
    return dict(sorted(found))


def _pairs(rows: Iterable[Sequence[object]]) -> list[tuple[int, int]]:
    return [(row[0], row[1]) for row in rows]  # type: ignore[misc]


def _numbers(values: Iterable[int]) -> list[int]:
    return sorted({int(value) for value in values})
