"""The graph of a portal's websites as a picture: SVG, and PNG made of it.

Sites are circles, larger the more relevant sites link to them and darker the surer they are
relevant. ForceAtlas2 (Jacomy et al., PLoS ONE 2014; networkx has it) lays them out. The same sites
make the same picture.
"""

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np
from msgspec import Struct

from motherlode.export.text_cleaner import plain
from motherlode.learning.calibration import MIN_LIKELY, MIN_SURE
from motherlode.learning.matrix import Floats
from motherlode.policies.websites.site_table import ListedSite, SiteTable
from motherlode.records import LodeError

MAX_SITES = 200  # of more, the likeliest relevant ones
MAX_LABELS = 60
INSTALL = "pip install 'motherlode[graph]'"

_WIDTH, _HEIGHT, _MARGIN, _KEY_HEIGHT = 1600.0, 1100.0, 40.0, 60.0
_MIN_RADIUS, _MAX_RADIUS, _GAP = 5.0, 20.0, 3.0
_FONT_SIZE, _LETTER, _LINE = 13.0, 6.7, 15.0  # pixels; of a letter, the mean width
_MAX_LABEL_CHARS = 32
_MAX_COVERED = 60.0  # square pixels of other circles that a label may cover
_ROUNDS, _PUSHES, _SEED = 400, 120, 20040831
_PNG_SCALE = 1.5
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first comes with vl-convert
_SURE, _LIKELY, _DOUBTFUL, _UNKNOWN = "#08519c", "#6baed6", "#c9c9c9", "#ffffff"
_INK, _GREY, _ACCEPTED, _REJECTED = "#222222", "#8a8a8a", "#222222", "#d55e00"

Box = tuple[float, float, float, float]  # left, top, right, bottom


class _Node(Struct, frozen=True):
    """A site with its place in the picture."""

    row: ListedSite
    x: float
    y: float
    radius: float


def site_svg(table: SiteTable, rows: Sequence[ListedSite], title: str) -> str:
    """Return the picture of these sites, the best first, and of the links among them.

    Raises `LodeError` if the library for it is not installed.
    """
    shown = rows[:MAX_SITES]
    edges = {
        (source, link.site): link.pages for source, link in table.edges([row.site for row in shown])
    }
    nodes = _nodes(shown, edges)
    hidden = len(rows) - len(shown)
    parts = [
        _head(title),
        *_edge_lines(nodes, edges),
        *_circles(nodes),
        *_labels(nodes),
        *_key(title, len(shown), hidden),
        "</svg>\n",
    ]
    return "".join(parts)


def png_of(svg: str) -> bytes:
    """Return an SVG picture as PNG. Raises `LodeError` if the library for it is not installed."""
    converter = _library("vl_convert", "A picture as PNG")
    png: bytes = converter.svg_to_png(svg, scale=_PNG_SCALE)
    return png


def can_draw() -> bool:
    """Return whether the library that lays sites out is installed."""
    try:
        _library("networkx", "A picture")
    except LodeError:
        return False
    return True


