"""The links around some pages, redirects resolved (SPEC B10, B25)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from sqlalchemy import select

from motherlode.records import PageId, UrlId, UrlKey
from motherlode.store.pages import pages_linking_to
from motherlode.store.schema import links, pages, redirects, urls
from motherlode.store.session import Session

_MAX_HOPS = 25
_AT_ONCE = 1_000  # pages whose links are read

_Edges = set[tuple[int, int]]


class Graph(Struct, frozen=True):
    """URLs, and links between them by their places in that list; the first are the pages that it is about."""

    ids: tuple[UrlId, ...]
    urls: tuple[str, ...]
    pages: tuple[PageId | None, ...]  # None: it was never fetched
    edges: tuple[tuple[int, int], ...]


class LinkedPage(Struct, frozen=True):
    """A page with its links: URL, key, anchor and flags of each, in their order."""

    id: PageId
    url_id: UrlId
    url: str
    key: UrlKey
    language: str
    depth: int
    distance: float
    links: list[tuple[str, UrlKey, str, int]]


def linked_pages(session: Session) -> Iterator[LinkedPage]:
    """Every page with its links, in the order of the pages' numbers."""
    last = 0
    page = (pages.c.id, pages.c.url_id, urls.c.url, urls.c.key, pages.c.language)
    while True:
        query = (
            select(*page, pages.c.depth, pages.c.distance)
            .join_from(pages, urls, urls.c.id == pages.c.url_id)
            .where(pages.c.id > last)
            .order_by(pages.c.id)
            .limit(_AT_ONCE)
        )
        found = session.connection.execute(query).all()
        if not found:
            return
        last = found[-1].id
        leaving = _leaving(session, [row.id for row in found])
        for row in found:
            number = PageId(row.id)
            yield LinkedPage(
                number,
                UrlId(row.url_id),
                row.url,
                UrlKey(row.key),
                row.language,
                row.depth,
                row.distance,
                leaving.get(number, []),
            )


def _leaving(session: Session, of: Sequence[int]) -> dict[int, list[tuple[str, UrlKey, str, int]]]:
    """The links of some pages."""
    columns = ("page_id", "position", "url_id", "anchor", "flags")
    rows = sorted(session.bulk.find(links, "page_id", of, columns))
    named = session.bulk.find(urls, "id", _numbers(row[2] for row in rows), ("id", "url", "key"))
    spelled = {number: (url, key) for number, url, key in named}
    found: dict[int, list[tuple[str, UrlKey, str, int]]] = {}
    for page, _, number, anchor, flags in rows:
        found.setdefault(page, []).append((*spelled[number], anchor, flags))
    return found


def targets_of(session: Session, of: Collection[UrlId]) -> set[UrlId]:
    """The URLs that the pages at these URLs link to."""
    fetched = _pages_at(session, of).values()
    return {UrlId(target) for found in _targets(session, fetched) for _, target in found}


def graph_around(session: Session, base: Sequence[UrlId], predecessors: int) -> Graph:
    """These pages, all that they link to, and at most so many pages that link to each of them.

    Then, of all that are pages themselves, the links among them. A link to a URL that is redirected is one to
    where the redirects lead; links of a page to itself are left out.
    """
    page_of = _pages_at(session, base)
    arriving = _arriving(session, page_of, predecessors)
    leaving = {target for found in _targets(session, page_of.values()) for _, target in found}
    named = [*base, *sorted(arriving), *sorted(leaving)]
    final = _resolved(session, set(named))
    nodes = list(dict.fromkeys(final.get(one, one) for one in named))
    sources = _pages_at(session, nodes)
    rows = session.bulk.find(urls, "id", _numbers(nodes), ("id", "url"))
    spelled: dict[int, str] = {row[0]: row[1] for row in rows}
    return Graph(
        tuple(map(UrlId, nodes)),
        tuple(spelled[node] for node in nodes),
        tuple(PageId(sources[node]) if node in sources else None for node in nodes),
        tuple(sorted(_edges(session, nodes, sources))),
    )


def _edges(session: Session, nodes: Sequence[int], sources: Mapping[int, int]) -> _Edges:
    """The links among these URLs, by their places; `sources` are those of them that are pages."""
    places = {node: place for place, node in enumerate(nodes)}
    owner = {page: places[url] for url, page in sources.items()}
    edges: _Edges = set()
    for found in _targets(session, owner):
        final = _resolved(session, {target for _, target in found if target not in places})
        ends = ((owner[page], places.get(final.get(target, target))) for page, target in found)
        edges |= {(start, end) for start, end in ends if end is not None and end != start}
    return edges


def _arriving(session: Session, page_of: Mapping[int, int], limit: int) -> set[int]:
    """The URLs of pages that link to these, by whichever of their names; so many to each at most."""
    if limit <= 0:
        return set()
    names = _aliases(session, page_of)
    chosen: set[int] = set()
    for url_id, page in page_of.items():
        linking: set[int] = set()
        for name in (url_id, *names.get(url_id, ())):
            left = limit - len(linking)
            told = pages_linking_to(session, UrlId(name), limit + 1) if left > 0 else []
            linking.update([one for one in told if one != page and one not in linking][:left])
        chosen |= linking
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


def _resolved(session: Session, named: Collection[int]) -> dict[int, int]:
    """Where redirects lead in the end, for those that are redirected."""
    final = _leads(session, named)
    for _ in range(_MAX_HOPS):
        further = _leads(session, final.values())
        if not further:
            break
        final = {url: further.get(target, target) for url, target in final.items()}
    return final


def _leads(session: Session, named: Iterable[int]) -> dict[int, int]:
    """Where these URLs are redirected to. A URL that is a page is not: it was redirected at another time."""
    leads = dict(_pairs(session.bulk.find(redirects, "url_id", _numbers(named), ("url_id", "target_id"))))
    kept = _pages_at(session, leads)
    return {url: target for url, target in leads.items() if url not in kept}


def _pages_at(session: Session, named: Iterable[int]) -> dict[int, int]:
    """The pages at these URLs, in the order of the URLs' numbers."""
    found = _pairs(session.bulk.find(pages, "url_id", _numbers(named), ("url_id", "id")))
    return dict(sorted(found))


def _targets(session: Session, of: Iterable[int]) -> Iterator[list[tuple[int, int]]]:
    """The links of pages, some pages at a time: the page, and the URL that it leads to."""
    numbers = _numbers(of)
    for start in range(0, len(numbers), _AT_ONCE):
        part = numbers[start : start + _AT_ONCE]
        yield _pairs(session.bulk.find(links, "page_id", part, ("page_id", "url_id")))


def _pairs(rows: Iterable[Sequence[object]]) -> list[tuple[int, int]]:
    return [(row[0], row[1]) for row in rows]  # type: ignore[misc]


def _numbers(values: Iterable[int]) -> list[int]:
    return sorted({int(value) for value in values})
