"""Requests: their fields, their command lines, and what they refuse."""

from typing import Any

import pytest
from msgspec import Struct

from motherlode.app.api.body import body_record
from motherlode.app.requests.command_line import arguments_of, options_of, request_from
from motherlode.app.requests.crawl import AskRequest, CrawlRequest, RefreshRequest
from motherlode.app.requests.export import ExportRequest
from motherlode.app.requests.feedback import FeedbackRequest, MarkRequest, PageMove
from motherlode.app.requests.fields import FieldKind, fields_of, shared_fields_of
from motherlode.app.requests.training import (
    ClusterRequest,
    IndexRequest,
    JudgeRequest,
    TrainRequest,
)
from motherlode.policies.registry import policy_names
from motherlode.records import UsageError

REQUESTS: list[Struct] = [
    CrawlRequest(),
    CrawlRequest(
        pages=5,
        time="1h30m",
        learn_pages=0,
        policy="bingo-2003",
        workers=2,
        index=False,
        feedback=True,
        metrics=0,
        settings=("crawler.contact=a=b", "--x"),
    ),
    CrawlRequest(index=True),
    RefreshRequest(older_than="0s", topic="a/b", pages=3),
    AskRequest(seeds=("http://a.test/", "-"), time="1s"),
    ExportRequest(format="csv", topic="--force", text=True, most=3),
    TrainRequest(preview=True, results=True),
    ClusterRequest(topic="/", k=3, seed=2**63 - 1, apply=True),
    IndexRequest(rebuild=True),
    FeedbackRequest(
        accept=("all",), move=(PageMove("http://b.test/", "-x"),), trim="u", blocks="1", note="a=b"
    ),
    MarkRequest(good=("http://a.test/", "2"), topic="/", note="why"),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
def test_a_request_survives_its_command_line(request_: Struct) -> None:
    assert request_from(type(request_), options_of(request_)) == request_


def test_defaults_are_left_out_of_a_command_line() -> None:
    assert options_of(CrawlRequest(pages=5, feedback=True)) == ("--pages=5", "--feedback")


def test_options_of_the_command_alone_are_skipped() -> None:
    assert request_from(CrawlRequest, ("--progress", "--json", "--pages=5")) == CrawlRequest(
        pages=5
    )


def test_options_that_cannot_be_read_are_told() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        request_from(CrawlRequest, ("--pages=many",))


def test_a_page_to_judge_is_an_argument() -> None:
    request = JudgeRequest(url="http://a.test/")
    assert (options_of(request), arguments_of(request)) == ((), ("http://a.test/",))


@pytest.mark.parametrize(
    ("record", "values"),
    [
        (CrawlRequest, {"time": "soon"}),
        (CrawlRequest, {"time": "0s"}),
        (CrawlRequest, {"policy": "no-such"}),
        (ExportRequest, {"format": "no-such"}),
        (JudgeRequest, {}),
        (JudgeRequest, {"url": "http://a.test/", "again": True}),
        (JudgeRequest, {"url": "http://a.test/", "preview": True}),
    ],
)
def test_a_request_refuses_what_makes_no_sense(
    record: type[Struct], values: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        record(**values)


def test_the_limits_of_a_crawl() -> None:
    assert (CrawlRequest().page_limit, CrawlRequest().seconds) == (1_000, None)
    assert (CrawlRequest(time="2m").page_limit, CrawlRequest(time="2m").seconds) == (None, 120.0)


def test_options_that_stand_for_settings() -> None:
    request = CrawlRequest(settings=("a.b=c",), policy="bingo", workers=3, index=False)
    assert request.overrides == (
        "a.b=c",
        "crawl.policy=bingo",
        "reading.workers=3",
        "index.while_crawling=false",
    )


def test_every_field_has_a_help_text_and_every_form_field_a_label() -> None:
    for record in {type(request) for request in REQUESTS}:
        assert all(field.help for field in fields_of(record)), record
    shown = [field for field in shared_fields_of(CrawlRequest) if field.kind is not FieldKind.TEXTS]
    assert all(field.hints.label for field in shown)


def test_policies_can_be_chosen_everywhere() -> None:
    (field,) = [field for field in fields_of(CrawlRequest) if field.name == "policy"]
    assert field.choices == policy_names()


def test_the_api_has_no_field_of_the_command_line_alone() -> None:
    assert set(body_record(CrawlRequest).__struct_encode_fields__) == {
        "pages",
        "time",
        "learn_pages",
        "policy",
        "feedback",
        "set",
    }
