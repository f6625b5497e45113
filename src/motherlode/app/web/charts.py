"""Charts, computed on the server and drawn by a template as SVG, without scripts or libraries.

`parts.chart(line_chart(...))` in a template shows one; inside an element with `data-live` it is
updated. The style sheet has the colours, for light and dark. With the script `charts.js`, a chart
shows the figures at the pointer.
"""

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10

import msgspec
from msgspec import Struct

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 26  # margins of the plot
COLOURS = 8  # in the style sheet
MAX_LINE_POINTS = 400  # the eye cannot see more
_TICKS = 4


class Series(Struct, frozen=True):
    """A named series of values, one for each place on the axis; None: no value."""

    label: str
    values: Sequence[float | None]


class ChartLine(Struct, frozen=True):
    """A line as it is drawn: `paths` are its unbroken parts, as points of SVG."""

    label: str
    colour: int
    paths: list[str]
    last: str


class Tick(Struct, frozen=True):
    at: float
    label: str


class Point(Struct, frozen=True, array_like=True):
    """A place on the axis, its label, and the figure of each line there."""

    at: float
    label: str
    figures: list[str]


class Chart(Struct, frozen=True):
    title: str
    lines: list[ChartLine]
    across: list[Tick]  # of the vertical axis, from the bottom
    along: list[Tick]
    points: list[Point]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    bottom: int = HEIGHT - BOTTOM
    right: int = WIDTH - RIGHT

    @property
    def points_json(self) -> str:
        """The points as the script reads them."""
        return msgspec.json.encode(self.points).decode()

    @property
    def summary(self) -> str:
        """The chart in words, for screen readers."""
        return f"{self.title}: " + (
            ", ".join(f"{line.label} {line.last}" for line in self.lines) or "nothing yet"
        )


def line_chart(
    title: str, places: Sequence[float], series: Sequence[Series], unit: str = ""
) -> Chart:
    """Return lines over a common axis from 0 on; `unit` is that of the axis, such as pages."""
    shown = range(0, len(places), max(1, ceil(len(places) / MAX_LINE_POINTS)))
    figures = [
        value for line in series for value in line.values if value is not None and isfinite(value)
    ]
    step = tick_step(max(figures, default=0.0))
    top = step * max(1, ceil(max(figures, default=0.0) / step))
    first, last = (places[0], places[-1]) if places else (0.0, 1.0)

    def x(place: float) -> float:
        share = (place - first) / (last - first) if last > first else 1.0
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - min(1.0, max(0.0, value / top)) * (HEIGHT - TOP - BOTTOM), 1)

    def draw(number: int, line: Series) -> ChartLine:
        points = [(x(places[at]), _finite(line.values[at])) for at in shown]
        paths = [
            " ".join(f"{across},{y(value)}" for across, value in part) for part in _unbroken(points)
        ]
        values = [value for value in map(_finite, line.values) if value is not None]
        return ChartLine(line.label, number % COLOURS, paths, figure(values[-1]) if values else "-")

    def point(at: int) -> Point:
        return Point(
            x(places[at]), label(places[at]), [_figure(line.values[at]) for line in series]
        )

    def label(place: float) -> str:
        return f"{figure(place)} {unit}".strip()

    across = [Tick(y(step * n), figure(step * n)) for n in range(round(top / step) + 1)]
    ends = (
        [Tick(x(place), label(place)) for place in dict.fromkeys((first, last))] if places else []
    )
    lines = [draw(number, line) for number, line in enumerate(series)]
    return Chart(title, lines, across, ends, [point(at) for at in shown])


def tick_step(maximum: float) -> float:
    """Return a round distance between ticks: 1, 2 or 5 times a power of ten.

    >>> tick_step(1.0), tick_step(37.0), tick_step(1200.0), tick_step(0.0)
    (0.5, 10.0, 500.0, 1.0)
    """
    if maximum <= 0:
        return 1.0
    rough = maximum / _TICKS
    power = 10.0 ** floor(log10(rough))
    return float(
        next(round(power * times, 12) for times in (1, 2, 5, 10) if power * times >= rough)
    )


def figure(value: float) -> str:
    """Return a number with as many digits as are significant.

    >>> figure(0.0), figure(0.5), figure(12.0), figure(12345.6), figure(2.25)
    ('0', '0.5', '12', '12,346', '2.25')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")  # noqa: PLR2004


def _figure(value: float | None) -> str:
    number = _finite(value)
    return "-" if number is None else figure(number)


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _unbroken(points: Sequence[tuple[float, float | None]]) -> list[list[tuple[float, float]]]:
    parts: list[list[tuple[float, float]]] = [[]]
    for across, value in points:
        if value is None:
            parts.append([])
        else:
            parts[-1].append((across, value))
    return [part for part in parts if part]
