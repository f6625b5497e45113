"""Notes that policies hand over with pages, such as the verdict on a site."""

from typing import Any

from sqlalchemy import select

from motherlode.store.schema import notes
from motherlode.store.session import Session


def notes_of(session: Session, kind: str) -> dict[str, Any]:
    """Return the notes of a kind by their keys."""
    query = select(notes.c.key, notes.c.value).where(notes.c.kind == kind).order_by(notes.c.key)
    return {row.key: row.value for row in session.connection.execute(query)}
