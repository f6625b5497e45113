"""The static site of a portal of websites: a ranked list, and a picture if it can be drawn."""

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from motherlode.export.record_reader import ExportSource
from motherlode.export.site import WEBSITES_PAGE, WEBSITES_PICTURE
from motherlode.export.site.content import content_of
from motherlode.export.site.writer import write_site
from motherlode.portal import Portal
from support.site_portals import BARN, HERONS, OWLS, TAWNY, make_sites
from support.static_sites import Seen, pages_in


def written(portal: Path, folder: Path) -> dict[str, Seen]:
    folder.mkdir()
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        write_site(content_of(ExportSource(opened, session, opened.tree())), folder)
    return pages_in(folder)


def test_relevant_websites_are_listed_with_their_figures(tmp_path: Path) -> None:
    pages = written(make_sites(tmp_path / "birds"), tmp_path / "site")
    page = pages[WEBSITES_PAGE]
    text = " ".join(page.text.split())
    assert "3 websites, the likeliest relevant ones first." in text
    assert page.outgoing() == [f"http://{site}/" for site in (OWLS, BARN, TAWNY)]
    assert f"Barn owls{BARN} sure (0.97) 3 1" in text
    assert HERONS not in text
    assert "All 3 websites" in pages["index.html"].text
    assert all("websites.html" in one["href"] for one in page.all("a") if "aria-current" in one)


def test_the_picture_is_shown_and_allowed(tmp_path: Path) -> None:
    page = written(make_sites(tmp_path / "birds"), tmp_path / "site")[WEBSITES_PAGE]
    (image,) = page.all("img")
    assert image["src"] == WEBSITES_PICTURE
    assert image["alt"]
    picture = (tmp_path / "site" / WEBSITES_PICTURE).read_text("utf-8")
    ET.fromstring(picture)  # noqa: S314 - our own
    policy = next(one["content"] for one in page.all("meta") if "http-equiv" in one)
    assert "img-src 'self'" in policy


def test_without_the_library_there_is_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    page = written(make_sites(tmp_path / "birds"), tmp_path / "site")[WEBSITES_PAGE]
    assert not page.all("img")
    assert not (tmp_path / "site" / WEBSITES_PICTURE).exists()
