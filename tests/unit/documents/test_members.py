"""Documents inside documents: archives, and archives in archives."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from motherlode.documents.analysis import Analysed, analyse
from motherlode.documents.extracts import Raw
from motherlode.lab.generated.formats import Manuscript, make
from motherlode.urls import url_key
from support.document_files import tarred, zipped

URL = "http://a.test/files/all.zip"
PAGE = '<!DOCTYPE html><title>Inner</title><p>Words, and <a href="http://b.test/x">a link</a>'


def found(body: bytes, url: str = URL) -> list[Analysed]:
    return analyse(Raw(url, body))


def test_files_in_an_archive_are_documents_of_their_own() -> None:
    pdf = make("pdf", Manuscript("On rain", ("It rains a lot.",), ()))
    files: dict[str, bytes | str] = {
        "page.html": PAGE,
        "docs/on rain.pdf": pdf,
        "data.csv": "a,b\n1,2\n",
        "notes.md": "# Head\n\ntext",
    }
    outer, *inner = found(zipped(files))
    assert (outer.url, outer.mime, outer.document.title) == (URL, "application/zip", "all")
    assert [(one.url.removeprefix(URL), one.mime, one.document.title) for one in inner] == [
        ("#page.html", "text/html", "Inner"),
        ("#docs/on%20rain.pdf", "application/pdf", "On rain"),
        ("#data.csv", "text/csv", "data"),
        ("#notes.md", "text/markdown", "Head"),
    ]
    assert [one.document.vectors != {} for one in inner] == [True] * 4
    assert [(link.url, link.anchor) for link in inner[0].document.links] == [
        ("http://b.test/x", "a link")
    ]


def links(files: dict[str, bytes | str], name: str, url: str = URL) -> list[str]:
    """Where the links of a file in an archive lead, without the archive's own address."""
    inner = {one.url: one.document for one in found(zipped(files), url)}
    return [link.url.removeprefix(url) for link in inner[f"{url}#{name}"].links]


def linking(*references: str) -> str:
    anchors = "".join(f'<a href="{reference}">x</a> ' for reference in references)
    return f"<!DOCTYPE html><title>T</title><p>Words, and {anchors}"


REFERENCES = {
    "other.html": "#docs/other.html",
    "./other.html#top": "#docs/other.html",
    "../index.html": "#index.html",
    "/index.html": "#index.html",
    "../../../index.html": "#index.html",
    "sub/on%20rain.txt": "#docs/sub/on%20rain.txt",
    "sub/on rain.txt": "#docs/sub/on%20rain.txt",
    "page.html": "#docs/page.html",
    "http://b.test/x": "http://b.test/x",
    "//b.test/x": "http://b.test/x",
    "https://a.test/files/other.html": "https://a.test/files/other.html",
}


@pytest.mark.parametrize(("reference", "url"), REFERENCES.items())
def test_links_lead_from_member_to_member_and_out_of_the_archive(reference: str, url: str) -> None:
    files = {
        "docs/page.html": linking(reference),
        "docs/other.html": PAGE,
        "index.html": PAGE,
        "docs/sub/on rain.txt": "rain",
    }
    assert links(dict(files), "docs/page.html") == [url]


@pytest.mark.parametrize("reference", ["gone.html", "../gone.html", "/gone.html", "?x", "docs/"])
def test_a_link_to_a_file_that_is_not_in_the_archive_leads_nowhere(reference: str) -> None:
    assert (
        links({"docs/page.html": linking(reference), "docs/x.html": PAGE}, "docs/page.html") == []
    )


def test_a_member_that_names_its_base_links_from_there() -> None:
    page = f'<base href="http://b.test/dir/">{linking("other.html", "/x")}'
    assert links({"page.html": page, "other.html": PAGE}, "page.html") == [
        "http://b.test/dir/other.html",
        "http://b.test/x",
    ]


def test_links_of_other_formats_lead_to_members_too() -> None:
    note = "# Head\n\n[one](page.html) [two](http://b.test/x) [three](gone.html)"
    assert links({"note.md": note, "page.html": PAGE}, "note.md") == [
        "#page.html",
        "http://b.test/x",
    ]


def test_a_link_in_a_nested_archive_leads_to_its_neighbour() -> None:
    inner = zipped({"one.html": linking("two.html", "three.html"), "two.html": PAGE})
    files: dict[str, bytes | str] = {"in.zip": inner, "three.html": PAGE}
    assert links(files, "in.zip#one.html") == ["#in.zip#two.html"]


def test_what_a_member_says_of_itself_is_settled_too() -> None:
    files: dict[str, bytes | str] = {
        "one.html": '<link rel=canonical href="two.html"><meta http-equiv=refresh content="0;url=two.html">'
        '<form action="send"></form><form action="http://b.test/send"></form>',
        "two.html": '<link rel=canonical href="gone.html">',
    }
    one, two = (each.document for each in found(zipped(files))[1:])
    assert (one.canonical, one.refresh, two.canonical) == (f"{URL}#two.html", f"{URL}#two.html", "")
    assert [form.action for form in one.forms] == ["http://b.test/send"]
    assert {link.key for link in one.links} == {url_key(f"{URL}#two.html", "a.test")}


def test_an_archive_in_an_archive_is_opened_down_to_a_limit() -> None:
    body = PAGE.encode()
    for _ in range(6):
        body = zipped({"in.zip" if body[:2] == b"PK" else "page.html": body})
    inner = found(body)
    assert [one.url.removeprefix(URL) for one in inner] == [
        "",
        *("#in.zip" * depth for depth in (1, 2, 3)),
    ]
    assert (
        found(zipped({"in.zip": zipped({"page.html": PAGE})}))[-1].url == f"{URL}#in.zip#page.html"
    )


def test_a_packed_tar_holds_its_files() -> None:
    names = [one.url for one in found(gzip.compress(tarred({"a.txt": b"one", "b/c.txt": b"two"})))]
    assert names == [URL, f"{URL}#a.txt", f"{URL}#b/c.txt"]


@pytest.mark.parametrize("name", ["quine.gz", "droste.zip"])
def test_what_holds_itself_comes_to_an_end(conformance: Path, name: str) -> None:
    body = (conformance / "documents" / "tika" / name).read_bytes()
    inner = found(body)
    assert 4 <= len(inner) <= 8


def test_there_is_an_end_to_files() -> None:
    many = zipped({f"{number}.txt": "words" for number in range(900)}, zipfile.ZIP_STORED)
    assert len(found(many)) == 501
    nested = zipped({f"{number}.zip": many for number in range(3)}, zipfile.ZIP_STORED)
    assert len(found(nested)) == 501


def test_there_is_an_end_to_bytes() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.bin", bytes(1) + bytes(range(256)) * 4 * 2**10 * 20)
    assert len(file.getvalue()) < 10 * 2**20
    assert len(found(file.getvalue())) < 12


def test_files_of_the_same_name_and_odd_names_are_all_read() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "one")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.txt", "two")
        archive.writestr("../../etc/passwd", "three")
        archive.writestr("x#y?z.txt", "four")
        archive.writestr("сова.txt", "five")
    inner = found(file.getvalue())[1:]
    assert [one.document.text for one in inner] == ["one", "two", "three", "four", "five"]
    for one in inner:
        assert one.url.isascii()
        assert one.url.count("#") == 1
        assert ".." not in one.url


def test_an_archive_of_nothing_and_a_broken_one_are_single_documents() -> None:
    assert len(found(zipped({}))) == 1
    (broken,) = found(b"PK\x03\x04" + bytes(100))
    assert broken.document.unreadable != ""
