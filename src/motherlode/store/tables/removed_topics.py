"""Topics that were removed, kept so that they can come back as they were.

The record is written in the transaction that removes them (`undo_records`).
"""

from collections.abc import Collection, Sequence
from secrets import token_hex
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Table, func, insert, select, update

from motherlode.records import Lane, QueueId, TopicId
from motherlode.records.example_counts import ExampleCounts, count_origins
from motherlode.store.schema import (
    examples,
    feedback,
    frontier,
    judgements,
    marks,
    models,
    topics,
)
from motherlode.store.session import Session
from motherlode.store.tables.undo_records import UndoRecords

KEPT = 10  # removals
_WAITING = 10_000  # entries of the topics' queues, the best
_AT_ONCE = 500

Rows = list[tuple[Any, ...]]


class Removal(Struct, frozen=True):
    """What was removed: `path` names the topic, `topics` counts it and those below, `parent` was
    above it.

    `examples` counts all; `examples_from` counts those of users and of the crawl.
    """

    id: str
    path: str
    name: str
    parent: TopicId
    topics: int
    examples: int
    removed_at: float
    examples_from: ExampleCounts = ExampleCounts()  # from the stored rows, so old records have it


class _Record(Struct, frozen=True):
    removal: Removal
    model: int | None  # the latest; what another one has said since is not touched
    rows: dict[str, Rows]
    judged: dict[int, list[int]]  # pages by their topic


_RECORDS = UndoRecords("removed.", _Record, KEPT)


def note_removal(
    session: Session,
    doomed: Sequence[TopicId],
    path: Sequence[str],
    queues: Collection[QueueId],
    now: float,
) -> Removal:
    """Store what restores these topics, parents first, and their queues; before they are
    removed.
    """
    run = session.connection.execute
    parent = run(select(topics.c.parent_id).where(topics.c.id == doomed[0])).scalar_one()
    rows = {
        table.name: _rows(session, table, column, doomed)
        for table, column in (
            (topics, "id"),
            (examples, "topic_id"),
            (feedback, "topic_id"),
            (marks, "topic_id"),
        )
    }
    waiting = (
        select(frontier)
        .where(frontier.c.queue.in_(queues), frontier.c.lane != Lane.PARKED)
        .order_by(frontier.c.cost)
    )
    rows[frontier.name] = [tuple(row) for row in run(waiting.limit(_WAITING))]
    removal = Removal(
        f"{now:017.6f}-{token_hex(4)}",
        "/".join(path),
        path[-1],
        parent,
        len(doomed),
        len(rows[examples.name]),
        now,
    )
    record = _Record(removal, _latest_model(session), rows, _judged(session, doomed))
    _RECORDS.add(session, removal.id, record)
    return removal


def removals(session: Session) -> list[Removal]:
    """What can be restored, the latest first."""
    return [
        replace(record.removal, examples_from=_example_counts(record))
        for record_id in _RECORDS.ids(session)
        if (record := _RECORDS.get(session, record_id)) is not None
    ]


def _example_counts(record: _Record) -> ExampleCounts:
    rows = record.rows[examples.name]
    return count_origins(_valued(examples, row)["origin"] for row in rows)


def removal_of(session: Session, number: str) -> Removal | None:
    """What was removed under that name; None: there is none, or it is not kept any more."""
    return next((one for one in removals(session) if one.id == number), None)


def restore(session: Session, removal: Removal, heir: TopicId) -> None:
    """Bring topics back, with their examples, verdicts, marks and the best of what waited for them.

    Pages that went to `heir` come back too, unless another model has judged since. Whether the
    topics' place is there and free was checked on the tree before.
    """
    run = session.connection.execute
    record = _RECORDS.get(session, removal.id)
    if record is None:
        return
    for table in (topics, examples, feedback, marks):
        found = [_valued(table, row) for row in record.rows[table.name]]
        if table is not topics:
            found = [{name: value for name, value in row.items() if name != "id"} for row in found]
        for row in found:  # a parent is there before its children
            run(insert(table).values(row))
    columns = tuple(column.name for column in frontier.columns)
    session.bulk.upsert(frontier, columns, [_of_today(row) for row in record.rows[frontier.name]])
    if record.model == _latest_model(session):
        _take_back(session, record.judged, heir)
    _RECORDS.remove(session, removal.id)
    session.sieve.memory.forget()


def _of_today(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row of the frontier; one of before version 6 has neither share nor lane."""
    if len(row) == len(frontier.columns):
        return tuple(row)
    queue, rank, *rest = row
    return (0, Lane.CRAWL, queue, -rank, *rest)


def _take_back(session: Session, judged: dict[int, list[int]], heir: TopicId) -> None:
    for topic, pages in judged.items():
        for start in range(0, len(pages), _AT_ONCE):
            some = judgements.c.page_id.in_(pages[start : start + _AT_ONCE])
            statement = update(judgements).where(some, judgements.c.topic_id == heir)
            session.connection.execute(statement.values(topic_id=topic))


def _rows(session: Session, table: Table, column: str, wanted: Sequence[TopicId]) -> Rows:
    query = select(table).where(table.c[column].in_(wanted))
    found = [tuple(row) for row in session.connection.execute(query.order_by(table.c.id))]
    if table is topics:  # as they were named: parents first
        place = {number: at for at, number in enumerate(wanted)}
        found.sort(key=lambda row: place[row[0]])
    return found


def _judged(session: Session, doomed: Sequence[TopicId]) -> dict[int, list[int]]:
    query = select(judgements.c.topic_id, judgements.c.page_id).where(
        judgements.c.topic_id.in_(doomed)
    )
    found: dict[int, list[int]] = {}
    for topic, page in session.connection.execute(query):
        found.setdefault(topic, []).append(page)
    return found


def _latest_model(session: Session) -> int | None:
    latest: int | None = session.connection.execute(select(func.max(models.c.id))).scalar_one()
    return latest


def _valued(table: Table, row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip((column.name for column in table.columns), row, strict=True))
