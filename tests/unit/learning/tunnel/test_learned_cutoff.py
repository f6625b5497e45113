"""The cutoff that a crawl learns from what its tunnels lead to."""

from motherlode.learning.tunnel.learned_cutoff import (
    MAX_GROWTH,
    MIN_CUTOFF,
    MIN_PAGES,
    LearnedCutoff,
    wilson_interval,
)


def learned(cutoff: float, shares: dict[float, float], pages: int = 2_000) -> LearnedCutoff:
    """A cutoff after so many pages behind each distance, with these shares of nuggets."""
    known = LearnedCutoff(cutoff)
    for distance, share in shares.items():
        for number in range(pages):
            known.add(distance, is_nugget=number % 100 < share * 100)
    return known


def test_nothing_is_learned_from_few_pages() -> None:
    known = LearnedCutoff(20.0)
    for _ in range(MIN_PAGES - 1):
        known.add(5.0, is_nugget=False)
    assert known.cutoff == 20.0


def test_a_distance_behind_which_nuggets_are_rare_ends_the_tunnels_before_it() -> None:
    known = learned(20.0, {0.0: 0.3, 1.0: 0.2, 2.0: 0.2, 3.0: 0.0, 4.0: 0.0})
    assert known.cutoff == 2.0
    assert (known.share(1), known.share(3), known.share(9)) == (0.2, 0.0, None)


def test_tunnels_are_never_shorter_than_the_least() -> None:
    assert learned(20.0, {0.0: 0.5, 0.6: 0.0}).cutoff == MIN_CUTOFF


def test_where_the_last_distance_is_as_good_as_others_tunnels_become_longer() -> None:
    shares = dict.fromkeys((0.0, 1.0, 2.0, 3.0), 0.2)
    assert learned(3.0, shares).cutoff == 4.0
    assert learned(3.0, {**shares, **dict.fromkeys((4.0, 5.0, 6.0, 7.0), 0.2)}).cutoff == (
        3.0 * MAX_GROWTH
    )


def test_without_any_nugget_or_with_cutoff_0_it_stays_as_configured() -> None:
    assert learned(20.0, {0.0: 0.0, 5.0: 0.0}).cutoff == 20.0
    assert learned(0.0, {0.0: 0.5}).cutoff == 0.0


def test_few_pages_leave_a_distance_open() -> None:
    known = learned(20.0, {0.0: 0.3, 1.0: 0.2})
    known.add(2.0, is_nugget=False)
    assert known.cutoff == 20.0


def test_the_interval_is_within_0_and_1_and_narrows() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    wide, narrow = wilson_interval(1, 10), wilson_interval(100, 1_000)
    assert wide[0] < narrow[0] < 0.1 < narrow[1] < wide[1]
    assert wilson_interval(10, 10)[1] == 1.0
