"""Plots of trials: one line per policy, relevant pages found over pages fetched.

Each line has its name beside its end, with a piece of the line as the key, and a colour and a dash
of its own, so that it can be told from the others on grey paper and by colour-blind eyes.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec import Struct

from motherlode.records import BadInputError, LodeError

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 900, 380  # pixels: the whole picture across, the plotting area upwards
_PANEL_WIDTH, _PANEL_HEIGHT = 340, 260
_PADDING, _AXIS, _GUTTER, _KEY, _GAP = 12, 60, 18, 30, 7
_LETTER, _MAX_LABEL = 6.6, 220
_FONT_SIZE, _LABEL_STEP = 13.0, 18.0
_MAX_TICKS = 10
_PNG_SCALE = 2
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first comes with vl-convert
_INK, _GREY, _LEADER, _PALE = "#222222", "#555555", "#999999", "#e4e4e4"
# Okabe and Ito's colours without the yellow, which is faint on white.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00")
# Seven and six have no divisor in common, so 42 lines are all different.
_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [14, 4], [5, 2, 1, 2, 1, 2])


class _Frame(Struct, frozen=True):
    """The plotting area: the ends of its axes, and its width in pixels."""

    right: float
    top: float
    width: float

    def beside(self, pixels: float) -> float:
        """What the x of a place so far to the right of the plotting area would be on its axis."""
        return self.right * (1 + pixels / self.width)


def plot(
    lines: Mapping[str, Points], target: Path, *, title: str, subtitle: str = ""
) -> list[Path]:
    """Draw the lines into PNG or SVG, as the suffix says, or into both if there is none."""
    files = _files(target)
    drawn = {name: points for name, points in lines.items() if points}
    if not drawn:
        raise BadInputError("There is nothing to plot: no line has a point.")
    pictures = _pictures(
        _spec(drawn, _plain(title), _plain(subtitle)), [file.suffix for file in files]
    )
    for file, picture in zip(files, pictures, strict=True):
        _write(file, picture)
    return files


class Panel(Struct, frozen=True):
    """One of several small charts: its title, the titles of its axes, and its lines by name."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Points]


def plot_panels(panels: Sequence[Panel], target: Path, *, title: str) -> list[Path]:
    """Draw charts side by side into PNG or SVG, as the suffix says, or into both."""
    files = _files(target)
    drawn = [panel for panel in panels if panel.lines]
    if not drawn:
        raise BadInputError("There is nothing to plot: no line has a point.")
    alt = _library("altair")
    charts = [_panel(alt, panel) for panel in drawn]
    beside = alt.hconcat(*charts, spacing=48).resolve_scale(
        color="independent", strokeDash="independent"
    )
    chart = beside.properties(
        title=alt.Title(_plain(title), anchor="start", offset=14, fontSize=16), padding=_PADDING
    )
    spec = chart.configure(font=_FONT, background="white").configure_view(stroke=None).to_dict()
    for file, picture in zip(files, _pictures(spec, [file.suffix for file in files]), strict=True):
        _write(file, picture)
    return files


def _panel(alt: Any, panel: Panel) -> Any:
    rows = [
        {"line": _plain(name), "x": x, "y": y}
        for name, points in panel.lines.items()
        for x, y in points
    ]
    names = [_plain(name) for name in panel.lines]
    key = alt.Legend(title=None, orient="top") if len(names) > 1 else None
    colours = alt.Scale(domain=names, range=list(islice(cycle(_COLOURS), len(names))))
    return (
        alt.Chart(alt.InlineData(values=rows), title=_plain(panel.title))
        .mark_line(point=True)
        .encode(
            x=alt.X(field="x", type="quantitative", title=panel.x),
            y=alt.Y(field="y", type="quantitative", title=panel.y),
            color=alt.Color(field="line", type="nominal", scale=colours, legend=key),
            strokeDash=alt.StrokeDash(field="line", type="nominal", legend=None),
        )
        .properties(width=_PANEL_WIDTH, height=_PANEL_HEIGHT)
    )


