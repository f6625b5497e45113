"""Charts as they are drawn."""

from math import nan

from motherlode.app.web.charts import COLOURS, HEIGHT, LEFT, RIGHT, WIDTH, Series, line_chart
from motherlode.app.web.pages import environment

DRAWN = '{% import "parts.html" as parts %}{{ parts.chart(chart) }}'


def points(path: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, point.split(","))) for point in path.split()]


def test_a_line_spans_the_plot_and_its_axis_ends_on_a_round_figure() -> None:
    chart = line_chart("Pages", [0.0, 30.0, 60.0], [Series("owls", [0.0, 10.0, 37.0])], "s")
    (line,) = chart.lines
    (path,) = (points(path) for path in line.paths)
    assert [across for across, _ in path] == [LEFT, (LEFT + WIDTH - RIGHT) / 2, WIDTH - RIGHT]
    assert path[0][1] == chart.across[0].at == chart.bottom
    assert [tick.label for tick in chart.across] == ["0", "10", "20", "30", "40"]
    assert chart.across[-1].at < path[-1][1] < chart.across[-2].at
    assert [tick.label for tick in chart.along] == ["0 s", "60 s"]
    assert line.last == "37"
    assert chart.summary == "Pages: owls 37"


def test_a_gap_breaks_the_line() -> None:
    (line,) = line_chart("x", [0, 1, 2, 3], [Series("a", [1.0, None, nan, 2.0])]).lines
    assert len(line.paths) == 2
    assert line.last == "2"


def test_nothing_and_a_single_figure_are_drawn_as_well() -> None:
    assert line_chart("x", [], []).summary == "x: nothing yet"
    assert line_chart("x", [], [Series("a", [])]).lines[0].last == "-"
    single = line_chart("x", [5.0], [Series("a", [0.0])])
    assert points(single.lines[0].paths[0]) == [(WIDTH - RIGHT, HEIGHT - 26)]


def test_each_point_is_told_with_the_figures_of_all_lines() -> None:
    chart = line_chart(
        "x", [0.0, 10.0], [Series("a", [0.5, 2.25]), Series("b", [None, 1200.0])], "pages"
    )
    assert [(point.label, point.figures) for point in chart.points] == [
        ("0 pages", ["0.5", "-"]),
        ("10 pages", ["2.25", "1,200"]),
    ]
    assert [point.at for point in chart.points] == [LEFT, WIDTH - RIGHT]
    assert chart.points_json.startswith(f'[[{LEFT}.0,"0 pages",["0.5","-"]],[')


def test_many_points_are_thinned_and_many_lines_share_colours() -> None:
    chart = line_chart(
        "x", range(100_000), [Series(str(n), range(100_000)) for n in range(COLOURS + 1)]
    )
    assert len(chart.lines[0].paths[0].split()) <= 400
    assert chart.lines[-1].colour == 0


def test_labels_are_text() -> None:
    chart = line_chart("<b>", [0.0, 1.0], [Series("<script>", [1.0, 2.0])])
    text = environment().from_string(DRAWN).render(chart=chart, shared={}, portal="")
    assert "<script>" not in text
    assert "<b>" not in text
    assert "style=" not in text
    assert text.count("<polyline") == 1
