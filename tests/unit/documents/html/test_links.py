"""Links: what they say, what is said around them, where in the page they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.html import links as links_of_pages
from motherlode.documents.html.links import MAX_LINKS
from motherlode.documents.html.reader import read_html
from motherlode.records import Link, LinkFlag
from motherlode.urls import UrlRules


def links(html: str) -> tuple[Link, ...]:
    return read_html(html, "http://a.test/dir/page.html", UrlRules()).links


def link(html: str) -> Link:
    (found,) = links(html)
    return found


ANCHORS = {
    '<a href="/x">two\n  words</a>': "two words",
    '<a href="/x"><b>bo</b>ld</a>': "bold",
    '<a href="/x"><div>One</div><div>Two</div></a>': "One Two",
    '<a href="/x"><h3>Title</h3><p>Summary.</p></a>': "Title Summary.",
    '<a href="/x">one<br>two</a>': "one two",
    '<a href="/x"><img src=i alt=" A  picture "></a>': "A picture",
    '<a href="/x"><span><img src=i alt="A picture"></span></a>': "A picture",
    '<a href="/x"><img src=i alt="A picture"> and words</a>': "and words",
    '<a href="/x"><img src=i></a>': "",
    '<a href="/x"></a>': "",
    '<a href="/x">a<script>b</script><style>c</style></a>': "a",
    '<a href="/x">&amp; &#233;</a>': "& é",
    '<a href="/x">' + "word " * 100 + "</a>": ("word " * 40).strip(),
}


@pytest.mark.parametrize(("html", "anchor"), ANCHORS.items())
def test_a_link_says_its_words_or_its_picture(html: str, anchor: str) -> None:
    assert link(f"<div>{html}</div>").anchor == anchor
    assert link(f"<nav>{html}</nav>").anchor.replace(" ", "") == anchor.replace(" ", "")


CONTEXTS = {
    "<p>one two three four five six <a href=/x>link</a> seven eight nine ten eleven twelve</p>": (
        "two three four five six seven eight nine ten eleven"
    ),
    "<p><a href=/x>link</a> first of all</p>": "first of all",
    "<p>last of all <a href=/x>link</a></p>": "last of all",
    "<a href=/x>alone</a>": "",
    "<p>super<a href=/x>mark</a>et is": "super et is",
    "<table><tr><td>one</td><td><a href=/x>link</a></td><td>two</td></tr><tr><td>three</td></tr></table>": (
        "one two three"
    ),
    "<ul><li>one<li><a href=/x>link</a><li>two</ul>": "one two",
    "<p>one</p><p><a href=/x>link</a></p><p>two</p>": "one two",
    "<p>see <a href=/x><img alt=picture></a> there": "see there",
    "<p>long <a href=/x>" + "word " * 200 + "</a> after": "long after",
    "<pre>one  two\n<a href=/x>link</a>\nthree</pre>": "one two three",
    "<p>one <a href=/x>link</a><script>no</script> two <i hidden>no</i> three": "one two three",
}


@pytest.mark.parametrize(("html", "context"), CONTEXTS.items())
def test_about_ten_words_stand_around_a_link(html: str, context: str) -> None:
    assert link(html).context == context


def test_the_words_around_a_link_in_a_table_are_not_lost_in_its_blanks() -> None:
    row = "<tr><td>{}<td><a href=/x>link</a><td>{}"
    wide = "<tr><td>" + "x" * 300 + "<td>x<td>x"
    html = f"<table>{row.format('one two three', 'four five six')}{wide}</table>"
    assert links(html)[0].context == f"one two three four five six {'x' * 300} x"


def test_words_around_a_link_are_whole() -> None:
    html = f"<p>one {'b' * 100} {'c' * 100} <a href=/x>link</a> {'d' * 119} {'e' * 100} six"
    assert link(html).context == f"one {'b' * 100} {'c' * 100} {'d' * 119} {'e' * 100} six"


MARKED = {
    "<ul>lost <a href=/x>link</a><li>item</ul>": "link",  # in a list, turbohtml reads nothing but its items
    "<p><a hidden href=/x>link</a>": "link",
    "<p><a hidden href=/x></a>x": "",
    "<div hidden>a <a href=/x>link</a> b</div>": "link",
    "<nav><a href=/x>one <h3>two</h3></a></nav>": "one two",
    "<noscript>a <a href=/x>link</a></noscript>": "link",
}


@pytest.mark.parametrize(("html", "anchor"), MARKED.items())
def test_a_link_that_stands_nowhere_in_the_text_says_what_it_says(html: str, anchor: str) -> None:
    found = link(f"<h1>One</h1>{html}<p>two three")
    assert (found.anchor, found.context) == (anchor, "")


def test_links_beside_each_other_are_each_other_s_context() -> None:
    items = "".join(f"<li><a href=/{letter}>{letter}</a>" for letter in "abcdef")
    assert [found.context for found in links(f"<ul>{items}</ul>")] == [
        "b c d e f",
        "a c d e f",
        "a b d e f",
        "a b c e f",
        "a b c d f",
        "a b c d e",
    ]


def test_words_that_are_said_again_are_told_apart() -> None:
    found = links("<p><a href=/1>owl</a> owl one <a href=/2>owl</a> owl two")
    assert [one.context for one in found] == ["owl one owl owl two", "owl owl one owl two"]


def test_what_surrounds_a_link_in_a_menu_says_nothing() -> None:
    found = link("<nav><ul><li>one <a href=/x>link</a> two</ul></nav>")
    assert (found.anchor, found.context, found.flags) == ("link", "", LinkFlag.NAVIGATION)


@pytest.mark.parametrize(
    ("html", "navigation"),
    [
        ("<nav>{}</nav>", True),
        ("<header>{}</header>", True),
        ("<footer><p>{}</p></footer>", True),
        ("<aside>{}</aside>", True),
        ("<div role=navigation>{}</div>", True),
        ("<div class='main-Menu x'>{}</div>", True),
        ("<div id=leftSidebar>{}</div>", True),
        ("<nav><div class=menu><ul class=nav>{}</ul></div></nav>", True),
        ("<div>{}</div>", False),
        ("<body class='has-sidebar header-fixed'><p>{}</p>", False),
        ("<html class=no-menu><body id=navigation><p>{}</p>", False),
    ],
)
def test_links_in_menus_are_told_apart(html: str, navigation: bool) -> None:  # noqa: FBT001 - a parameter
    found = link(html.format("<a href=/x>x</a>"))
    assert bool(found.flags & LinkFlag.NAVIGATION) is navigation


RELATIONS = {
    "": ("", False),
    "rel": ("", False),
    "rel=next": ("next", False),
    "rel='NoFollow  noopener\nugc'": ("nofollow noopener ugc", True),
    "rel='no follow'": ("no follow", False),
    "rel=x-nofollow": ("x-nofollow", False),
    f"rel='{'long ' * 100}nofollow'": (("long " * 20).strip(), True),
}


@pytest.mark.parametrize("frame", ["<p>Owls {} fly</p>", "<nav>{}</nav>", "<map>{}</map>"])
@pytest.mark.parametrize(("said", "meant"), RELATIONS.items())
def test_a_link_says_how_its_target_relates_to_the_page(
    frame: str, said: str, meant: tuple[str, bool]
) -> None:
    kind = "area" if "map" in frame else "a"
    found = link(frame.format(f"<{kind} href=/x {said}>x</{kind}>"))
    assert (found.rel, bool(found.flags & LinkFlag.NOFOLLOW)) == meant


def test_relations_are_kept_where_a_page_closes_all_its_links() -> None:
    found = link("<meta name=robots content=nofollow><p><a href=/x rel=next>x</a>")
    assert (found.rel, found.flags & LinkFlag.NOFOLLOW) == ("next", LinkFlag.NOFOLLOW)


def test_a_menu_that_is_remembered_says_what_it_says_in_each_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(links_of_pages, "_menus", {})
    monkeypatch.setattr(links_of_pages, "_REMEMBERED", 3)
    menus = [
        "<nav><a href=/x>Owls</a></nav>",
        "<nav><a href=/y>Owls</a></nav>",
        "<nav><a href=/x>Barn owls</a></nav>",
        "<nav><a href=/x title=Birds>Owls</a></nav>",
        "<nav><a href=/x rel=nofollow>Owls</a></nav>",
        "<nav><a href=/x rel=next>Owls</a></nav>",
        "<nav><p><a href=/x>Owls</a></nav>",
        "<nav><a href=/x><img alt=One></a></nav>",
        "<nav><a href=/x><img alt=Another></a></nav>",
        "<nav><a href=/x><h2>Night birds</h2></a></nav>",
    ]
    alone = []
    for menu in menus:
        links_of_pages._menus.clear()
        alone.append(link(menu))
    assert [link(menu) for menu in menus * 2] == alone * 2
    told = {(one.url, one.anchor, one.title, one.flags, one.path, one.rel) for one in alone}
    assert len(told) == len(menus)
    assert len(links_of_pages._menus) <= 3


def test_every_kind_of_link_is_in_document_order() -> None:
    html = (
        "<a href=1>a</a><map><area href=2></map><iframe src=3></iframe><a href=4>b</a>"
        "<link rel=canonical href=6><meta http-equiv=refresh content='0;url=5'>"
    )
    found = links(html)
    assert [one.url[-1] for one in found] == ["1", "2", "3", "4", "5", "6"]
    assert [LinkFlag(one.flags) for one in found] == [
        LinkFlag.NONE,
        LinkFlag.NONE,
        LinkFlag.FRAME,
        LinkFlag.NONE,
        LinkFlag.REFRESH,
        LinkFlag.CANONICAL,
    ]


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("x", "http://a.test/dir/x"),
        ("/x", "http://a.test/x"),
        ("//b.test/x", "http://b.test/x"),
        ("/\\b.test/x", "http://b.test/x"),
        ("?q", "http://a.test/dir/page.html?q"),
        ("HTTP://B.test", "http://b.test/"),
        ("http:x", "http://a.test/dir/x"),
        ("  /x\n", "http://a.test/x"),
        ("../../../x", "http://a.test/x"),
        ("http://b.test:80/x#y", "http://b.test/x"),
    ],
)
def test_references_are_resolved_as_browsers_do(reference: str, url: str) -> None:
    assert link(f'<a href="{reference}">x</a>').url == url
    assert link(f'<base href="/dir/"><a href="{reference}">x</a>').url == url.replace(
        "page.html", ""
    )


def test_there_is_an_end_to_links() -> None:
    html = "".join(
        f"<p>{number} <a href=/{number}>link {number}</a>" for number in range(MAX_LINKS + 500)
    )
    found = links(html)
    assert len(found) == MAX_LINKS
    last = MAX_LINKS - 1
    assert (found[-1].url, found[-1].anchor) == (f"http://a.test/{last}", f"link {last}")
    assert found[-1].context.startswith(
        f"{last - 2} {last - 1} link {last - 1} {last} {last + 1} link"
    )


WORDS = st.lists(st.text("abcxyz\u4e00\u4e01 &", min_size=1, max_size=6), min_size=1, max_size=12)


@given(WORDS)
def test_marks_leave_no_trace(words: list[str]) -> None:
    plain = "".join(f"<i>{word}</i> " for word in words).replace("&", "&amp;")
    linked = plain.replace("<i>", "<a href=/x>").replace("</i>", "</a>")
    one = read_html(f"<p>{plain}", "http://a.test/", UrlRules())
    other = read_html(f"<p>{linked}", "http://a.test/", UrlRules())
    assert one.text.split() == other.text.split()
    assert [found.anchor for found in other.links] == [" ".join(word.split()) for word in words]
