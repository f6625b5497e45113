"""`lode export`, on a small crawled portal."""

import csv
import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from warcio.archiveiterator import ArchiveIterator

from motherlode.export.formats.registry import FORMATS
from motherlode.portal import Portal
from motherlode.records import UrlState
from motherlode.store.schema import urls
from motherlode.store.tables.pages import page_at
from motherlode.urls import address
from support.bird_portal import HOSTILE, crawled_birds
from support.helpers import CliRun, run_lode, said_one_sentence
from support.training_webs import EACH, place

TOPIC = "animals/birds"
BIRDS = {place(kind, number) for kind in ("owl", "heron") for number in range(EACH)} | {HOSTILE}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, finished_birds: Path) -> Iterator[Path]:
    with crawled_birds(tmp_path_factory.mktemp("export"), finished_birds) as folder:
        yield folder


@pytest.fixture
def birds(crawled: Path) -> Path:
    return crawled / "birds"


def exported(portal: Path, out: Path, form: str, *words: str) -> Path:
    run = run_lode(out.parent, "export", portal, "--format", form, "--output", out.name, *words)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("Wrote ")
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    return out


def lines_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_page_is_a_line(birds: Path, tmp_path: Path) -> None:
    pages = lines_in(exported(birds, tmp_path / "all.jsonl", "jsonl"))
    by_url = {page["url"]: page for page in pages}
    assert len(by_url) == len(pages) > len(BIRDS)
    assert by_url.keys() > BIRDS
    owl = by_url[place("owl", 0)]
    assert (owl["title"], owl["topic"], owl["mime"], owl["status"]) == (
        "Owl 0",
        TOPIC,
        "text/html",
        200,
    )
    assert owl["confidence"] > 0
    assert owl["fetched_at"].startswith("20")
    assert owl["digest"].startswith("blake3:")
    assert "text" not in owl
    assert by_url[place("news", 0)]["topic"] == "OTHERS"
    assert by_url[HOSTILE]["title"].startswith("=Owl \u202e")


def test_a_topic_alone_with_its_texts(birds: Path, tmp_path: Path) -> None:
    pages = lines_in(
        exported(birds, tmp_path / "birds.jsonl", "jsonl", "--topic", "animals", "--text")
    )
    assert {page["url"] for page in pages} >= BIRDS
    assert {page["topic"] for page in pages} == {TOPIC}
    assert any("barn owl hunts mice" in page["text"] for page in pages)


def test_a_sheet_has_a_row_for_each_page(birds: Path, tmp_path: Path) -> None:
    written = exported(birds, tmp_path / "birds.csv", "csv", "--topic", TOPIC)
    rows = list(csv.DictReader(io.StringIO(written.read_text(), newline="")))
    assert {row["url"] for row in rows} >= BIRDS
    titles = {row["url"]: row["title"] for row in rows}
    assert titles[HOSTILE].startswith("'=Owl \N{REPLACEMENT CHARACTER}</script>")


