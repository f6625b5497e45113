"""Queues that take turns, so that none starves."""

from collections.abc import Iterable

from motherlode.frontier import Frontier
from motherlode.records import Entry, QueueId, UrlId, UrlKey

FIRST, SECOND, THIRD = QueueId(1), QueueId(2), QueueId(3)


def entries(queue: QueueId, first: int, number: int, rank: float) -> list[Entry]:
    return [
        Entry(
            UrlId(first + step), f"http://a.test/{first + step}", UrlKey(first + step), queue, rank
        )
        for step in range(number)
    ]


def frontier(*waiting: Iterable[Entry], takes_turns: bool = True) -> Frontier:
    made = Frontier(lambda *_: [], takes_turns=takes_turns)
    made.open([FIRST, SECOND, THIRD])
    made.has_any(0.0)  # everything that the database has is loaded: nothing
    for group in waiting:
        made.offer(group)
    return made


def queues_of(made: Frontier, number: int) -> list[QueueId]:
    taken = [made.take(0.0) for _ in range(number)]
    return [entry.queue for entry in taken if entry is not None]


def test_every_queue_has_as_many_turns_however_low_its_ranks() -> None:
    made = frontier(entries(FIRST, 1, 5, 0.9), entries(SECOND, 11, 5, 0.1))
    assert queues_of(made, 6) == [FIRST, SECOND, FIRST, SECOND, FIRST, SECOND]


def test_without_turns_the_best_rank_comes_first() -> None:
    made = frontier(entries(FIRST, 1, 3, 0.9), entries(SECOND, 11, 3, 0.1), takes_turns=False)
    assert queues_of(made, 4) == [FIRST, FIRST, FIRST, SECOND]


def test_a_queue_that_was_empty_does_not_make_up_for_lost_turns() -> None:
    made = frontier(entries(FIRST, 1, 9, 0.9), entries(SECOND, 11, 9, 0.1))
    queues_of(made, 8)
    made.offer(entries(THIRD, 31, 9, 0.5))
    assert queues_of(made, 6).count(THIRD) == 3  # one ahead, and then in turn


def test_the_last_queue_with_entries_has_all_turns() -> None:
    made = frontier(entries(FIRST, 1, 1, 0.9), entries(SECOND, 11, 4, 0.1))
    assert queues_of(made, 5) == [FIRST, *[SECOND] * 4]
    assert made.take(0.0) is None


def test_turns_are_kept_when_the_frontier_is_loaded_again() -> None:
    made = frontier(entries(FIRST, 1, 9, 0.9), entries(SECOND, 11, 9, 0.1))
    assert queues_of(made, 3) == [FIRST, SECOND, FIRST]
    made.reload()
    made.has_any(0.0)
    made.offer([*entries(FIRST, 41, 2, 0.9), *entries(SECOND, 51, 2, 0.1)])
    assert queues_of(made, 2) == [SECOND, FIRST]
