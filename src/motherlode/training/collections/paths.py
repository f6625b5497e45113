"""The paths on which a crawl came to the members of collections: URLs with their scores (SPEC
T5).
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from motherlode.records import PageId
from motherlode.store.queries.collection_rows import PathPageRow, path_page_rows
from motherlode.store.session import Session
from motherlode.training.collections.selection import CollectionMember
from motherlode.training.training_document import page_at_url

MAX_PATH_PAGES = 1_000


class PathPage(Struct, frozen=True):
    """A page on the way to a member, with its correlation with its own nearest subject."""

    url: str
    score: float | None


def paths_to(
    session: Session, members: Sequence[CollectionMember], reached_hits: Mapping[str, str]
) -> dict[str, tuple[PathPage, ...]]:
    """Return the path from a seed to each member, by the member's URL; both ends are included.

    `reached_hits` are the URLs of the pages on which the crawl found links to hits, which were
    fetched before it began.
    """
    ways = _Ways(session, reached_hits)
    paths = {}
    for member in members:
        last = member.page or member.parent
        steps = () if last is None else tuple(ways.steps_to(last))
        is_read = member.page is not None
        paths[member.url] = steps if is_read else (*steps, PathPage(member.url, member.merit))
    return paths


class _Ways:
    """Pages with their parents, read when they are first needed."""

    def __init__(self, session: Session, reached_hits: Mapping[str, str]) -> None:
        self._session, self._reached_hits = session, reached_hits
        self._rows: dict[PageId, PathPageRow | None] = {}

    def steps_to(self, page: PageId) -> list[PathPage]:
        steps: list[PathPage] = []
        here: PageId | None = page
        seen: set[PageId] = set()
        while here is not None and here not in seen and len(seen) < MAX_PATH_PAGES:
            seen.add(here)
            row = self._row(here)
            if row is None:
                break
            steps.append(PathPage(row.url, row.score))
            here = self._parent(row)
        return steps[::-1]

    def _row(self, page: PageId) -> PathPageRow | None:
        if page not in self._rows:
            self._rows[page] = next(iter(path_page_rows(self._session, [page])), None)
        return self._rows[page]

    def _parent(self, row: PathPageRow) -> PageId | None:
        parent_url = self._reached_hits.get(row.url)
        if parent_url is None:
            return row.via
        parent = page_at_url(self._session, parent_url)
        return None if parent is None else parent.id
