"""The picture of a graph of websites: complete, readable, and the same every time."""

import sys
from xml.etree import ElementTree as ET

import pytest

from motherlode.export import site_picture
from motherlode.export.site_picture import MAX_LABELS, MAX_SITES, png_of, site_svg
from motherlode.policies.websites.site_table import SiteFilter, SiteTable, site_table
from motherlode.portal import Portal
from motherlode.records import LodeError
from support.site_portals import make_sites, many_sites

SVG = "{http://www.w3.org/2000/svg}"
SITES = 220


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> SiteTable:
    sites = many_sites(SITES)
    names = list(sites)
    path = tmp_path_factory.mktemp("sites") / "many"
    make_sites(path, sites, like=tuple(names[0:9:3]), unlike=(names[1],))
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return site_table(session, portal.config)


def picture(table: SiteTable) -> ET.Element:
    svg = site_svg(table, table.filtered(SiteFilter.ALL), "Many sites")
    return ET.fromstring(svg)  # noqa: S314 - our own


def circles(picture: ET.Element) -> list[tuple[float, float, float]]:
    """Return the circles of sites; those of the key have no title."""
    return [
        (float(one.attrib["cx"]), float(one.attrib["cy"]), float(one.attrib["r"]))
        for one in picture.iter(f"{SVG}circle")
        if one.find(f"{SVG}title") is not None
    ]


def labels(picture: ET.Element) -> list[tuple[float, float, str]]:
    """Return the names of sites with their left and lower ends."""
    return [
        (float(one.attrib["x"]), float(one.attrib["y"]), one.text or "")
        for one in picture.iter(f"{SVG}text")
        if one.get("paint-order")
    ]


def test_two_hundred_sites_are_readable(table: SiteTable) -> None:
    drawn = picture(table)
    places = circles(drawn)
    assert len(places) == MAX_SITES
    box = [float(number) for number in drawn.attrib["viewBox"].split()]
    assert all(r < x < box[2] - r and r < y < box[3] - r for x, y, r in places)
    apart = [
        (first[0] - second[0]) ** 2 + (first[1] - second[1]) ** 2 - (first[2] + second[2]) ** 2
        for place, first in enumerate(places)
        for second in places[:place]
    ]
    assert sum(distance < -1.0 for distance in apart) <= len(places) // 50
    named = labels(drawn)
    assert 20 <= len(named) <= MAX_LABELS
    for place, (x, y, text) in enumerate(named):
        for other_x, other_y, other in named[:place]:
            is_beside = x + 6 * len(text) <= other_x or other_x + 6 * len(other) <= x
            assert is_beside or abs(y - other_y) >= 14, (text, other)
    words = " ".join(drawn.itertext())
    assert f"Many sites: {MAX_SITES} sites (20 more are left out)" in words


def test_sites_are_sized_by_referrers_and_coloured_by_relevance(table: SiteTable) -> None:
    drawn = picture(table)
    shown = [one for one in drawn.iter(f"{SVG}circle") if one.find(f"{SVG}title") is not None]
    by_site = {(one.findtext(f"{SVG}title") or "").split(",")[0]: one for one in shown}
    rows = [row for row in table.rows if row.site in by_site]
    largest = max(rows, key=lambda row: row.referrers)
    smallest = min(rows, key=lambda row: row.referrers)
    radii = {site: float(circle.attrib["r"]) for site, circle in by_site.items()}
    assert radii[largest.site] == max(radii.values()) > radii[smallest.site]
    colours = {row.site: by_site[row.site].attrib["fill"] for row in rows}
    sure = {colours[row.site] for row in rows if (row.probability or 0) >= 0.85}
    doubtful = {colours[row.site] for row in rows if (row.probability or 0) < 0.5}
    assert len(sure) == len(doubtful) == 1
    assert sure != doubtful


def test_the_same_sites_make_the_same_picture(table: SiteTable) -> None:
    rows = table.filtered(SiteFilter.ALL)
    first = site_svg(table, rows, "Many sites")
    assert site_svg(table, rows, "Many sites") == first
    png = png_of(first)
    assert png.startswith(b"\x89PNG")
    assert png_of(first) == png


def test_a_library_that_lacks_is_named(table: SiteTable, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table.filtered(SiteFilter.ALL)
    monkeypatch.setitem(sys.modules, "networkx", None)
    assert not site_picture.can_draw()
    with pytest.raises(LodeError, match=r"needs networkx, .*: pip install 'motherlode\[graph\]'"):
        site_svg(table, rows, "Many sites")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(LodeError, match="needs vl-convert-python"):
        png_of("<svg/>")
