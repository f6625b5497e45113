"""The waiting entries: offered by rank, read best first.

The best offer of a URL is always here. Worse ones may be, too: an offer is passed over when the
sieve's memory knows of one as good, and kept when it does not. Whichever comes up first settles
the URL, and the rows that are left of it are stale from then on, and never returned.

Every entry waits in a lane (`records.Lane`): a crawl takes from one, a refresh from another. In
the lane of refreshes URLs stay settled, so that no crawl takes them for new ones. What was given
up, and may be there another time, is parked in a lane of its own (`parked_urls`).

The order of entries is declared here, by `BEST_FIRST` for queries and `position_of` for entries:
the highest rank first and, of equal ranks, the URL that was discovered first. `frontier.frontier`
says where else order matters.

Each engine sees the entries of its own share alone.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Select,
    Tuple,
    and_,
    case,
    delete,
    func,
    literal,
    or_,
    select,
    tuple_,
)

from motherlode.records import (
    NO_QUEUE,
    Entry,
    Follow,
    Lane,
    PageId,
    QueueId,
    Requeue,
    StoreError,
    TopicId,
    UrlId,
    UrlState,
)
from motherlode.store.schema import frontier, judgements, pages, urls
from motherlode.store.session import Session
from motherlode.store.tables.judgements import ACCEPTED
from motherlode.store.tables.pages import NOT_REFRESHED

SHARE = 0  # one engine owns all hosts
BEST_FIRST = (frontier.c.cost, frontier.c.url_id)
KEY = ("share", "lane", "queue", *(column.name for column in BEST_FIRST))
COLUMNS = (*KEY, "depth", "distance", "via")
_AT_ONCE = 10_000  # URLs in one question

_ENTRIES = select(  # in the order of the fields of an `Entry`, for thousands are read at once
    frontier.c.url_id,
    urls.c.url,
    urls.c.key,
    frontier.c.queue,
    -frontier.c.cost,
    frontier.c.depth,
    frontier.c.distance,
    frontier.c.via,
    urls.c.attempts,
    func.coalesce(urls.c.not_before, 0.0),
    frontier.c.lane,
).join_from(frontier, urls, urls.c.id == frontier.c.url_id)
# The lanes of URLs that wait for their first page; those of a refresh have one already.
_FIRST_TIME = (Lane.CRAWL, Lane.HELD, Lane.PREPARATION)
_IS_OPEN = and_(frontier.c.lane.in_(_FIRST_TIME), urls.c.state == UrlState.OPEN)
_OWN = frontier.c.share == SHARE
_WAITS = or_(_IS_OPEN, and_(frontier.c.lane == Lane.REFRESH, urls.c.state == UrlState.FETCHED))

_FAILED_LAST = case((urls.c.reason.like(f"{NOT_REFRESHED}%"), 1), else_=0)


def offer(session: Session, follows: Sequence[Follow]) -> list[Entry]:
    """Offer seeds, what a source found, or links of earlier pages. Returns what waits now."""
    return offer_all(session, follows, vias_of(session, follows, [None] * len(follows)))


def vias_of(
    session: Session, follows: Sequence[Follow], latest: Sequence[PageId | None]
) -> list[PageId | None]:
    """Return the page that led to each URL: the one that it names, or else the latest page."""
    keys = {follow.found_on for follow in follows if follow.found_on is not None}
    found = session.bulk.find(urls, "key", sorted(keys), ("id", "key")) if keys else ()
    key_of: dict[int, int] = {row[0]: row[1] for row in found}
    numbers = session.bulk.find(pages, "url_id", list(key_of), ("url_id", "id")) if key_of else ()
    page_of: dict[int | None, PageId] = {key_of[url]: PageId(page) for url, page in numbers}
    return [
        follow.via or page_of.get(follow.found_on) or page
        for follow, page in zip(follows, latest, strict=True)
    ]


def offer_from(session: Session, follows: Sequence[tuple[PageId, Follow]]) -> list[Entry]:
    """Offer URLs that these pages lead to."""
    return offer_all(session, [follow for _, follow in follows], [page for page, _ in follows])


def offer_all(
    session: Session, follows: Sequence[Follow], vias: Sequence[PageId | None]
) -> list[Entry]:
    """Offer URLs, each with the page that led to it. Returns what waits now, or at a better rank
    than before.

    Raises `StoreError` for a rank that is no number.
    """
    keys = np.array([follow.key for follow in follows], np.int64)
    ranks = np.array([follow.rank for follow in follows], np.float64)
    if not np.isfinite(ranks).all():
        raise StoreError("A rank is not a finite number; this is a mistake of the policy.")
    ids = session.sieve.rows_of(keys, lambda place: follows[place].url)
    better = np.flatnonzero(session.sieve.memory.improving(keys, ranks))
    entries: dict[tuple[int, int, float, int], Entry] = {}
    for index, number in zip(better.tolist(), map(UrlId, ids[better].tolist()), strict=True):
        f = follows[index]
        lane = int(
            f.lane
        )  # hashing and storing a member of an enumeration takes many times as long
        entries[lane, f.queue, *position_of(f.rank, number)] = Entry(
            number, f.url, f.key, f.queue, f.rank, f.depth, f.distance, vias[index], lane=lane
        )
    keys_in_order = sorted(entries)
    rows = [
        (SHARE, *key, entry.depth, entry.distance, entry.via)
        for key in keys_in_order
        for entry in (entries[key],)
    ]
    session.bulk.insert_new(frontier, COLUMNS, rows)
    return [entries[key] for key in keys_in_order]


def remove(session: Session, entries: Iterable[Entry]) -> None:
    """Take entries out of the frontier; other places of their URLs stay."""
    session.bulk.remove(frontier, KEY, [_key_of(entry) for entry in entries])


def waiting(
    session: Session,
    queue: QueueId,
    limit: int,
    after: Entry | None = None,
    lane: Lane = Lane.CRAWL,
) -> list[Entry]:
    """Return the best entries of a queue that still wait, in order, each URL once; `after` pages
    on.

    A later page may bring a URL again, at a worse rank: whoever holds the entry knows.
    """
    query = (
        _ENTRIES.where(_in_lane(lane), frontier.c.queue == queue, urls.c.state == _state_in(lane))
        .order_by(*BEST_FIRST)
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(*BEST_FIRST) > _bound_position(after))
    entries: dict[UrlId, Entry] = {}
    for entry in _entries(session, query):
        entries.setdefault(entry.url_id, entry)
    return list(entries.values())


def all_waiting(session: Session, limit: int, after: Entry | None) -> list[Entry]:
    """Return entries that wait for a first page, in any queue, some at a time; `after` pages on.

    The worst come first: where a URL's entries are moved to one place, the best is the last to be
    written, and stays.
    """
    key = [frontier.c[name] for name in KEY]
    worst_first = (column.desc() for column in key)
    # The sum keeps databases from an index by share alone, which does not lead to where paging is.
    own = frontier.c.share + 0 == SHARE
    query = _ENTRIES.where(own, _IS_OPEN).order_by(*worst_first).limit(limit)
    if after is not None:
        query = query.where(tuple_(*key) < tuple_(*map(literal, _key_of(after))))
    return _entries(session, query)


def move(session: Session, moves: Sequence[Requeue]) -> None:
    """Let entries wait in other lanes or queues or at other ranks, higher or lower."""
    moves = [move for move in moves if (move.lane, move.queue, move.rank) != _place_of(move.entry)]
    remove(session, [move.entry for move in moves])
    rows = {
        (SHARE, int(move.lane), move.queue, *position_of(move.rank, old.url_id)): (
            old.depth,
            old.distance,
            old.via,
        )
        for move in moves
        for old in (move.entry,)
    }
    session.bulk.insert_new(frontier, COLUMNS, [(*key, *rows[key]) for key in sorted(rows)])
    best: dict[int, float] = {}
    for move in moves:  # a URL may have several
        best[move.entry.key] = max(move.rank, best.get(move.entry.key, -np.inf))
    session.sieve.memory.rerank(np.array(list(best), np.int64), np.array(list(best.values())))


def clear(session: Session, lane: Lane) -> None:
    """Let nothing wait in a lane any more; its URLs may be offered again."""
    session.connection.execute(delete(frontier).where(_in_lane(lane)))
    session.sieve.memory.forget()  # it still knows the offers that are gone


def sizes(session: Session, lane: Lane = Lane.CRAWL) -> dict[QueueId, int]:
    """Return how many URLs wait in each queue of a lane."""
    query = (
        select(frontier.c.queue, func.count(frontier.c.url_id.distinct()))
        .join_from(frontier, urls, urls.c.id == frontier.c.url_id)
        .where(_in_lane(lane), _WAITS)
        .group_by(frontier.c.queue)
    )
    return {QueueId(queue): count for queue, count in session.connection.execute(query)}


def size(session: Session) -> int:
    """How many URLs wait in all: one that waits in several queues waits once, and what is to be
    fetched again does not count."""
    query = (
        select(func.count(frontier.c.url_id.distinct()))
        .join_from(frontier, urls, urls.c.id == frontier.c.url_id)
        .where(_OWN, _IS_OPEN)
    )
    return int(session.connection.execute(query).scalar_one())


def places_of(session: Session, wanted: Collection[UrlId]) -> dict[UrlId, Entry]:
    """The best place of those of these URLs that wait. It looks through the whole frontier."""
    numbers, found = list(wanted), dict[UrlId, Entry]()
    for start in range(0, len(numbers), _AT_ONCE):
        here = frontier.c.url_id.in_(numbers[start : start + _AT_ONCE])
        query = _ENTRIES.where(_OWN, _WAITS, here).order_by(*(c.desc() for c in BEST_FIRST))
        found.update((entry.url_id, entry) for entry in _entries(session, query))
    return found


def ahead_of(session: Session, entry: Entry) -> int:
    """How many URLs come before an entry in its queue."""
    query = (
        select(func.count(frontier.c.url_id.distinct()))
        .join_from(frontier, urls, urls.c.id == frontier.c.url_id)
        .where(_in_lane(entry.lane), frontier.c.queue == entry.queue)
        .where(frontier.c.url_id != entry.url_id, _WAITS)
        .where(tuple_(*BEST_FIRST) < _bound_position(entry))
    )
    return session.connection.execute(query).scalar_one()


def let_wait_again(
    session: Session, before: float, limit: int, topics: Collection[TopicId] | None = None
) -> int:
    """Let pages wait to be fetched again that were last fetched before a moment, the oldest of
    them; those that could not be had the last time after all others, or they would be in the way
    for ever.

    Of all topics, or those that are surely on one of these. Files inside archives come with their
    archives. Each waits at the rank that it was found at, which is kept with it. Returns how many
    there are.
    """
    query = (
        select(-pages.c.rank, pages.c.url_id, pages.c.depth, pages.c.distance, pages.c.via)
        .join_from(pages, urls, urls.c.id == pages.c.url_id)
        .where(
            urls.c.state == UrlState.FETCHED,
            urls.c.url.not_like("%#%"),
            pages.c.fetched_at < before,
        )
        .order_by(_FAILED_LAST, pages.c.fetched_at, pages.c.id)
        .limit(limit)
    )
    if topics is not None:
        query = query.join(judgements, judgements.c.page_id == pages.c.id).where(
            judgements.c.topic_id.in_(list(topics)), ACCEPTED
        )
    rows = [(SHARE, Lane.REFRESH, NO_QUEUE, *row) for row in session.connection.execute(query)]
    session.bulk.insert_new(frontier, COLUMNS, rows)
    return len(rows)


def worst_rank(session: Session, lane: Lane = Lane.CRAWL) -> float | None:
    """Return the lowest rank at which anything waits in a lane; None if nothing does."""
    query = select(-func.max(frontier.c.cost)).where(_in_lane(lane))
    worst = session.connection.execute(query).scalar_one()
    return None if worst is None else float(worst)


def _in_lane(lane: int) -> ColumnElement[bool]:
    return and_(_OWN, frontier.c.lane == lane)


def _state_in(lane: int) -> UrlState:
    """The state of URLs that wait in a lane."""
    return UrlState.FETCHED if lane == Lane.REFRESH else UrlState.OPEN


def _place_of(entry: Entry) -> tuple[int, QueueId, float]:
    return entry.lane, entry.queue, entry.rank


def position_of(rank: float, url_id: UrlId) -> tuple[float, UrlId]:
    """Return the values of `BEST_FIRST`; the smallest position comes first."""
    return -rank, url_id


def _key_of(entry: Entry) -> tuple[int, int, QueueId, float, UrlId]:
    return SHARE, int(entry.lane), entry.queue, *position_of(entry.rank, entry.url_id)


def _bound_position(entry: Entry) -> Tuple:
    return tuple_(*map(literal, position_of(entry.rank, entry.url_id)))


def _entries(session: Session, query: Select[Any]) -> list[Entry]:
    return [Entry(*row) for row in session.rows(query)]
