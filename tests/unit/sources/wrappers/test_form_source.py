"""A wrapper is asked: tokens, cookies, pages of results, and forms that have changed."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from motherlode.documents.forms import read_forms
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.web import Request
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.options import SourceOptions
from motherlode.sources.search.pace import RequestPace
from motherlode.sources.search.source import Hit, SourceSetup
from motherlode.sources.wrappers.attributes import PersonName, PortalQuery
from motherlode.sources.wrappers.check import FormState
from motherlode.sources.wrappers.form_source import MAX_PAGES, FormSource, open_form_source
from motherlode.sources.wrappers.wrapper import wrapper_of_form
from motherlode.sources.wrappers.wrapper_file import toml_of_wrapper, wrapper_path
from support.search_services import Reply, SearchService, StoppedClock

PAGE = "http://lib.test/search"
GET_FORM = (
    "<form action=/find>Title <input name=t> Author <input name=a><button>Search</button></form>"
)
POST_FORM = (
    "<form action=/find method=post><input type=hidden name=token value={}>"
    "Title <input name=t><button>Search</button></form>"
)
DOE = PortalQuery(title="Barn owls", authors=(PersonName("Doe", "John"),))


def page(body: str) -> Reply:
    return "text/html; charset=utf-8", f"<!DOCTYPE html><title>Library</title><body>{body}"


def results(*numbers: int, following: str = "") -> Reply:
    rows = "".join(
        f"<li><h3><a href=/record/{n}>Barn owls, part {n}</a></h3><p>By John Doe, {1990 + n}.</p>"
        for n in numbers
    )
    link = f"<a rel=next href='{following}'>Next page</a>" if following else ""
    return page(f"<h1>Results</h1><ol>{rows}</ol>{link}")


def source_of(service: SearchService, form: str | None = None) -> FormSource:
    clock = StoppedClock()
    client = SearchClient(name="lib", web=service, pace=RequestPace(clock, clock.sleep))
    setup = SourceSetup(client=client, options=SourceOptions(kind="form"), url=PAGE)
    if form is None:
        return FormSource(setup)
    return FormSource(setup, wrapper_of_form("lib", PAGE, read_forms(form, PAGE)))


def asked(source: FormSource, subject: PortalQuery = DOE, wanted: int = 10) -> list[str]:
    answer = asyncio.run(source.ask(subject, wanted))
    return [hit.url for hit in answer.hits]


def values_of(request: Request) -> dict[str, str]:
    return dict(parse_qsl(request.body.decode() or urlsplit(request.url).query))


def test_a_form_without_hidden_values_is_sent_at_once() -> None:
    service = SearchService(results(1, 2, 3))
    hits = asyncio.run(source_of(service, GET_FORM).ask(DOE, 10)).hits
    assert [request.method for request in service.requests] == ["GET"]
    assert values_of(service.requests[0]) == {"t": "Barn owls", "a": "John Doe"}
    assert hits[0] == Hit("http://lib.test/record/1", "Barn owls, part 1", hits[0].snippet)
    assert [hit.url[-1] for hit in hits] == ["1", "2", "3"]


def test_a_post_reads_its_page_first_and_sends_the_token_of_today_with_its_cookie() -> None:
    form = (200, {"Content-Type": "text/html", "Set-Cookie": "session=7"}, POST_FORM.format("new"))
    service = SearchService(form, results(1, 2, 3))
    assert len(asked(source_of(service, POST_FORM.format("old")))) == 3
    first, second = service.requests
    assert (first.method, first.url) == ("GET", PAGE)
    assert (second.method, second.url) == ("POST", "http://lib.test/find")
    assert values_of(second) == {"token": "new", "t": "Barn owls"}
    assert dict(second.headers)["Cookie"] == "session=7"


def test_cookies_end_with_the_question() -> None:
    form = (200, {"Content-Type": "text/html", "Set-Cookie": "session=7"}, POST_FORM.format("x"))
    service = SearchService(form, results(1), form, results(1))
    source = source_of(service, POST_FORM.format("old"))
    asked(source)
    asked(source)
    assert [dict(request.headers).get("Cookie") for request in service.requests] == [
        None,
        "session=7",
        None,
        "session=7",
    ]


def paged(last: int) -> Callable[[str], Reply]:
    """Return a portal whose pages of results lead on up to the last one."""

    def reply(url: str) -> Reply:
        number = int(dict(parse_qsl(urlsplit(url).query)).get("page", "1"))
        records = [3 * number - 2, 3 * number - 1, 3 * number]
        following = f"/find?t=Barn+owls&page={number + 1}" if number < last else ""
        return results(*records, following=following)

    return reply


def test_pages_are_followed_until_there_is_enough() -> None:
    service = SearchService(paged(5))
    assert len(asked(source_of(service, GET_FORM), wanted=5)) == 5
    assert len(service.requests) == 2


def test_pages_are_followed_to_the_last_one_or_to_a_limit() -> None:
    service = SearchService(paged(3))
    assert len(asked(source_of(service, GET_FORM), wanted=100)) == 9
    endless = SearchService(paged(1_000))
    assert len(asked(source_of(endless, GET_FORM), wanted=1_000)) == 3 * MAX_PAGES
    assert len(endless.requests) == MAX_PAGES


def test_a_next_page_that_repeats_is_the_end() -> None:
    service = SearchService(results(1, 2, 3, following="/find?t=Barn+owls&a=John+Doe"))
    assert len(asked(source_of(service, GET_FORM))) == 3
    assert len(service.requests) == 1
    again = SearchService(results(1, 2, 3, following="/find?page=2"))
    assert len(asked(source_of(again, GET_FORM))) == 3
    assert len(again.requests) == 2, "its second page has nothing new"


def test_next_pages_at_other_hosts_are_not_followed() -> None:
    service = SearchService(results(1, 2, 3, following="http://elsewhere.test/find?page=2"))
    assert len(asked(source_of(service, GET_FORM))) == 3
    assert len(service.requests) == 1


def test_a_later_page_that_fails_is_the_end() -> None:
    service = SearchService(results(1, 2, 3, following="/find?page=2"), FailureKind.TOTAL_TIMEOUT)
    assert len(asked(source_of(service, GET_FORM))) == 3


def test_a_changed_form_is_not_asked() -> None:
    today = page(POST_FORM.format("x").replace("name=t>", "name=t><input name=isbn>"))
    service = SearchService(today)
    with pytest.raises(
        SourceError, match="lib has another form than when it was added: there is a new field isbn"
    ):
        asked(source_of(service, POST_FORM.format("x")))
    assert len(service.requests) == 1, "nothing was sent"


@pytest.mark.parametrize(
    ("today", "state"),
    [
        (GET_FORM, FormState.SAME),
        (GET_FORM.replace("name=t", "name=t value=x"), FormState.COMPATIBLE),
        (GET_FORM.replace("name=a", "name=author"), FormState.CHANGED),
        ("<p>We have moved.</p>", FormState.GONE),
    ],
)
def test_a_form_is_checked(today: str, state: FormState) -> None:
    source = source_of(SearchService(page(today)), GET_FORM)
    assert asyncio.run(source.check()).state == state


def test_an_object_without_a_field_for_it_is_refused() -> None:
    with pytest.raises(SourceError, match="lib cannot be asked for this"):
        asked(source_of(SearchService(results(1)), GET_FORM), PortalQuery(year=1999))


def test_free_words_go_to_the_title_where_no_field_takes_them() -> None:
    service = SearchService(results(1))
    asyncio.run(source_of(service, GET_FORM).search("barn owls", 5))
    assert values_of(service.requests[0]) == {"t": "barn owls"}


def test_without_a_file_the_best_form_of_the_page_is_asked() -> None:
    service = SearchService(page(GET_FORM), results(1, 2, 3))
    source = source_of(service)
    assert len(asked(source)) == 3
    assert len(asked(source)) == 3
    assert [urlsplit(url).path for url in service.urls] == ["/search", "/find", "/find"]


def test_a_page_without_a_form_is_an_error_of_the_source() -> None:
    with pytest.raises(
        SourceError, match=r"lib cannot be asked: http://lib.test/search has no form"
    ):
        asked(source_of(SearchService(page("<p>Nothing here"))))


def test_a_stored_wrapper_is_opened_by_its_file(tmp_path: Path) -> None:
    path = wrapper_path(tmp_path, "lib")
    path.parent.mkdir()
    path.write_text(toml_of_wrapper(wrapper_of_form("lib", PAGE, read_forms(GET_FORM, PAGE))))
    service = SearchService(results(1, 2, 3))
    client = SearchClient(name="lib", web=service, pace=RequestPace(StoppedClock()))
    options = SourceOptions(kind="form", url=PAGE, file=str(path))
    source = open_form_source(SourceSetup(client=client, options=options, url=PAGE))
    assert len(asked(source)) == 3
    assert len(service.requests) == 1
