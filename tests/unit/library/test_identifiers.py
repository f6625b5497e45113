"""Identifiers in one spelling."""

import pytest

from motherlode.library.identifiers import arxiv_in, doi_in, identifiers_of
from motherlode.records.library import Identifier


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        (
            "doi:10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
            "10.1002/(sici)1097-4571(199806)49:8",
        ),
        ("(see https://doi.org/10.1000/a.b)", "10.1000/a.b"),
        ("10.1000.10/x", "10.1000.10/x"),
        ("10.1/x", ""),
        ("", ""),
    ],
)
def test_a_doi_is_found_in_text(text: str, doi: str) -> None:
    assert doi_in(text) == doi


def test_an_arxiv_number_is_found_in_its_spellings() -> None:
    texts = ["2101.00001", "arXiv:2101.00001v2", "https://arxiv.org/pdf/2101.00001.pdf"]
    assert [arxiv_in(text) for text in texts] == ["2101.00001"] * 3
    assert arxiv_in("12345") == ""


def test_a_field_counts_before_a_link_and_each_identifier_once() -> None:
    links = ["https://doi.org/10.1000/OTHER", "https://arxiv.org/abs/2101.00001v1"]
    assert identifiers_of([("doi", "10.1000/a"), ("doi", "DOI 10.1000/A")], links) == [
        Identifier("doi", "10.1000/a"),
        Identifier("arxiv", "2101.00001"),
    ]
    assert identifiers_of([("unknown", "x")], links[:1]) == [Identifier("doi", "10.1000/other")]