def _library(name: str, purpose: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        package = {"vl_convert": "vl-convert-python"}.get(name, name)
        raise LodeError(f"{purpose} needs {package}, which is not installed: {INSTALL}.") from error


# --- the layout -----------------------------------------------------------------------------------


def _nodes(rows: Sequence[ListedSite], edges: Mapping[tuple[str, str], int]) -> dict[str, _Node]:
    """Return the sites with their places: linked ones laid out, others in lines below."""
    most = max((row.referrers for row in rows), default=0) or 1
    span = _MAX_RADIUS - _MIN_RADIUS
    radii = {row.site: _MIN_RADIUS + span * sqrt(row.referrers / most) for row in rows}
    linked = [row for row in rows if any(row.site in edge for edge in edges)]
    alone = [row for row in rows if row not in linked]
    places, bottom = _lines(alone, radii)
    places |= _laid_out(linked, edges, radii, _HEIGHT - _KEY_HEIGHT - bottom)
    return {row.site: _Node(row, *places[row.site], radii[row.site]) for row in rows}


def _lines(
    rows: Sequence[ListedSite], radii: Mapping[str, float]
) -> tuple[dict[str, tuple[float, float]], float]:
    """Return places side by side above the key, and the height that they take."""
    step = 2 * max((radii[row.site] for row in rows), default=0.0) + 2 * _GAP
    if not rows:
        return {}, 0.0
    in_line = int((_WIDTH - 2 * _MARGIN) // step)
    lines = -(-len(rows) // in_line)
    top = _HEIGHT - _KEY_HEIGHT - lines * step
    places = {
        row.site: (
            _MARGIN + (place % in_line + 0.5) * step,
            top + (place // in_line + 0.5) * step,
        )
        for place, row in enumerate(rows)
    }
    return places, lines * step + _LINE


def _laid_out(
    rows: Sequence[ListedSite],
    edges: Mapping[tuple[str, str], int],
    radii: Mapping[str, float],
    height: float,
) -> dict[str, tuple[float, float]]:
    if not rows:
        return {}
    networkx = _library("networkx", "A picture")
    graph = networkx.Graph()
    graph.add_nodes_from(row.site for row in rows)
    for source, target in edges:
        graph.add_edge(source, target)
    start = networkx.spring_layout(graph, seed=_SEED)
    laid = networkx.forceatlas2_layout(
        graph, pos=start, max_iter=_ROUNDS, seed=_SEED, scaling_ratio=3.0, gravity=1.5
    )
    names = [row.site for row in rows]
    points = np.array([laid[name] for name in names], np.float64)
    sizes = np.array([radii[name] for name in names])
    placed = _spread(_fitted(points, height), sizes, height)
    return {name: (float(x), float(y)) for name, (x, y) in zip(names, placed, strict=True)}


def _fitted(points: Floats, height: float) -> Floats:
    """Return points stretched over the picture. Outliers do not squeeze the others."""
    centre = np.median(points, axis=0)
    reach = np.maximum(np.quantile(np.abs(points - centre), 0.97, axis=0), 1e-9)
    unit = np.clip((points - centre) / reach, -1.1, 1.1) / 1.1
    half = np.array([_WIDTH / 2 - 2 * _MARGIN, height / 2 - _MARGIN])
    fitted: Floats = np.array([_WIDTH / 2, height / 2]) + unit * half
    return fitted


def _spread(points: Floats, radii: Floats, height: float) -> Floats:
    """Return points pushed apart until no two circles overlap, within the picture."""
    least = radii[:, None] + radii[None, :] + _GAP
    low, high = np.array([_MARGIN] * 2), np.array([_WIDTH - _MARGIN, height - _MARGIN])
    for _ in range(_PUSHES):
        apart = points[:, None, :] - points[None, :, :]
        distance = np.sqrt((apart**2).sum(axis=2))
        np.fill_diagonal(distance, np.inf)
        overlap = np.maximum(least - distance, 0.0)
        if not overlap.any():
            break
        direction = apart / np.maximum(distance, 1e-6)[:, :, None]
        points = np.clip(points + (direction * overlap[:, :, None]).sum(axis=1) / 2, low, high)
    return points


# --- the drawing ----------------------------------------------------------------------------------


def _head(title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" '
        f'width="{_WIDTH:g}" height="{_HEIGHT:g}" font-family="{_FONT}" '
        f'font-size="{_FONT_SIZE:g}">\n<title>{escape(plain(title))}</title>\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n'
    )


def _edge_lines(nodes: Mapping[str, _Node], edges: Mapping[tuple[str, str], int]) -> list[str]:
    """Return the links as lines, those among relevant sites on top and in colour."""
    lines = []
    for (source, target), pages in edges.items():
        one, other = nodes[source], nodes[target]
        both = one.row.is_relevant and other.row.is_relevant
        colour, opacity = (_LIKELY, 0.55) if both else (_GREY, 0.22)
        width = min(3.0, 0.7 + 0.3 * sqrt(pages))
        line = (
            f'<line x1="{one.x:.1f}" y1="{one.y:.1f}" x2="{other.x:.1f}" y2="{other.y:.1f}" '
            f'stroke="{colour}" stroke-opacity="{opacity}" stroke-width="{width:.1f}"/>\n'
        )
        lines.append((both, line))
    return [line for _, line in sorted(lines, key=lambda pair: pair[0])]


def _circles(nodes: Mapping[str, _Node]) -> list[str]:
    """Return the sites as circles, the likeliest relevant ones on top."""
    return [_circle(node) for node in reversed(list(nodes.values()))]


def _circle(node: _Node) -> str:
    row = node.row
    probability = "" if row.probability is None else f", {row.probability:.2f}"
    title = f"{row.site}{probability}, {row.pages} pages, {row.referrers} relevant sites link to it"
    stroke, width = _outline(row.choice)
    return (
        f'<circle cx="{node.x:.1f}" cy="{node.y:.1f}" r="{node.radius:.1f}" '
        f'fill="{_colour(row)}" stroke="{stroke}" stroke-width="{width}">'
        f"<title>{escape(plain(title))}</title></circle>\n"
    )


def _colour(row: ListedSite) -> str:
    if row.probability is None:
        return _UNKNOWN
    if row.probability >= MIN_SURE:
        return _SURE
    return _LIKELY if row.probability >= MIN_LIKELY else _DOUBTFUL


def _outline(choice: str) -> tuple[str, float]:
    if not choice:
        return _GREY, 0.8
    return (_ACCEPTED if choice in ("accept", "like") else _REJECTED), 2.6


def _labels(nodes: Mapping[str, _Node]) -> list[str]:
    """Return the names of the most important sites, as far as they overlap nothing else.

    Relevant sites come first, and among them those that most relevant sites link to.
    """
    order = sorted(
        nodes.values(),
        key=lambda node: (not node.row.is_relevant, -node.row.referrers, node.row.site),
    )
    discs = [_disc(node) for node in nodes.values()]
    taken: list[Box] = []
    labels: list[str] = []
    for node in order:
        if len(labels) == MAX_LABELS:
            break
        name = _short(plain(node.row.site))
        box = next((box for box in _boxes(node, name) if _is_free(box, taken, discs, node)), None)
        if box is not None:
            taken.append(box)
            weight = "bold" if node.row.choice else "normal"
            colour = _INK if node.row.is_relevant else "#666666"
            labels.append(
                f'<text x="{box[0]:.1f}" y="{box[3] - 4:.1f}" fill="{colour}" stroke="#ffffff" '
                f'stroke-width="3" paint-order="stroke" font-weight="{weight}">{escape(name)}'
                "</text>\n"
            )
    return labels


def _short(name: str) -> str:
    return name if len(name) <= _MAX_LABEL_CHARS else f"{name[: _MAX_LABEL_CHARS - 1]}…"


def _disc(node: _Node) -> Box:
    r = node.radius
    return node.x - r, node.y - r, node.x + r, node.y + r


def _boxes(node: _Node, name: str) -> list[Box]:
    """Return where a name may stand: right, left, above or below its circle."""
    width, r = _LETTER * len(name) + 2, node.radius + 3
    middle, half = node.y - _LINE / 2, node.x - width / 2
    lefts_and_tops = (
        (node.x + r, middle),
        (node.x - r - width, middle),
        (half, node.y - r - _LINE),
        (half, node.y + r),
    )
    return [(left, top, left + width, top + _LINE) for left, top in lefts_and_tops]


def _is_free(box: Box, taken: Sequence[Box], discs: Sequence[Box], node: _Node) -> bool:
    is_inside = box[0] >= 0 and box[1] >= 0 and box[2] <= _WIDTH and box[3] <= _HEIGHT - _KEY_HEIGHT
    own = _disc(node)
    covered = sum(_overlap(box, disc) for disc in discs if disc != own)
    return (
        is_inside and not any(_overlap(box, other) for other in taken) and covered <= _MAX_COVERED
    )


def _overlap(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)


def _key(title: str, shown: int, hidden: int) -> list[str]:
    """Return the title and what colours, sizes and outlines mean, in a line below the picture."""
    top = _HEIGHT - _KEY_HEIGHT / 2
    entries = (
        (_SURE, _GREY, 0.8, "sure relevant"),
        (_LIKELY, _GREY, 0.8, "likely relevant"),
        (_DOUBTFUL, _GREY, 0.8, "doubtful"),
        (_UNKNOWN, _GREY, 0.8, "not examined"),
        (_UNKNOWN, _ACCEPTED, 2.6, "relevant by your word"),
        (_UNKNOWN, _REJECTED, 2.6, "rejected by you"),
    )
    more = f" ({hidden:,} more are left out)" if hidden > 0 else ""
    name = escape(_short(plain(title)))
    heading = f"{name}: {shown:,} sites{more}"
    head = f'<text x="{_MARGIN:g}" y="{top - 8:.0f}" fill="{_INK}" font-weight="bold">'
    texts = [f"{head}{heading}</text>\n"]
    left = _MARGIN + 7
    for fill, stroke, width, words in entries:
        texts.append(
            f'<circle cx="{left:.0f}" cy="{top + 12:.0f}" r="7" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{width}"/><text x="{left + 13:.0f}" y="{top + 17:.0f}" fill="{_INK}">'
            f"{words}</text>\n"
        )
        left += 40 + _LETTER * len(words)
    texts.append(
        f'<text x="{left:.0f}" y="{top + 17:.0f}" fill="{_INK}">Larger: more relevant sites link '
        "to it. A link among relevant sites is blue.</text>\n"
    )
    return texts
