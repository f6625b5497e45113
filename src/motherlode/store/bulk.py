"""Many rows at once, in each database's own fast way; everything else goes through SQLAlchemy.

Table and column names come from schema.py alone, so statements may be put together as text.
"""
# ruff: noqa: S608

import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from sqlalchemy import Connection, Table

from motherlode.store.link_rows import COLUMNS, FLAG_BITS, TARGET_BITS, LinkRows
from motherlode.store.schema import links

Row = tuple[Any, ...]
_SECOND_BITS = 24  # of the second number of a pair, where both go as one
_SECOND = (1 << _SECOND_BITS) - 1
_TARGET, _FLAGS = (1 << TARGET_BITS) - 1, (1 << FLAG_BITS) - 1
_INSERT_LINKS = (
    f"INSERT INTO links ({', '.join(COLUMNS)}) SELECT page.key, link.key >> "
    f"{TARGET_BITS + FLAG_BITS}, "
    f"link.key >> {FLAG_BITS} & {_TARGET}, link.value, link.key & {_FLAGS} "
    f"FROM json_each(?) AS page, json_each(page.value) AS link"
)
_LIST_LINKS = (
    "SELECT page_id, group_concat(url_id, ',') FROM links "
    "WHERE page_id BETWEEN ? AND ? GROUP BY page_id"
)


