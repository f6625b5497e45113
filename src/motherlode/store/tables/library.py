"""The rows of a personal library: folders, objects, and which objects lie in which folders."""

import json
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec
from sqlalchemy import delete, func, insert, select, tuple_

from motherlode.records.library import (
    FolderId,
    LibraryChanges,
    LibraryFolder,
    LibraryObject,
    Membership,
    ObjectId,
)
from motherlode.store.schema import library_folders, library_members, library_objects
from motherlode.store.session import Session
from motherlode.store.tables.undo_records import UndoRecords
from motherlode.store.values import storable

MAX_UNDONE = 20  # changes that can be taken back
UNDO = UndoRecords("library/", LibraryChanges, MAX_UNDONE)
_BATCH = 5_000  # rows of one statement; databases limit its parameters
T = TypeVar("T")
_MEMBER_KEY = (library_members.c.folder_id, library_members.c.object_id)


def stored_folders(session: Session) -> dict[FolderId, LibraryFolder]:
    """Return all folders by their numbers."""
    rows = session.connection.execute(select(library_folders).order_by(library_folders.c.id))
    return {FolderId(row.id): LibraryFolder(row.name, row.parent_id) for row in rows}


def stored_objects(session: Session) -> dict[ObjectId, LibraryObject]:
    """Return all objects by their numbers."""
    rows = session.connection.execute(select(library_objects).order_by(library_objects.c.id))
    return {ObjectId(row.id): msgspec.convert(row.value, LibraryObject) for row in rows}


def stored_members(session: Session) -> Iterator[Membership]:
    """Yield which objects lie in which folders."""
    for row in session.connection.execute(select(library_members)):
        yield Membership(FolderId(row.folder_id), ObjectId(row.object_id))


def object_count(session: Session) -> int:
    """Return how many objects the library has."""
    count = select(func.count()).select_from(library_objects)
    return session.connection.execute(count).scalar_one()


def write_library_changes(session: Session, changes: LibraryChanges) -> None:
    """Write the changes of a library; rows that are changed are replaced."""
    _replace_folders(session, changes)
    _replace_objects(session, changes)
    gone = [(member.folder, member.object) for member in changes.removed]
    for some in _batches(gone):
        is_gone = tuple_(*_MEMBER_KEY).in_(some)
        session.connection.execute(delete(library_members).where(is_gone))
    added = [{"folder_id": m.folder, "object_id": m.object} for m in changes.added]
    if added:
        session.connection.execute(insert(library_members), added)


def _replace_folders(session: Session, changes: LibraryChanges) -> None:
    for some in _batches(list(changes.folders)):
        session.connection.execute(delete(library_folders).where(library_folders.c.id.in_(some)))
    rows = [
        {"id": number, "parent_id": folder.parent, "name": storable(folder.name)}
        for number, folder in changes.folders.items()
        if folder is not None
    ]
    if rows:
        session.connection.execute(insert(library_folders), rows)


def _replace_objects(session: Session, changes: LibraryChanges) -> None:
    for some in _batches(list(changes.objects)):
        session.connection.execute(delete(library_objects).where(library_objects.c.id.in_(some)))
    rows = [
        {"id": number, "value": _stored(entry)}
        for number, entry in changes.objects.items()
        if entry is not None
    ]
    if rows:
        session.connection.execute(insert(library_objects), rows)


def _stored(entry: LibraryObject) -> object:
    """Return an object as JSON that both databases take."""
    value: object = json.loads(storable(json.dumps(msgspec.to_builtins(entry), ensure_ascii=False)))
    return value


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    return (rows[begin : begin + _BATCH] for begin in range(0, len(rows), _BATCH))
