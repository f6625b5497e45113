"""`lode index` and `lode search`."""

import json
from pathlib import Path

import pytest

from motherlode.portal.lock import PortalLock
from motherlode.search.index import INDEX_FORMAT
from support.helpers import CliRun, said_one_sentence
from support.search_portals import SamplePage, fill_portal
from support.training_webs import planted

STEERING = ("\x1b", "\x07", "\x9b", "\u202e", "\u2066", "\u200f", "\u061c", "\u2028")
PAPERS = {
    "http://owl.test/": SamplePage(
        "Barn owls", "The barn owl hunts mice at night.", topic="birds", day=1
    ),
    "http://heron.test/": SamplePage(
        "Herons", "The heron spears fish.", topic="birds", confidence=0.1, day=5
    ),
    "http://evil.test/": SamplePage(
        "\x1b[31m\u202eevil\x07 <script>alert(1)</script> \u2066",
        "\x1b]0;owned\x07 \x9b31m <b>poison</b> \u200f\u061c\u2028 & so on",
        links={"http://owl.test/": "\x1b[2J"},
    ),
    "http://long.test/": SamplePage("endless " * 130_000, "A page with a title of a megabyte."),
}


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill_portal(tmp_path_factory.mktemp("cli") / "p", PAPERS)


def test_an_index_is_made_and_brought_up_to_date(lode: CliRun, tmp_path: Path) -> None:
    path = fill_portal(tmp_path / "p", PAPERS)
    first, second = lode("index", path), lode("index", path)
    assert first.stdout == "4 pages indexed; it holds 4 pages.\n"
    assert second.stdout == "The index is up to date: 4 pages.\n"
    told = json.loads(lode("index", path, "--rebuild", "--json").stdout)
    assert (told["written"], told["removed"], told["pages"]) == (4, 0, 4)


def test_a_search_makes_the_index_that_it_needs(lode: CliRun, tmp_path: Path) -> None:
    path = fill_portal(tmp_path / "p", PAPERS)
    run = lode("search", path, "owls")
    assert run.returncode == 0, run.stderr
    assert run.stdout == (
        "“owls”: 1 page matches.\n\n"
        "  1. Barn owls\n"
        "     http://owl.test/\n"
        "     score 0.857, birds, en, text/html, 2023-11-15\n"  # nobody links to it
        "     The barn owl hunts mice at night.\n"
    )
    fill_portal(path, {"http://new.test/": SamplePage("New", "More on owls.")})
    assert "1 page matches" in lode("search", path, "owls", "--as-is").stdout
    assert "2 pages match" in lode("search", path, "owls").stdout


def test_an_index_that_another_process_writes_is_searched_as_it_is(
    lode: CliRun, tmp_path: Path
) -> None:
    path = fill_portal(tmp_path / "p", PAPERS)
    lode("index", path)
    fill_portal(path, {"http://new.test/": SamplePage("New", "More on owls.")})
    with PortalLock(path / "index", "lode index"):
        run = lode("search", path, "owls")
        told = json.loads(lode("search", path, "owls", "--json").stdout)
    assert "1 page matches" in run.stdout
    assert run.stderr.startswith("The index is 1 page behind: ")
    assert (told["behind"], told["total"]) == (1, 1)


def test_json_has_everything(lode: CliRun, portal: Path) -> None:
    words = (
        "--rank",
        "cosine=1,confidence=0.5,authority=0.5",
        "--topic",
        "birds",
        "--since",
        "2023-11-15",
    )
    told = json.loads(lode("search", portal, "owl", "OR", "heron", *words, "--json").stdout)
    assert told["query"] == "owl OR heron"
    assert told["rank"] == {"cosine": 0.5, "confidence": 0.25, "authority": 0.25}
    assert (told["total"], told["page"], told["more"], told["behind"]) == (2, 1, False, 0)
    assert told["facets"]["topic"] == [{"value": "birds", "pages": 2}]
    assert sorted(one["value"] for one in told["facets"]["site"]) == ["heron.test", "owl.test"]
    best = told["results"][0]
    assert (best["place"], best["url"], best["topic"]) == (1, "http://owl.test/", "birds")
    assert [part["name"] for part in best["why"]] == ["cosine", "confidence", "authority"]
    start, end = best["snippet"]["marks"][0]
    assert best["snippet"]["text"][start:end] == "owl"


