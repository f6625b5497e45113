"""All judgements as they were before a training, kept so that the training can be undone.

Every page gets another margin by a training, so all of them are kept: about 20 bytes a page
after compression. To judge by the former model again would not be exact, because pages of a
crawl may have been judged by several models.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import isnan, nan
from typing import Any

from msgspec import Struct
from sqlalchemy import Double, delete, select

from motherlode.records import Judgement, ModelId, PageId, TopicId
from motherlode.store.schema import judgements
from motherlode.store.session import Session
from motherlode.store.tables.judgements import COLUMNS, keep_judgements
from motherlode.store.tables.ledger import last_run
from motherlode.store.tables.undo_records import UndoRecords

MAX_TRAININGS = 3  # the latest, which can be undone one after the other
_BATCH_PAGES = 5_000
_MISSING = -1  # in a column of whole numbers; NaN in others


class FormerJudgements(Struct, frozen=True):
    """All columns of the judgements, packed as arrays; `last_run`: the latest crawl at
    that time.
    """

    last_run: int
    columns: dict[str, bytes]

    def topic_ids(self) -> set[TopicId]:
        """Return the topics that pages were on."""
        return {TopicId(topic) for topic in _unpacked(self, "topic_id")}

    def __iter__(self) -> Iterator[tuple[PageId, Judgement]]:
        """Yield pages with their judgements, in the order of page numbers."""
        for page, *fields in zip(*(_unpacked(self, name) for name in COLUMNS), strict=True):
            yield PageId(page), Judgement(*fields)


_RECORDS = UndoRecords("trained.", FormerJudgements, MAX_TRAININGS)


def keep_former_judgements(session: Session, model: ModelId) -> None:
    """Keep all judgements before those of a new model replace them."""
    columns = [judgements.c[name] for name in COLUMNS]
    rows = session.rows(select(*columns).order_by(judgements.c.page_id))
    packed = {name: _packed(name, (row[n] for row in rows)) for n, name in enumerate(COLUMNS)}
    _RECORDS.add(session, _record_id(model), FormerJudgements(last_run(session), packed))


def former_judgements(session: Session, model: ModelId) -> FormerJudgements | None:
    """Return the judgements before the training that made a model; None if they are not kept."""
    return _RECORDS.get(session, _record_id(model))


def has_former_judgements(session: Session, model: ModelId) -> bool:
    return _record_id(model) in _RECORDS.ids(session)


def restore_judgements(session: Session, model: ModelId, former: FormerJudgements) -> None:
    """Replace all judgements by those before the training that made a model."""
    session.connection.execute(delete(judgements))
    rows = iter(former)
    while batch := list(islice(rows, _BATCH_PAGES)):
        keep_judgements(session, batch)
    _RECORDS.remove(session, _record_id(model))


def _packed(name: str, values: Iterable[float | None]) -> bytes:
    missing = nan if _is_double(name) else _MISSING
    return array(_typecode(name), (missing if v is None else v for v in values)).tobytes()


def _unpacked(former: FormerJudgements, name: str) -> Iterator[Any]:
    values = array(_typecode(name), former.columns[name])
    is_missing: Callable[[float], bool] = isnan if _is_double(name) else _MISSING.__eq__
    return (None if is_missing(value) else value for value in values)


def _typecode(name: str) -> str:
    return "d" if _is_double(name) else "q"


def _is_double(name: str) -> bool:
    return isinstance(judgements.c[name].type, Double)


def _record_id(model: ModelId) -> str:
    return f"{model:010d}"  # later models have higher numbers
