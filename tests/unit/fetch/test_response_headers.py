"""What heads say to crawlers."""

import pytest

from motherlode.documents.robots_directives import Directives
from motherlode.fetch import Response
from motherlode.fetch.response_headers import canonical_of, directives_of

BOTH, NEITHER = Directives(), Directives(index=False, follow=False)
NOINDEX, NOFOLLOW = Directives(index=False), Directives(follow=False)


def response(*headers: tuple[str, str]) -> Response:
    return Response("http://a.test/dir/page", 200, headers, b"", 0.0, 0.0)


TAGS = {
    ("noindex",): NOINDEX,
    ("noindex", "nofollow"): NEITHER,
    ("noindex", "index, follow"): NOINDEX,
    ("motherlode: nofollow",): NOFOLLOW,
    ("MotherLode : none",): NEITHER,
    ("otherbot: noindex",): BOTH,
    ("otherbot: noindex, nofollow", "nofollow"): NOFOLLOW,
    ("noindex, otherbot: nofollow",): NOINDEX,
    ("otherbot: noindex, nofollow, motherlode: nofollow",): NOFOLLOW,
    ("motherlode: noindex, otherbot: nofollow",): NOINDEX,
    ("unavailable_after: 25 Jun 2050 15:00:00 PST",): BOTH,
    ("unavailable_after: 25 Jun 2050 15:00:00 PST, noindex",): NOINDEX,
    ("nofollow, unavailable_after: Saturday, 25-Jun-50 15:00:00 GMT, noindex",): NEITHER,
    ("max-image-preview: large, nofollow",): NOFOLLOW,
    ("",): BOTH,
    (":", ": noindex", ",,,:,"): BOTH,
}


@pytest.mark.parametrize(("told", "meant"), TAGS.items())
def test_tags_for_all_and_for_us_are_heard_and_those_for_others_are_not(
    told: tuple[str, ...], meant: Directives
) -> None:
    given = response(*(("X-Robots-Tag", one) for one in told))
    assert directives_of(given, "motherlode") == meant


LINKS = {
    '<http://b.test/x>; rel="canonical"': "http://b.test/x",
    "</x>; rel=canonical": "http://a.test/x",
    "<y>; title='z'; REL = 'Canonical'": "http://a.test/dir/y",
    '</style.css>; rel=preload, </x>; rel="canonical"': "http://a.test/x",
    '</x>; rel="nofollow canonical"': "http://a.test/x",
    '</x>; rel="canonical-ish"': "",
    "</x>; rel=alternate": "",
    "</x>; rel=prerelease; title=canonical": "",
    "<ftp://b.test/>; rel=canonical": "",
    "<>; rel=canonical": "http://a.test/dir/page",
    "canonical": "",
    "": "",
}


@pytest.mark.parametrize(("told", "meant"), LINKS.items())
def test_the_canonical_address_is_read_from_a_link_header(told: str, meant: str) -> None:
    assert canonical_of(response(("Link", told))) == meant


def test_the_first_canonical_of_several_headers_counts() -> None:
    told = (
        ("Link", "</0>; rel=next"),
        ("link", "</1>; rel=canonical"),
        ("Link", "</2>; rel=canonical"),
    )
    assert canonical_of(response(*told)) == "http://a.test/1"


@pytest.mark.parametrize(
    "told",
    [
        "<x>; rel=" + " " * 60_000,
        "<" * 60_000,
        '<x>; rel="' * 6000,
        "<x>" + ";" * 60_000,
        "<x>; rel" * 9000,
    ],
)
@pytest.mark.timeout(5)  # it took minutes where a header was searched again from every blank
def test_no_header_keeps_us_busy(told: str) -> None:
    assert canonical_of(response(*[("Link", told)] * 5)) == ""
    assert directives_of(response(("X-Robots-Tag", told)), "motherlode") == BOTH
