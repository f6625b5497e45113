"""The links around some pages, redirects resolved (SPEC B10, B25)."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from motherlode.records import PageId, UrlId
from motherlode.store.pages import links_to
from motherlode.store.schema import links, pages, redirects, urls
from motherlode.store.session import Session

_MAX_HOPS = 25
_AT_ONCE = 10_000


class Graph(Struct, frozen=True):
    """URLs, and links between them by their places in that list; the first are the pages that it is about."""

    ids: tuple[UrlId, ...]
    urls: tuple[str, ...]
    pages: tuple[PageId | None, ...]  # None: it was never fetched
    edges: tuple[tuple[int, int], ...]


def graph_around(session: Session, base: Sequence[UrlId], predecessors: int) -> Graph:
    """These pages, all that they link to, and at most so many pages that link to each of them.

    Then, of all that are pages themselves, the links among them.
    """
    arriving = {row for one in base for row in _sources(session, one, predecessors)}
    page_of = dict(_pairs(session.bulk.find(pages, "url_id", _numbers(base), ("url_id", "id"))))
    leaving = _targets(session, page_of.values())
    named = [*base, *sorted(arriving), *sorted({target for _, target in leaving})]
    final = _resolved(session, set(named))
    nodes = list(dict.fromkeys(final.get(one, one) for one in named))
    places = {node: place for place, node in enumerate(nodes)}
    sources = dict(_pairs(session.bulk.find(pages, "url_id", _numbers(nodes), ("url_id", "id"))))
    owner = {page: places[url] for url, page in sources.items()}
    all_links = _targets(session, owner)
    final |= _resolved(session, {target for _, target in all_links} - set(final))
    edges = {
        (owner[page], places[end])
        for page, target in all_links
        if (end := final.get(target, target)) in places and places[end] != owner[page]
    }
    rows = session.bulk.find(urls, "id", _numbers(nodes), ("id", "url"))
    spelled: dict[int, str] = {row[0]: row[1] for row in rows}
    return Graph(
        tuple(map(UrlId, nodes)),
        tuple(spelled[node] for node in nodes),
        tuple(PageId(sources[node]) if node in sources else None for node in nodes),
        tuple(sorted(edges)),
    )


def _sources(session: Session, url_id: UrlId, limit: int) -> list[int]:
    """The URLs of pages that link to this one."""
    if limit <= 0:
        return []
    arriving = [link.page for link in links_to(session, url_id, limit)]
    return [row[0] for row in session.bulk.find(pages, "id", arriving, ("url_id",))]


def _targets(session: Session, of: Iterable[int]) -> list[tuple[int, int]]:
    """The links of pages: the page, and the URL that it leads to."""
    numbers = _numbers(of)
    found: list[tuple[int, int]] = []
    for start in range(0, len(numbers), _AT_ONCE):
        rows = session.bulk.find(links, "page_id", numbers[start : start + _AT_ONCE], ("page_id", "url_id"))
        found += _pairs(rows)
    return found


def _resolved(session: Session, named: Collection[int]) -> dict[int, int]:
    """Where redirects lead in the end, for those that are redirected."""
    leads = dict(_pairs(session.bulk.find(redirects, "url_id", _numbers(named), ("url_id", "target_id"))))
    final = dict(leads)
    for _ in range(_MAX_HOPS):
        further = dict(
            _pairs(session.bulk.find(redirects, "url_id", _numbers(final.values()), ("url_id", "target_id")))
        )
        if not further:
            break
        final = {url: further.get(target, target) for url, target in final.items()}
    return final


def _pairs(rows: Iterable[Sequence[object]]) -> list[tuple[int, int]]:
    return [(row[0], row[1]) for row in rows]  # type: ignore[misc]


def _numbers(values: Iterable[int]) -> list[int]:
    return sorted({int(value) for value in values})
