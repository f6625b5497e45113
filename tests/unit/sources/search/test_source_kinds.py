"""Each kind of search source against an answer of the form that its service documents."""

from typing import Any

import pytest

from motherlode.sources.search.openalex import abstract_text
from motherlode.sources.search.options import SourceOptions
from motherlode.sources.search.registry import KINDS
from motherlode.sources.search.source import Hit
from support.search_services import Reply, SearchService, asked, parameters_of

OWL, HERON = "https://owls.example.org/barn", "https://herons.example.org/"

SEARXNG: dict[str, Any] = {
    "query": "barn owls",
    "number_of_results": 0,
    "results": [
        {
            "url": OWL,
            "title": "Barn owl",
            "content": "It hunts at night.",
            "engine": "mojeek",
            "engines": ["mojeek"],
            "parsed_url": ["https", "owls.example.org", "/barn", "", "", ""],
            "positions": [1],
            "score": 1.0,
            "category": "general",
        },
        {"url": HERON, "title": "Heron", "content": "", "engine": "wikipedia"},
    ],
    "answers": [],
    "corrections": [],
    "infoboxes": [],
    "suggestions": [],
    "unresponsive_engines": [["duckduckgo", "timeout"]],
}
MEDIAWIKI: dict[str, Any] = {
    "batchcomplete": True,
    "continue": {"sroffset": 2, "continue": "-||"},
    "query": {
        "general": {
            "mainpage": "Main Page",
            "sitename": "Wikipedia",
            "articlepath": "/wiki/$1",
            "server": "//en.wiki.test",
        },
        "searchinfo": {"totalhits": 2},
        "search": [
            {
                "ns": 0,
                "title": "Barn owl",
                "pageid": 1,
                "snippet": 'The <span class="searchmatch">barn</span> owl &amp; others',
            },
            {"ns": 0, "title": "Owl/Food?", "pageid": 2, "snippet": ""},
        ],
    },
}
OPENALEX: dict[str, Any] = {
    "meta": {"count": 2, "page": 1, "per_page": 5},
    "results": [
        {
            "id": "https://openalex.org/W1",
            "doi": "https://doi.org/10.1/owl",
            "display_name": "Diet of the <i>Barn</i> owl",
            "best_oa_location": {"landing_page_url": None, "pdf_url": "https://r.test/owl.pdf"},
            "primary_location": {"landing_page_url": "https://doi.org/10.1/owl", "pdf_url": None},
            "abstract_inverted_index": {"eat": [1], "Owls": [0], "mice": [2]},
        },
        {
            "id": "https://openalex.org/W2",
            "doi": None,
            "display_name": "Herons",
            "best_oa_location": None,
            "primary_location": {"landing_page_url": HERON},
            "abstract_inverted_index": None,
        },
    ],
    "group_by": [],
}
CROSSREF: dict[str, Any] = {
    "status": "ok",
    "message-type": "work-list",
    "message-version": "1.0.0",
    "message": {
        "facets": {},
        "total-results": 2,
        "items": [
            {
                "DOI": "10.1/owl",
                "URL": "https://doi.org/10.1/owl",
                "title": ["Diet of the <i>barn</i> owl"],
                "abstract": "<jats:p>Owls eat mice.</jats:p>",
            },
            {"DOI": "10.1/heron", "title": []},
        ],
        "items-per-page": 2,
        "query": {"start-index": 0, "search-terms": "barn owls"},
    },
}
ARXIV = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"
  xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id><title>arXiv Query: search_query=all:owls</title>
  <link href="https://arxiv.org/api/query?search_query=all:owls" type="application/atom+xml"/>
  <opensearch:totalResults>1</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/2101.00001v1</id>
    <title>Hearing of
      owls</title>
    <updated>2021-01-01T00:00:00Z</updated>
    <link href="https://arxiv.org/abs/2101.00001v1" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/2101.00001v1" rel="related" title="pdf" type="application/pdf"/>
    <summary>Owls hear &lt; 5 Hz.</summary>
    <author><name>A. Person</name></author>
  </entry>
