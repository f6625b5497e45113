"""A file of URLs by subject."""

from pathlib import Path

import pytest

from motherlode.sources.search.source import Hit
from motherlode.sources.search.url_file import nearest_subject, read_url_file
from support.search_services import SearchService, asked

OWL = Hit("http://a.test/owl", "Owl", "It hunts.")
CSV = 'barn owls,http://a.test/owl,Owl,It hunts.\n"herons, grey",http://a.test/heron\nno url,here\n'
NAMED_CSV = "title,URL,Subject,snippet\nOwl,http://a.test/owl,barn owls,It hunts.\n"
TEXT = """# my subjects
http://a.test/without-a-subject

Barn owls
http://a.test/owl Owl at night
HTTPS://a.test/more
Herons: grey

http://a.test/heron
"""


def test_a_table_without_names_has_subject_url_title_and_snippet() -> None:
    assert list(read_url_file(CSV, ".csv")) == [
        ("barn owls", OWL),
        ("herons, grey", Hit("http://a.test/heron")),
    ]


def test_a_table_with_names_has_its_columns_in_any_order() -> None:
    assert list(read_url_file(NAMED_CSV, ".csv")) == [("barn owls", OWL)]
    assert list(read_url_file(NAMED_CSV.replace(",", "\t"), ".tsv")) == [("barn owls", OWL)]


def test_in_a_text_a_subject_stands_above_its_urls() -> None:
    assert list(read_url_file(TEXT)) == [
        ("Barn owls", Hit("http://a.test/owl", "Owl at night")),
        ("Barn owls", Hit("HTTPS://a.test/more")),
        ("Herons: grey", Hit("http://a.test/heron")),
    ]


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("barn owls", "barn owls"),
        ("Barn OWLS!", "barn owls"),
        ("owls", "owls"),
        ("barn owls at night", "barn owls"),
        ("grey", "grey herons"),
        ("barn herons", ""),
        ("", ""),
    ],
)
def test_the_nearest_subject(query: str, subject: str) -> None:
    assert nearest_subject(query, ["owls", "barn owls", "grey herons"]) == subject


def asked_file(path: Path, query: str = "barn owls") -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    service = SearchService({})
    answer = asked(f"file:{path}", service, query=query)
    assert service.requests == []
    return answer.hits, answer.problems


def test_the_hits_are_those_of_the_subject(tmp_path: Path) -> None:
    path = tmp_path / "urls.csv"
    path.write_text("\ufeff" + CSV)
    assert asked_file(path) == ((OWL,), ())
    assert asked_file(path, "storks") == ((), ())


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot read its file"),
        (b"", "no URLs below a subject"),
        (b"http://a.test/\n", "no URLs below a subject"),
        (b"owls\nhttp://\xff.test/\n", "not UTF-8"),
        (b"x" * (20 * 2**20 + 1), "more than 20 MB"),
    ],
)
def test_a_file_that_is_of_no_use_is_one_sentence(
    tmp_path: Path, content: bytes | None, says: str
) -> None:
    path = tmp_path / "urls.txt"
    if content is not None:
        path.write_bytes(content)
    hits, (problem,) = asked_file(path)
    assert hits == ()
    assert says in problem
