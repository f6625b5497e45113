"""Lists, graphs and pictures of websites: what readers of the formats find in them."""

import csv
import json
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import networkx as nx
import pytest
from msgspec.structs import replace

from motherlode.export.formats.sites import SITE_FORMATS, SiteExport
from motherlode.policies.websites.site_table import SiteFilter, site_table
from motherlode.portal import Portal
from motherlode.sources.bookmarks import read_bookmarks
from support.site_portals import (
    BARN,
    NEWS,
    OWLS,
    SHOP,
    TAWNY,
    WAITING,
    MadePage,
    MadeSite,
    bird_sites,
    make_sites,
)

HOSTILE = "hostile.test"
EVIL = '\x1b\u202e<owl> & "co" ]]> \ud800'


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> SiteExport:
    page = MadePage(EVIL, "An owl.", 0.9, {f"http://{BARN}/": EVIL})
    sites = {**bird_sites(), HOSTILE: MadeSite({"/": page}, 0.9)}
    path = make_sites(tmp_path_factory.mktemp("sites") / "birds", sites)
    with Portal.reading(path) as portal, portal.store.reading() as session:
        table = site_table(session, portal.config)
        rows = table.filtered(SiteFilter.ALL)
    return SiteExport(table, rows, "Birds & <co>", "sites")


def written(export: SiteExport, suffix: str) -> bytes:
    out = BytesIO()
    SITE_FORMATS[suffix].write(export, out)
    return out.getvalue()


@pytest.mark.parametrize("suffix", ["gexf", "graphml"])
def test_graphs_have_sites_and_the_links_among_them(
    export: SiteExport, suffix: str, tmp_path: Path
) -> None:
    (tmp_path / "graph").write_bytes(written(export, suffix))
    read = nx.read_gexf if suffix == "gexf" else nx.read_graphml
    graph = read(tmp_path / "graph")
    assert set(graph) == {row.site for row in export.rows}
    barn = graph.nodes[BARN]
    assert (barn["probability"], barn["pages"], barn["relevant"]) == (0.97, 3, True)
    assert (barn["certainty"], graph.nodes[NEWS]["choice"]) == ("sure", "unlike")
    edge = graph.edges[OWLS, BARN]
    assert edge["pages"] == 2
    assert edge["mean_probability"] == pytest.approx(0.8)
    assert (HOSTILE, BARN) in graph.edges
    assert (BARN, OWLS) not in graph.edges


def test_json_has_what_the_graphs_have(export: SiteExport) -> None:
    content = json.loads(written(export, "json"))
    assert [site["site"] for site in content["sites"]][:2] == [OWLS, BARN]
    links = {(link["source"], link["target"]): link for link in content["links"]}
    assert links[OWLS, BARN]["pages"] == 2
    assert links[OWLS, BARN]["weight"] == pytest.approx(0.9)


def test_bookmarks_are_read_again(export: SiteExport, tmp_path: Path) -> None:
    (tmp_path / "sites.html").write_bytes(written(export, "html"))
    folders = {folder.name: folder for folder in read_bookmarks(tmp_path / "sites.html").folders}
    urls = [bookmark.url for bookmark in folders["sites"].bookmarks]
    assert urls == [f"http://{site}/" for site in (OWLS, BARN, HOSTILE, TAWNY)]
    assert [bookmark.url for bookmark in folders["OTHERS"].bookmarks] == [f"http://{NEWS}/"]


def test_what_is_not_known_of_a_site_is_left_empty(export: SiteExport) -> None:
    rows = [export.table.row_of[site] for site in (OWLS, SHOP, WAITING)]
    unread = replace(rows[0], probability=None, is_relevant=False)
    listed = SiteExport(export.table, [*rows, unread], "Birds", "sites")
    read = list(csv.DictReader(written(listed, "csv").decode("utf-8-sig").splitlines()))
    assert [row["relevant"] for row in read] == ["true", "false", "", ""]
    sites = json.loads(written(listed, "json"))["sites"]
    assert [site["relevant"] for site in sites] == [True, False, None, None]
    lone = SiteExport(export.table, [unread], "Birds", "sites")
    assert b"OTHERS" not in written(lone, "html")  # it is named as like


@pytest.mark.parametrize("suffix", sorted(SITE_FORMATS))
def test_every_format_writes_the_same_bytes_again_and_nothing_that_steers(
    export: SiteExport, suffix: str
) -> None:
    data = written(export, suffix)
    assert data == written(export, suffix)
    if suffix != "png":
        text = data.decode()
        assert not set("\x1b\u202e") & set(text) or suffix == "json"
        assert "<owl>" not in text or suffix in ("json", "csv")
    if suffix in ("svg", "gexf", "graphml"):
        ET.fromstring(data)  # noqa: S314 - our own


def test_no_sites_are_written_too(export: SiteExport) -> None:
    empty = SiteExport(export.table, [], "Nothing", "sites")
    for suffix in SITE_FORMATS:
        assert written(empty, suffix)
    assert SHOP not in written(empty, "svg").decode()
