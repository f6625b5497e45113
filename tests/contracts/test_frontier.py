"""The frontier: what waits, best first."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import func, select, update

from motherlode.frontier import Frontier
from motherlode.records import (
    NO_QUEUE,
    Entry,
    Fate,
    Judgement,
    Lane,
    Outcome,
    Page,
    QueueId,
    StoreError,
    UrlId,
    UrlState,
)
from motherlode.store import Store, StoreOptions
from motherlode.store.schema import frontier as frontier_table
from motherlode.store.schema import urls as url_table
from motherlode.store.tables import frontier, outcomes, pages
from motherlode.urls import address
from support.helpers import follow
from support.store_records import A, B, count_rows, keep_one, link, outcome, waiting


def test_entries_wait_best_first(store: Store) -> None:
    with store.writing() as session:
        offered = [follow("http://a/", 0.5), follow("http://b/", 0.9), follow("http://c/", -2.0)]
        frontier.offer(session, offered)
    assert waiting(store) == [("http://b/", 0.9), ("http://a/", 0.5), ("http://c/", -2.0)]


def test_a_rediscovery_raises_a_rank_and_never_lowers_it(store: Store) -> None:
    for rank in (0.5, 0.3, 0.8, 0.8):
        with store.writing() as session:
            frontier.offer(session, [follow("http://a/", rank)])
    assert waiting(store) == [("http://a/", 0.8)]
    with store.reading() as session:
        assert frontier.sizes(session) == {A: 1}
    with store.writing() as session:
        (best, *_) = frontier.waiting(session, A, 1)
        outcomes.keep(session, [outcome(best)])
    assert waiting(store) == []


def test_the_best_of_a_batch_counts(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 0.2), follow("http://a/", 0.7)])
    assert waiting(store) == [("http://a/", 0.7)]


def test_what_was_fetched_is_not_offered_again(store: Store) -> None:
    keep_one(store, "http://a/")
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 99.0)])
    assert waiting(store) == []


def test_what_was_fetched_is_not_offered_again_by_the_next_process(
    store: Store, database: Path, options: StoreOptions
) -> None:
    keep_one(store, "http://a/")
    with Store.open(database, options) as again, again.writing() as session:
        frontier.offer(session, [follow("http://a/", 99.0)])
    assert waiting(store) == []


def test_the_best_offer_is_there_whatever_the_queue(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 0.2, A), follow("http://b/", 0.9, A)])
        frontier.offer(session, [follow("http://a/", 0.7, B), follow("http://b/", 0.1, B)])
    assert ("http://a/", 0.7) in waiting(store, B)
    assert ("http://b/", 0.9) in waiting(store, A)


def test_offers_that_are_no_better_leave_no_rows(store: Store) -> None:
    for rank in (0.5, 0.4, 0.5):
        with store.writing() as session:
            frontier.offer(session, [follow("http://a/", rank)])
    keep_one(store, "http://b/", link("http://a/"), follows=(follow("http://a/", 0.3),))
    assert count_rows(store, "frontier") == 1


def test_what_is_settled_takes_no_more_rows(
    store: Store, database: Path, options: StoreOptions
) -> None:
    keep_one(store, "http://a/")
    with Store.open(database, options) as again:
        for each in (store, again):  # one remembers it, the other has to ask
            with each.writing() as session:
                frontier.offer(session, [follow("http://a/", 99.0)])
    assert count_rows(store, "frontier") == 0


def test_a_rank_that_is_no_number_is_refused(store: Store) -> None:
    for rank in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(StoreError, match="finite"), store.writing() as session:
            frontier.offer(session, [follow("http://a/", rank)])
    assert count_rows(store, "urls") == 0


def test_a_queue_is_paged_through(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow(f"http://h/{n}", n // 3) for n in range(30)])
    with store.reading() as session:
        seen: list[Entry] = []
        while some := frontier.waiting(session, A, 7, after=seen[-1] if seen else None):
            seen += some
        assert seen == frontier.waiting(session, A, 100)
    assert len({entry.url for entry in seen}) == 30


def test_a_lane_that_is_cleared_holds_nothing_and_takes_all_again(store: Store) -> None:
    with store.writing() as session:
        held = replace(follow("http://b/", 0.5), lane=Lane.HELD)
        frontier.offer(session, [follow("http://a/", 0.5), held])
        frontier.clear(session, Lane.CRAWL)
    assert waiting(store) == []
    with store.writing() as session:
        assert [entry.url for entry in frontier.waiting(session, A, 9, lane=Lane.HELD)] == [
            "http://b/"
        ]
        frontier.offer(session, [follow("http://a/", 0.5)])
    assert waiting(store) == [("http://a/", 0.5)]


# --- pages that are fetched again -----------------------------------------------------------------------


def test_pages_wait_to_be_fetched_again_and_are_still_what_they_were(store: Store) -> None:
    for url, when in (
        ("http://a/", 10.0),
        ("http://b/", 5.0),
        ("http://c/", 20.0),
        ("http://d/", 1.0),
    ):
        keep_one(store, url, page=Page(url, address(url).key, when, 200, digest=b"x"))
    with store.writing() as session:
        assert frontier.let_wait_again(session, 15.0, 2) == 2  # the oldest
        again = {entry.url for entry in frontier.waiting(session, NO_QUEUE, 10, lane=Lane.REFRESH)}
        assert again == {"http://d/", "http://b/"}
        assert frontier.sizes(session, Lane.REFRESH) == {NO_QUEUE: 2}
        assert frontier.all_waiting(session, 10, None) == []
        assert frontier.let_wait_again(session, 15.0, 10) == 3  # those that wait are not doubled
        assert frontier.sizes(session, Lane.REFRESH) == {NO_QUEUE: 3}
        assert frontier.offer(session, [follow("http://b/", 9.0)]) == []


def test_pages_of_some_topics_wait_to_be_fetched_again(store: Store) -> None:
    keep_one(store, "http://a/", judgement=Judgement(A, 1.0))
    keep_one(store, "http://b/", judgement=Judgement(B, 1.0))
    keep_one(store, "http://c/", judgement=Judgement(A, -1.0))
    with store.writing() as session:
        assert frontier.let_wait_again(session, 1e9, 10, [A]) == 1
        (entry,) = frontier.waiting(session, NO_QUEUE, 10, lane=Lane.REFRESH)
        assert (entry.url, entry.rank) == ("http://a/", 1.0)
        outcomes.keep(session, [Outcome(entry, Fate(UrlState.FAILED, "gone"))])
        assert frontier.waiting(session, NO_QUEUE, 10, lane=Lane.REFRESH) == []
        known = pages.page_at(session, entry.key)
        assert known is not None
        assert pages.gone_pages(session) == {known.id}
        assert pages.copies_of(session, [b"digest"]) == {b"digest": "http://b/"}


def test_a_place_in_a_queue_is_found_and_counted(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(
            session, [follow("http://a/", 3.0), follow("http://b/", 2.0), follow("http://c/", 1.0)]
        )
        frontier.offer(session, [follow("http://c/", 1.5)])
    with store.reading() as session:
        entries = {entry.url: entry for entry in frontier.waiting(session, A, 10)}
        ids = [entry.url_id for entry in entries.values()]
        places = frontier.places_of(session, [*ids, UrlId(99)])
        assert {places[number].url: places[number].rank for number in ids} == {
            "http://a/": 3.0,
            "http://b/": 2.0,
            "http://c/": 1.5,
        }
        assert [frontier.ahead_of(session, entries[f"http://{name}/"]) for name in "abc"] == [
            0,
            1,
            2,
        ]
        assert frontier.places_of(session, []) == {}


def test_ties_go_to_the_earliest_discovery_in_memory_and_in_the_database(store: Store) -> None:
    """The declared order: the highest rank first; of equal ranks, the URL that was seen first."""
    offered = ["c", "a", "e", "b", "d"]
    ranks = {"c": 0.5, "a": 0.5, "e": 0.9, "b": 0.5, "d": 0.9}
    with store.writing() as session:
        for names in (offered[:3], offered[3:]):
            frontier.offer(session, [follow(f"http://{name}.test/", ranks[name]) for name in names])
        frontier.offer(session, [follow("http://b.test/", 0.5, B)])  # no better: its place stays
    expected = [f"http://{name}.test/" for name in "edcab"]

    def load(queue: QueueId, limit: int, after: Entry | None) -> list[Entry]:
        with store.reading() as session:
            return frontier.waiting(session, queue, limit, after)

    in_database = [entry.url for entry in load(QueueId(A), 10, None)]
    in_memory = Frontier(load, load_entries=2)
    in_memory.open([QueueId(A), QueueId(B)])
    taken = [entry.url for _ in offered if (entry := in_memory.take(0.0)) is not None]
    assert in_database == taken == expected


def test_ties_between_queues_go_to_the_earliest_discovery(store: Store) -> None:
    with store.writing() as session:
        entries = frontier.offer(
            session,
            [
                follow(f"http://{name}.test/", 0.5, queue)
                for name, queue in zip("cab", (B, A, B), strict=True)
            ],
        )
    in_memory = Frontier(lambda _queue, _limit, _after: [])
    in_memory.open([QueueId(A), QueueId(B)])
    assert in_memory.take(0.0) is None  # all that comes is in memory from now on
    in_memory.offer(entries)
    taken = [entry.url for _ in "cab" if (entry := in_memory.take(0.0)) is not None]
    assert taken == [f"http://{name}.test/" for name in "cab"]


def test_queries_and_entries_have_one_order() -> None:
    """The primary key, paging and counting all go by the same declaration."""
    names = tuple(column.name for column in frontier.BEST_FIRST)
    assert frontier.KEY[-2:] == names
    assert tuple(column.name for column in frontier_table.primary_key.columns) == frontier.KEY
    ranked = [(0.9, 3), (0.5, 1), (0.5, 2), (-1.0, 0)]
    assert sorted(ranked, key=lambda pair: frontier.position_of(pair[0], UrlId(pair[1]))) == ranked


def test_the_place_among_ties_is_counted_in_the_same_order(store: Store) -> None:
    with store.writing() as session:
        names = [f"http://{name}.test/" for name in "cabd"]
        frontier.offer(session, [follow(name, 0.5) for name in names])
    with store.reading() as session:
        entries = frontier.waiting(session, A, 10)
        assert [entry.url for entry in entries] == names
        assert [frontier.ahead_of(session, entry) for entry in entries] == [0, 1, 2, 3]
        for place, entry in enumerate(entries):
            rest = frontier.waiting(session, A, 10, after=entry)
            assert [other.url for other in rest] == names[place + 1 :]


# --- shares -----------------------------------------------------------------------------------------------

OTHER_SHARE = 7


@pytest.fixture
def shared(store: Store) -> Store:
    """A frontier in which another engine has better entries of the same queue in every lane."""
    with store.writing() as session:
        own = [replace(follow(f"http://own{lane}/", 0.5), lane=lane) for lane in LANES]
        frontier.offer(session, own)
        others = [replace(follow(f"http://other{lane}/", 0.9), lane=lane) for lane in LANES]
        frontier.offer(session, others)
        here = select(url_table.c.id).where(url_table.c.url.like("http://other%"))
        session.connection.execute(
            update(frontier_table)
            .where(frontier_table.c.url_id.in_(here))
            .values(share=OTHER_SHARE)
        )
    return store


LANES = (Lane.CRAWL, Lane.HELD, Lane.PREPARATION)


def rows_of_others(store: Store) -> int:
    with store.reading() as session:
        query = select(func.count()).where(frontier_table.c.share == OTHER_SHARE)
        return int(session.connection.execute(query).scalar_one())


def test_an_engine_counts_its_own_share(shared: Store) -> None:
    with shared.reading() as session:
        assert frontier.size(session) == len(LANES)
        assert [frontier.sizes(session, lane) for lane in LANES] == [{A: 1}] * len(LANES)


def test_an_engine_reads_its_own_share(shared: Store) -> None:
    with shared.reading() as session:
        urls = {entry.url for entry in frontier.all_waiting(session, 10, None)}
        assert urls == {f"http://own{lane}/" for lane in LANES}
        for lane in LANES:
            (entry,) = frontier.waiting(session, A, 10, lane=lane)
            assert entry.url == f"http://own{lane}/"
            assert frontier.ahead_of(session, entry) == 0
        numbers = [UrlId(number) for number in range(1, 20)]
        places = frontier.places_of(session, numbers)
        assert {entry.url for entry in places.values()} == urls


def test_an_engine_clears_its_own_share(shared: Store) -> None:
    for lane in LANES:
        with shared.writing() as session:
            frontier.clear(session, lane)
    assert rows_of_others(shared) == len(LANES)
    with shared.reading() as session:
        assert frontier.size(session) == 0
