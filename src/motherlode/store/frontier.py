"""The waiting entries: offered by rank, read best first.

The best offer of a URL is always here. Worse ones may be, too: an offer is passed over when the sieve's
memory knows of one as good, and kept when it does not. Whichever comes up first settles the URL, and the
rows that are left of it are stale from then on, and never returned.

Pages that are to be fetched again wait in a queue of their own. Their URLs stay settled meanwhile, so that no
crawl takes them for new ones. What was given up, and may be had another time, is parked (parking.py): beside
each queue there is one for it, far below those that are waited in.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np
from sqlalchemy import ColumnElement, Select, and_, case, delete, func, literal, or_, select, tuple_

from motherlode.records import Entry, Follow, PageId, StoreError, TopicId, UrlId, UrlState
from motherlode.store.pages import NOT_REFRESHED
from motherlode.store.schema import frontier, judgements, pages, urls
from motherlode.store.session import Session

AGAIN: Final = TopicId(-(2**31))  # of no topic, nor of one whose links wait for later
LOWEST: Final = -(2**29)  # of the queues that are waited in; below it are those of what is parked
COLUMNS = ("queue", "rank", "url_id", "depth", "distance", "via")
_AT_ONCE = 10_000  # URLs in one question

_ENTRIES = select(  # in the order of the fields of an `Entry`, for thousands are read at once
    frontier.c.url_id,
    urls.c.url,
    urls.c.key,
    frontier.c.queue,
    frontier.c.rank,
    frontier.c.depth,
    frontier.c.distance,
    frontier.c.via,
    urls.c.attempts,
    func.coalesce(urls.c.not_before, 0.0),
).join_from(frontier, urls, urls.c.id == frontier.c.url_id)
_WAITS = or_(
    and_(frontier.c.queue > LOWEST, urls.c.state == UrlState.OPEN),
    and_(frontier.c.queue == AGAIN, urls.c.state == UrlState.FETCHED),
)

_FAILED_LAST = case((urls.c.reason.like(f"{NOT_REFRESHED}%"), 1), else_=0)


def offer(session: Session, follows: Sequence[Follow]) -> list[Entry]:
    """Offer URLs that no page led to: seeds, or what a source found. Returns what waits now."""
    return offer_all(session, follows, [None] * len(follows))


def offer_from(session: Session, follows: Sequence[tuple[PageId, Follow]]) -> list[Entry]:
    """Offer URLs that these pages lead to."""
    return offer_all(session, [follow for _, follow in follows], [page for page, _ in follows])


def offer_all(session: Session, follows: Sequence[Follow], vias: Sequence[PageId | None]) -> list[Entry]:
    """Offer URLs, each with the page that led to it. Returns what waits now, or at a better rank than before.

    Raises `StoreError` for a rank that is no number.
    """
    keys = np.array([follow.key for follow in follows], np.int64)
    ranks = np.array([follow.rank for follow in follows], np.float64)
    if not np.isfinite(ranks).all():
        raise StoreError("A rank is not a finite number; this is a mistake of the policy.")
    ids = session.sieve.rows_of(keys, lambda place: follows[place].url)
    better = np.flatnonzero(session.sieve.memory.improving(keys, ranks))
    entries: dict[tuple[int, float, int], Entry] = {}
    for index, number in zip(better.tolist(), map(UrlId, ids[better].tolist()), strict=True):
        f = follows[index]
        entries[f.queue, f.rank, number] = Entry(
            number, f.url, f.key, f.queue, f.rank, f.depth, f.distance, vias[index]
        )
    places = sorted(entries)
    rows = [(*place, one.depth, one.distance, one.via) for place in places for one in (entries[place],)]
    session.bulk.insert_new(frontier, COLUMNS, rows)
    return [entries[place] for place in places]


def waiting(session: Session, queue: TopicId, limit: int, after: Entry | None = None) -> list[Entry]:
    """The best entries of a queue that still wait, in order, each URL once; `after` pages on.

    A later page may bring a URL again, at a worse rank: whoever holds the entry knows.
    """
    query = (
        _ENTRIES.where(frontier.c.queue == queue, urls.c.state == _state_in(queue))
        .order_by(frontier.c.rank.desc(), frontier.c.url_id.desc())
        .limit(limit)
    )
    if after is not None:
        query = query.where(
            or_(
                frontier.c.rank < after.rank,
                and_(frontier.c.rank == after.rank, frontier.c.url_id < after.url_id),
            )
        )
    entries: dict[UrlId, Entry] = {}
    for entry in _entries(session, query):
        entries.setdefault(entry.url_id, entry)
    return list(entries.values())


def all_waiting(session: Session, limit: int, after: tuple[int, float, int] | None) -> list[Entry]:
    """Entries of all queues of the crawl that still wait, some at a time, in no order that matters; `after`
    pages on."""
    place = tuple_(frontier.c.queue, frontier.c.rank, frontier.c.url_id)
    query = (
        _ENTRIES.where(frontier.c.queue > LOWEST, urls.c.state == UrlState.OPEN)
        .order_by(frontier.c.queue, frontier.c.rank, frontier.c.url_id)
        .limit(limit)
    )
    if after is not None:
        query = query.where(place > tuple_(*map(literal, after)))
    return _entries(session, query)


def move(session: Session, places: Sequence[tuple[Entry, TopicId, float]]) -> None:
    """Let these entries wait in other queues or at other ranks, higher or lower."""
    places = [place for place in places if (place[0].queue, place[0].rank) != place[1:]]
    session.bulk.remove(
        frontier, ("queue", "rank", "url_id"), [(old.queue, old.rank, old.url_id) for old, _, _ in places]
    )
    rows = {
        (queue, rank, old.url_id): (queue, rank, old.url_id, old.depth, old.distance, old.via)
        for old, queue, rank in places
    }
    session.bulk.insert_new(frontier, COLUMNS, [rows[place] for place in sorted(rows)])
    best: dict[int, float] = {}
    for old, _, rank in places:  # a URL may have several
        best[old.key] = max(rank, best.get(old.key, -np.inf))
    session.sieve.memory.rerank(np.array(list(best), np.int64), np.array(list(best.values())))


def clear(session: Session, queue: TopicId) -> None:
    """Let nothing wait in a queue any more; its URLs may be offered again."""
    session.connection.execute(delete(frontier).where(frontier.c.queue == queue))
    session.sieve.memory.forget()  # it still knows the offers that are gone


def sizes(session: Session) -> dict[TopicId, int]:
    """How many URLs wait in each queue."""
    query = (
        select(frontier.c.queue, func.count(frontier.c.url_id.distinct()))
        .join_from(frontier, urls, urls.c.id == frontier.c.url_id)
        .where(_WAITS)
        .group_by(frontier.c.queue)
    )
    return {TopicId(queue): count for queue, count in session.connection.execute(query)}


def size(session: Session) -> int:
    """How many URLs wait in all: one that waits in several queues waits once, and what is to be fetched again
    does not count."""
    query = (
        select(func.count(frontier.c.url_id.distinct()))
        .join_from(frontier, urls, urls.c.id == frontier.c.url_id)
        .where(frontier.c.queue > LOWEST, urls.c.state == UrlState.OPEN)
    )
    return int(session.connection.execute(query).scalar_one())


def places_of(session: Session, wanted: Collection[UrlId]) -> dict[UrlId, Entry]:
    """The best place of those of these URLs that wait. It looks through the whole frontier."""
    numbers, found = list(wanted), dict[UrlId, Entry]()
    for start in range(0, len(numbers), _AT_ONCE):
        here = frontier.c.url_id.in_(numbers[start : start + _AT_ONCE])
        query = _ENTRIES.where(_WAITS, here).order_by(frontier.c.rank)
        found.update((entry.url_id, entry) for entry in _entries(session, query))
    return found


def ahead_of(session: Session, entry: Entry) -> int:
    """How many URLs come before an entry in its queue."""
    query = (
        select(func.count(frontier.c.url_id.distinct()))
        .join_from(frontier, urls, urls.c.id == frontier.c.url_id)
        .where(frontier.c.queue == entry.queue, frontier.c.url_id != entry.url_id, _WAITS, _before(entry))
    )
    return session.connection.execute(query).scalar_one()


def let_wait_again(
    session: Session, before: float, limit: int, topics: Collection[TopicId] | None = None
) -> int:
    """Let pages wait to be fetched again that were last fetched before a moment, the oldest of them; those
    that could not be had the last time after all others, or they would be in the way for ever.

    Of all topics, or those that are surely on one of these. Files inside archives come with their archives.
    Each waits at the rank that it was found at, which is kept with it. Returns how many there are.
    """
    query = (
        select(pages.c.rank, pages.c.url_id, pages.c.depth, pages.c.distance, pages.c.via)
        .join_from(pages, urls, urls.c.id == pages.c.url_id)
        .where(urls.c.state == UrlState.FETCHED, urls.c.url.not_like("%#%"), pages.c.fetched_at < before)
        .order_by(_FAILED_LAST, pages.c.fetched_at, pages.c.id)
        .limit(limit)
    )
    if topics is not None:
        query = query.join(judgements, judgements.c.page_id == pages.c.id).where(
            judgements.c.topic_id.in_(list(topics)), judgements.c.confidence > 0
        )
    rows = [(AGAIN, *row) for row in session.connection.execute(query)]
    session.bulk.insert_new(frontier, COLUMNS, rows)
    return len(rows)


def _state_in(queue: TopicId) -> UrlState:
    """The state of what waits in a queue."""
    return UrlState.FETCHED if queue == AGAIN else UrlState.OPEN


def _before(entry: Entry) -> ColumnElement[bool]:
    better = and_(frontier.c.rank == entry.rank, frontier.c.url_id > entry.url_id)
    return or_(frontier.c.rank > entry.rank, better)


def _entries(session: Session, query: Select[Any]) -> list[Entry]:
    return [Entry(*row) for row in session.rows(query)]
