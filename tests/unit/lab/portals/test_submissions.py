"""What forms send, well and badly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.lab.portals.designs import designs
from motherlode.lab.portals.paper_index import PaperIndex
from motherlode.lab.portals.records import PaperRecord
from motherlode.lab.portals.site import PortalSite, PortalTraits
from motherlode.lab.portals.submissions import (
    MAX_FIELDS,
    MAX_VALUE_CHARS,
    MULTIPART,
    URLENCODED,
    submitted_values,
)
from motherlode.lab.web import Answer, SandboxRequest
from support.portal_clients import BOUNDARY, multipart

PAPERS = tuple(PaperRecord(id=str(n), title=f"Owls {n}", authors=("", "Ng, A.")) for n in range(30))
SITES = [
    PortalSite(PortalTraits(design, design.host), PaperIndex(PAPERS), {p.id for p in PAPERS})
    for design in designs()
]
WORDS = st.sampled_from(
    [
        "/", "?", "&", "=", "%", "%ff", "+", "#", ";", "99999999", "-1", "owls", "token", "query", "set", "from",
        "page", "q", "/search", "/find", "/find/submit", "/find/set", "/recherche", "/abs/", "/paper/", "/pdf/",
        ".pdf", "/export/", ".bib", "/author/", "/promo/", ".html", "\xe9", "\0",
    ]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=12).map("".join)


def post(content_type: str, body: bytes) -> SandboxRequest:
    headers = {"content-type": content_type}
    return SandboxRequest("POST", "http://a.test/", "a.test", "/", headers, body=body)


def parts(fields: dict[str, str]) -> SandboxRequest:
    return post(f"{MULTIPART}; boundary={BOUNDARY}", multipart(fields))


def test_the_three_ways_of_a_form_say_the_same() -> None:
    values = {"title": "Eulen & Käuze", "empty": "", "lines": "a\r\n\r\nb"}
    query = "title=Eulen+%26+K%C3%A4uze&empty=&lines=a%0D%0A%0D%0Ab"
    get = SandboxRequest("GET", f"http://a.test/?{query}", "a.test", f"/?{query}")
    assert submitted_values(get, "utf-8") == values
    assert submitted_values(post(URLENCODED, query.encode()), "utf-8") == values
    assert submitted_values(parts(values), "utf-8") == values


def test_values_are_read_in_the_encoding_of_the_portal() -> None:
    assert submitted_values(post(URLENCODED, b"a=K%E4uze"), "iso-8859-1") == {"a": "Käuze"}
    assert submitted_values(post(URLENCODED, b"a=K%E4uze"), "utf-8") == {"a": "K�uze"}


def test_the_first_of_several_values_counts_within_bounds() -> None:
    assert submitted_values(post(URLENCODED, b"a=1&a=2"), "utf-8") == {"a": "1"}
    assert submitted_values(post(URLENCODED, b"a=1&" * (MAX_FIELDS + 1)), "utf-8") == {}
    long = "x" * (MAX_VALUE_CHARS + 1)
    assert submitted_values(parts({"a": long}), "utf-8") == {"a": long[:-1]}
    many = {f"n{number}": "1" for number in range(MAX_FIELDS + 5)}
    assert len(submitted_values(parts(many), "utf-8")) == MAX_FIELDS


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("", b"a=1"),
        ("text/plain", b"a=1"),
        (MULTIPART, multipart({"a": "1"})),
        (f"{MULTIPART}; boundary=other", multipart({"a": "1"})),
        (f'{MULTIPART}; boundary=""', b"--"),
        (f"{MULTIPART}; boundary=x", b"--x\r\n\r\n\r\n--x--"),
    ],
)
def test_what_says_nothing_has_no_values(content_type: str, body: bytes) -> None:
    assert submitted_values(post(content_type, body), "utf-8") == {}


@given(
    method=st.sampled_from(["GET", "POST"]),
    target=TEXTS,
    body=st.one_of(st.binary(max_size=50), TEXTS.map(str.encode)),
    kind=st.sampled_from([URLENCODED, f"{MULTIPART}; boundary=owls", "", ";;"]),
    cookie=TEXTS,
)
def test_every_request_has_an_answer_or_none(
    method: str, target: str, body: bytes, kind: str, cookie: str
) -> None:
    for site in SITES:
        headers = {"content-type": kind, "cookie": cookie}
        request = SandboxRequest(
            method, f"http://a.test/{target}", "a.test", f"/{target}", headers, body=body
        )
        answer = site.reply(request)
        assert answer is None or isinstance(answer, Answer)