def test_parquet_is_a_directory_of_three_tables(birds: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    tables = exported(birds, tmp_path / "tables", "parquet", "--topic", TOPIC)
    documents = parquet.read_table(tables / "documents.parquet").to_pylist()
    numbers = {one["url"]: one["id"] for one in documents}
    assert numbers.keys() >= BIRDS
    links = parquet.read_table(tables / "links.parquet").to_pylist()
    assert {one["url"] for one in links if one["page"] == numbers[place("owl", 0)]} == {
        place("owl", 1),
        "http://hub.test/",
    }
    judged = parquet.read_table(tables / "judgements.parquet").to_pylist()
    assert {one["page"] for one in judged} == set(numbers.values())
    again = ("export", birds, "--format", "parquet", "--output", "tables")
    assert run_lode(tmp_path, *again).returncode == 2
    assert run_lode(tmp_path, *again, "--force").returncode == 0
    assert len(parquet.read_table(tables / "documents.parquet")) > len(documents)
    (tables / "mine.txt").write_text("not to be lost")
    assert run_lode(tmp_path, *again, "--force").returncode == 2
    assert (tables / "mine.txt").exists()


def responses(packed: bytes) -> list[str]:
    return [
        record.rec_headers.get_header("WARC-Target-URI")
        for record in ArchiveIterator(io.BytesIO(packed))
        if record.rec_type == "response"
    ]


@pytest.mark.parametrize("form", ["parquet", "site"])
def test_a_directory_comes_as_one_zip_on_demand(birds: Path, tmp_path: Path, form: str) -> None:
    (tmp_path / "zip").mkdir()
    (tmp_path / "plain").mkdir()
    packed = exported(birds, tmp_path / "zip" / "all.zip", form, "--zip")
    plain = exported(birds, tmp_path / "plain" / "all", form)
    with zipfile.ZipFile(packed) as inside:
        assert inside.testzip() is None
        names = {name for name in inside.namelist() if not name.endswith("/")}
    there = {path.relative_to(plain).as_posix() for path in plain.rglob("*") if path.is_file()}
    assert names == there
    piped = subprocess.run(
        [
            sys.executable,
            "-m",
            "motherlode",
            "export",
            birds,
            "--format",
            form,
            "--zip",
            "--output",
            "-",
        ],
        capture_output=True,
        check=True,
        cwd=tmp_path,
    ).stdout
    assert set(zipfile.ZipFile(io.BytesIO(piped)).namelist()) == set(
        zipfile.ZipFile(packed).namelist()
    )
    assert {path.name for path in tmp_path.iterdir()} == {
        "zip",
        "plain",
    }  # nothing else is left
    run = run_lode(tmp_path, "export", birds, "--format", "csv", "--output", "sheet", "--zip")
    assert run.returncode == 2
    assert "csv is one file already; leave --zip out." in run.stderr
    assert not (tmp_path / "sheet").exists()


def test_raw_responses_are_read_by_another_program(birds: Path, tmp_path: Path) -> None:
    found = responses(
        exported(birds, tmp_path / "b.warc.gz", "warc", "--topic", TOPIC).read_bytes()
    )
    assert set(found) >= BIRDS
    assert place("news", 0) not in found


def test_a_package_of_responses_finds_each_of_them(birds: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(exported(birds, tmp_path / "b.wacz", "wacz", "--topic", TOPIC)) as package:
        archive = package.read("archive/data.warc.gz")
        index = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
        pages = [json.loads(line) for line in package.read("pages/pages.jsonl").splitlines()[1:]]
    told = [json.loads(line[line.index("{") :]) for line in index]
    assert {one["url"] for one in told} == {one["url"] for one in pages} >= BIRDS
    for one in told:
        start, length = int(one["offset"]), int(one["length"])
        assert responses(archive[start : start + length]) == [one["url"]]


def test_bookmarks_make_the_same_topics_again(birds: Path, tmp_path: Path) -> None:
    exported(birds, tmp_path / "best.html", "bookmarks", "--most", "5")
    assert run_lode(tmp_path, "new", "again", "--bookmarks", "best.html").returncode == 0
    tree = json.loads(run_lode(tmp_path, "topics", "again", "--all", "--json").stdout)
    (animals,) = tree["topics"]
    (found,) = animals["topics"]
    assert (animals["name"], found["name"]) == ("animals", "birds")
    assert len(found["examples"]) == 5
    surest = sorted(
        lines_in(_all(birds, tmp_path)), key=lambda page: -(page["confidence"] or 0), reverse=False
    )
    assert {one["url"] for one in found["examples"]} == {page["url"] for page in surest[:5]}


def _all(portal: Path, folder: Path) -> Path:
    run = run_lode(folder, "export", portal, "--format", "jsonl", "--output", "all.jsonl")
    assert run.returncode == 0, run.stderr
    return folder / "all.jsonl"


@pytest.mark.parametrize("form", ["graphml", "gexf"])
def test_the_link_graph_has_pages_and_their_links(birds: Path, tmp_path: Path, form: str) -> None:
    root = ET.fromstring(exported(birds, tmp_path / "web.xml", form, "--topic", TOPIC).read_text())  # noqa: S314
    names = {
        node.get("id"): "".join(ET.tostring(node, "unicode"))
        for node in root.iter()
        if _is(node, "node")
    }
    edges = [(edge.get("source"), edge.get("target")) for edge in root.iter() if _is(edge, "edge")]
    assert len(names) >= len(BIRDS)
    assert all(source in names and target in names and source != target for source, target in edges)
    (owl,) = [number for number, said in names.items() if place("owl", 0) in said]
    (following,) = [number for number, said in names.items() if place("owl", 1) in said]
    assert (owl, following) in edges
    assert len(edges) == len(set(edges)) >= 2 * EACH


def _is(element: ET.Element, tag: str) -> bool:
    return element.tag.rpartition("}")[2] == tag


def test_what_is_gone_is_marked_and_not_bookmarked(crawled: Path, tmp_path: Path) -> None:
    import shutil  # noqa: PLC0415 - here alone something is changed

    shutil.copytree(crawled / "birds", tmp_path / "p" / "birds")
    portal = tmp_path / "p" / "birds"
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        assert page_at(session, address(place("owl", 0)).key) is not None
        gone = urls.update().where(urls.c.url == place("owl", 0)).values(state=int(UrlState.FAILED))
        session.connection.execute(gone)
    out = tmp_path / "out"
    out.mkdir()
    pages = {page["url"]: page["gone"] for page in lines_in(_all(portal, out))}
    assert [url for url, is_gone in pages.items() if is_gone] == [place("owl", 0)]
    run = run_lode(out, "export", portal, "--format", "bookmarks", "--output", "-")
    assert place("owl", 1) in run.stdout
    assert place("owl", 0) not in run.stdout


# --- where it goes ---


def test_the_standard_output_has_the_file_and_nothing_else(birds: Path, tmp_path: Path) -> None:
    run = run_lode(tmp_path, "export", birds, "--format", "csv", "--output", "-")
    assert run.returncode == 0
    assert run.stdout.startswith("url,title,topic,")
    assert run.stderr.endswith(" pages to -.\n")
    command = [
        sys.executable,
        "-m",
        "motherlode",
        "export",
        str(birds),
        "--format",
        "wacz",
        "--output",
        "-",
    ]
    packed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    with zipfile.ZipFile(io.BytesIO(packed)) as package:
        assert package.testzip() is None


def test_what_is_there_is_replaced_only_by_force(birds: Path, lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("mine")
    words = ("export", birds, "--format", "csv", "--output", "out.csv")
    run = lode(*words)
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert (tmp_path / "out.csv").read_text() == "mine"
    told = json.loads(lode(*words, "--force", "--json").stdout)
    assert (told["format"], told["output"]) == ("csv", "out.csv")
    assert (tmp_path / "out.csv").read_text().count("\n") == told["pages"] + 1


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--format", "xls", "--output", "x"), 2, "'xls' is not one of"),
        (("--format", "csv"), 2, "--output"),
        (("--format", "csv", "--output", "no/such/x"), 3, "There is no directory no/such"),
        (
            ("--format", "csv", "--output", "x", "--topic", "animals/bird"),
            2,
            "did you mean 'animals/birds'?",
        ),
        (("--format", "csv", "--output", "x", "--topic", "OTHERS"), 2, "name a topic"),
        (("--format", "parquet", "--output", "-"), 2, "directory of files"),
        (("--format", "warc", "--output", "x", "--text"), 2, "no place for texts"),
        (("--format", "csv", "--output", "-", "--json"), 2, "choose one"),
        (("--format", "csv", "--output", "birds/lode.db", "--force"), 2, "belongs to the portal"),
    ],
)
def test_what_cannot_be_exported_is_one_sentence(
    crawled: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    before = sorted(path.name for path in crawled.iterdir())
    run = run_lode(crawled, "export", "birds", *words)
    assert (run.returncode, run.stdout) == (code, "")
    assert said_one_sentence(run)
    assert says in run.stderr
    assert sorted(path.name for path in crawled.iterdir()) == before


def test_a_damaged_archive_is_one_sentence_and_no_file(crawled: Path, tmp_path: Path) -> None:
    import shutil  # noqa: PLC0415 - here alone something is changed

    shutil.copytree(crawled / "birds", tmp_path / "birds")
    for path in (tmp_path / "birds" / "archive").iterdir():
        path.write_bytes(path.read_bytes()[:1000])
    run = run_lode(tmp_path, "export", "birds", "--format", "warc", "--output", "b.warc.gz")
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert "holds no response at" in run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["birds"]


def test_a_portal_without_pages_gives_files_without_pages(lode: CliRun, tmp_path: Path) -> None:
    assert lode("new", "p", "--topic", "owls", "--seed", "http://owls.test/").returncode == 0
    for form in FORMATS if find_spec("pyarrow") else FORMATS.keys() - {"parquet"}:
        run = lode("export", "p", "--format", form, "--output", f"out.{form}")
        assert (run.returncode, run.stdout) == (0, f"Wrote 0 pages to out.{form}.\n"), run.stderr
        assert (tmp_path / f"out.{form}").exists()
    assert lode("export", "nowhere", "--format", "csv", "--output", "x").returncode == 4
