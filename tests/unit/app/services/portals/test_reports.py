"""The log and the harvest rate of a crawl, read from its files."""

from pathlib import Path

import pytest

from motherlode.app.services.portals.reports import (
    HarvestRow,
    harvest_rows,
    log_lines,
    points_of,
    rows_in,
    tail_of,
)

HEAD = "time,pages,relevant,rate\n"


def test_rows_of_the_harvest_that_are_none_are_left_out() -> None:
    text = f"{HEAD}2026-11-17T00:00:10Z,50,10,0.2\nnonsense\n2026-11-17T00:00:20Z,x,1,1\nsoon,60,1,0.1\n"
    assert rows_in(text) == [HarvestRow(1794873610.0, 50, 10)]


def test_points_tell_of_the_stretches_between_rows() -> None:
    first, second, third = points_of(
        [HarvestRow(100, 50, 10), HarvestRow(110, 100, 50), HarvestRow(900, 150, 50)], [0, 890]
    )
    assert (first.pages, first.rate, first.pace) == (50, 0.2, None)  # nobody knows when it began
    assert (second.rate, second.total, second.pace) == (0.8, 0.5, 5.0)
    assert (third.rate, third.pace) == (0.0, None)  # another run: it was at rest in between


def test_rows_of_one_batch_are_one_stretch() -> None:
    points = points_of(
        [
            HarvestRow(100, 50, 10),
            HarvestRow(110, 100, 20),
            HarvestRow(110, 150, 20),
            HarvestRow(110.4, 200, 20),
        ],
        [],
    )
    assert [(point.pages, point.pace) for point in points] == [
        (50, None),
        (200, pytest.approx(150 / 10.4)),
    ]


def test_a_long_crawl_is_shown_by_few_points() -> None:
    rows = [HarvestRow(float(n), 10 * n, n) for n in range(1, 10_001)]
    points = points_of(rows, [])
    assert len(points) == 240
    assert points[-1].pages == 100_000
    assert {round(point.rate, 6) for point in points} == {0.1}


def test_no_harvest_is_no_point(tmp_path: Path) -> None:
    assert points_of(harvest_rows(tmp_path), []) == []


def test_the_end_of_a_file_is_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("first\nsecond\nthird\nhalf")
    assert tail_of(file, 100) == "first\nsecond\nthird\n"
    assert tail_of(file, 15) == "third\n"
    assert tail_of(tmp_path / "none", 10) == ""


def test_lines_of_the_log_are_found_and_safe(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/crawl.log").write_text(
        "1 200 http://a.test/\n2 404 http://B.test/\x1b\n3 404 c\n"
    )
    assert log_lines(tmp_path, "b.TEST") == ["2 404 http://B.test/\ufffd"]
    assert log_lines(tmp_path, "404", 1) == ["3 404 c"]
