"""The distance of a page from its nearest nugget ancestor (SPEC T4)."""

import pytest

from motherlode.learning.tunnel.distance import adaptive_distance, plain_distance

THRESHOLD, CUTOFF = 0.5, 20.0


@pytest.mark.parametrize(("correlation", "duds"), [(0.0, 10), (0.153, 12), (0.45, 17)])
def test_an_adaptive_path_of_equal_duds_ends_where_the_paper_s_formula_ends_it(
    correlation: float, duds: int
) -> None:
    distance, length = 0.0, 0
    while distance <= CUTOFF:
        distance = adaptive_distance(correlation, distance, THRESHOLD, CUTOFF)
        length += 1
    assert length == duds


def test_a_plain_path_ends_one_dud_after_the_cutoff() -> None:
    distance, length = 0.0, 0
    while distance <= CUTOFF:
        distance = plain_distance(0.49, distance, THRESHOLD)
        length += 1
    assert length == 21


@pytest.mark.parametrize("correlation", [0.5, 0.9])
def test_a_nugget_has_distance_0_however_far_its_parent_is(correlation: float) -> None:
    assert plain_distance(correlation, 19.0, THRESHOLD) == 0.0
    assert adaptive_distance(correlation, 19.0, THRESHOLD, CUTOFF) == 0.0


def test_with_cutoff_0_every_dud_is_beyond_it_and_no_nugget_is() -> None:
    assert adaptive_distance(0.49, 0.0, THRESHOLD, 0.0) > 0.0
    assert plain_distance(0.49, 0.0, THRESHOLD) > 0.0
    assert adaptive_distance(0.5, 0.0, THRESHOLD, 0.0) == 0.0


def test_the_better_page_and_the_nearer_parent_have_the_smaller_distance() -> None:
    distances = [adaptive_distance(c, 5.0, THRESHOLD, CUTOFF) for c in (0.0, 0.2, 0.4)]
    assert distances == sorted(distances, reverse=True)
    growth = [adaptive_distance(0.2, parent, THRESHOLD, CUTOFF) - parent for parent in (0, 5, 15)]
    assert growth == sorted(growth)
