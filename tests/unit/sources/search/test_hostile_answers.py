"""Whatever a search service sends, there are hits or one sentence, and the other sources go on."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from motherlode.app.services.open_sources import open_sources
from motherlode.fetch import Request, Response
from motherlode.fetch.failures import FailureKind
from motherlode.portal.config_reader import default_config
from motherlode.sources.search.client import MAX_ANSWER_BYTES, MAX_RETRY_WAIT_S
from support.search_services import Reply, SearchService, StoppedClock, asked, asked_often

# What is searched by JSON, with the object that its results lie in.
JSON_SOURCES = (
    "searxng:http://a.test/",
    "mediawiki",
    "openalex",
    "crossref",
    "brave",
    "marginalia",
)
SOURCES = (*JSON_SOURCES, "arxiv", "opensearch:http://a.test/")
NAMES = (
    *("results", "query", "search", "web", "message", "items", "url", "URL", "title", "DOI"),
    *("doi", "general", "articlepath", "server", "type", "error", "info", "snippet"),
    *("best_oa_location", "abstract_inverted_index", "content", "description"),
)
JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=6,
        ),
    ),
    max_leaves=20,
)


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "very-secret")
    monkeypatch.setenv("OPENALEX_API_KEY", "very-secret")


def is_one_sentence(text: str) -> bool:
    return text.startswith("The search source ") and text.endswith(".") and "\n" not in text


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (FailureKind.NO_SUCH_HOST, "cannot be reached (no such host)"),
        (FailureKind.REFUSED, "cannot be reached (connection refused)"),
        (FailureKind.TOTAL_TIMEOUT, "cannot be reached (timed out)"),
        (FailureKind.FORBIDDEN_ADDRESS, "network.private=true"),
        ((401, {}, "who?"), "refuses the request (status 401)"),
        ((404, {}, "no"), "status 404"),
        ((418, {}, "no"), "does not accept the request (status 418)"),
        ((500, {}, "sorry"), "fails (status 500)"),
        ((302, {"Location": "http://a.test/"}, ""), "redirects again and again"),
        ((302, {"Location": "http://[x/"}, ""), "no URL"),
        ((200, {}, "x" * (MAX_ANSWER_BYTES + 1)), "more than 10 MB"),
    ],
)
def test_a_failure_is_one_sentence(source: str, reply: Reply, says: str) -> None:
    answer = asked(source, SearchService(reply))
    assert answer.hits == ()
    (problem,) = answer.problems
    assert says in problem
    assert is_one_sentence(problem)
    assert "very-secret" not in problem


@pytest.mark.parametrize("source", JSON_SOURCES)
@pytest.mark.parametrize(
    "reply",
    [
        ("text/html", "<h1>Are you a robot?</h1>"),
        ("application/json", ""),
        ("application/json", "{"),
        ("application/json", b'{"results": "\xff"}'),
        ("application/json", "[" * 100_000),
        ("application/json", '{"a":' * 100_000),
        ("application/json", "[]"),
        ("application/json", "3"),
        ("application/json", '{"results": {}, "message": [], "query": 3, "web": "x"}'),
    ],
)
def test_what_is_no_answer_is_one_sentence(source: str, reply: Reply) -> None:
    answer = asked(source, SearchService(reply))
    assert answer.hits == ()
    (problem,) = answer.problems
    assert is_one_sentence(problem)


@pytest.mark.parametrize("source", JSON_SOURCES)
@settings(max_examples=60)
@given(value=st.dictionaries(st.sampled_from(["results", "query", "web", "message"]), JSON_VALUES))
def test_json_of_any_form_brings_hits_or_a_sentence(source: str, value: Any) -> None:
    answer = asked(source, SearchService(("application/json", json.encode(value))))
    assert all(hit.url.startswith(("http://", "https://")) for hit in answer.hits)
    assert all(is_one_sentence(problem) for problem in answer.problems)


def results(*urls: object) -> dict[str, Any]:
    return {"results": [{"url": url, "title": 3, "content": None} for url in urls]}


def test_links_are_canonical_and_those_that_are_none_are_left_out() -> None:
    strange = ["javascript:alert(1)", "/x", "", 3, "http://", "ftp://a.test/", "mailto:a@b.test"]
    good = [
        "HTTP://B.test:80/a/../x?utm_source=n#top",
        "http://b.test/x",
        "https://user:pw@c.test/",
    ]
    answer = asked("searxng:http://a.test", SearchService(results(*strange, *good)), wanted=9)
    assert [hit.url for hit in answer.hits] == ["http://b.test/x", "https://c.test/"]
    assert answer.problems == ()


def test_where_no_link_can_be_crawled_that_is_said() -> None:
    answer = asked("searxng:http://a.test", SearchService(results("javascript:x", "about:blank")))
    assert answer.problems == (
        "The search source searxng:http://a.test returned no link that can be crawled.",
    )


def test_texts_are_cut_and_on_one_line() -> None:
    reply = {
        "results": [
            {"url": "http://b.test/", "title": "a\n\x1b[31m" * 999, "content": "word " * 999}
        ]
    }
    (hit,) = asked("searxng:http://a.test", SearchService(reply), wanted=1).hits
    assert len(hit.title) <= 300
    assert len(hit.snippet) <= 500
    assert "\n" not in hit.title
    assert "\x1b" not in hit.title


def test_the_others_go_on_without_a_source_that_fails() -> None:
    def reply(url: str) -> Reply:
        if "down.test" in url:
            return FailureKind.REFUSED
        return results(*(f"http://b.test/{url[7]}{n}" for n in range(3)))

    names = "searxng:http://a.test searxng:http://down.test searxng:http://c.test"
    answer = asked(names, SearchService(reply), wanted=4)
    assert [hit.url[-2:] for hit in answer.hits] == ["a0", "c0", "a1", "c1"]
    assert len(answer.problems) == 1
    assert "down.test" in answer.problems[0]


def test_a_source_that_fails_again_and_again_is_not_asked_any_more() -> None:
    service = SearchService(FailureKind.REFUSED)
    answers = asked_often("searxng:http://a.test", service, ["a", "b", "c", "d", "e"])
    assert len(service.requests) == 3
    assert "not asked any more" in answers[4].problems[0]


def test_a_bug_in_a_source_is_its_own_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.sources.search.searxng.text_at", lambda *_: 1 / 0)
    answer = asked("searxng:http://a.test", SearchService(results("http://b.test/")))
    assert "cannot be read (ZeroDivisionError)" in answer.problems[0]


def test_an_empty_query_asks_nobody() -> None:
    service = SearchService({})
    assert asked("searxng:http://a.test", service, query=" \n ").hits == ()
    assert service.requests == []


# --- pace ---


def test_arxiv_is_asked_once_in_three_seconds() -> None:
    clock = StoppedClock()
    empty = ("application/atom+xml", '<feed xmlns="http://www.w3.org/2005/Atom"></feed>')
    service = SearchService(empty, clock=clock)
    asked_often("arxiv", service, ["owls", "herons", "storks"], clock=clock)
    assert service.times == [1000.0, 1003.0, 1006.0]


def test_a_source_is_asked_one_thing_at_a_time() -> None:
    class SlowService(SearchService):
        running = most = 0

        async def fetch(self, request: Request) -> Response:
            self.running += 1
            self.most = max(self.most, self.running)
            await asyncio.sleep(0)
            response = await super().fetch(request)
            self.running -= 1
            return response

    service = SlowService(results("http://b.test/"))

    async def ask() -> None:
        config = default_config(["crawler.contact=me@example.org", "politeness.delay=0"])
        async with open_sources(config, ["searxng:http://a.test"], web=service) as sources:
            await asyncio.gather(*(sources.search(query, 1) for query in "abc"))

    asyncio.run(ask())
    assert len(service.requests) == 3
    assert service.most == 1


@pytest.mark.parametrize(
    ("setting", "pause"),
    [
        ("politeness.delay=2", 2.0),
        ("sources.s.delay=7", 7.0),
        ("network.connect=127.0.0.1:9", 0.0),  # politeness.sandbox_delay
    ],
)
def test_a_source_without_a_rate_of_its_own_keeps_to_politeness(setting: str, pause: float) -> None:
    clock = StoppedClock()
    service = SearchService(results("http://b.test/"), clock=clock)
    asked_often(
        "s",
        service,
        ["a", "b"],
        "sources.s.kind=searxng",
        "sources.s.url=http://a.test",
        setting,
        wanted=1,
        clock=clock,
    )
    assert service.times[1] - service.times[0] == pause


@pytest.mark.parametrize("status", [429, 503])
def test_a_service_that_is_busy_is_asked_again_when_it_says(status: int) -> None:
    clock = StoppedClock()
    busy: Reply = (status, {"Retry-After": "20"}, "later")
    service = SearchService(busy, results("http://b.test/"), clock=clock)
    answer = asked("searxng:http://a.test", service, wanted=1, clock=clock)
    assert len(answer.hits) == 1
    assert service.times[1] - service.times[0] == 20.0


def test_a_service_that_does_not_say_when_is_asked_later_and_later() -> None:
    clock = StoppedClock()
    service = SearchService((429, {}, ""), clock=clock)
    answer = asked("searxng:http://a.test", service, clock=clock)
    assert [at - 1000.0 for at in service.times] == [0.0, 2.0, 6.0]
    assert "asks not to be called for another 8 s" in answer.problems[0]


def test_a_long_retry_after_is_a_refusal_and_is_kept_to() -> None:
    clock = StoppedClock()
    service = SearchService((429, {"Retry-After": "3600"}, ""), clock=clock)
    answers = asked_often("searxng:http://a.test", service, ["a", "b"], clock=clock)
    assert len(service.requests) == 1
    assert all("another 3,600 s" in answer.problems[0] for answer in answers)
    assert sum(clock.slept) <= MAX_RETRY_WAIT_S


# --- keys ---


def test_a_key_goes_to_no_other_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "very-secret")
    service = SearchService((302, {"Location": "https://evil.test/"}, ""), {"type": "search"})
    asked("brave", service)
    assert dict(service.requests[0].headers) == {"X-Subscription-Token": "very-secret"}
    assert service.requests[1].headers == ()


def test_a_key_is_sent_after_a_redirect_on_its_own_host() -> None:
    service = SearchService((307, {"Location": "/other"}, ""), {"results": []})
    asked("marginalia", service)
    assert [dict(request.headers) for request in service.requests] == [{"API-Key": "public"}] * 2


def test_a_wrong_key_is_named_by_its_variable() -> None:
    (problem,) = asked("brave", SearchService((403, {}, ""))).problems
    assert "check the key in BRAVE_API_KEY" in problem
