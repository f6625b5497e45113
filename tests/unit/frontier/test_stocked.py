"""The frontier of a crawl, against a plain list, over a stock that is a plain list, too."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from motherlode.frontier import Frontier
from motherlode.records import Entry, TopicId, UrlId, UrlKey

A, B = TopicId(2), TopicId(3)


def entry(number: int, rank: float = 0.0, queue: TopicId = A, not_before: float = 0.0) -> Entry:
    return Entry(
        UrlId(number), f"http://{number}.test/", UrlKey(number), queue, float(rank), not_before=not_before
    )


class Stock:
    """What the database does: all offers by rank; what is settled is gone; what is deferred says so."""

    def __init__(self) -> None:
        self.rows: dict[tuple[TopicId, float, UrlId], Entry] = {}
        self.settled: set[UrlId] = set()
        self.retries: dict[UrlId, tuple[int, float]] = {}

    def offer(self, entries: Sequence[Entry]) -> list[Entry]:
        """Commit; what is better than before is returned, as the sieve lets it through."""
        better = []
        for one in entries:
            best = max((row.rank for row in self.rows.values() if row.url_id == one.url_id), default=None)
            if one.url_id not in self.settled and (best is None or one.rank > best):
                self.rows[one.queue, one.rank, one.url_id] = one
                better.append(one)
        return better

    def load(self, queue: TopicId, limit: int, after: Entry | None) -> list[Entry]:
        waiting = [row for row in self.rows.values() if row.queue == queue and row.url_id not in self.settled]
        waiting.sort(key=lambda one: (-one.rank, -one.url_id))
        if after is not None:
            waiting = [one for one in waiting if (-one.rank, -one.url_id) > (-after.rank, -after.url_id)]
        found: dict[UrlId, Entry] = {}
        for one in waiting[:limit]:
            attempts, at = self.retries.get(one.url_id, (0, 0.0))
            found.setdefault(one.url_id, replace(one, attempts=attempts, not_before=at))
        return list(found.values())


class Plain:
    """What the frontier should do, said slowly."""

    def __init__(self) -> None:
        self.waiting: dict[UrlId, tuple[float, float]] = {}  # rank, and not before
        self.leased: dict[UrlId, float] = {}

    def offer(self, better: Sequence[Entry]) -> None:
        for one in better:
            if one.url_id in self.leased:
                self.leased[one.url_id] = one.rank  # in the stock, should it wait again
            else:
                self.waiting[one.url_id] = (one.rank, self.waiting.get(one.url_id, (0, 0.0))[1])

    def best(self, now: float) -> list[float]:
        return sorted((rank for rank, at in self.waiting.values() if at <= now), reverse=True)


numbers = st.integers(1, 8)
offered = st.builds(entry, numbers, st.integers(-3, 3), st.sampled_from([A, B]))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("offer"), st.lists(offered, max_size=6)),
        st.tuples(st.sampled_from(["take", "settle", "defer", "give back", "leave", "refresh", "wait"])),
    ),
    max_size=60,
)


@settings(max_examples=400, deadline=None)
@given(steps, st.integers(1, 4), st.integers(1, 3))
def test_it_does_what_a_plain_list_does(
    steps: list[tuple[str, list[Entry]]], room: int, portion: int
) -> None:
    stock, plain, now = Stock(), Plain(), 0.0
    frontier = Frontier(stock.load, room, portion)
    held: list[Entry] = []
    for step, *given_ in steps:
        if step == "offer":
            better = stock.offer(given_[0])
            frontier.offer(better)
            plain.offer(better)
        elif step == "take":
            taken = frontier.take(now)
            expected = plain.best(now)
            assert (taken and taken.rank) == (expected[0] if expected else None)
            if taken is not None:
                assert taken.url_id not in plain.leased
                plain.leased[taken.url_id] = taken.rank
                del plain.waiting[taken.url_id]
                held.append(taken)
        elif step == "wait":
            now += 1.0
        elif step == "refresh":
            frontier.refresh()
        elif held:
            one = held.pop(0)
            rank = plain.leased.pop(one.url_id)
            if step == "settle":
                stock.settled.add(one.url_id)
                frontier.settle([one.url_id])
            elif step == "defer":
                attempts = stock.retries.get(one.url_id, (0, 0.0))[0] + 1
                stock.retries[one.url_id] = (attempts, now + 2)
                frontier.defer(replace(one, attempts=attempts, not_before=now + 2))
                frontier.offer([replace(one, rank=rank)] if rank > one.rank else [])
                plain.waiting[one.url_id] = (rank, now + 2)
            else:
                frontier.leave(one)
                frontier.refresh()
                plain.waiting[one.url_id] = (rank, 0.0)
        assert frontier.leased == len(plain.leased)


def frontier_of(*entries: Entry, room: int = 10, portion: int = 3) -> tuple[Frontier, Stock]:
    stock = Stock()
    stock.offer(entries)
    frontier = Frontier(stock.load, room, portion)
    frontier.open([A, B])
    return frontier, stock


def taken(frontier: Frontier, now: float = 0.0) -> list[int]:
    found = []
    while (one := frontier.take(now)) is not None:
        found.append(int(one.url_id))
    return found


def test_the_best_of_all_queues_comes_first() -> None:
    frontier, _ = frontier_of(entry(1, 0.5), entry(2, 0.9, B), entry(3, 0.7), entry(4, 0.1, B))
    assert taken(frontier) == [2, 3, 1, 4]


def test_everything_in_the_stock_comes_up_though_memory_holds_little_of_it() -> None:
    frontier, stock = frontier_of(*(entry(number, number) for number in range(1, 101)), room=4)
    for late in range(101, 121):
        frontier.offer(stock.offer([entry(late, late - 60.5)]))
    assert len(taken(frontier)) == 120


def test_memory_is_bounded() -> None:
    frontier, stock = frontier_of(entry(1, 0), room=10)
    assert taken(frontier) == [1]
    for number in range(2, 1000):
        frontier.offer(stock.offer([entry(number, number)]))
        assert len(frontier._best) <= 21
    assert taken(frontier) == list(range(999, 1, -1))


def test_a_rediscovery_raises_a_rank() -> None:
    frontier, stock = frontier_of(entry(1, 0.1), entry(2, 0.5))
    frontier.offer(stock.offer([entry(1, 0.9)]))
    assert taken(frontier) == [1, 2]


def test_a_url_that_waits_in_two_queues_is_taken_once() -> None:
    frontier, stock = frontier_of(entry(1, 0.1, A))
    frontier.offer(stock.offer([entry(1, 0.9, B)]))
    first = frontier.take(0.0)
    assert first is not None
    assert first.queue == B
    stock.settled.add(first.url_id)
    frontier.settle([first.url_id])
    assert frontier.take(0.0) is None


def test_what_is_deferred_comes_back_in_time_with_its_attempts() -> None:
    frontier, _ = frontier_of(entry(1, 0.1), entry(2, 0.0))
    first = frontier.take(0.0)
    assert first is not None
    frontier.defer(replace(first, attempts=1, not_before=5.0))
    assert frontier.next_at() == 5.0
    assert taken(frontier, 4.9) == [2]
    again = frontier.take(5.0)
    assert again is not None
    assert (again.url_id, again.attempts) == (1, 1)
    assert frontier.next_at() is None


def test_what_was_deferred_by_an_earlier_crawl_is_not_taken_early() -> None:
    frontier, stock = frontier_of(entry(1), entry(2))
    stock.retries[UrlId(2)] = (1, 7.0)
    assert taken(frontier) == [1]
    assert frontier.next_at() == 7.0
    assert taken(frontier, 7.0) == [2]


def test_what_is_not_as_good_as_it_was_stands_further_back() -> None:
    now = {1: 0.2, 2: 0.9, 3: 0.8}
    stock = Stock()
    stock.offer([entry(1, 1.0), entry(2, 0.9), entry(3, 0.8, B)])
    frontier = Frontier(stock.load, revise=lambda one: now[int(one.url_id)])
    frontier.open([A, B])
    assert taken(frontier) == [2, 3, 1]


def test_a_url_may_be_offered_again_at_the_very_rank_that_it_was_lowered_to() -> None:
    stock = Stock()
    stock.offer([entry(1, 1.0), entry(2, 0.9), entry(3, 0.1)])
    now = {1: 0.5, 2: 0.9, 3: 0.1}
    frontier = Frontier(stock.load, revise=lambda one: now[int(one.url_id)])
    frontier.open([A])
    assert frontier.take(0.0) == entry(2, 0.9)
    now[1] = 0.05  # it is lowered twice, and offered in between
    frontier.offer([entry(1, 0.5), entry(1, 0.6)])
    now[1] = 0.5
    assert taken(frontier) == [1, 3]


def test_what_was_lowered_keeps_the_rank_that_the_stock_knows_it_by() -> None:
    stock = Stock()
    stock.offer([entry(1, 1.0), entry(2, 0.9)])
    frontier = Frontier(stock.load, revise=lambda one: min(one.rank, 0.5))
    frontier.open([A])
    assert [one.rank for _ in "12" if (one := frontier.take(0.0))] == [0.9, 1.0]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40), st.integers(1, 5))
def test_whatever_is_thought_of_it_everything_comes_up_once(ranks: list[tuple[int, int]], room: int) -> None:
    stock, later = Stock(), {number: float(now) for number, (_, now) in enumerate(ranks, 1)}
    frontier = Frontier(stock.load, room, 2, lambda one: min(one.rank, later[int(one.url_id)]))
    for number, (rank, _) in enumerate(ranks, 1):
        frontier.offer(stock.offer([entry(number, rank)]))
    assert sorted(taken(frontier)) == sorted(later)


def test_what_somebody_else_settled_is_not_taken() -> None:
    frontier, stock = frontier_of(entry(1, 1), entry(2, 2), entry(3, 3))
    frontier.take(0.0)
    stock.settled.add(UrlId(2))  # a redirect led there
    frontier.settle([UrlId(2)])
    assert taken(frontier) == [1]


def test_after_many_second_thoughts_nothing_is_taken_that_does_not_wait() -> None:
    """A place of a URL that was taken at a better rank may be the next one by then."""
    stock = Stock()
    frontier = Frontier(stock.load, revise=lambda one: 0.1 if one.rank == 1.0 else one.rank)
    frontier.open([A])
    assert frontier.take(0.0) is None  # all that comes is in memory from now on
    for rank in (0.5, 0.6):
        frontier.offer(stock.offer([entry(200, rank)]))
    taken = frontier.take(0.0)
    assert taken is not None
    assert (taken.url_id, taken.rank) == (200, 0.6)
    frontier.offer(stock.offer([entry(number, 1.0) for number in range(1, 101)]))
    following = frontier.take(0.0)
    assert following is not None
    assert following.url_id != 200