def test_filters_and_pages(lode: CliRun, portal: Path) -> None:
    def urls(*words: str) -> list[str]:
        return [
            one["url"]
            for one in json.loads(lode("search", portal, *words, "--json").stdout)["results"]
        ]

    assert urls("--topic", "birds", "--rank", "confidence") == [
        "http://owl.test/",
        "http://heron.test/",
    ]
    assert urls("--topic", "birds", "--until", "2023-11-15") == ["http://owl.test/"]
    assert urls("--topic", "birds", "--since", "2023-11-16") == ["http://heron.test/"]
    assert urls("--since", "7d") == []
    assert urls("--site", "OWL.test", "--site", "heron.test", "--limit", "1", "--page", "2") != []
    assert urls("--type", "pdf") == []
    assert urls("--language", "en", "spears") == ["http://heron.test/"]
    assert urls("--any", "spears", "hunts", "--limit", "1", "--page", "3") == []
    assert urls("--like", "heron.test") == []


def test_why_shows_what_a_score_is_made_of(lode: CliRun, portal: Path) -> None:
    said = lode("search", portal, "owls", "--why", "--rank", "bm25=3,margin=1").stdout
    assert ", 1.000 of the best x 0.750 = 0.750\n" in said
    assert "       margin        0.500, 1.000 of the best x 0.250 = 0.250\n" in said


def test_pages_cannot_steer_the_terminal(lode: CliRun, portal: Path) -> None:
    run = lode("search", portal, "poison", "--why")
    assert run.returncode == 0, run.stderr
    assert "<script>alert(1)</script>" in run.stdout  # a terminal takes it for what it is
    assert not [sign for sign in STEERING if sign in run.stdout]
    told = lode("search", portal, "poison", "--json").stdout
    assert told.isascii()
    assert not [sign for sign in STEERING if sign in told]
    assert json.loads(told)["results"][0]["title"].startswith("\x1b[31m")
    assert "\x1b" not in lode("search", portal, "--like", "http://evil.test/").stdout
    assert "\x1b" not in lode("search", portal, "zebra \x1b[31m").stdout


def test_a_title_of_a_megabyte_is_cut(lode: CliRun, portal: Path) -> None:
    run = lode("search", portal, "megabyte")
    assert max(map(len, run.stdout.splitlines())) < 300
    assert (
        len(
            json.loads(lode("search", portal, "title:endless", "--json").stdout)["results"][0][
                "title"
            ]
        )
        == 300
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (('owls "barn',), 2, "The quotation mark at character 6 is never closed."),
        (("owls AND",), 2, "Nothing comes after 'AND' at character 6."),
        (("colour:red",), 2, "There is no field 'colour' (character 1)"),
        (("§§",), 2, "no letters or digits"),
        ((), 2, "Say what to look for"),
        (("owl", "--like", "http://owl.test/"), 2, "not both"),
        (("owl", "--rank", "beauty"), 2, "no ranking 'beauty'"),
        (("owl", "--since", "yesterday"), 2, "'yesterday' is not a day"),
        (("owl", "--topic", "brids"), 2, "did you mean 'birds'?"),
        (("--like", "http://nowhere.test/"), 1, "has no page at http://nowhere.test/"),
        (("--like", "mailto:x"), 2, ""),
    ],
)
def test_what_cannot_be_done_is_said(
    lode: CliRun, portal: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    run = lode("search", portal, *words)
    assert run.returncode == code, run.stderr
    assert said_one_sentence(run)
    assert said in run.stderr


def test_where_nothing_was_fetched_nothing_is_found(lode: CliRun, tmp_path: Path) -> None:
    planted(tmp_path / "empty", {"birds": ["http://a.example/"]})
    run = lode("search", "empty", "owls")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "has no pages yet" in run.stderr
    assert lode("search", "nowhere", "owls").returncode == 4
    assert lode("index", "nowhere").returncode == 4
    fill_portal(tmp_path / "p", PAPERS)
    run = lode("search", "p", "owls", "--as-is")
    assert run.returncode == 1
    assert "has no index yet; 'lode index p' makes one" in run.stderr


def test_an_index_of_another_version_is_made_anew(lode: CliRun, tmp_path: Path) -> None:
    fill_portal(tmp_path / "p", PAPERS)
    assert lode("index", "p").returncode == 0
    index = tmp_path / "p" / "index"
    said = "The index was made by another version, so it is rebuilt."
    for command in (("search", "p", "owls", "--json"), ("index", "p")):
        next(index.glob("pages-*")).rename(index / "pages-1")
        as_is = lode("search", "p", "owls", "--as-is")
        assert as_is.returncode == 1
        assert "was made by another version; 'lode index p' rebuilds it" in as_is.stderr
        run = lode(*command)
        assert run.returncode == 0
        assert run.stderr.strip() == said
        assert [place.name for place in index.glob("pages-*")] == [f"pages-{INDEX_FORMAT}"]
    assert said not in lode("search", "p", "owls").stderr
    assert "is up to date" in lode("index", "p").stdout
