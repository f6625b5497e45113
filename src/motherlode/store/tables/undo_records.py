"""Records of changes, kept so that the changes can be undone.

A record is written into `about` in the transaction of its change: it is there if and only if the
change is, however the process ends. Of each kind, only the latest few are kept.
"""

import zlib
from base64 import b85decode, b85encode
from typing import Generic, TypeVar

import msgspec
from sqlalchemy import delete, insert, select

from motherlode.store.schema import about
from motherlode.store.session import Session

R = TypeVar("R")
_COMPRESSION_LEVEL = 6


class UndoRecords(Generic[R]):
    """The records of one kind of change, by ids whose alphabetical order is that of the changes."""

    def __init__(self, prefix: str, record_type: type[R], limit: int) -> None:
        self._prefix, self._type, self._limit = prefix, record_type, limit

    def add(self, session: Session, record_id: str, record: R) -> None:
        """Write the record of a change, and drop the oldest beyond the limit."""
        compressed = zlib.compress(msgspec.msgpack.encode(record), _COMPRESSION_LEVEL)
        row = {"name": self._prefix + record_id, "value": b85encode(compressed).decode()}
        session.connection.execute(insert(about).values(row))
        for old in self.ids(session)[self._limit :]:
            self.remove(session, old)

    def ids(self, session: Session) -> list[str]:
        """Return the ids of all records, the latest first."""
        query = select(about.c.name).where(about.c.name.startswith(self._prefix, autoescape=True))
        names = session.connection.execute(query.order_by(about.c.name.desc())).scalars()
        return [name.removeprefix(self._prefix) for name in names]

    def get(self, session: Session, record_id: str) -> R | None:
        """Return the record of a change; None if there is none, or it is not kept any more."""
        query = select(about.c.value).where(about.c.name == self._prefix + record_id)
        packed = session.connection.execute(query).scalar_one_or_none()
        if packed is None:
            return None
        return msgspec.msgpack.decode(zlib.decompress(b85decode(packed)), type=self._type)

    def remove(self, session: Session, record_id: str) -> None:
        session.connection.execute(delete(about).where(about.c.name == self._prefix + record_id))
