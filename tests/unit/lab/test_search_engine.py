"""The search engine of a web, in process and behind a replay."""

import gzip
import json
from pathlib import Path

import pytest

from motherlode.fetch import Request, Response
from motherlode.lab.clock import run_virtually
from motherlode.lab.description import WebPlan
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.lab.search_engine import WebSearch
from motherlode.lab.serving.search_site import SEARCH_HOST, SearchableWeb, with_search_engine
from motherlode.lab.web import LabWeb
from motherlode.sources.search.description import read_description
from motherlode.sources.search.feeds import read_feed
from motherlode.sources.search.opensearch import read_result_page
from motherlode.sources.search.source import Hit
from support.generated_webs import made
from support.small_webs import Said, html, record_web

OWLS = "http://a.test/owls"
PAGES: dict[str, Said] = {
    "http://a.test/": html("Birds", "Owls and herons and much besides, said in many more words."),
    OWLS: html("Barn owls", "The barn owl hunts mice. " + "It is silent. " * 9),
    "http://a.test/herons": html("Herons", "The heron waits. Seldom an owl comes by."),
    "http://b.test/copy": html("Herons", "The heron waits. Seldom an owl comes by."),
    "http://b.test/evil": html('<b>"Evil"</b> & Söhne', "Owls ]]> </entry> \x01\u202e here."),
    "http://b.test/packed": (
        200,
        {"Content-Type": "text/html", "Content-Encoding": "gzip"},
        gzip.compress(html("Storks", "A stork has a nest.").encode()),
    ),
    "http://b.test/broken": (200, {"Content-Type": "text/html", "Content-Encoding": "gzip"}, b"x"),
    "http://b.test/gone": (410, {"Content-Type": "text/html"}, b"<p>owls were here"),
    "http://b.test/notes": (200, {"Content-Type": "text/plain"}, b"notes about ospreys"),
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> LabWeb:
    return open_web(record_web(tmp_path_factory.mktemp("searched") / "web", PAGES))


def urls(web: LabWeb, query: str, wanted: int = 10) -> list[str]:
    return [hit.url for hit in WebSearch(web).hits(query, wanted)]


def test_the_page_that_has_the_words_in_its_title_comes_first(web: LabWeb) -> None:
    assert urls(web, "barn owls")[0] == OWLS
    assert urls(web, "Hunting MOUSE")[0] == OWLS
    assert len(urls(web, "owls", 2)) == 2


def test_equal_pages_come_in_the_order_of_the_web(web: LabWeb) -> None:
    order = [url for url in web.urls() if url in ("http://a.test/herons", "http://b.test/copy")]
    assert [url for url in urls(web, "heron") if url in order] == order


def test_what_has_no_word_of_the_query_is_no_hit(web: LabWeb) -> None:
    assert urls(web, "zyzzyva") == []
    assert urls(web, "the of") == []
    assert urls(web, "") == []


def test_pages_are_read_in_every_type_that_is_there(web: LabWeb) -> None:
    assert urls(web, "stork") == ["http://b.test/packed"]
    assert urls(web, "ospreys") == ["http://b.test/notes"]
    assert "http://b.test/gone" not in urls(web, "owls")


def test_a_snippet_has_the_words_of_the_query(web: LabWeb) -> None:
    assert "owl" in WebSearch(web).hits("heron owl", 1)[0].snippet


def test_a_generated_web_is_searched_and_says_the_same_again() -> None:
    plan = WebPlan(seed=5, pages=200, hosts=8)
    hits = WebSearch(made(plan)).hits("bird of prey", 5)
    assert 0 < len(hits) <= 5
    assert hits == WebSearch(made(plan)).hits("bird of prey", 5)


# --- the host ---


def fetched(web: LabWeb, path: str) -> Response:
    async def fetch() -> Response:
        return await Replay(web).fetch(Request(f"http://{SEARCH_HOST}{path}"))

    return run_virtually(fetch())


@pytest.fixture
def hits(web: LabWeb) -> list[Hit]:
    return list(WebSearch(web).hits("owls", 10))


def test_the_description_leads_to_rss_atom_and_html(web: LabWeb) -> None:
    response = fetched(web, "/opensearch.xml")
    described = read_description(response.body)
    assert described is not None
    assert sorted(template.type for template in described.templates) == [
        "application/atom+xml",
        "application/rss+xml",
        "text/html",
    ]
    assert response.mime == "application/opensearchdescription+xml"


@pytest.mark.parametrize("form", ["rss", "atom"])
def test_feeds_hold_the_hits(web: LabWeb, hits: list[Hit], form: str) -> None:
    response = fetched(web, f"/search?q=owls&format={form}")
    found = read_feed(response.body, response.header("content-type"), response.url)
    assert found is not None
    assert [hit.url for hit in found] == [hit.url for hit in hits]
    assert found[0] == hits[0]


def test_the_page_holds_the_hits(web: LabWeb, hits: list[Hit]) -> None:
    response = fetched(web, "/search?q=owls")
    found = read_result_page(response.body.decode(), response.url, "owls")
    assert [hit.url for hit in found] == [hit.url for hit in hits]


def test_the_json_is_that_of_searxng(web: LabWeb, hits: list[Hit]) -> None:
    answer = json.loads(fetched(web, "/search?q=owls&format=json&pageno=1").body)
    assert [one["url"] for one in answer["results"]] == [hit.url for hit in hits]
    assert answer["query"] == "owls"
    assert answer["results"][0]["content"] == hits[0].snippet
    assert json.loads(fetched(web, "/search?q=owls&format=json&pageno=2").body)["results"] == []


def test_results_are_told_by_page_and_by_place(web: LabWeb, hits: list[Hit]) -> None:
    def first(parameters: str) -> str:
        body = fetched(web, f"/search?q=owls&format=json&{parameters}").body
        return str(json.loads(body)["results"][0]["url"])

    assert first("start=2") == hits[1].url
    assert first("count=1&page=3") == hits[2].url


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/robots.txt", 200),
        ("/search?q=owls&format=csv", 403),
        ("/search?q=", 400),
        ("/search?q=owls&start=-1&count=x&page=99999999999999999999", 200),
        ("/search?q=%FF%00", 200),
        ("/nothing", 404),
    ],
)
def test_what_else_may_be_asked(web: LabWeb, path: str, status: int) -> None:
    assert fetched(web, path).status == status


def test_the_engine_is_no_part_of_the_web(web: LabWeb) -> None:
    searchable = with_search_engine(web)
    assert isinstance(searchable, SearchableWeb)
    assert searchable.has_host(SEARCH_HOST)
    assert SEARCH_HOST not in list(searchable.hosts())
    assert list(searchable.urls()) == list(web.urls())
    assert list(searchable.pages_of("a.test")) == list(web.pages_of("a.test"))
    assert searchable.fingerprint == web.fingerprint
    assert searchable.about == web.about
    assert searchable.labels() == web.labels()
    assert searchable.habit_of(SEARCH_HOST) == ""
    assert searchable.answer(OWLS) == web.answer(OWLS)


def test_a_web_that_has_the_host_itself_stays_as_it_is(tmp_path: Path) -> None:
    own = open_web(record_web(tmp_path / "own", {f"http://{SEARCH_HOST}/": html("Mine", "Mine")}))
    assert with_search_engine(own) is own


def test_a_generated_web_has_no_such_host() -> None:
    assert not made(WebPlan(seed=1, pages=200, hosts=8)).has_host(SEARCH_HOST)
