"""The sites that users name: words, bookmarks and tables, whatever their lines hold."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.app.requests.sites import SitesRequest
from motherlode.app.services.sites.named_sites import (
    NamedSites,
    TableSite,
    named_sites,
    read_site_table,
)
from motherlode.records import BadInputError, UsageError
from motherlode.urls import UrlRules
from motherlode.urls.site_rules import SiteRules

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
<DT><H3>Museums</H3>
<DL><p>
<DT><A HREF="https://one.example/visit">One</A>
<DT><A HREF="javascript:alert(1)">Not a site</A>
<DT><H3>OTHERS</H3>
<DL><p>
<DT><A HREF="https://shop.example/">A shop</A>
</DL><p>
</DL><p>
</DL><p>
"""


def named(rules: SiteRules | None = None, **fields: object) -> NamedSites:
    request = SitesRequest(**fields)  # type: ignore[arg-type]
    return named_sites(request, rules or SiteRules(), UrlRules())


def table(tmp_path: Path, text: str) -> list[TableSite]:
    path = tmp_path / "sites.csv"
    path.write_bytes(text.encode())
    return list(read_site_table(path))


def test_words_name_the_home_pages_of_their_sites() -> None:
    sites = named(like=("https://one.example/a/b?c", "two.example", "https://one.example/"))
    assert sites.like == ("https://one.example/", "http://two.example/")
    rules = SiteRules([["one.example/~anna"]])
    assert named(rules, like=("http://one.example/~anna/x",)).like == ("http://one.example/~anna/",)


def test_a_word_that_is_no_address_and_a_site_named_both_ways_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'ftp://x\.y/' is not an address on the Web"):
        named(like=("ftp://x.y/",))
    with pytest.raises(UsageError, match="named by --like and by --unlike"):
        named(like=("one.example",), unlike=("http://one.example/x",))


def test_bookmarks_below_others_are_counterexamples(tmp_path: Path) -> None:
    (tmp_path / "marks.html").write_text(BOOKMARKS)
    sites = named(bookmarks=str(tmp_path / "marks.html"))
    assert sites.like == ("https://one.example/",)
    assert sites.unlike == ("https://shop.example/",)
    assert len(sites.problems) == 1


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_is_read_by_its_headings(tmp_path: Path, delimiter: str) -> None:
    rows = (
        ("Name", "Homepage", "Like"),
        ("One", "https://one.example/", "Yes"),
        ("Two", "two.example/start", "0"),
        ("Three", "three.example", "undecided"),
    )
    text = "\ufeff" + "\r\n".join(delimiter.join(row) for row in rows)
    assert table(tmp_path, text) == [
        TableSite(2, "https://one.example/", is_like=True),
        TableSite(3, "two.example/start", is_like=False),
    ]


def test_a_table_without_headings_has_its_sites_where_addresses_are(tmp_path: Path) -> None:
    found = table(tmp_path, "One,https://one.example/\n\nTwo,two.example\n")
    assert [(site.line, site.url) for site in found] == [
        (1, "https://one.example/"),
        (3, "two.example"),
    ]


def test_bad_lines_are_told_and_end_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(
        "url,status\nhttps://one.example/,IN\nno site,IN\nhttps://two.example/,perhaps\n"
        "https://three.example/,OUT\nhttps://one.example/x,OUT\n,IN\n"
    )
    sites = named(csv=str(path))
    assert sites.like == ("https://one.example/",)
    assert sites.unlike == ("https://three.example/",)
    assert [problem.partition(": ")[2] for problem in sites.problems] == [
        "'no site' is not an address on the Web.",
        "'perhaps' is neither yes nor no.",
        "https://one.example/ was named the other way before, which counts.",
        "nothing is not an address on the Web.",
    ]
    assert f"{path}, line 3: " in sites.problems[0]


def test_a_table_of_no_sites_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    for text, words in (
        ("name,size\nx,3\n", "no column of sites"),
        ("", "names no site"),
        ("url\nnothing here\n", "names no site"),
    ):
        path.write_text(text)
        with pytest.raises(BadInputError, match=words):
            named(csv=str(path))
    with pytest.raises(BadInputError, match="There is no file"):
        named(csv=str(tmp_path / "none.csv"))
    with pytest.raises(BadInputError, match="cannot be read"):
        named(csv=str(tmp_path))


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    import tempfile  # noqa: PLC0415 - a fixture would be shared by all examples

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sites.csv"
        path.write_text(text, "utf-8", errors="replace")
        try:
            sites = list(read_site_table(path))
        except BadInputError:
            return
        assert all(site.line >= 1 for site in sites)
