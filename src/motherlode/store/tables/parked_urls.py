"""What was given up and may be had another time: parked where no crawl looks, until somebody has it
go on.

Each waits in the lane of what is parked, in the queue and at the rank that it had.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import select

from motherlode.records import Entry, Lane, UrlId, UrlState
from motherlode.store.schema import frontier, redirects, urls
from motherlode.store.session import Session
from motherlode.store.tables.frontier import COLUMNS, KEY, SHARE, position_of

_HOPS = 20  # of a way by redirects; a circle has no end
_FATES = ("id", "state", "reason", "attempts", "not_before")
_PARKED = frontier.c.lane == Lane.PARKED
_GIVEN_UP = urls.c.state.in_((UrlState.FAILED, UrlState.SKIPPED))


def park(session: Session, entries: Iterable[Entry]) -> None:
    """Keep the places of entries that leave the frontier."""
    rows = [
        (SHARE, Lane.PARKED, e.queue, *position_of(e.rank, e.url_id), e.depth, e.distance, e.via)
        for e in entries
    ]
    if rows:
        session.bulk.insert_new(frontier, COLUMNS, sorted(rows, key=lambda row: row[:5]))


def parked(session: Session) -> dict[UrlId, list[str]]:
    """What is parked: of each URL itself, and those that it redirected to when it was last asked
    for.
    """
    query = select(urls.c.id, urls.c.url).join_from(frontier, urls, urls.c.id == frontier.c.url_id)
    ways = {UrlId(number): [url] for number, url in session.rows(query.where(_PARKED, _GIVEN_UP))}
    places = {number: int(number) for number in ways}
    for _ in range(_HOPS):
        wanted = sorted(set(places.values()))
        found = (
            session.bulk.find(redirects, "url_id", wanted, ("url_id", "target_id"))
            if wanted
            else ()
        )
        hops: dict[int, int] = {source: target for source, target in found}  # noqa: C416 - rows are no tuples
        places = {number: hops[place] for number, place in places.items() if place in hops}
        if not places:
            break
        known = session.bulk.find(urls, "id", sorted(set(places.values())), ("id", "url"))
        spelled: dict[int, str] = {number: url for number, url in known}  # noqa: C416
        for number, place in places.items():
            ways[number].append(spelled[place])
    return ways


def reopen(session: Session, numbers: Sequence[UrlId]) -> None:
    """Let what is parked wait again where it waited, as if nobody had asked for it."""
    wanted = set(numbers)
    rows = session.rows(select(*(frontier.c[name] for name in COLUMNS)).where(_PARKED))
    back = [tuple(row) for row in rows if row[4] in wanted]
    session.bulk.remove(frontier, KEY, [row[:5] for row in back])
    session.bulk.insert_new(
        frontier, COLUMNS, sorted((SHARE, Lane.CRAWL, *row[2:]) for row in back)
    )
    session.bulk.remove(redirects, ("url_id",), [(number,) for number in numbers])
    hurry(session, numbers)
    session.sieve.memory.forget()  # it still knows them as settled


def put_off(session: Session) -> list[tuple[UrlId, str]]:
    """What waits for the moment of another attempt."""
    query = select(urls.c.id, urls.c.url).where(
        urls.c.state == UrlState.OPEN, urls.c.not_before.is_not(None)
    )
    return [(UrlId(number), url) for number, url in session.rows(query)]


def hurry(session: Session, numbers: Sequence[UrlId]) -> None:
    """Let what was put off wait for nothing but its turn, as if nobody had asked for it."""
    session.bulk.amend(
        urls, _FATES, [(number, UrlState.OPEN.value, None, 0, None) for number in numbers]
    )
