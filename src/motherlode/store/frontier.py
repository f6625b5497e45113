"""The waiting entries: offered by rank, read best first.

A URL may have several rows, one for each rank at which it was offered. The best comes up first, so it is
fetched at the best rank it was ever offered; the others are stale from then on and pruned.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Row, and_, delete, func, or_, select

from motherlode.records import Entry, Follow, PageId, TopicId, UrlId, UrlKey, UrlState
from motherlode.store.schema import frontier, urls
from motherlode.store.session import Session

COLUMNS = ("queue", "rank", "url_id", "depth", "distance", "via", "not_before")


def offer(session: Session, follows: Sequence[Follow]) -> int:
    """Offer URLs that no page led to: seeds, or what a source found. Returns how many were better news."""
    ids = session.sieve.ids_of({follow.key: follow.url for follow in follows})
    return offer_known(session, follows, ids, [None] * len(follows))


def offer_known(
    session: Session,
    follows: Sequence[Follow],
    ids: Mapping[int, int],
    vias: Sequence[PageId | None],
) -> int:
    """Offer URLs whose rows are known by key; what was offered better before is passed over."""
    keys = np.array([follow.key for follow in follows], np.int64)
    ranks = np.array([follow.rank for follow in follows], np.float64)
    rows = {}
    for index in np.flatnonzero(session.sieve.memory.improving(keys, ranks)).tolist():
        f = follows[index]
        row = (f.queue, f.rank, ids[f.key], f.depth, f.distance, vias[index], 0.0)
        rows[row[:3]] = row
    session.bulk.insert_new(frontier, COLUMNS, sorted(rows.values()))
    return len(rows)


def waiting(session: Session, queue: TopicId, limit: int, after: Entry | None = None) -> list[Entry]:
    """The best entries of a queue that still wait, in order; `after` pages on."""
    query = (
        select(frontier, urls.c.url, urls.c.key, urls.c.attempts)
        .join_from(frontier, urls, urls.c.id == frontier.c.url_id)
        .where(frontier.c.queue == queue, urls.c.state == UrlState.OPEN)
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
    return [_entry(row) for row in session.connection.execute(query)]


def prune(session: Session, queue: TopicId) -> int:
    """Drop a queue's rows whose URL no longer waits. Returns how many there were."""
    done = select(urls.c.id).where(urls.c.id == frontier.c.url_id, urls.c.state != UrlState.OPEN)
    statement = delete(frontier).where(frontier.c.queue == queue, done.exists())
    return session.connection.execute(statement).rowcount


def sizes(session: Session) -> dict[TopicId, int]:
    """How many URLs wait in each queue."""
    query = (
        select(frontier.c.queue, func.count(frontier.c.url_id.distinct()))
        .join_from(frontier, urls, urls.c.id == frontier.c.url_id)
        .where(urls.c.state == UrlState.OPEN)
        .group_by(frontier.c.queue)
    )
    return {TopicId(queue): count for queue, count in session.connection.execute(query)}


def _entry(row: Row[tuple[object, ...]]) -> Entry:
    columns = row._mapping
    return Entry(
        url_id=UrlId(columns[frontier.c.url_id]),
        url=columns[urls.c.url],
        key=UrlKey(columns[urls.c.key]),
        queue=TopicId(columns[frontier.c.queue]),
        rank=columns[frontier.c.rank],
        depth=columns[frontier.c.depth],
        distance=columns[frontier.c.distance],
        via=columns[frontier.c.via],
        attempts=columns[urls.c.attempts],
        not_before=columns[frontier.c.not_before],
    )
