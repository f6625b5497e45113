"""Pages a second into SQLite with all that they cause, with five million links already there."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.crawl_model import LINKS, QUEUES, CrawlModel
from motherlode.records import QueueId
from motherlode.store import Store, StoreOptions
from motherlode.store.tables import frontier, outcomes, pages

ALREADY = 5_000_000  # links
BATCH = 1000  # what half a second of a fast crawl brings
MEASURED = 10_000  # pages


def main() -> None:
    for new in (5, 15, 60):
        with TemporaryDirectory() as directory:
            database = Path(directory) / "lode.db"
            with Store.create(database, StoreOptions()) as store:
                _measure(store, CrawlModel(new), new)
    print(
        f"  ceiling: {_bare_rows():9,.0f} pages/s, only their {LINKS} link rows, into a table without index"
    )


def _measure(store: Store, model: CrawlModel, new: int) -> None:
    with store.writing() as session:
        frontier.offer(session, model.seeds())
    for _ in range(ALREADY // LINKS // BATCH):
        _keep(store, model)
    _checkpoint(store)
    taken = sum(_keep(store, model) for _ in range(MEASURED // BATCH)) + _checkpoint(store)
    print(
        f"  {MEASURED / taken:9,.0f} pages/s with {LINKS} links each, {new} of them new URLs",
        flush=True,
    )
    _look_ups(store, model)


def _checkpoint(store: Store) -> float:
    """Copy what is in the log into the database, so that no work is left for after the clock stops."""
    start = perf_counter()
    with store.reading() as session:
        driver = session.connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)  # noqa: S101
    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return perf_counter() - start


def _keep(store: Store, model: CrawlModel) -> float:
    """Take the best entries of every queue, crawl them in the model, keep the outcomes; timed is the last."""
    with store.reading() as session:
        shares = [frontier.waiting(session, QueueId(2 + n), BATCH // QUEUES) for n in range(QUEUES)]
    batch = model.outcomes([entry for share in shares for entry in share])
    start = perf_counter()
    with store.writing() as session:
        outcomes.keep(session, batch)
    return (perf_counter() - start) * BATCH / len(batch)


def _look_ups(store: Store, model: CrawlModel) -> None:
    wanted = model.urls(5000)
    with store.reading() as session:
        start = perf_counter()
        for _, key in wanted:
            pages.known_url(session, key)
        url = (perf_counter() - start) / len(wanted)
        found = [known.id for _, key in wanted[:500] if (known := pages.known_url(session, key))]
        start = perf_counter()
        for url_id in found:
            pages.links_to(session, url_id, limit=100)
        into = (perf_counter() - start) / len(found)
        driver = session.connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)  # noqa: S101
        start = perf_counter()
        for _, key in wanted:
            driver.execute('SELECT id, url, state FROM urls WHERE "key" = ?', (key,)).fetchone()
        bare = (perf_counter() - start) / len(wanted)
    print(
        f"            look-ups: a URL {url * 1e6:.0f} us (on the bare driver {bare * 1e6:.0f}), "
        f"the links to a URL {into * 1e6:.0f} us"
    )


def _bare_rows() -> float:
    rows = [
        (page, place, page * 7 + place, "an anchor text", 0)
        for page in range(5000)
        for place in range(LINKS)
    ]
    with TemporaryDirectory() as directory:
        connection = sqlite3.connect(Path(directory) / "bare.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE links (page, place, url, anchor, flags)")
        start = perf_counter()
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO links VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute("COMMIT")
        taken = perf_counter() - start
        connection.close()
    return len(rows) / LINKS / taken
