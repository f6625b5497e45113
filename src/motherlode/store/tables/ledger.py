"""The small tables: runs, models, hosts, verdicts, archive files."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Row, bindparam, delete, func, insert, select, update

from motherlode.records import (
    UNDONE_MODEL,
    Feedback,
    FeedbackId,
    Host,
    HostState,
    Model,
    ModelId,
    PageId,
    RobotsFile,
    Run,
    RunId,
    TopicId,
    Verdict,
)
from motherlode.store.schema import archives, feedback, hosts, models, pages, robots, runs
from motherlode.store.session import Session

_HOST_COLUMNS = tuple(column.name for column in hosts.columns)
_ROBOTS_COLUMNS = tuple(column.name for column in robots.columns)
# Put together once, as every host is asked for: half of a look-up's time would go into building
# them.
_HOST_NAMED = select(hosts).where(hosts.c.name == bindparam("sought"))
_ROBOTS_OF = select(robots).where(robots.c.origin == bindparam("sought"))


def start_run(session: Session, command: str, policy: str, now: float) -> Run:
    """Note that a run has begun; once, also if nobody heard of it and it is noted again."""
    same = select(runs.c.id).where(
        runs.c.started_at == now, runs.c.command == command, runs.c.end == ""
    )
    known = session.connection.execute(same).scalar()
    if known is not None:
        return Run(RunId(known), command, policy, now)
    statement = insert(runs).values(command=command, policy=policy, started_at=now, end="", pages=0)
    number = session.connection.execute(statement.returning(runs.c.id)).scalar_one()
    return Run(RunId(number), command, policy, now)


def advance_run(session: Session, run: RunId, pages: int) -> None:
    """Note how many pages a run has so far, in the transaction that keeps the last of them."""
    statement = update(runs).where(runs.c.id == run).values(pages=pages)
    session.connection.execute(statement)


def end_run(session: Session, run: RunId, end: str, now: float) -> None:
    statement = update(runs).where(runs.c.id == run).values(end=end, ended_at=now)
    session.connection.execute(statement)


def all_runs(session: Session) -> list[Run]:
    rows = session.connection.execute(select(runs).order_by(runs.c.id))
    return [
        Run(RunId(r.id), r.command, r.policy, r.started_at, r.ended_at, r.end, r.pages)
        for r in rows
    ]


def last_run(session: Session) -> int:
    """Return the number of the latest run; 0 if there is none."""
    return session.connection.execute(select(func.max(runs.c.id))).scalar_one() or 0


def keep_model(session: Session, model: Model) -> Model:
    """Keep a new model; the number it is given is in the one returned."""
    statement = insert(models).values(
        kind=model.kind,
        version=model.version,
        created_at=model.created_at,
        packed=model.packed,
        report=model.report,
    )
    number = session.connection.execute(statement.returning(models.c.id)).scalar_one()
    return Model(
        ModelId(number), model.kind, model.version, model.created_at, model.packed, model.report
    )


def latest_model(session: Session, kind: str) -> Model | None:
    query = select(models).where(models.c.kind == kind).order_by(models.c.id.desc()).limit(1)
    return _model(session.connection.execute(query).one_or_none())


def last_model(session: Session) -> int:
    """The number of the last model of any kind, without the model itself; 0: there is none."""
    return session.connection.execute(select(func.max(models.c.id))).scalar_one() or 0


def undo_model(session: Session, number: ModelId, now: float) -> None:
    """Remove a model, so that the one before it is the latest again.

    A row without a model takes the next number: all that was computed with the removed one is
    out of date, and no later model gets the same number.
    """
    row = {"kind": UNDONE_MODEL, "version": 1, "created_at": now, "packed": b"", "report": {}}
    session.connection.execute(insert(models).values(row))
    session.connection.execute(delete(models).where(models.c.id == number))


def model_numbered(session: Session, number: ModelId) -> Model | None:
    return _model(
        session.connection.execute(select(models).where(models.c.id == number)).one_or_none()
    )


def _model(row: Row[Any] | None) -> Model | None:
    if row is None:
        return None
    return Model(
        ModelId(row.id), row.kind, row.version, row.created_at, bytes(row.packed), row.report
    )


def keep_hosts(session: Session, changed: Iterable[Host]) -> None:
    """Keep what is now known of these hosts."""
    rows = {
        host.name: tuple(getattr(host, name) for name in _HOST_COLUMNS) for host in changed
    }  # last wins
    session.bulk.upsert(hosts, _HOST_COLUMNS, list(rows.values()))


def host_named(session: Session, name: str) -> Host | None:
    row = session.connection.execute(_HOST_NAMED, {"sought": name}).one_or_none()
    if row is None:
        return None
    known = row._asdict()
    known["state"] = HostState(row.state)
    return Host(**known)


def all_hosts(session: Session) -> Iterator[Host]:
    """Every host that was contacted, by name."""
    for row in session.connection.execute(select(hosts).order_by(hosts.c.name)):
        known = row._asdict()
        known["state"] = HostState(row.state)
        yield Host(**known)


def keep_robots(session: Session, files: Iterable[RobotsFile]) -> None:
    """Keep robots.txt as it was fetched."""
    rows = {f.origin: (f.origin, f.status, f.body, f.fetched_at, f.expires_at) for f in files}
    session.bulk.upsert(robots, _ROBOTS_COLUMNS, list(rows.values()))


def robots_of(session: Session, origin: str) -> RobotsFile | None:
    row = session.connection.execute(_ROBOTS_OF, {"sought": origin}).one_or_none()
    if row is None:
        return None
    body = None if row.body is None else bytes(row.body)
    return RobotsFile(row.origin, row.status, body, row.fetched_at, row.expires_at)


def closed_origins(session: Session) -> list[str]:
    """Those whose robots.txt could not be had, so that all is closed there."""
    return list(
        session.connection.execute(select(robots.c.origin).where(robots.c.body.is_(None))).scalars()
    )


def drop_robots(session: Session, origins: Iterable[str]) -> None:
    """Forget the robots.txt of these."""
    session.bulk.remove(robots, ("origin",), [(one,) for one in origins])


def unread_robots(session: Session) -> list[RobotsFile]:
    """The files that never held: they were kept before their sitemaps were read."""
    rows = session.connection.execute(
        select(robots).where(robots.c.expires_at <= robots.c.fetched_at)
    )
    return [
        RobotsFile(
            row.origin,
            row.status,
            None if row.body is None else bytes(row.body),
            row.fetched_at,
            row.expires_at,
        )
        for row in rows
    ]


def give_feedback(session: Session, given: Feedback) -> FeedbackId:
    statement = insert(feedback).values(
        page_id=given.page,
        topic_id=given.topic,
        verdict=given.verdict.value,
        given_at=given.given_at,
        note=given.note,
    )
    number = session.connection.execute(statement.returning(feedback.c.id)).scalar_one()
    return FeedbackId(number)


def feedback_on(session: Session, topic: TopicId) -> list[Feedback]:
    query = select(feedback).where(feedback.c.topic_id == topic).order_by(feedback.c.id)
    return [
        Feedback(
            PageId(r.page_id),
            TopicId(r.topic_id),
            Verdict(r.verdict),
            r.given_at,
            r.note,
            FeedbackId(r.id),
        )
        for r in session.connection.execute(query)
    ]


def take_back_feedback(session: Session, given_at: float) -> None:
    """Delete all verdicts that were given together at this time."""
    session.connection.execute(delete(feedback).where(feedback.c.given_at == given_at))


def note_archives(session: Session, sizes: Mapping[str, int]) -> None:
    """Note how far each archive file is committed, in the transaction whose pages lie in it."""
    session.bulk.upsert(archives, ("file", "size"), list(sizes.items()))


def archive_sizes(session: Session) -> dict[str, int]:
    rows = session.connection.execute(select(archives.c.file, archives.c.size))
    return {file: size for file, size in rows}  # noqa: C416 - rows are not quite tuples to mypy


def lose_archived(session: Session, file: str, size: int) -> None:
    """An archive file turned out to end at `size`: pages behind that have no raw
    response any more.
    """
    beyond = (pages.c.archive_file == file) & (
        pages.c.archive_offset + pages.c.archive_length > size
    )
    lost = {"archive_file": None, "archive_offset": None, "archive_length": None}
    session.connection.execute(update(pages).where(beyond).values(lost))
    kept = func.coalesce(func.max(pages.c.archive_offset + pages.c.archive_length), 0)
    end = session.connection.execute(select(kept).where(pages.c.archive_file == file)).scalar_one()
    session.connection.execute(update(archives).where(archives.c.file == file).values(size=end))
