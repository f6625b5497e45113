"""Links to the examples, asked of search sources level by level (SPEC F1)."""

import gzip
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from motherlode.app.services.back_links import write_back_links
from motherlode.policies.ordinal.layers import layers_of
from motherlode.portal import Portal, create_portal
from motherlode.records import BadInputError, LodeError
from motherlode.sources.search.pace import RequestPace
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules
from support.search_services import Reply, SearchService, StoppedClock, parameters_of

WIKI = "mediawiki:https://wiki.test/w/api.php"
PAGE = "https://wiki.test/wiki/"
LINKING = {"Barn owl": ["Owl", "Night/Food?"], "Owl": ["Bird", "Barn owl"], "Bird": ["Animal"]}


def wiki(url: str) -> Reply:
    """The answers of a wiki: `https://www.mediawiki.org/wiki/API:Backlinks`."""
    parameters = parameters_of(url)
    query: dict[str, object] = {
        "general": {"articlepath": "/wiki/$1", "server": "//wiki.test"},
    }
    if parameters.get("list") == "backlinks":
        titles = LINKING.get(parameters["bltitle"], [])
        query["backlinks"] = [{"pageid": n, "ns": 0, "title": t} for n, t in enumerate(titles)]
    return {"batchcomplete": True, "query": query}


def searxng(url: str) -> Reply:
    wanted = parameters_of(url)["q"]
    assert wanted.startswith("link:http")
    title = "Owl" if wanted.endswith("Barn_owl") and "pageno=1" in url else ""
    return {"results": [{"url": PAGE + title, "title": title}] if title else []}


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    place = tmp_path / "owls"
    planting = plant_seeds([(("owls",), [f"{PAGE}Barn_owl"])], UrlRules())
    create_portal(place, planting, {"crawler.contact": "owls@example.org"})
    return place


def asked(portal: Path, file: Path, source: str, service: SearchService) -> tuple[int, ...]:
    clock = StoppedClock()
    pace = RequestPace(clock, clock.sleep)
    return write_back_links(portal, [source], file, 5, service, pace).pages


def test_a_wiki_is_asked_level_by_level_and_the_file_makes_layers(
    portal: Path, tmp_path: Path
) -> None:
    file = tmp_path / "links.tsv.gz"
    assert asked(portal, file, WIKI, SearchService(wiki)) == (2, 1, 1)
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    assert lines[:2] == [f"{PAGE}Owl\t{PAGE}Barn_owl", f"{PAGE}Night/Food%3F\t{PAGE}Barn_owl"]
    with (
        Portal.reading(portal, [f'ordinal.edge_files=["{file}"]']) as opened,
        opened.store.reading() as session,
    ):
        layers = layers_of(session, opened.config)
    named = {urlsplit(url).path.rpartition("/")[2]: level for url, level in layers.items()}
    assert named == {"Barn_owl": 0, "Owl": 1, "Food%3F": 1, "Bird": 2, "Animal": 3}


def test_a_server_that_searches_engines_is_asked_by_the_operator_link(
    portal: Path, tmp_path: Path
) -> None:
    file = tmp_path / "links.tsv"
    assert asked(portal, file, "searxng:https://sx.test", SearchService(searxng)) == (1,)
    assert file.read_text() == f"{PAGE}Owl\t{PAGE}Barn_owl\n"


def test_a_file_that_cannot_be_written_is_told(portal: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be written: No such file or directory"):
        asked(portal, tmp_path / "missing" / "links.tsv", WIKI, SearchService(wiki))


def test_a_source_that_knows_no_links_says_which_do(portal: Path, tmp_path: Path) -> None:
    with pytest.raises(LodeError, match=r"crossref does not say which pages link.*mediawiki"):
        asked(portal, tmp_path / "links.tsv", "crossref", SearchService({}))
    assert not (tmp_path / "links.tsv").exists()


def test_a_page_outside_the_wiki_has_no_links(tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    create_portal(place, plant_seeds([(("owls",), ["http://owl.test/"])], UrlRules()), {})
    with pytest.raises(LodeError, match="No source knows a page that links to an example"):
        asked(place, tmp_path / "links.tsv", WIKI, SearchService(wiki))
