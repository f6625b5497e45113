"""The sites that users name: words, bookmarks and tables, whatever their lines hold."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.app.requests.sites import MAX_NAMED_SITES, SitesRequest
from motherlode.app.services.sites.named_sites import NamedSites, named_sites
from motherlode.app.services.sites.site_csv import TableSite, read_site_csv
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
    return list(read_site_csv(path).sites)


def test_words_name_the_home_pages_of_their_sites() -> None:
    sites = named(like=("https://one.example/a/b?c", "two.example", "https://one.example/"))
    assert sites.like == ("https://one.example/", "http://two.example/")
    rules = SiteRules([["one.example/~anna"]])
    assert named(rules, like=("http://one.example/~anna/x",)).like == ("http://one.example/~anna/",)


def test_a_word_that_is_no_address_and_a_site_named_both_ways_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'ftp://x\.y/' is not an address on the Web"):
        named(like=("ftp://x.y/",))
    for word, reason in (("mailto:a@b.example", "scheme 'mailto'"), ("a@b.example", "e-mail")):
        with pytest.raises(UsageError, match=f"'{word}' is not an address on the Web: {reason}"):
            named(like=(word,))
    assert named(like=("one.example:8080/@anna",)).like == ("http://one.example:8080/",)
    with pytest.raises(UsageError, match="named by --like and by --unlike"):
        named(like=("one.example",), unlike=("http://one.example/x",))


def test_bookmarks_below_others_are_counterexamples(tmp_path: Path) -> None:
    (tmp_path / "marks.html").write_text(BOOKMARKS)
    sites = named(bookmarks=str(tmp_path / "marks.html"))
    assert sites.like == ("https://one.example/",)
    assert sites.unlike == ("https://shop.example/",)
    assert sites.problems == (
        f"{tmp_path / 'marks.html'}: 1 bookmark is left out: scheme 'javascript'.",
    )


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
        "https://one.example/ is already named as like, which counts.",
        "nothing is not an address on the Web.",
    ]
    assert f"{path}, line 3: " in sites.problems[0]


EXPORTED = """site,home,title,probability,relevant,choice,state
a.example,http://a.example/,A,1.0,true,like,named
b.example,http://b.example/,B,0.97,true,,examined
c.example,http://c.example/,C,,false,,waiting
d.example,http://d.example/,D,0.1,false,reject,examined
"""


def test_only_choices_count_in_a_table_that_was_exported(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(EXPORTED)
    sites = named(csv=str(path))
    assert (sites.like, sites.unlike) == (("http://a.example/",), ("http://d.example/",))
    assert sites.remarks == (f"{path}: 2 sites without yes or no are left out.",)
    path.write_text("site,relevant,choice\nc.example,false,\n")
    waiting = named(csv=str(path), like=("a.example",))
    assert (waiting.like, waiting.unlike) == (("http://a.example/",), ())


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("Name,Web address,Relevant?\nOne,one.example,yes\nTwo,two.example,no\n", ""),
        (
            "Name,Web address,Wanted\nOne,one.example,yes\nTwo,two.example,no\n",
            "the column 'Wanted' says which sites are wanted",
        ),
        (
            "One,one.example,yes\nTwo,two.example,no\nThree,three.example,\n",
            "column 3 says which sites are wanted",
        ),
        ("1;one.example\n0;two.example\n", "column 1 says which sites are wanted"),
    ],
)
def test_answers_are_found_by_what_is_in_their_column(
    tmp_path: Path, text: str, remark: str
) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(text)
    read = read_site_csv(path)
    assert [(site.url, site.is_like) for site in read.sites] == [
        ("one.example", True),
        ("two.example", False),
    ]
    assert read.remark == remark


def test_a_table_without_answers_says_so(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("site,size\none.example,1\ntwo.example,1\n")
    assert named(csv=str(path)).remarks == (
        f"{path}: no column of yes and no was found, so all its sites are taken as wanted.",
    )


@pytest.mark.parametrize("title", ["# my list\n", "Museums, November\n\n", "# a, b, c\n"])
def test_a_title_may_stand_above_the_headings(tmp_path: Path, title: str) -> None:
    sites = table(tmp_path, f"{title}url;name;like\none.example;One;yes\ntwo.example;Two;no\n")
    assert [(site.url, site.is_like, site.problem) for site in sites] == [
        ("one.example", True, ""),
        ("two.example", False, ""),
    ]


def test_a_quotation_mark_that_is_not_closed_costs_one_line(tmp_path: Path) -> None:
    rows = 'url,name\none.example,"One\ntwo.example,Two\nthree.example,"Three, too"\n'
    for end in ("", 'four.example,"Four\n'):
        sites = table(tmp_path, rows + end)
        assert [site.url for site in sites if not site.problem] == ["two.example", "three.example"]
        broken = [(site.line, site.problem) for site in sites if site.problem]
        unclosed = "a quotation mark is opened and never closed"
        assert broken == [(2, unclosed), *([(5, unclosed)] if end else [])]
    assert [site.line for site in table(tmp_path, 'url,n\n a.org,"x\ny"\nb.org,5" disk')] == [2, 4]
    (tmp_path / "sites.csv").write_text('url\n"one.example\n')
    with pytest.raises(BadInputError, match=r"names no site\..*, line 2: a quotation mark"):
        named(csv=str(tmp_path / "sites.csv"))


def test_a_file_names_no_more_sites_than_a_command_may(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("url\n" + "".join(f"s{n}.example\n" for n in range(MAX_NAMED_SITES + 1)))
    with pytest.raises(BadInputError, match=r"More than 10,000 sites are named"):
        named(csv=str(path))
    (tmp_path / "marks.txt").write_text(
        "".join(f"http://s{n}.example/\n" for n in range(MAX_NAMED_SITES + 1))
    )
    with pytest.raises(BadInputError, match=r"More than 10,000 sites are named"):
        named(bookmarks=str(tmp_path / "marks.txt"))


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
            sites = read_site_csv(path).sites
        except BadInputError:
            return
        assert all(site.line >= 1 for site in sites)
