"""The schema's version, and the steps from each version to the next."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, inspect, select, update

from motherlode.records import NewerStoreError, StoreError
from motherlode.records.pages import PREPARATION, REFRESH
from motherlode.store import schema

Step = Callable[[Connection], None]


def _robots_by_origin(connection: Connection) -> None:
    """robots.txt belongs to an origin, not to a host; and copies of a page are found by their
    digest.
    """
    schema.robots.create(connection)
    schema.fingerprints.create(connection)
    for name in ("robots", "robots_status", "robots_expires"):
        connection.exec_driver_sql(f"ALTER TABLE hosts DROP COLUMN {name}")
    connection.exec_driver_sql("CREATE INDEX pages_digest ON pages (digest)")


def _headings_in_texts(_connection: Connection) -> None:
    """Texts have marks for headings. Those from before are read as they are; what is packed now, an
    older Motherlode could not read, so it has to be told by the version.
    """


def _marks(connection: Connection) -> None:
    """What a person says of search results is kept."""
    schema.marks.create(connection)


def _aliases_of_hosts(connection: Connection) -> None:
    """What a host is an alias for is kept with it."""
    connection.exec_driver_sql("ALTER TABLE hosts ADD COLUMN aliases TEXT NOT NULL DEFAULT ''")


_FRONTIER_OF_VERSION_5 = """INSERT INTO frontier
        (share, lane, queue, cost, url_id, depth, distance, via)
    SELECT 0,
        CASE WHEN queue > 0 THEN 0 WHEN queue = 0 THEN 4 WHEN queue > -536870912 THEN 1
            WHEN queue = -2147483648 THEN 3 ELSE 2 END,
        CASE WHEN queue >= 0 THEN queue WHEN queue > -536870912 THEN -queue
            WHEN queue = -2147483648 THEN 0 ELSE abs(queue + 1073741824) END,
        -rank, url_id, depth, distance, via
    FROM frontier_5"""
_POLICIES_OF_VERSION_5 = {  # runs had the names of classes
    "BreadthFirst": "breadth-first",
    "BestFirst": "best-first",
    "Bingo": "bingo",
    "_Examples": PREPARATION,
    "_Revisit": REFRESH,
}


def _lanes_and_scores(connection: Connection) -> None:
    """Entries have a share and a lane, where the sign and the size of the queue's number said as
    much; judgements have a score besides their margin; runs name their policy; policies keep notes.
    """
    run = connection.exec_driver_sql
    run("CREATE TABLE frontier_5 AS SELECT * FROM frontier")
    run("DROP TABLE frontier")
    schema.frontier.create(connection)
    run(_FRONTIER_OF_VERSION_5)
    run("DROP TABLE frontier_5")
    run("ALTER TABLE judgements ADD COLUMN score DOUBLE PRECISION")
    # Of best-first, which accepts nothing: a cosine, and no model.
    run(
        "UPDATE judgements SET score = confidence, confidence = confidence - 1 "
        "WHERE topic_id = 1 AND model_id IS NULL AND confidence BETWEEN 0 AND 1"
    )
    schema.notes.create(connection)
    for old, new in _POLICIES_OF_VERSION_5.items():
        connection.execute(
            update(schema.runs).where(schema.runs.c.policy == old).values(policy=new)
        )


def _probabilities(connection: Connection) -> None:
    """Judgements have a calibrated probability; those of before have none until the
    next training.
    """
    connection.exec_driver_sql("ALTER TABLE judgements ADD COLUMN probability DOUBLE PRECISION")


def _collection_choices(connection: Connection) -> None:
    """Add the user's choices about collections."""
    schema.collection_choices.create(connection)


def _library(connection: Connection) -> None:
    """Add the personal library."""
    for table in (schema.library_folders, schema.library_objects, schema.library_members):
        table.create(connection)


# STEPS[n] takes a database from version n + 1 to n + 2; the newest schema is always in schema.py.
STEPS: Sequence[Step] = (
    _robots_by_origin,
    _headings_in_texts,
    _marks,
    _aliases_of_hosts,
    _lanes_and_scores,
    _probabilities,
    _collection_choices,
    _library,
)


def create(connection: Connection) -> None:
    """Make every table, at the newest version."""
    if is_made(connection):
        raise StoreError("This database holds a portal already; name an empty one.")
    schema.metadata.create_all(connection)
    connection.execute(
        schema.about.insert(), [{"name": "schema_version", "value": str(schema.VERSION)}]
    )
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
        update(schema.about)
        .where(schema.about.c.name == "schema_version")
        .values(value=str(newest))
    )
