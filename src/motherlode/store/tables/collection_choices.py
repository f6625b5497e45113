"""The user's choices about collections. Nothing is overwritten, so that each can be taken back."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Row, func, insert, select, update

from motherlode.records import ChoiceKind, CollectionChoice, TopicId
from motherlode.store.schema import collection_choices
from motherlode.store.session import Session

_COLUMNS = collection_choices.c


class ChoiceChange(Struct, frozen=True):
    """When a choice was given or taken back, and the subjects whose collections that changed."""

    url: str
    topics: frozenset[TopicId]
    at: float


def add_choices(session: Session, choices: Sequence[CollectionChoice]) -> None:
    """Write choices that are taken back together."""
    latest = session.connection.execute(select(func.max(_COLUMNS.batch))).scalar_one()
    rows = [
        {
            "batch": (latest or 0) + 1,
            "url": choice.url,
            "kind": choice.kind.value,
            "topic_id": choice.topic,
            "former_topic_id": choice.former_topic,
            "given_at": choice.given_at,
        }
        for choice in choices
    ]
    if rows:
        session.connection.execute(insert(collection_choices), rows)


def standing_choices(session: Session) -> list[CollectionChoice]:
    """Return the last choice about each URL, in the order in which they were given."""
    last = select(func.max(_COLUMNS.id)).where(_COLUMNS.undone_at.is_(None)).group_by(_COLUMNS.url)
    query = select(collection_choices).where(
        _COLUMNS.id.in_(last), _COLUMNS.kind != ChoiceKind.CLEAR.value
    )
    return [_choice(row) for row in session.connection.execute(query.order_by(_COLUMNS.id))]


def undo_choices(session: Session, now: float) -> list[CollectionChoice]:
    """Take back the choices that were given together last; return them, empty if there are none."""
    holds = _COLUMNS.undone_at.is_(None)
    latest = session.connection.execute(select(func.max(_COLUMNS.batch)).where(holds)).scalar_one()
    is_latest = holds & (_COLUMNS.batch == latest)
    query = select(collection_choices).where(is_latest).order_by(_COLUMNS.id)
    undone = [_choice(row) for row in session.connection.execute(query)]
    session.connection.execute(update(collection_choices).where(is_latest).values(undone_at=now))
    return undone


def choice_changes(session: Session) -> list[ChoiceChange]:
    """Return when the choices about each URL were given and taken back, in no order."""
    return [
        ChoiceChange(
            url=row.url,
            topics=frozenset(
                TopicId(topic) for topic in (row.topic_id, row.former_topic_id) if topic is not None
            ),
            at=max(row.given_at, row.undone_at or 0.0),
        )
        for row in session.connection.execute(select(collection_choices))
    ]


def _choice(row: Row[Any]) -> CollectionChoice:
    return CollectionChoice(
        url=row.url,
        kind=ChoiceKind(row.kind),
        topic=None if row.topic_id is None else TopicId(row.topic_id),
        former_topic=None if row.former_topic_id is None else TopicId(row.former_topic_id),
        given_at=row.given_at,
    )
