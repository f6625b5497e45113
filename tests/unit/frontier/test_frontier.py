"""The frontier of a crawl, compared with a simple model, over a database in a dictionary."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from motherlode.frontier import Frontier
from motherlode.records import Entry, QueueId, UrlId, UrlKey

A, B = QueueId(2), QueueId(3)


def entry(number: int, rank: float = 0.0, queue: QueueId = A, not_before: float = 0.0) -> Entry:
    return Entry(
        UrlId(number),
        f"http://{number}.test/",
        UrlKey(number),
        queue,
        float(rank),
        not_before=not_before,
    )


class FakeDatabase:
    """A database in memory: offers by rank, without finished URLs, and with retry times."""

    def __init__(self) -> None:
        self.rows: dict[tuple[QueueId, float, UrlId], Entry] = {}
        self.finished: set[UrlId] = set()
        self.retries: dict[UrlId, tuple[int, float]] = {}

    def offer(self, entries: Sequence[Entry]) -> list[Entry]:
        """Commit entries, and return those that are new or better than before."""
        better = []
        for entry in entries:
            ranks = [row.rank for row in self.rows.values() if row.url_id == entry.url_id]
            best = max(ranks, default=None)
            if entry.url_id not in self.finished and (best is None or entry.rank > best):
                self.rows[entry.queue, entry.rank, entry.url_id] = entry
                better.append(entry)
        return better

    def load(self, queue: QueueId, limit: int, after: Entry | None) -> list[Entry]:
        rows = [row for row in self.rows.values() if row.queue == queue]
        waiting = [row for row in rows if row.url_id not in self.finished]
        waiting.sort(key=position)
        if after is not None:
            waiting = [row for row in waiting if position(row) > position(after)]
        entries: dict[UrlId, Entry] = {}
        for row in waiting[:limit]:
            attempts, not_before = self.retries.get(row.url_id, (0, 0.0))
            entry = replace(row, attempts=attempts, not_before=not_before)
            entries.setdefault(row.url_id, entry)
        return list(entries.values())


def position(entry: Entry) -> tuple[float, int]:
    return (-entry.rank, entry.url_id)


class SimpleFrontier:
    """A simple model of the frontier."""

    def __init__(self) -> None:
        self.waiting: dict[UrlId, tuple[float, float]] = {}  # rank, and not before
        self.leased: dict[UrlId, float] = {}

    def offer(self, better: Sequence[Entry]) -> None:
        for entry in better:
            if entry.url_id in self.leased:
                self.leased[entry.url_id] = entry.rank  # for when it waits again
            else:
                not_before = self.waiting.get(entry.url_id, (0, 0.0))[1]
                self.waiting[entry.url_id] = (entry.rank, not_before)

    def ranks(self, now: float) -> list[float]:
        due = (rank for rank, not_before in self.waiting.values() if not_before <= now)
        return sorted(due, reverse=True)


numbers = st.integers(1, 8)
offered = st.builds(entry, numbers, st.integers(-3, 3), st.sampled_from([A, B]))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("offer"), st.lists(offered, max_size=6)),
        st.tuples(st.sampled_from(["take", "finish", "defer", "release", "reload", "wait"])),
    ),
    max_size=60,
)


@settings(max_examples=400, deadline=None)
@given(steps, st.integers(1, 4), st.integers(1, 3))
def test_it_does_what_a_simple_frontier_does(
    steps: list[tuple[str, list[Entry]]], max_entries: int, load_entries: int
) -> None:
    database, simple, now = FakeDatabase(), SimpleFrontier(), 0.0
    frontier = Frontier(database.load, max_entries, load_entries)
    held: list[Entry] = []
    for step, *given_ in steps:
        if step == "offer":
            better = database.offer(given_[0])
            frontier.offer(better)
            simple.offer(better)
        elif step == "take":
            taken = frontier.take(now)
            expected = simple.ranks(now)
            assert (taken and taken.rank) == (expected[0] if expected else None)
            if taken is not None:
                assert taken.url_id not in simple.leased
                simple.leased[taken.url_id] = taken.rank
                del simple.waiting[taken.url_id]
                held.append(taken)
        elif step == "wait":
            now += 1.0
        elif step == "reload":
            frontier.reload()
        elif held:
            first = held.pop(0)
            rank = simple.leased.pop(first.url_id)
            if step == "finish":
                database.finished.add(first.url_id)
                frontier.finish([first.url_id])
            elif step == "defer":
                attempts = database.retries.get(first.url_id, (0, 0.0))[0] + 1
                database.retries[first.url_id] = (attempts, now + 2)
                frontier.defer(replace(first, attempts=attempts, not_before=now + 2))
                frontier.offer([replace(first, rank=rank)] if rank > first.rank else [])
                simple.waiting[first.url_id] = (rank, now + 2)
            else:
                frontier.release(first)
                frontier.reload()
                simple.waiting[first.url_id] = (rank, 0.0)
        assert frontier.leased == len(simple.leased)


def frontier_of(
    *entries: Entry, max_entries: int = 10, load_entries: int = 3
) -> tuple[Frontier, FakeDatabase]:
    database = FakeDatabase()
    database.offer(entries)
    frontier = Frontier(database.load, max_entries, load_entries)
    frontier.open([A, B])
    return frontier, database


def take_all(frontier: Frontier, now: float = 0.0) -> list[int]:
    numbers = []
    while (entry := frontier.take(now)) is not None:
        numbers.append(int(entry.url_id))
    return numbers


def test_the_best_of_all_queues_comes_first() -> None:
    frontier, _ = frontier_of(entry(1, 0.5), entry(2, 0.9, B), entry(3, 0.7), entry(4, 0.1, B))
    assert take_all(frontier) == [2, 3, 1, 4]


def test_every_entry_is_taken_though_memory_holds_few_of_them() -> None:
    frontier, database = frontier_of(
        *(entry(number, number) for number in range(1, 101)),
        max_entries=4,
    )
    for late in range(101, 121):
        frontier.offer(database.offer([entry(late, late - 60.5)]))
    assert len(take_all(frontier)) == 120


def test_memory_is_bounded() -> None:
    frontier, database = frontier_of(entry(1, 0), max_entries=10)
    assert take_all(frontier) == [1]
    for number in range(2, 1000):
        frontier.offer(database.offer([entry(number, number)]))
        assert len(frontier._ranks) <= 21
    assert take_all(frontier) == list(range(999, 1, -1))


def test_a_rediscovery_raises_a_rank() -> None:
    frontier, database = frontier_of(entry(1, 0.1), entry(2, 0.5))
    frontier.offer(database.offer([entry(1, 0.9)]))
    assert take_all(frontier) == [1, 2]


def test_a_url_that_waits_in_two_queues_is_taken_once() -> None:
    frontier, database = frontier_of(entry(1, 0.1, A))
    frontier.offer(database.offer([entry(1, 0.9, B)]))
    first = frontier.take(0.0)
    assert first is not None
    assert first.queue == B
    database.finished.add(first.url_id)
    frontier.finish([first.url_id])
    assert frontier.take(0.0) is None


def test_a_deferred_entry_is_due_in_time_with_its_attempts() -> None:
    frontier, _ = frontier_of(entry(1, 0.1), entry(2, 0.0))
    first = frontier.take(0.0)
    assert first is not None
    frontier.defer(replace(first, attempts=1, not_before=5.0))
    assert frontier.next_deferred_at() == 5.0
    assert take_all(frontier, 4.9) == [2]
    again = frontier.take(5.0)
    assert again is not None
    assert (again.url_id, again.attempts) == (1, 1)
    assert frontier.next_deferred_at() is None


def test_an_entry_deferred_by_an_earlier_crawl_is_not_taken_early() -> None:
    frontier, database = frontier_of(entry(1), entry(2))
    database.retries[UrlId(2)] = (1, 7.0)
    assert take_all(frontier) == [1]
    assert frontier.next_deferred_at() == 7.0
    assert take_all(frontier, 7.0) == [2]


def test_an_entry_whose_rank_fell_is_taken_later() -> None:
    now = {1: 0.2, 2: 0.9, 3: 0.8}
    database = FakeDatabase()
    database.offer([entry(1, 1.0), entry(2, 0.9), entry(3, 0.8, B)])
    frontier = Frontier(database.load, current_rank=lambda entry: now[int(entry.url_id)])
    frontier.open([A, B])
    assert take_all(frontier) == [2, 3, 1]


def test_a_url_may_be_offered_again_at_the_rank_that_it_was_lowered_to() -> None:
    database = FakeDatabase()
    database.offer([entry(1, 1.0), entry(2, 0.9), entry(3, 0.1)])
    now = {1: 0.5, 2: 0.9, 3: 0.1}
    frontier = Frontier(database.load, current_rank=lambda entry: now[int(entry.url_id)])
    frontier.open([A])
    assert frontier.take(0.0) == entry(2, 0.9)
    now[1] = 0.05  # it is lowered twice, and offered in between
    frontier.offer([entry(1, 0.5), entry(1, 0.6)])
    now[1] = 0.5
    assert take_all(frontier) == [1, 3]


def test_a_lowered_entry_keeps_its_rank_in_the_database() -> None:
    database = FakeDatabase()
    database.offer([entry(1, 1.0), entry(2, 0.9)])
    frontier = Frontier(database.load, current_rank=lambda entry: min(entry.rank, 0.5))
    frontier.open([A])
    assert [taken.rank for _ in "12" if (taken := frontier.take(0.0))] == [1.0, 0.9]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40), st.integers(1, 5))
def test_every_entry_is_taken_once_whatever_its_current_rank(
    ranks: list[tuple[int, int]], max_entries: int
) -> None:
    database, later = (
        FakeDatabase(),
        {number: float(now) for number, (_, now) in enumerate(ranks, 1)},
    )
    frontier = Frontier(
        database.load, max_entries, 2, lambda entry: min(entry.rank, later[int(entry.url_id)])
    )
    for number, (rank, _) in enumerate(ranks, 1):
        frontier.offer(database.offer([entry(number, rank)]))
    assert sorted(take_all(frontier)) == sorted(later)


def test_a_url_that_was_finished_without_lease_is_not_taken() -> None:
    frontier, database = frontier_of(entry(1, 1), entry(2, 2), entry(3, 3))
    frontier.take(0.0)
    database.finished.add(UrlId(2))  # a redirect led there
    frontier.finish([UrlId(2)])
    assert take_all(frontier) == [1]


def test_after_many_demotions_only_a_waiting_entry_is_taken() -> None:
    """The next item may be void: its URL was taken at a better rank."""
    database = FakeDatabase()
    frontier = Frontier(
        database.load,
        current_rank=lambda entry: 0.1 if entry.rank == 1.0 else entry.rank,
    )
    frontier.open([A])
    assert frontier.take(0.0) is None  # from now on, all offers are in memory
    for rank in (0.5, 0.6):
        frontier.offer(database.offer([entry(200, rank)]))
    taken = frontier.take(0.0)
    assert taken is not None
    assert (taken.url_id, taken.rank) == (200, 0.6)
    frontier.offer(database.offer([entry(number, 1.0) for number in range(1, 101)]))
    following = frontier.take(0.0)
    assert following is not None
    assert following.url_id != 200
