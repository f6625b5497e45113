"""What one transaction works with."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select

from motherlode.store.bulk import Bulk, Row
from motherlode.store.sieve import Sieve


@dataclass(frozen=True, slots=True)
class Session:
    """A connection inside a transaction, with the fast ways around it.

    The functions of this package take one as their first argument. It ends with the `with` block
    that gave it: committed if the block ends well, rolled back if not.
    """

    connection: Connection
    bulk: Bulk
    sieve: Sieve

    def rows(self, query: Select[Any]) -> Sequence[Row]:
        """All rows that answer a question, as the driver has them: each takes SQLAlchemy a few
        microseconds, and some questions are about all pages.
        """
        with closing(self.connection.execute(query)) as result:
            assert result.cursor is not None  # noqa: S101 - it is a question
            rows: Sequence[Row] = result.cursor.fetchall()
            return rows
