"""Import from a running Zotero, and export to it, against a server with the shapes of its API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.app.services.library import ensure_portal, import_text, objects_in
from motherlode.app.services.zotero import export_to_zotero, import_from_zotero
from motherlode.library.formats.zotero_json import KINDS
from motherlode.library.formats.zotero_json_writer import zotero_item
from motherlode.library.zotero import DEFAULT_URL, local_url
from motherlode.records import LodeError, UsageError
from motherlode.records.library import Identifier, LibraryObject, Person
from support.zotero_server import FakeZotero, zotero_server


@pytest.fixture
def zotero() -> Iterator[FakeZotero]:
    with zotero_server() as server:
        server.add_collection("BIRDS234", "Birds")
        server.add_collection("OWLS2345", "Owls", "BIRDS234")
        for number in range(250):
            server.add_item(
                f"ITEM{number:04}",
                itemType="journalArticle",
                title=f"How owl {number} hears",
                date="May 2004",
                creators=[{"creatorType": "author", "firstName": "Anna", "lastName": "Strix"}],
                collections=["OWLS2345"] if number % 2 else ["BIRDS234"],
                DOI=f"10.1000/owls.{number}",
            )
        server.add_item("NOTE0001", itemType="note", parentItem="ITEM0000", note="x")
        server.add_item(
            "FILE0001", itemType="attachment", parentItem="ITEM0000", url="http://a.test/0.pdf"
        )
        yield server


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    text = """@article{a, title={How owl 7 hears}, author={Strix, Anna}, doi={10.1000/owls.7}}
              @book{b, title={Bats of Europe}, author={Myotis, M.}, year={1999}, isbn={9783866801929}}
              @inproceedings{c, title={Bat signals}, author={Myotis, M.}, booktitle={Bats '99},
                             pages={1--9}, volume={2}, number={3}, note={Good.}}"""
    path = tmp_path / "p"
    ensure_portal(path)
    import_text(path, text, "x.bib", "Mine/Mammals", "")
    return path


def test_items_of_all_pages_come_in_their_collections(zotero: FakeZotero, tmp_path: Path) -> None:
    report = import_from_zotero(tmp_path / "p", zotero.url, "", "Zotero")
    assert (report.new, report.merged, report.problems) == (250, (), ())
    views = objects_in(tmp_path / "p")
    assert views[1].folders == ("Zotero/Birds/Owls",)
    first = views[0]
    assert first.folders == ("Zotero/Birds",)
    assert (first.object.date, first.object.links) == ("2004-05", ("http://a.test/0.pdf",))
    assert first.object.identifiers == (Identifier("doi", "10.1000/owls.0"),)
    assert sum("/items?" in path for path in zotero.paths) == 3


@pytest.mark.parametrize(("name", "expected"), [("Owls", 125), ("Birds/Owls", 125), ("Birds", 250)])
def test_a_collection_is_imported_with_those_in_it(
    zotero: FakeZotero, tmp_path: Path, name: str, expected: int
) -> None:
    assert import_from_zotero(tmp_path / "p", zotero.url, name, "Z").new == expected


def test_a_collection_that_is_not_there_imports_nothing(zotero: FakeZotero, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing in a collection 'Bats'"):
        import_from_zotero(tmp_path / "p", zotero.url, "Bats", "Z")
    assert not (tmp_path / "p").exists()


def test_zotero_gets_what_it_does_not_have(zotero: FakeZotero, portal: Path) -> None:
    export = export_to_zotero(portal, zotero.url, "")
    assert (export.items, export.collections, export.known) == (2, 2, 1)
    assert zotero.titles()[-2:] == ["Bats of Europe", "Bat signals"]
    mammals = zotero.collections[-1]
    assert mammals["data"] | {"key": ""} == {
        "key": "",
        "name": "Mammals",
        "parentCollection": zotero.collections[-2]["key"],
    }
    assert zotero.items[-1]["data"]["collections"] == [mammals["key"]]
    again = export_to_zotero(portal, zotero.url, "")
    assert (again.items, again.known) == (0, 3)


def test_many_folders_become_collections_in_their_order(zotero: FakeZotero, tmp_path: Path) -> None:
    ensure_portal(tmp_path / "p")
    for number in range(60):
        text = f"@book{{b, title={{Bats in the year {number}}}, year=1999}}"
        import_text(tmp_path / "p", text, "x.bib", f"F{number % 2}/G{number}", "")
    export = export_to_zotero(tmp_path / "p", zotero.url, "")
    assert (export.items, export.collections) == (60, 62)
    assert sum(path.endswith("/collections") for path in zotero.paths) == 3
    names = {entry["key"]: entry["data"]["name"] for entry in zotero.collections}
    for entry in zotero.items[-60:]:
        (key,) = entry["data"]["collections"]
        assert names[key] == f"G{entry['data']['title'].split()[-1]}"


def test_a_refused_item_is_named_and_the_others_are_there(zotero: FakeZotero, portal: Path) -> None:
    zotero.refused_title = "Bats of Europe"
    export = export_to_zotero(portal, zotero.url, "Mine")
    assert export.problems == ("Bats of Europe: That is no title",)
    assert zotero.titles()[-1] == "Bat signals"


@pytest.mark.parametrize(
    ("trait", "sentence"),
    [
        ("is_enabled", "keeps other programs out"),
        ("is_writable", "can only be read"),
        ("is_allowed", "has not allowed"),
        ("remembers", "Always Allow"),
    ],
)
def test_what_zotero_refuses_is_said_and_nothing_is_written(
    zotero: FakeZotero, portal: Path, trait: str, sentence: str
) -> None:
    setattr(zotero, trait, False)
    before = len(zotero.items)
    with pytest.raises(LodeError, match=sentence):
        export_to_zotero(portal, zotero.url, "")
    assert (len(zotero.items), len(zotero.collections)) == (before, 2)


def test_only_a_zotero_on_this_machine_is_asked() -> None:
    assert local_url(DEFAULT_URL) == DEFAULT_URL
    assert local_url("http://[::1]:23119/api/") == "http://[::1]:23119"
    for text in (
        "http://example.org/",
        "https://localhost/",
        "localhost:23119",
        "http://[",
        "file:///x",
    ):
        with pytest.raises(UsageError):
            local_url(text)
    with pytest.raises(LodeError, match="Zotero cannot be reached"):
        import_from_zotero(Path("nowhere"), "http://127.0.0.1:1", "", "Z")


@pytest.mark.parametrize("kind", ["document", "speech", *KINDS.values()])
def test_what_is_exported_is_read_back(zotero: FakeZotero, tmp_path: Path, kind: str) -> None:
    entry = LibraryObject(
        kind=kind,
        title="Bats",
        authors=(Person("van Myotis", "M."), Person("Bat Society")),
        date="1999-05",
        keywords=("bats",),
        venue="Annals",
        identifiers=(Identifier("doi", "10.1000/b"), Identifier("arxiv", "2101.00001")),
        links=("http://b.test/",),
        language="en",
    )
    zotero.items.clear()
    zotero.add_item("BATS2345", **zotero_item(entry))
    import_from_zotero(tmp_path / "p", zotero.url, "", "Z")
    (view,) = objects_in(tmp_path / "p")
    read = replace(view.object, key="", note="", kind=kind, venue="Annals")
    assert set(read.identifiers) == set(entry.identifiers)
    assert replace(read, identifiers=entry.identifiers) == entry