class Bulk(Protocol):
    """What the store asks of a database in bulk. Rows hold the named columns, in their order."""

    is_alone: bool  # whether no other process can write while this transaction is open

    def insert(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert rows that cannot be there yet."""

    def insert_links(self, rows: LinkRows) -> None:
        """Insert the links of pages that have none yet."""

    def list_links(self, low: int, high: int) -> Iterable[tuple[int, str]]:
        """The pages of these numbers that have links, each with the numbers of the URLs that they
        lead to, in their order, with commas between: a row for each link would take five times as
        long.
        """

    def insert_new(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert rows, leaving alone those whose key is there."""

    def upsert(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert rows, replacing the named columns of those whose primary key is there."""

    def amend(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Set the named columns of existing rows; the first column is the one to find them by."""

    def remove(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Delete the rows that have these values."""

    def find(
        self, table: Table, column: str, values: Sequence[int], wanted: Sequence[str]
    ) -> Iterable[Row]:
        """The wanted columns of the rows whose column has one of these values."""

    def find_pairs(
        self,
        table: Table,
        columns: tuple[str, str],
        pairs: Sequence[tuple[int, int]],
        wanted: Sequence[str],
    ) -> Iterable[Row]:
        """The wanted columns of the rows that have one of these pairs of numbers, neither of them
        below 0 and the second one small, in two columns.
        """

    def numbers(self, table: Table, count: int) -> Sequence[int]:
        """Fresh numbers for so many rows of a table with an `id`."""


class SqliteBulk:
    """Statements prepared once and run over all rows inside the driver.

    The driver lets other threads go on while a statement runs, and then waits for them to let it go
    on: once for each row. So links, which are most of all rows, go in by one statement, written
    down as JSON.
    """

    is_alone = True

    def __init__(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - by the dialect
        self._driver = driver

    def insert(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self._run(_insert(table.name, tuple(columns)), rows)

    def insert_links(self, rows: LinkRows) -> None:
        if rows.fit_together():
            self._driver.execute(_INSERT_LINKS, (rows.as_json(),))
        else:
            self.insert(links, COLUMNS, list(rows))

    def list_links(self, low: int, high: int) -> Iterable[tuple[int, str]]:
        return self._driver.execute(_LIST_LINKS, (low, high))  # in the order of the primary key

    def insert_new(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self._run(_insert(table.name, tuple(columns)) + " ON CONFLICT DO NOTHING", rows)

    def upsert(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self._run(_insert(table.name, tuple(columns)) + _on_conflict(table, columns), rows)

    def amend(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        key, *changed = columns
        assignments = ", ".join(f'"{name}" = ?' for name in changed)
        statement = f'UPDATE {table.name} SET {assignments} WHERE "{key}" = ?'
        self._run(statement, [(*row[1:], row[0]) for row in rows])

    def remove(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        conditions = " AND ".join(f'"{name}" = ?' for name in columns)
        self._run(f"DELETE FROM {table.name} WHERE {conditions}", rows)

    def find(
        self, table: Table, column: str, values: Sequence[int], wanted: Sequence[str]
    ) -> Iterable[Row]:
        if not values:
            return ()
        return self._driver.execute(
            f'SELECT {_names(wanted)} FROM {table.name} WHERE "{column}" IN (SELECT value FROM '
            "json_each(?))",
            (str(values),),
        )

    def find_pairs(
        self,
        table: Table,
        columns: tuple[str, str],
        pairs: Sequence[tuple[int, int]],
        wanted: Sequence[str],
    ) -> Iterable[Row]:
        if not pairs:
            return ()
        first, second = columns
        return self._driver.execute(
            f"SELECT {_names(wanted)} FROM json_each(?) AS pair CROSS JOIN {table.name} "
            f'ON "{first}" = pair.value >> {_SECOND_BITS} AND "{second}" = pair.value & {_SECOND}',
            (str([one << _SECOND_BITS | two for one, two in pairs]),),
        )

    def numbers(self, table: Table, count: int) -> Sequence[int]:
        (last,) = self._driver.execute(f"SELECT max(id) FROM {table.name}").fetchone()
        first = (last or 0) + 1
        return range(first, first + count)

    def _run(self, statement: str, rows: Sequence[Row]) -> None:
        if rows:
            self._driver.executemany(statement, rows)


class PostgresBulk:
    """COPY, straight into the table or by way of a temporary one."""

    is_alone = False

    def __init__(self, connection: Connection) -> None:
        self._driver: Any = connection.connection.driver_connection
        self._staged = 0

    def insert(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        if rows:
            self._copy(table.name, columns, rows)

    def insert_links(self, rows: LinkRows) -> None:
        self.insert(links, COLUMNS, list(rows))

    def list_links(self, low: int, high: int) -> Iterable[tuple[int, str]]:
        found: Iterable[tuple[int, str]] = self._driver.execute(
            "SELECT page_id, string_agg(url_id::text, ',' ORDER BY position) FROM links "
            "WHERE page_id BETWEEN %s AND %s GROUP BY page_id",
            (low, high),
        )
        return found

    def insert_new(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self._from_stage(table, columns, rows, " ON CONFLICT DO NOTHING")

    def upsert(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self._from_stage(table, columns, rows, _on_conflict(table, columns))

    def amend(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        if not rows:
            return
        stage = self._stage(table, columns, rows)
        key, *changed = columns
        assignments = ", ".join(f'"{name}" = stage."{name}"' for name in changed)
        self._driver.execute(
            f"UPDATE {table.name} SET {assignments} FROM {stage} AS stage "
            f'WHERE {table.name}."{key}" = stage."{key}"'
        )

    def remove(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
        if not rows:
            return
        stage = self._stage(table, columns, rows)
        conditions = " AND ".join(f'{table.name}."{name}" = stage."{name}"' for name in columns)
        self._driver.execute(f"DELETE FROM {table.name} USING {stage} AS stage WHERE {conditions}")

    def find(
        self, table: Table, column: str, values: Sequence[int], wanted: Sequence[str]
    ) -> Iterable[Row]:
        if not values:
            return ()
        found: Iterable[Row] = self._driver.execute(
            f'SELECT {_names(wanted)} FROM {table.name} WHERE "{column}" = ANY(%s)', (list(values),)
        )
        return found

    def find_pairs(
        self,
        table: Table,
        columns: tuple[str, str],
        pairs: Sequence[tuple[int, int]],
        wanted: Sequence[str],
    ) -> Iterable[Row]:
        if not pairs:
            return ()
        first, second = columns
        found: Iterable[Row] = self._driver.execute(
            f"SELECT {_names(wanted)} FROM unnest(%s::bigint[], %s::bigint[]) AS pair(one, two) "
            f'JOIN {table.name} ON "{first}" = pair.one AND "{second}" = pair.two',
            ([one for one, _ in pairs], [two for _, two in pairs]),
        )
        return found

    def numbers(self, table: Table, count: int) -> Sequence[int]:
        rows = self._driver.execute(
            f"SELECT nextval(pg_get_serial_sequence('{table.name}', 'id')) FROM "
            "generate_series(1, %s)",
            (count,),
        )
        return [number for (number,) in rows]

    def _from_stage(
        self, table: Table, columns: Sequence[str], rows: Sequence[Row], conflict: str
    ) -> None:
        if rows:
            stage = self._stage(table, columns, rows)
            names = _names(columns)
            self._driver.execute(
                f"INSERT INTO {table.name} ({names}) SELECT {names} FROM {stage}{conflict}"
            )

    def _stage(self, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> str:
        self._staged += 1
        stage = f"pg_temp.stage_{self._staged}"
        self._driver.execute(f"DROP TABLE IF EXISTS {stage}")
        self._driver.execute(
            f"CREATE TEMPORARY TABLE stage_{self._staged} ON COMMIT DROP AS "
            f"SELECT {_names(columns)} FROM {table.name} WITH NO DATA"
        )
        self._copy(stage, columns, rows)
        return stage

    def _copy(self, name: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        with (
            self._driver.cursor() as cursor,
            cursor.copy(f"COPY {name} ({_names(columns)}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)


def bulk_for(connection: Connection) -> Bulk:
    """The bulk operations of this connection's database."""
    if connection.dialect.name == "sqlite":
        return SqliteBulk(connection)
    return PostgresBulk(connection)


@lru_cache(maxsize=64)
def _insert(table: str, columns: tuple[str, ...]) -> str:
    places = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({_names(columns)}) VALUES ({places})"


def _on_conflict(table: Table, columns: Sequence[str]) -> str:
    key = [column.name for column in table.primary_key]
    changed = [name for name in columns if name not in key]
    assignments = ", ".join(f'"{name}" = excluded."{name}"' for name in changed)
    return f" ON CONFLICT ({_names(key)}) DO UPDATE SET {assignments}"


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)
