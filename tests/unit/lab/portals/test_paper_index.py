"""The search engine of portals: fields, names, years, ranking."""

import pytest

from motherlode.lab.portals.paper_index import PaperIndex
from motherlode.lab.portals.records import PaperRecord

PAPERS = (
    PaperRecord(
        id="owls",
        title="Owls of the north",
        authors=("Müller, Jürgen", "Smith, Ann"),
        year=1968,
        venue="Journal of Birds",
        abstract="A heron is named once.",
    ),
    PaperRecord(
        id="herons",
        title="Herons and herons",
        authors=("Smith, John A.",),
        year=1975,
        venue="Annals of Birds",
        keywords=("wading birds",),
        kind="report",
        has_full_text=True,
    ),
    PaperRecord(id="minds", title="Minds", authors=("Ann, Müller",), year=1975, kind="thesis"),
    PaperRecord(id="empty"),
)
INDEX = PaperIndex(PAPERS)


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({"any": "heron"}, ["owls"]),
        ({"any": "HERONS"}, ["herons"]),
        ({"any": "owls herons birds"}, ["herons", "owls"]),
        ({"any": "owls of mars and of venus and jupiter"}, []),
        ({"title": "heron"}, []),
        ({"title": "north owls"}, ["owls"]),
        ({"venue": "annals of birds"}, ["herons", "owls"]),
        ({"keywords": "wading"}, ["herons"]),
        ({"author": "muller"}, ["owls", "minds"]),
        ({"author": "J. Müller"}, ["owls"]),
        ({"author": "Smith, J."}, ["herons"]),
        ({"author": "Ann Müller"}, ["minds"]),
        ({"last_name": "Müller"}, ["owls"]),
        ({"first_name": "J", "last_name": "Smith"}, ["herons"]),
        ({"first_name": "Jürgen", "last_name": "Smith"}, []),
        ({"year": "1975"}, ["herons", "minds"]),
        ({"year": "1960 - 1969"}, ["owls"]),
        ({"year": "soon"}, []),
        ({"year": "1975", "kind": "thesis"}, ["minds"]),
        ({"full_text": "1"}, ["herons"]),
        ({"author": "Müller", "sort": "year"}, ["minds", "owls"]),
        ({"author": "Müller", "sort": "title"}, ["minds", "owls"]),
        ({"title": "owls", "author": "Smith", "year": ""}, ["owls"]),
        ({"title": "owls", "author": "Gauss"}, []),
        ({"sort": "year"}, []),
        ({"title": " "}, []),
        ({"title": "?!"}, []),
        ({}, []),
    ],
)
def test_papers_fit_all_that_is_asked(query: dict[str, str], ids: list[str]) -> None:
    assert [paper.id for paper in INDEX.search(query)] == ids


def test_the_score_is_bm25() -> None:
    """One paper of two has the word, twice among its two words; the mean length is 1.5 words."""
    index = PaperIndex([PaperRecord(id="a", title="owl owl"), PaperRecord(id="b", title="heron")])
    idf = 0.6931471805599453  # log(1 + 1.5 / 1.5)
    norm = 1.2 * (0.25 + 0.75 * 2 / 1.5)
    expected = idf * 2 * 2.2 / (2 + norm)
    assert index._fields["title"].scores("owl") == pytest.approx({0: expected})


def test_an_index_of_nothing_finds_nothing() -> None:
    assert PaperIndex([]).search({"any": "owls"}) == []
    assert PaperIndex([]).search({"author": "Smith"}) == []
