"""Requests of OAI-PMH: arguments, moments, resumption tokens."""

import string
from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.app.services.oai.protocol import (
    ListPosition,
    OaiError,
    OaiErrorCode,
    list_position,
    parse_request,
    token_of,
)

LIST = [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")]
DAY_S = 86_400


def code(pairs: list[tuple[str, str]]) -> OaiErrorCode | None:
    """Return the error of a request; None for a valid one."""
    try:
        request = parse_request(pairs)
        if request.verb in ("ListRecords", "ListIdentifiers"):
            list_position(request)
    except OaiError as error:
        return error.code if str(error).endswith(".") else None
    return None


def with_(**arguments: str) -> list[tuple[str, str]]:
    return [*LIST, *((name.rstrip("_"), value) for name, value in arguments.items())]


@pytest.mark.parametrize(
    "pairs",
    [
        [("verb", "Identify")],
        [("verb", "ListSets")],
        [("verb", "ListMetadataFormats"), ("identifier", "x")],
        [("verb", "GetRecord"), ("identifier", "x"), ("metadataPrefix", "y")],
        with_(from_="2026-01-01", until="2026-01-01", set="x"),
        with_(from_="2026-01-01T00:00:00Z", until="2026-01-01T00:00:00Z"),
    ],
)
def test_valid_requests(pairs: list[tuple[str, str]]) -> None:
    assert code(pairs) is None


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [("verb", "")],
        [("verb", "identify")],
        [("verb", "Identify"), ("verb", "Identify")],
        [("verb", "Identify"), ("verb", "ListSets")],
    ],
)
def test_bad_verbs(pairs: list[tuple[str, str]]) -> None:
    assert code(pairs) is OaiErrorCode.BAD_VERB


@pytest.mark.parametrize(
    "pairs",
    [
        [("verb", "Identify"), ("set", "x")],
        [("verb", "GetRecord"), ("identifier", "x")],
        [("verb", "GetRecord"), ("identifier", ""), ("metadataPrefix", "oai_dc")],
        [("verb", "ListRecords")],
        [("verb", "ListRecords"), ("metadataPrefix", "")],
        [*LIST, ("metadataPrefix", "oai_dc")],
        [*LIST, ("resumptionToken", "x")],
        [("verb", "GetRecord"), ("resumptionToken", "x")],
        with_(identifier="x"),
        with_(from_="2026-01-01", until="2026-01-02T00:00:00Z"),
        with_(from_="2026-01-02", until="2026-01-01"),
        with_(from_="2026-02-30"),
        with_(from_="2026-1-1"),
        with_(from_="2026-01-01T00:00:00"),
        with_(from_="2026-01-01T00:00:00+01:00"),
        with_(from_="2026-01-01T25:00:00Z"),
        with_(until=""),
        with_(until="\u0662\u0660\u0662\u0666-01-01x"),
    ],
)
def test_bad_arguments(pairs: list[tuple[str, str]]) -> None:
    assert code(pairs) is OaiErrorCode.BAD_ARGUMENT


def test_days_and_moments_include_both_ends() -> None:
    day = list_position(parse_request(with_(from_="1970-01-02", until="1970-01-02")))
    assert (day.since, day.until) == (DAY_S, 2 * DAY_S - 1)
    moment = "1970-01-02T00:00:05Z"
    exact = list_position(parse_request(with_(from_=moment, until=moment)))
    assert (exact.since, exact.until) == (DAY_S + 5, DAY_S + 5)


positions = st.builds(
    ListPosition,
    verb=st.sampled_from(["ListRecords", "ListIdentifiers"]),
    prefix=st.text(max_size=20),
    set_spec=st.none() | st.text(max_size=20),
    since=st.none() | st.integers(0, 2**40),
    until=st.none() | st.integers(0, 2**40),
    after=st.text(min_size=1, max_size=50),
    sent=st.integers(1, 10**6),
)


@given(positions)
def test_a_token_brings_back_where_the_list_was(position: ListPosition) -> None:
    token = token_of(position)
    assert set(token) <= set(string.ascii_letters + string.digits + "-_")
    request = parse_request([("verb", position.verb), ("resumptionToken", token)])
    assert list_position(request) == position


def packed(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


FIRST = ListPosition("ListRecords", "oai_dc", None, None, None)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "nonsense",
        "\u00e9\u00e9",
        "x" * 10_000,
        packed("[]"),
        packed("{}"),
        packed('["ListRecords","oai_dc",null,null,null,"a","b"]'),
        packed('["ListRecords", "oai_dc",null,null,null,"a",1]'),  # a blank too much
        packed('["ListRecords","oai_dc",null,null,null,"a",0]'),
        packed('["ListRecords","oai_dc",null,null,null,"",1]'),
        packed('["ListIdentifiers","oai_dc",null,null,null,"a",1]'),
        packed("[" * 5_000)[:1_999],
        token_of(FIRST),
    ],
)
def test_tokens_of_nobody(token: str) -> None:
    pairs = [("verb", "ListRecords"), ("resumptionToken", token)]
    assert code(pairs) is OaiErrorCode.BAD_TOKEN


@given(st.text(max_size=200))
def test_any_text_is_no_token(text: str) -> None:
    pairs = [("verb", "ListIdentifiers"), ("resumptionToken", text)]
    assert code(pairs) is OaiErrorCode.BAD_TOKEN


@given(st.lists(st.tuples(st.sampled_from(["verb", "set", "from", "x"]), st.text(max_size=9))))
def test_any_request_is_valid_or_has_a_code(pairs: list[tuple[str, str]]) -> None:
    assert code(pairs) in (*OaiErrorCode, None)
