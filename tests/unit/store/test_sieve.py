"""The sieve with a memory so small that everything collides in it."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motherlode.records import QueueId
from motherlode.store import Store, StoreOptions
from motherlode.store.bulk import bulk_for
from motherlode.store.session import Session
from motherlode.store.sieve import Sieve, SieveMemory
from motherlode.store.tables import frontier
from support.helpers import follow

OFFERS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), max_size=8)
BATCHES = st.lists(OFFERS, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(BATCHES, st.sampled_from([1, 2, 8, 1024]))
def test_every_url_has_one_row_and_waits_at_its_best_rank(
    tmp_path: Path, batches: list[list[tuple[int, int]]], size: int
) -> None:
    (tmp_path / "lode.db").unlink(missing_ok=True)
    memory = SieveMemory(size)
    best: dict[str, float] = {}
    with Store.create(tmp_path / "lode.db", StoreOptions()) as store:
        for batch in batches:
            with store.writing() as writing:
                bulk = bulk_for(writing.connection)
                session = Session(writing.connection, bulk, Sieve(bulk, memory))
                frontier.offer(session, [follow(f"http://h/{url}", rank) for url, rank in batch])
            for url, rank in batch:
                best[f"http://h/{url}"] = max(rank, best.get(f"http://h/{url}", 0))
        with store.reading() as session:
            entries = frontier.waiting(session, QueueId(2), 1000)
            rows = session.connection.exec_driver_sql('SELECT id, "key", url FROM urls').all()
    first_seen: dict[str, float] = {}
    for entry in entries:
        first_seen.setdefault(entry.url, entry.rank)
    assert first_seen == best
    assert {row.url for row in rows} == set(best)
    assert len(rows) == len({row.key for row in rows}) == len(best)