def _files(target: Path) -> list[Path]:
    if not target.parent.is_dir():
        raise BadInputError(f"There is no folder {target.parent} to write a plot into.")
    stem = target.name.removesuffix(".")
    suffix = Path(stem).suffix
    if not stem or suffix.lower() not in {"", ".png", ".svg"}:
        raise BadInputError(f"{target} cannot be plotted: the name of a plot ends in .png or .svg.")
    ends = ("",) if suffix else (".png", ".svg")
    return [target.with_name(stem + end) for end in ends]


def _write(file: Path, picture: bytes) -> None:
    try:
        file.write_bytes(picture)
    except OSError as error:
        raise LodeError(f"{file} cannot be written: {error.strerror or error}.") from error


def _plain(text: str) -> str:
    """The text without the control characters that XML has no way to write."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _library(name: str) -> Any:
    """A library of the optional extra; it is slow to import, and few commands plot."""
    try:
        return import_module(name)
    except ImportError as error:
        raise LodeError("Plots need the 'lab' extra: pip install 'motherlode[lab]'.") from error


def _pictures(spec: dict[str, Any], suffixes: Sequence[str]) -> list[bytes]:
    vl_convert = _library("vl_convert")
    # All data are in the specification; no address may be asked for more.
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return [
        svg.encode() if suffix.lower() == ".svg" else vl_convert.svg_to_png(svg, scale=_PNG_SCALE)
        for suffix in suffixes
    ]


def _spec(lines: Mapping[str, Points], title: str, subtitle: str) -> dict[str, Any]:
    """The Vega-Lite specification. A line goes by its number in it, for names may be anything."""
    alt = _library("altair")
    names, points = [_plain(name) for name in lines], list(lines.values())
    frame = _frame(names, points)
    labels = _spread([line[-1][1] / frame.top * _HEIGHT for line in points], _HEIGHT)
    heights = [label / _HEIGHT * frame.top for label in labels]
    chart = alt.layer(
        _leaders(alt, frame, points, heights),
        _curves(alt, frame, points),
        _curves(alt, frame, [_key(frame, height) for height in heights]),
        _names(alt, frame, names, heights),
    )
    spec: dict[str, Any] = _styled(alt, chart, frame, title, subtitle).to_dict()
    return spec


def _frame(names: Sequence[str], lines: Sequence[Points]) -> _Frame:
    label = min(_MAX_LABEL, _LETTER * max(map(len, names)))
    right = max(x for line in lines for x, _ in line)
    top = max(y for line in lines for _, y in line)
    # An axis of no length has no place for anything.
    return _Frame(
        right or 1, top or 1, _WIDTH - 2 * _PADDING - _AXIS - _GUTTER - _KEY - _GAP - label
    )


def _spread(wanted: Sequence[float], height: float) -> list[float]:
    """Places for the labels near the wanted ones: in the same order, and none over another."""
    step = min(_LABEL_STEP, height / max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    # With the distances taken off, labels at rest are a rising sequence: the nearest one is a
    # regression.
    free = _rising([wanted[line] - rank * step for rank, line in enumerate(order)])
    room = height - (len(order) - 1) * step
    places = {
        line: min(max(place, 0), room) + rank * step
        for rank, (line, place) in enumerate(zip(order, free, strict=True))
    }
    return [places[line] for line in range(len(wanted))]


def _rising(values: Sequence[float]) -> list[float]:
    """The sequence that never falls and is nearest to the values, by pooling neighbours that do."""
    pools: list[list[float]] = []
    for value in values:
        pool = [value]
        while pools and fmean(pools[-1]) > fmean(pool):
            pool = pools.pop() + pool
        pools.append(pool)
    return [fmean(pool) for pool in pools for _ in pool]


def _key(frame: _Frame, height: float) -> Points:
    return [(frame.beside(_GUTTER), height), (frame.beside(_GUTTER + _KEY), height)]


def _curves(alt: Any, frame: _Frame, lines: Sequence[Points]) -> Any:
    marks = _chart(alt, lines).mark_line(strokeWidth=2, strokeJoin="round")
    numbers = list(range(len(lines)))
    colours = alt.Scale(domain=numbers, range=list(islice(cycle(_COLOURS), len(lines))))
    dashes = alt.Scale(domain=numbers, range=list(islice(cycle(_DASHES), len(lines))))
    return marks.encode(
        **_axes(alt, frame),
        color=alt.Color(field="line", type="nominal", scale=colours, legend=None),
        strokeDash=alt.StrokeDash(field="line", type="nominal", scale=dashes, legend=None),
    )


def _leaders(alt: Any, frame: _Frame, lines: Sequence[Points], heights: Sequence[float]) -> Any:
    """Hairlines from the end of each line, which may be far to the left, to its key."""
    bends = [
        [line[-1], (frame.right, line[-1][1]), (frame.beside(_GUTTER), height)]
        for line, height in zip(lines, heights, strict=True)
    ]
    marks = _chart(alt, bends).mark_line(strokeWidth=0.75, color=_LEADER)
    return marks.encode(**_axes(alt, frame), detail=alt.Detail(field="line", type="nominal"))


def _names(alt: Any, frame: _Frame, names: Sequence[str], heights: Sequence[float]) -> Any:
    place = frame.beside(_GUTTER + _KEY + _GAP)
    rows = [{"name": name, "x": place, "y": y} for name, y in zip(names, heights, strict=True)]
    size = min(_FONT_SIZE, 0.8 * _HEIGHT / len(names))
    marks = alt.Chart(alt.InlineData(values=rows)).mark_text(
        align="left", baseline="middle", fontSize=size, color=_INK, limit=_MAX_LABEL
    )
    return marks.encode(**_axes(alt, frame), text=alt.Text(field="name", type="nominal"))


def _chart(alt: Any, lines: Sequence[Points]) -> Any:
    rows = [{"line": number, "x": x, "y": y} for number, line in enumerate(lines) for x, y in line]
    return alt.Chart(alt.InlineData(values=rows))


def _axes(alt: Any, frame: _Frame) -> dict[str, Any]:
    return {
        "x": alt.X(
            field="x", type="quantitative", title="pages fetched", **_scale(alt, frame.right)
        ),
        "y": alt.Y(
            field="y", type="quantitative", title="relevant pages found", **_scale(alt, frame.top)
        ),
    }


def _scale(alt: Any, end: float) -> dict[str, Any]:
    # There is no half page: a short axis has as many ticks as it has pages.
    ticks = alt.Axis(tickCount=max(1, min(_MAX_TICKS, int(end))), labelFlush=False)
    return {"scale": alt.Scale(domain=[0, end], nice=False), "axis": ticks}


def _styled(alt: Any, chart: Any, frame: _Frame, title: str, subtitle: str) -> Any:
    heading = alt.Title(title, **({"subtitle": subtitle} if subtitle else {}))
    sized = chart.properties(width=frame.width, height=_HEIGHT, title=heading, padding=_PADDING)
    return (
        sized.configure(font=_FONT, background="white")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12,
            titleFontSize=13,
            titleFontWeight="normal",
            titlePadding=8,
            labelColor=_GREY,
            titleColor=_GREY,
            gridColor=_PALE,
            domainColor=_GREY,
            tickColor=_GREY,
        )
        .configure_axisX(grid=False)
        .configure_title(
            anchor="start",
            frame="group",
            offset=14,
            fontSize=16,
            color=_INK,
            limit=_WIDTH - 2 * _PADDING - _AXIS,
            subtitleFontSize=12.5,
            subtitleColor=_GREY,
            subtitlePadding=5,
        )
    )
