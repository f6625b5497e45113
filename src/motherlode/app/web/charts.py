"""Charts, worked out on the server: a template draws them as SVG, so they need no script and no library.

`parts.chart(lines_of(...))` in a template shows one; inside an element with `data-live` it moves. Colours are
the style sheet's, for light and dark. With the script `charts.js` a chart says what it shows at the pointer.
"""

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10

import msgspec
from msgspec import Struct

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 26  # around the plot
COLOURS = 8  # that the style sheet knows
_MOST_POINTS = 400  # of a line; more cannot be told apart
_TICKS = 4


class Series(Struct, frozen=True):
    """Figures under a name, one for each place on the axis; None: there is none."""

    label: str
    values: Sequence[float | None]


class Line(Struct, frozen=True):
    """A line as it is drawn: `paths` are its unbroken parts, as points of SVG."""

    label: str
    colour: int
    paths: list[str]
    last: str


class Tick(Struct, frozen=True):
    at: float
    label: str


class Point(Struct, frozen=True, array_like=True):
    """A place on the axis, what it is called, and each line's figure there."""

    at: float
    label: str
    figures: list[str]


class Chart(Struct, frozen=True):
    title: str
    lines: list[Line]
    across: list[Tick]  # of the vertical axis, from the bottom
    along: list[Tick]
    points: list[Point]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    bottom: int = HEIGHT - BOTTOM
    right: int = WIDTH - RIGHT

    @property
    def pointed(self) -> str:
        """The points as the script reads them."""
        return msgspec.json.encode(self.points).decode()

    @property
    def said(self) -> str:
        """The chart in words, for who cannot see it."""
        return f"{self.title}: " + (
            ", ".join(f"{line.label} {line.last}" for line in self.lines) or "nothing yet"
        )


def lines_of(title: str, places: Sequence[float], series: Sequence[Series], unit: str = "") -> Chart:
    """Lines over a common axis, from nought on; `unit` is what the axis counts, such as pages or s."""
    shown = range(0, len(places), max(1, ceil(len(places) / _MOST_POINTS)))
    figures = [value for one in series for value in one.values if value is not None and isfinite(value)]
    step = tick_step(max(figures, default=0.0))
    top = step * max(1, ceil(max(figures, default=0.0) / step))
    first, last = (places[0], places[-1]) if places else (0.0, 1.0)

    def x(place: float) -> float:
        share = (place - first) / (last - first) if last > first else 1.0
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - min(1.0, max(0.0, value / top)) * (HEIGHT - TOP - BOTTOM), 1)

    def drawn(number: int, one: Series) -> Line:
        points = [(x(places[at]), _finite(one.values[at])) for at in shown]
        paths = [" ".join(f"{across},{y(value)}" for across, value in part) for part in _unbroken(points)]
        known = [value for value in map(_finite, one.values) if value is not None]
        return Line(one.label, number % COLOURS, paths, figure(known[-1]) if known else "-")

    def pointed(at: int) -> Point:
        return Point(x(places[at]), named(places[at]), [_told(one.values[at]) for one in series])

    def named(place: float) -> str:
        return f"{figure(place)} {unit}".strip()

    across = [Tick(y(step * n), figure(step * n)) for n in range(round(top / step) + 1)]
    ends = [Tick(x(place), named(place)) for place in dict.fromkeys((first, last))] if places else []
    lines = [drawn(n, one) for n, one in enumerate(series)]
    return Chart(title, lines, across, ends, [pointed(at) for at in shown])


def tick_step(most: float) -> float:
    """A round distance between ticks, of 1, 2 or 5 times a power of ten.

    >>> tick_step(1.0), tick_step(37.0), tick_step(1200.0), tick_step(0.0)
    (0.5, 10.0, 500.0, 1.0)
    """
    if most <= 0:
        return 1.0
    rough = most / _TICKS
    power = 10.0 ** floor(log10(rough))
    return float(next(round(power * times, 12) for times in (1, 2, 5, 10) if power * times >= rough))


def figure(value: float) -> str:
    """A figure with as many digits as tell something.

    >>> figure(0.0), figure(0.5), figure(12.0), figure(12345.6), figure(2.25)
    ('0', '0.5', '12', '12,346', '2.25')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")  # noqa: PLR2004


def _told(value: float | None) -> str:
    known = _finite(value)
    return "-" if known is None else figure(known)


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
