"""The paper's tables from path records, on a small crawl with known answers (SPEC T5)."""

import pytest

from motherlode.policies.tunnel.paths import PathRecord, bracket_of, report_on

THRESHOLD, CUTOFF = 0.5, 2.0


def record(
    url: str, correlation: float, parent: int | None, parent_distance: float, distance: float
) -> PathRecord:
    return PathRecord(url, correlation, parent, parent_distance, distance)


# A seed leads to a dud (1) and a nugget (2). Behind the dud come a good dud (3) and a nugget (4). The
# nugget leads to another nugget (5) and, by three duds (6, 7, 8), beyond the cutoff.
RECORDS = (
    record("seed", 0.1, None, 0.0, 0.0),
    record("dud", 0.3, 0, 0.0, 1.0),
    record("nugget", 0.7, 0, 0.0, 0.0),
    record("good dud", 0.46, 1, 1.0, 2.0),
    record("far nugget", 0.8, 3, 2.0, 0.0),
    record("next nugget", 0.6, 2, 0.0, 0.0),
    record("bad dud", 0.2, 2, 0.0, 1.0),
    record("worse dud", 0.1, 6, 1.0, 2.0),
    record("last dud", 0.1, 7, 2.0, 3.0),
)


def test_paths_are_counted_by_their_lengths_which_are_2_plus_their_duds() -> None:
    report = report_on(RECORDS, THRESHOLD, CUTOFF)
    assert report.lengths == {2: 2, 4: 1}
    assert (report.completed, report.terminated, report.incomplete) == (3, 1, 0)
    assert (report.pages, report.nuggets) == (9, 3)


def test_a_path_that_the_crawl_had_no_time_for_is_incomplete() -> None:
    report = report_on(RECORDS[:-1], THRESHOLD, CUTOFF)
    assert (report.terminated, report.incomplete) == (0, 1)


def test_levels_are_one_more_than_the_distance_of_the_parent_and_have_no_seeds() -> None:
    levels = report_on(RECORDS, THRESHOLD, CUTOFF).levels
    assert [(row.level, row.pages, row.highest) for row in levels] == [
        (1, 4, 0.7), (2, 2, 0.46), (3, 2, 0.8),
    ]  # fmt: skip
    assert levels[0].mean == pytest.approx((0.3 + 0.7 + 0.6 + 0.2) / 4)


def test_the_children_of_good_parents_are_set_beside_all_pages() -> None:
    brackets = {row.bracket: row for row in report_on(RECORDS, THRESHOLD, CUTOFF).brackets}
    assert sum(row.pages for row in brackets.values()) == 8
    assert {bracket for bracket, row in brackets.items() if row.children} == {0.8}
    assert brackets[0.8].children_share == 1.0
    assert brackets[0.1].share == pytest.approx(2 / 8)


def test_the_way_from_a_child_of_a_nugget_is_0_if_it_links_to_the_next_one() -> None:
    rows = {row.bracket: row for row in report_on(RECORDS, THRESHOLD, CUTOFF).next_nuggets}
    assert (rows[0.7].pages, rows[0.7].reaching, rows[0.7].mean) == (1, 1, 0.0)
    assert (rows[0.3].pages, rows[0.3].mean) == (1, 1.0)  # over the good dud
    assert (rows[0.2].reaching, rows[0.2].mean) == (0, None)


def test_the_history_has_pages_behind_duds_by_the_grandparent() -> None:
    rows = {
        (row.parent, row.grandparent): row for row in report_on(RECORDS, THRESHOLD, CUTOFF).history
    }
    assert rows["high", 0.1].share == 0.0  # the good dud, behind the dud and the seed
    assert rows["high", 0.3].share == 1.0  # the far nugget
    assert rows["low", 0.7].pages == 1  # the worse dud


def test_distances_are_rounded_up() -> None:
    records = [*RECORDS[:1], record("near dud", 0.4, 0, 0.0, 0.6)]
    rows = report_on(records, THRESHOLD, CUTOFF).distances
    assert [(row.distance, row.pages) for row in rows] == [(0, 1), (1, 1)]


def test_a_crawl_without_pages_has_an_empty_report() -> None:
    report = report_on((), THRESHOLD, CUTOFF)
    assert (report.pages, report.completed, report.levels) == (0, 0, ())


@pytest.mark.parametrize(
    ("correlation", "bracket"),
    [(0.0, 0.05), (0.05, 0.05), (0.0501, 0.1), (0.5, 0.5), (0.15, 0.15), (1.0, 1.0)],
)
def test_brackets_include_their_upper_end(correlation: float, bracket: float) -> None:
    assert bracket_of(correlation) == bracket
