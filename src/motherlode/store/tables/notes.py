"""Notes that policies hand over with pages, such as the verdict on a site."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from motherlode.records import Note
from motherlode.store.schema import notes
from motherlode.store.session import Session
from motherlode.store.values import storable


def notes_of(session: Session, kind: str) -> dict[str, Any]:
    """Return the notes of a kind by their keys."""
    query = select(notes.c.key, notes.c.value).where(notes.c.kind == kind).order_by(notes.c.key)
    return {row.key: row.value for row in session.connection.execute(query)}


def note_json(value: Any) -> str:
    """Return the value of a note as it is stored."""
    return storable(json.dumps(value))


def keep_notes(session: Session, changed: Sequence[Note]) -> None:
    """Write notes that were written before; the page that they came with stays."""
    rows = [(note.kind, note.key, note_json(note.value)) for note in changed]
    session.bulk.upsert(notes, ("kind", "key", "value"), rows)
