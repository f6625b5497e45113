"""Papers: read from a folder of collections, or made up from a seed."""

import gzip
import json
from pathlib import Path

import pytest

from motherlode.lab.generated.lexicon import lexicon
from motherlode.lab.portals.generated_papers import SUBJECTS, generate_papers
from motherlode.lab.portals.metadata import bibtex, json_ld
from motherlode.lab.portals.records import PaperRecord, parse_author, read_papers
from motherlode.records import BadInputError, LodeError
from support.helpers import lacks

OWLS = {
    "id": "1",
    "title": "Owls",
    "authors": ["Ng, Ada"],
    "year": 1999,
    "links": ["2"],
    "x": [3.5],
}


def write_collection(folder: Path, *papers: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "papers.jsonl.gz", "wt") as file:
        file.write("".join(f"{json.dumps(paper)}\n" for paper in papers))
    return folder


def test_a_collection_is_read_and_unknown_fields_are_passed_over(tmp_path: Path) -> None:
    [owls, nameless] = read_papers(write_collection(tmp_path / "birds", OWLS, {"id": "2"}))
    assert (owls.title, owls.authors, owls.year) == ("Owls", ("Ng, Ada",), 1999)
    assert (nameless.title, nameless.year, nameless.has_full_text) == ("", 0, False)


def test_ids_of_several_collections_begin_with_their_folder(tmp_path: Path) -> None:
    write_collection(tmp_path / "a", OWLS)
    write_collection(tmp_path / "b", OWLS, {**OWLS, "title": "More owls"})
    papers = read_papers(tmp_path)
    assert [paper.id for paper in papers] == ["a-1", "b-1", "b-1-2"]
    assert papers[1].links == ("b-2",)


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        gzip.compress(b"{}\n"),
        gzip.compress(b'{"id": 5}\n'),
        gzip.compress(b'{"id": "\xff"}\n'),
        gzip.compress(b'{"id": "1"}\n')[:-9],
        gzip.compress(b"[" * 100_000),
        gzip.compress(b""),
    ],
)
def test_what_is_no_collection_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl.gz").write_bytes(content)
    with pytest.raises(BadInputError):
        read_papers(tmp_path)


def test_the_shared_collections_are_read() -> None:
    folder = Path(__file__).resolve().parents[5] / "shared" / "papers"
    if not folder.is_dir():
        pytest.skip("the collections of papers are not here (../shared/papers)")
    papers = read_papers(folder)
    assert len(papers) == 3204 + 1400
    assert len({paper.id for paper in papers}) == len(papers)
    assert 0.1 < sum(paper.has_full_text for paper in papers) / len(papers) < 0.4


def test_papers_that_are_made_up_are_the_same_each_time() -> None:
    try:
        words = lexicon()
    except LodeError as error:
        lacks(f"WordNet 3.0: {error}")
    papers = generate_papers(5, 200, words)
    assert papers == generate_papers(5, 200, words)
    assert papers != generate_papers(6, 200, words)
    assert papers[:50] == generate_papers(5, 50, words)
    assert {paper.subject for paper in papers} == set(SUBJECTS)
    by_id = {paper.id: paper for paper in papers}
    links = [(paper, by_id[link]) for paper in papers for link in paper.links]
    assert len(links) > 100
    assert all(paper.subject == other.subject and paper != other for paper, other in links)
    assert all(paper.authors and paper.keywords and paper.abstract for paper in papers)


@pytest.mark.parametrize(
    ("author", "first", "last"),
    [
        ("Perlis, A. J.", "A. J.", "Perlis"),
        ("brenckman,m.", "m.", "brenckman"),
        ("ting-yili", "", "ting-yili"),
        ("Ada Lovelace King", "Ada Lovelace", "King"),
        ("", "", ""),
    ],
)
def test_names_have_two_parts(author: str, first: str, last: str) -> None:
    assert (parse_author(author).first, parse_author(author).last) == (first, last)


def test_metadata_cannot_leave_its_place() -> None:
    paper = PaperRecord(id="a}b", title="</script>{\\evil}", kind="report", venue="Lab")
    assert "</script>" not in json_ld(paper, "http://a.test/")
    assert json.loads(json_ld(paper, "http://a.test/"))["headline"] == paper.title
    assert bibtex(paper) == (
        "@techreport{a-b,\n  title = {</script>evil},\n  institution = {Lab},\n}\n"
    )
