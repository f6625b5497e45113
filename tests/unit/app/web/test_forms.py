"""Forms: their fields come from the records of requests, and are read back into them."""

import ast
from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Struct

import motherlode.app.web.views
from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.requests.export import ExportRequest
from motherlode.app.requests.fields import described, form_fields_of
from motherlode.app.requests.portals import NewPortalRequest
from motherlode.app.requests.training import SERVER_CLUSTER_PAGES, ClusterRequest
from motherlode.app.web.forms import form_of, request_in
from motherlode.app.web.pages import environment
from motherlode.records import UsageError

MAX_PARAMETERS = 6
CRAWL_FORM = """
{% import "parts.html" as parts with context %}{{ parts.fields(form) }}
"""


class LoudCrawlRequest(CrawlRequest, frozen=True):
    """A crawl with four more fields, one of each kind that the crawl itself lacks."""

    greeting: Annotated[str, described("A word.", max_length=30, label="Greeting")] = ""
    colour: Annotated[
        str, described("A colour.", choices=lambda: ("red", "blue"), label="Colour")
    ] = "red"
    quiet: Annotated[bool, described("Quiet or not.", label="Quiet")] | None = None
    words: Annotated[tuple[str, ...], described("Words.", max_length=2, label="Words")] = ()


def shown(record: type[Struct], texts: dict[str, str] | None = None) -> str:
    return environment().from_string(CRAWL_FORM).render(form=form_of(record, texts), portal="p")


def test_a_field_with_a_label_is_in_the_form() -> None:
    page = shown(LoudCrawlRequest, {"greeting": "<hello>", "quiet": "false"})
    assert '<label for="pages">Pages</label>' in page
    assert 'value="&lt;hello&gt;"' in page
    assert '<option value="blue">blue</option>' in page
    assert '<option value="false" selected>no</option>' in page
    assert '<textarea id="words" name="words"' in page
    places = [page.index(f'name="{field.key}"') for field in form_fields_of(LoudCrawlRequest)]
    assert len(places) == 9
    assert places == sorted(places), "the order is that of the record"


def test_fields_of_the_command_line_alone_are_in_no_form() -> None:
    assert set(form_of(CrawlRequest).fields) == {
        "pages",
        "time",
        "learn_pages",
        "policy",
        "feedback",
    }


def test_a_form_that_nobody_filled_in_has_initial_texts() -> None:
    assert 'name="pages" inputmode="numeric" maxlength="10" value="1000"' in shown(CrawlRequest)
    assert 'value=""' in shown(CrawlRequest, {"pages": ""})


def test_a_form_is_read_into_a_request() -> None:
    texts = {"pages": "5", "time": "", "policy": "bingo", "feedback": "true", "form_token": "x"}
    assert request_in(CrawlRequest, texts) == CrawlRequest(pages=5, policy="bingo", feedback=True)
    texts = {"quiet": "false", "words": " a \n# a comment\n\nb"}
    assert request_in(LoudCrawlRequest, texts) == LoudCrawlRequest(quiet=False, words=("a", "b"))


def test_an_empty_field_has_the_default_of_the_server() -> None:
    assert request_in(ClusterRequest, {"topic": "/"}).pages == SERVER_CLUSTER_PAGES
    assert request_in(ClusterRequest, {"topic": "/", "pages": "7"}).pages == 7


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"pages": "0"}, "Pages: a number from 1 to 1,000,000,000"),
        ({"pages": "\u0665"}, "Pages: a number"),
        ({"time": "9" * 50}, "Time: that is too long"),
        ({"words": "a\nb\nc"}, "Words: at most 2 lines"),
    ],
)
def test_a_form_with_a_wrong_value_names_its_field(texts: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        request_in(LoudCrawlRequest, texts)


def test_a_form_without_a_required_field_is_refused() -> None:
    with pytest.raises(UsageError, match="Format: this is missing"):
        request_in(ExportRequest, {})
    with pytest.raises(UsageError, match="one of the lines is too long"):
        request_in(NewPortalRequest, {"name": "x", "set": "a=" + "b" * 4_000})


def test_no_view_has_more_than_six_parameters() -> None:
    folder = Path(motherlode.app.web.views.__file__).parent
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                parameters = [*node.args.args, *node.args.kwonlyargs]
                assert len(parameters) <= MAX_PARAMETERS, f"{path.name}: {node.name}"
