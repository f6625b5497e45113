"""The frontier in memory, against a plain list."""

from hypothesis import given
from hypothesis import strategies as st

from motherlode.frontier import MemoryFrontier
from support.helpers import follow

NAMES = "abcde"
offers = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(-3, 3)))
steps = st.lists(st.one_of(offers, st.just("take")))


class Plain:
    """What the frontier should do, said slowly."""

    def __init__(self) -> None:
        self.waiting: list[tuple[str, float]] = []
        self.taken: set[str] = set()

    def offer(self, name: str, rank: float) -> None:
        known = dict(self.waiting)
        if name in self.taken or known.get(name, -99) >= rank:
            return
        self.waiting = [(other, r) for other, r in self.waiting if other != name] + [(name, rank)]

    def take(self) -> str | None:
        if not self.waiting:
            return None
        best = max(self.waiting, key=lambda one: one[1])  # the first of the best
        self.waiting.remove(best)
        self.taken.add(best[0])
        return best[0]


@given(steps)
def test_it_does_what_a_plain_list_does(steps: list[object]) -> None:
    frontier, plain = MemoryFrontier(), Plain()
    for step in steps:
        if isinstance(step, list):
            frontier.offer(follow(f"http://{name}.test/", rank) for name, rank in step)
            for name, rank in step:
                plain.offer(name, rank)
        else:
            entry, name = frontier.take(), plain.take()
            assert (entry and entry.url) == (name and f"http://{name}.test/")
        assert len(frontier) == len(plain.waiting)


def test_equals_come_in_order_of_discovery() -> None:
    frontier = MemoryFrontier()
    frontier.offer(follow(f"http://{name}.test/") for name in "cab")
    assert [entry.url for _ in "abc" if (entry := frontier.take())] == [f"http://{n}.test/" for n in "cab"]


def test_an_entry_carries_what_was_offered() -> None:
    frontier = MemoryFrontier()
    frontier.offer([follow("http://a.test/", 2.5, depth=3)])
    entry = frontier.take()
    assert entry is not None
    assert (entry.rank, entry.depth, entry.queue) == (2.5, 3, 1)
    assert frontier.take() is None
