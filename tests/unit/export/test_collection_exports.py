"""Exports of a portal with collections: its members, and nothing else."""

import json
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest

from motherlode.app.requests.collections import CollectionsRequest
from motherlode.app.requests.export import ExportRequest
from motherlode.app.services.collections import make_choices
from motherlode.app.services.export import ExportTarget, export_directory
from support.collection_portals import (
    HERONS,
    HITS,
    NOTES,
    OWLS,
    PAPER,
    MadePage,
    bird_pages,
    make_collections,
)
from support.helpers import sheet_rows

FORMULA = "http://formula.test/"
EVIL = '=HYPERLINK("x") <script>\u202e'
OWL_URLS = ["http://a.test/", NOTES, PAPER, *HITS[OWLS], "http://b.test/"]


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal in which c is rejected, and a page with a hostile title is pinned."""
    evil = {FORMULA: MadePage(EVIL, "Owls that calculate.", HERONS, 0.1)}
    path = make_collections(tmp_path_factory.mktemp("export") / "birds", {**bird_pages(), **evil})
    make_choices(path, CollectionsRequest(reject=("http://c.test/",), pin=(FORMULA,)), 1.0)
    return path


def export(portal: Path, name: str, **options: object) -> str:
    out = BytesIO()
    request = ExportRequest(format=name, **options)  # type: ignore[arg-type]
    export_directory(portal, request, ExportTarget("-"), out, lambda _kind, _done: None)
    return out.getvalue().decode()


def test_json_lines(portal: Path) -> None:
    rows = [json.loads(line) for line in export(portal, "jsonl").splitlines()]
    assert [row["url"] for row in rows if row["subject"] == OWLS] == OWL_URLS
    herons = [row for row in rows if row["subject"] == HERONS]
    assert herons[0] == {
        "url": FORMULA,
        "title": EVIL,
        "subject": HERONS,
        "merit": 0.1,
        "curated": "pin",
        "source": "read",
        "found_on": "",
        "fetched_at": "2023-11-14T22:13:20.000Z",
        "language": "en",
        "mime": "text/html",
    }
    paper = next(row for row in rows if row["url"] == PAPER)
    assert (paper["source"], paper["found_on"], paper["fetched_at"]) == (
        "link",
        "http://a.test/",
        None,
    )
    texts = [json.loads(line) for line in export(portal, "jsonl", text=True).splitlines()]
    assert [row.get("text", None) is None for row in texts if row["url"] == PAPER] == [True]
    assert "Owls that calculate." in [row.get("text") for row in texts]


def test_csv(portal: Path) -> None:
    rows = sheet_rows(export(portal, "csv", topic=HERONS, text=True))
    assert [row["url"] for row in rows][:2] == [FORMULA, HITS[HERONS][0]]
    assert rows[0]["title"].startswith("'=HYPERLINK")
    assert "\u202e" not in rows[0]["title"]
    assert (rows[0]["merit"], rows[0]["curated"], rows[0]["subject"]) == ("0.1", "pin", HERONS)
    assert rows[0]["text"] == "Owls that calculate."


class Bookmarks(HTMLParser):
    """The folders and links of a bookmark file."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.folders: list[str] = []
        self.tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag = tag
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        if self.tag == "h3" and data.strip():
            self.folders.append(data.strip())


def test_bookmarks(portal: Path) -> None:
    found = Bookmarks(export(portal, "bookmarks", most=2))
    assert found.folders == ["birds", "owls", "herons"]
    assert found.links == [*OWL_URLS[:2], FORMULA, HITS[HERONS][0]]


def test_bibtex(portal: Path) -> None:
    text = export(portal, "bibtex", topic=OWLS)
    assert text.count("@misc{") == len(OWL_URLS)
    assert f"url = {{{PAPER}}}" in text


def test_a_site_shows_the_members_alone(portal: Path, tmp_path: Path) -> None:
    request, target = ExportRequest(format="site"), ExportTarget(str(tmp_path / "site"))
    pages = export_directory(portal, request, target, BytesIO(), lambda _kind, _done: None)
    assert pages == len(OWL_URLS) + 7
    shown = {path.name: path.read_text() for path in (tmp_path / "site").rglob("*.html")}
    owls = shown["birds_owls.html"]
    assert owls.index("http://a.test/") < owls.index(PAPER) < owls.index("http://b.test/")
    assert "merit 0.90" in owls
    assert FORMULA in shown["birds.html"]
    everything = "".join(shown.values())
    for url in ("http://c.test/", "http://d.test/", "http://seed.test/"):
        assert url not in everything
    assert "<script>\u202e" not in everything


def test_other_formats_have_all_pages(portal: Path) -> None:
    assert "http://d.test/" in export(portal, "graphml")
