"""References to addresses: remembered, and yet what browsers make of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.html import references
from motherlode.documents.html.references import ReferenceResolver
from motherlode.urls import Address, UrlError, UrlRules, address

BASES = [
    "http://a.test/",
    "http://a.test/dir/page.html",
    "https://a.test/dir/sub/?from=/x/y",
    "http://a.test/all.zip#in/page.html",
    "http://a.test:8080/a;b/c",
    "http://a.test/a%20b/c?x#y",
    "http://[::1]/x/",
]
# Pieces of references: delimiters, what browsers overlook or take for a slash, schemes of all kinds.
PIECES = st.sampled_from(
    [
        *(
            "/",
            "//",
            "\\",
            "?",
            "#",
            ":",
            ".",
            "..",
            "@",
            "%",
            "&",
            ";",
            "~",
            "-",
            "[",
            "]",
            "|",
            "(S(x))",
        ),
        *(
            "\t",
            "\n",
            " ",
            "\0",
            "\x7f",
            "\xa0",
            "\u200b",
            "é",
            "%7E",
            "%2e",
            "a",
            "b.html",
            "1",
            "80",
            "x.test",
        ),
        *(
            "http:",
            "https://",
            "HTTP://",
            "mailto:",
            "javascript:",
            "tel:",
            "data:",
            "ftp://",
            "C:",
        ),
    ]
)


def plainly(reference: str, base: str, rules: UrlRules) -> Address | None:
    try:
        return address(reference, base, rules)
    except UrlError:
        return None


REFERENCES = st.builds(
    str.__mul__, st.lists(PIECES, max_size=7).map("".join), st.sampled_from([1, 1, 1, 300])
)


@given(REFERENCES, st.sampled_from(BASES))
def test_what_is_remembered_is_what_a_reference_means(reference: str, base: str) -> None:
    rules = UrlRules()
    resolve = ReferenceResolver(base, rules)
    assert [resolve(reference), resolve(reference)] == [plainly(reference, base, rules)] * 2


def test_a_reference_means_what_it_means_from_where_it_stands() -> None:
    def urls(base: str) -> list[str]:
        found = map(ReferenceResolver(base, UrlRules()), ["x", "/x", "//b.test/x", "?x"])
        return [one.url for one in found if one is not None]

    assert urls("http://a.test/dir/page") == [
        "http://a.test/dir/x",
        "http://a.test/x",
        "http://b.test/x",
        "http://a.test/dir/page?x",
    ]
    assert urls("https://c.test/") == [
        "https://c.test/x",
        "https://c.test/x",
        "https://b.test/x",
        "https://c.test/?x",
    ]


@pytest.mark.parametrize("reference", ["x?utm_source=y&b=1&a=2", "/x?utm_source=y&b=1&a=2"])
def test_each_has_its_own_rules(reference: str) -> None:
    kept, sorting = UrlRules(tracking_parameters=()), UrlRules(sort_query=True)
    for rules, url in [
        (kept, "http://a.test/x?utm_source=y&b=1&a=2"),
        (sorting, "http://a.test/x?a=2&b=1"),
        (UrlRules(), "http://a.test/x?b=1&a=2"),
    ]:
        found = ReferenceResolver("http://a.test/", rules)(reference)
        assert found is not None
        assert found.url == url


def test_no_more_is_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "_REMEMBERED", 3)
    rules = UrlRules(max_url=999)  # rules of our own, of which nothing is remembered yet
    resolve = ReferenceResolver("http://a.test/dir/", rules)
    for number in range(10):
        for reference in (f"x{number}", f"http://b.test/{number}"):
            assert resolve(reference) == plainly(reference, "http://a.test/dir/", rules)
            assert 1 <= len(references._known(rules)) <= 3
