"""The schema's version, and the steps from each version to the next."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, inspect, select, update

from motherlode.records import NewerStoreError, StoreError
from motherlode.store import schema

Step = Callable[[Connection], None]


def _robots_by_origin(connection: Connection) -> None:
    """robots.txt belongs to an origin, not to a host; and copies of a page are found by their digest."""
    schema.robots.create(connection)
    schema.fingerprints.create(connection)
    for name in ("robots", "robots_status", "robots_expires"):
        connection.exec_driver_sql(f"ALTER TABLE hosts DROP COLUMN {name}")
    connection.exec_driver_sql("CREATE INDEX pages_digest ON pages (digest)")


def _headings_in_texts(_connection: Connection) -> None:
    """Texts have marks for headings. Those from before are read as they are; what is packed now, an older
    Motherlode could not read, so it has to be told by the version."""


def _marks(connection: Connection) -> None:
    """What a person says of search results is kept."""
    schema.marks.create(connection)


def _aliases_of_hosts(connection: Connection) -> None:
    """What a host is an alias for is kept with it."""
    connection.exec_driver_sql("ALTER TABLE hosts ADD COLUMN aliases TEXT NOT NULL DEFAULT ''")


# STEPS[n] takes a database from version n + 1 to n + 2; the newest schema is always in schema.py.
STEPS: Sequence[Step] = (_robots_by_origin, _headings_in_texts, _marks, _aliases_of_hosts)


def create(connection: Connection) -> None:
    """Make every table, at the newest version."""
    if is_made(connection):
        raise StoreError("This database holds a portal already; name an empty one.")
    schema.metadata.create_all(connection)
    connection.execute(schema.about.insert(), [{"name": "schema_version", "value": str(schema.VERSION)}])
    root = {"id": 1, "parent_id": None, "name": "", "folded": "", "is_others": False}
    connection.execute(schema.topics.insert(), [root])
    if connection.dialect.name == "postgresql":  # the root took its number without asking
        connection.exec_driver_sql("SELECT setval(pg_get_serial_sequence('topics', 'id'), 1)")


def is_made(connection: Connection) -> bool:
    return inspect(connection).has_table(schema.about.name)


def version(connection: Connection) -> int:
    """The database's version. Raises `StoreError` if it is no portal's."""
    if not is_made(connection):
        raise StoreError("The database holds no portal.")
    query = select(schema.about.c.value).where(schema.about.c.name == "schema_version")
    found = connection.execute(query).scalar_one_or_none()
    if found is None or not found.isdecimal():
        raise StoreError("The database is damaged: it does not say its version.")
    return int(found)


def is_current(connection: Connection, newest: int = schema.VERSION) -> bool:
    """Whether no step is due. Raises `NewerStoreError` for a database from the future."""
    found = version(connection)
    if found > newest:
        raise NewerStoreError(
            f"The database has version {found}, and this Motherlode knows versions up to {newest}; "
            f"use the newer Motherlode that wrote it."
        )
    return found == newest


def migrate(connection: Connection, steps: Sequence[Step] = STEPS) -> None:
    """Bring the database to the newest version, all steps in the caller's one transaction."""
    if connection.dialect.name == "postgresql":  # SQLite has one writer as it is
        connection.exec_driver_sql("LOCK TABLE about IN EXCLUSIVE MODE")
    newest = len(steps) + 1
    if is_current(connection, newest):
        return
    for step in steps[version(connection) - 1 :]:
        step(connection)
    connection.execute(
        update(schema.about).where(schema.about.c.name == "schema_version").values(value=str(newest))
    )
