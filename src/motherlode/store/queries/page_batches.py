"""All pages of a store, some numbers at a time: a lesson goes over every page and every link of a
crawl.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from sqlalchemy import func, select

from motherlode.store.schema import links, pages, urls, vectors
from motherlode.store.session import Session

Numbers = npt.NDArray[np.int64]
Targets = npt.NDArray[np.integer]

PORTION = 1_000  # numbers of pages
_BETWEEN = ","


class Signature(Struct, frozen=True):
    """How many pages a portion has, and the sum of the moments when they were fetched: another one,
    if any came, went, or was fetched again.
    """

    pages: int
    fetched: float


class Linked(Struct, frozen=True):
    """Pages in the order of their numbers, and where their links lead, in their order: those of a
    page stand between its start and the next one.
    """

    pages: Numbers
    keys: Numbers
    languages: Sequence[str]
    starts: Numbers
    targets: Targets

    @property
    def size(self) -> int:
        """In bytes, of memory."""
        return self.pages.nbytes + self.keys.nbytes + self.starts.nbytes + self.targets.nbytes


def portions_of(session: Session) -> dict[int, Signature]:
    """The portions that have pages, the first first."""
    number = (pages.c.id // PORTION).label("number")
    query = (
        select(number, func.count(), func.sum(pages.c.fetched_at)).group_by(number).order_by(number)
    )
    return {row[0]: Signature(row[1], row[2]) for row in session.rows(query)}


def vectors_of_portion(
    session: Session, space: str, number: int, every: int = 1
) -> tuple[list[int], list[bytes]]:
    """The pages of a portion, in the order of their numbers, and their vectors in a feature space:
    of all that have one, or of those whose number can be divided by `every`.
    """
    page = vectors.c.page_id
    query = select(page, vectors.c.packed).where(
        page >= number * PORTION, page < (number + 1) * PORTION, vectors.c.space == space
    )
    if every > 1:
        query = query.where(page % every == 0)
    rows = session.rows(query.order_by(page))
    return [row[0] for row in rows], [row[1] for row in rows]


def links_of_portion(session: Session, number: int) -> Linked:
    """The pages of a portion with their links; those without any, too."""
    low, high = number * PORTION, (number + 1) * PORTION
    of = select(pages.c.id, urls.c.key, pages.c.language).join_from(
        pages, urls, urls.c.id == pages.c.url_id
    )
    rows = session.rows(of.where(pages.c.id >= low, pages.c.id < high).order_by(pages.c.id))
    listed: dict[int, str] = dict(session.bulk.list_links(low, high - 1))
    here = [listed.get(row[0], "") for row in rows]
    targets = np.fromstring(_BETWEEN.join(filter(None, here)), np.int64, sep=_BETWEEN)
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([one.count(_BETWEEN) + 1 if one else 0 for one in here], out=starts[1:])
    return Linked(
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.int64),
        [row[2] for row in rows],
        starts,
        _narrow(targets),
    )


def anchors_at(session: Session, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """What links say, by their pages and their positions there."""
    columns = ("page_id", "position")
    rows = session.bulk.find_pairs(links, columns, sorted(places), (*columns, "anchor"))
    return {(page, position): anchor for page, position, anchor in rows}


def _narrow(targets: Numbers) -> Targets:
    """In half of the memory, while numbers are small enough."""
    return targets.astype(np.int32) if targets.max(initial=0) <= np.iinfo(np.int32).max else targets