</feed>"""
ARXIV_ERROR = """<feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>https://arxiv.org/api/errors#start_must_be_an_integer</id><title>Error</title>
<summary>start must be an integer</summary>
<link href="https://arxiv.org/api/errors#start_must_be_an_integer" rel="alternate"/></entry></feed>"""
BRAVE: dict[str, Any] = {
    "type": "search",
    "query": {"original": "barn owls", "more_results_available": True},
    "mixed": {"type": "mixed", "main": []},
    "web": {
        "type": "search",
        "results": [
            {
                "title": "Barn owl",
                "url": OWL,
                "description": "The <strong>barn owl</strong> hunts.",
                "page_age": "2024-01-01T00:00:00",
                "language": "en",
            }
        ],
        "family_friendly": True,
    },
}
MARGINALIA: dict[str, Any] = {
    "license": "CC-BY-NC-SA 4.0",
    "page": 1,
    "pages": 1,
    "query": "barn owls",
    "results": [
        {"url": OWL, "title": "Barn owl", "description": "It hunts.", "quality": 1.5, "details": []}
    ],
}


def test_searxng() -> None:
    service = SearchService(SEARXNG)
    answer = asked("searxng:http://sx.test/", service, wanted=2)
    assert answer.hits == (Hit(OWL, "Barn owl", "It hunts at night."), Hit(HERON, "Heron"))
    assert service.urls == ["http://sx.test/search?q=barn+owls&format=json&pageno=1"]


def test_searxng_is_asked_for_further_pages() -> None:
    def reply(url: str) -> Reply:
        number = parameters_of(url)["pageno"]
        return {"results": [{"url": f"http://a.test/{number}"}] if int(number) < 4 else []}

    service = SearchService(reply)
    urls = [hit.url for hit in asked("searxng:http://sx.test", service, wanted=9).hits]
    assert urls == ["http://a.test/1", "http://a.test/2", "http://a.test/3"]
    assert len(service.urls) == 4


def test_searxng_whose_json_is_off_is_told_with_the_remedy() -> None:
    answer = asked("searxng:http://sx.test", SearchService((403, {}, "Forbidden")))
    assert answer.hits == ()
    assert "search.formats" in answer.problems[0]
    assert "403" in answer.problems[0]


def test_mediawiki() -> None:
    service = SearchService(MEDIAWIKI)
    answer = asked("mediawiki:https://en.wiki.test/w/api.php", service, wanted=2)
    assert answer.hits == (
        Hit("https://en.wiki.test/wiki/Barn_owl", "Barn owl", "The barn owl & others"),
        Hit("https://en.wiki.test/wiki/Owl/Food%3F", "Owl/Food?"),
    )
    sent = parameters_of(service.urls[0])
    assert (sent["srsearch"], sent["srlimit"], sent["formatversion"]) == ("barn owls", "2", "2")


def test_mediawiki_says_its_own_error() -> None:
    wrong = {"error": {"code": "badvalue", "info": "Unrecognized value."}}
    (problem,) = asked("mediawiki", SearchService(wrong)).problems
    assert problem == "The search source mediawiki says: Unrecognized value."


def test_openalex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENALEX_API_KEY", "k1")
    service = SearchService(OPENALEX)
    answer = asked("openalex", service, wanted=2)
    assert answer.hits == (
        Hit("https://r.test/owl.pdf", "Diet of the Barn owl", "Owls eat mice"),
        Hit(HERON, "Herons"),
    )
    assert parameters_of(service.urls[0])["api_key"] == "k1"


@pytest.mark.parametrize("strange", [None, 3, ["a"], {"a": 3}, {"a": ["x", -1, 10**9]}])
def test_an_abstract_that_is_none_is_empty(strange: object) -> None:
    assert abstract_text(strange) == ""


def test_crossref() -> None:
    service = SearchService(CROSSREF)
    answer = asked("crossref", service, wanted=2)
    assert answer.hits == (
        Hit("https://doi.org/10.1/owl", "Diet of the barn owl", "Owls eat mice."),
        Hit("https://doi.org/10.1/heron"),
    )
    assert parameters_of(service.urls[0])["mailto"] == "me@example.org"


def test_crossref_is_given_the_contact_of_its_own_section() -> None:
    service = SearchService(CROSSREF)
    settings = ("sources.c.kind=crossref", "sources.c.contact=other@example.org")
    asked("c", service, *settings)
    assert parameters_of(service.urls[0])["mailto"] == "other@example.org"


def test_arxiv() -> None:
    service = SearchService(("application/atom+xml; charset=UTF-8", ARXIV))
    answer = asked("arxiv", service, query='barn owls: AND (hearing) "x-rays"', wanted=1)
    assert answer.hits == (
        Hit("https://arxiv.org/abs/2101.00001v1", "Hearing of owls", "Owls hear < 5 Hz."),
    )
    sent = parameters_of(service.urls[0])
    assert sent["search_query"] == "all:barn AND all:owls AND all:hearing AND all:x-rays"


def test_arxiv_is_asked_for_any_word_where_nothing_has_all() -> None:
    empty = ("application/atom+xml", '<feed xmlns="http://www.w3.org/2005/Atom"></feed>')
    service = SearchService(empty, ("application/atom+xml", ARXIV))
    assert len(asked("arxiv", service, wanted=1).hits) == 1
    assert parameters_of(service.urls[1])["search_query"] == "all:barn OR all:owls"


def test_arxiv_says_its_own_error() -> None:
    (problem,) = asked("arxiv", SearchService(("application/atom+xml", ARXIV_ERROR))).problems
    assert problem == "The search source arxiv says: start must be an integer."


def test_brave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "secret")
    service = SearchService(BRAVE)
    answer = asked("brave", service, wanted=1)
    assert answer.hits == (Hit(OWL, "Barn owl", "The barn owl hunts."),)
    assert ("X-Subscription-Token", "secret") in service.requests[0].headers
    assert "secret" not in service.urls[0]


def test_brave_without_any_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "secret")
    nothing = SearchService({"type": "search", "query": {"original": "barn owls"}})
    answer = asked("brave", nothing)
    assert (answer.hits, answer.problems) == ((), ())


def test_marginalia_takes_the_public_key_unless_there_is_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MARGINALIA_API_KEY", raising=False)
    service = SearchService(MARGINALIA)
    assert asked("marginalia", service, wanted=1).hits == (Hit(OWL, "Barn owl", "It hunts."),)
    monkeypatch.setenv("MY_KEY", "mine")
    settings = ("sources.m.kind=marginalia", "sources.m.key_variable=MY_KEY")
    asked("m", service, *settings, wanted=1)
    keys = [dict(request.headers)["API-Key"] for request in service.requests]
    assert keys == ["public", "mine"]


@pytest.mark.parametrize("name", ["brave", "openalex"])
def test_a_key_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = f"{name.upper()}_API_KEY"
    monkeypatch.delenv(variable, raising=False)
    service = SearchService({})
    (problem,) = asked(name, service).problems
    assert variable in problem
    assert service.requests == []


def test_a_language_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "secret")
    service = SearchService(BRAVE)
    asked("b", service, "sources.b.kind=brave", "sources.b.language=de-CH")
    assert parameters_of(service.urls[0])["search_lang"] == "de"
    service = SearchService(SEARXNG)
    asked(
        "s",
        service,
        "sources.s.kind=searxng",
        "sources.s.url=http://s.test",
        "sources.s.language=de-CH",
    )
    assert parameters_of(service.urls[0])["language"] == "de-CH"


def test_every_kind_says_its_terms_and_can_be_configured() -> None:
    kind_setting = SourceOptions.__annotations__["kind"].__args__[0]
    assert [kind.name for kind in KINDS] == list(kind_setting.__args__)
    for kind in KINDS:
        assert kind.terms.endswith("."), kind.name
        assert kind.summary.endswith("."), kind.name
        assert kind.place != "url" or kind.terms_url.startswith("https://"), kind.name
        assert (kind.key == "none") is (kind.key_variable == ""), kind.name
