"""Whole pages, as people write them: what they say of themselves, their text, what is hidden in them."""

import pytest
from msgspec.structs import replace

from motherlode.documents.html.reader import read_html
from motherlode.records import Document, Link, LinkFlag
from motherlode.urls import UrlRules

URL = "http://owls.test/birds/barn.html"


def page(html: str, url: str = URL) -> Document:
    return read_html(html, url, UrlRules())


ARTICLE = """<!DOCTYPE html>
<html lang="en-GB"><head>
<meta charset="utf-8">
<title>Barn owls &mdash; The Owl Pages</title>
<meta name="description" content=" All about
 the barn owl. ">
<meta property="og:title" content="Another title">
<link rel="stylesheet" href="/style.css">
<link rel="alternate canonical" href="/birds/barn">
<script>var owls = "never read";</script>
<style>p { colour: never }</style>
</head><body class="page has-sidebar">
<header><a href="/"><img src="/logo.png" alt="The Owl Pages"></a></header>
<nav><ul><li><a href="/birds">Birds</a></li><li><a href="/maps">Maps</a></li></ul></nav>
<main><article>
<h1>The barn<br>owl</h1>
<p>The barn owl is the most widely distributed species of owl in the world and one of the most
widespread of all birds. It is found almost everywhere except in polar and desert regions, see
<a href="maps/range.html" title="A map">where it lives</a> for a map of its range in all seasons.</p>
<figure><img src="owl.jpg" alt="A barn owl on a fence"><figcaption>On a fence</figcaption></figure>
<h2>Food</h2>
<p>It hunts voles and mice by night, and finds them by hearing alone; an owl with a family may catch
five thousand in a year, as <a href="http://voles.test/" rel="nofollow external">the voles</a> know.</p>
<table><tr><th>Length</th><td>33 cm</td></tr><tr><th>Weight</th><td>300 g</td></tr></table>
</article></main>
<aside class="sidebar"><h3>More</h3><a href="/snowy">Snowy owls</a></aside>
<footer><p>Copyright nobody at all. <a href="/imprint">Imprint</a></p></footer>
<script>document.write("<p>written</p>")</script>
</body></html>"""


def test_an_article_says_all_of_this() -> None:
    found = page(ARTICLE)
    assert found.title == "Barn owls — The Owl Pages"
    assert (found.language, found.description) == ("en", "All about the barn owl.")
    assert found.headings == ("The barn owl", "Food", "More")
    assert found.images == ("The Owl Pages", "A barn owl on a fence")
    assert found.canonical == "http://owls.test/birds/barn"
    assert (found.refresh, found.noindex, found.forms, found.unreadable) == ("", False, (), "")


def test_the_text_is_in_blocks_and_the_main_text_is_without_menus() -> None:
    found = page(ARTICLE)
    lines = found.text.split("\n")
    assert lines[:4] == ["Birds", "Maps", "The barn", "owl"]
    assert "Length 33 cm" in lines
    assert lines[-1] == "Copyright nobody at all. Imprint"
    assert "never" not in found.text
    assert "written" not in found.text
    for word in ("most widely distributed", "five thousand"):
        assert word in found.main
    for word in ("Birds", "Maps", "Snowy", "Imprint"):
        assert word in found.text
        assert word not in found.main
    assert set(found.main.split("\n")) <= set(lines)


def test_its_links_are_told_with_all_that_is_known_of_them() -> None:
    links = page(ARTICLE).links
    assert [
        (link.url.removeprefix("http://owls.test"), link.anchor, link.flags) for link in links
    ] == [
        ("/", "The Owl Pages", LinkFlag.NAVIGATION),
        ("/birds", "Birds", LinkFlag.NAVIGATION),
        ("/maps", "Maps", LinkFlag.NAVIGATION),
        ("/birds/maps/range.html", "where it lives", LinkFlag.CONTENT),
        ("http://voles.test/", "the voles", LinkFlag.CONTENT | LinkFlag.NOFOLLOW),
        ("/snowy", "Snowy owls", LinkFlag.NAVIGATION),
        ("/imprint", "Imprint", LinkFlag.NAVIGATION),
        ("/birds/barn", "", LinkFlag.CANONICAL),
    ]
    assert links[3].title == "A map"
    assert links[3].context == "polar and desert regions, see for a map of its"
    assert links[3].path == "/html/body/main/article/p[1]/a"


OLD = """<HTML XML:LANG=de><HEAD><BASE HREF="http://mirror.test/eulen/"><TITLE></TITLE>
<META HTTP-EQUIV="Refresh" CONTENT="10; URL=neu.htm"></HEAD>
<BODY BGCOLOR=white><CENTER><FONT SIZE=+3><H1>Die <B>Eule</B></H1></FONT>
<TABLE><TR><TD><A HREF=a.htm>Erste</A><TD>und<TD><A HREF=b.htm>Zweite</A></TABLE>
<P>Ein Satz <I>ohne <B>Ende</I> hier</B>
<MAP NAME=m><AREA HREF=karte.htm ALT="Karte"></MAP>
<UL><LI>eins<LI>zwei<UL><LI>drei</UL></UL>"""


def test_an_old_page_that_closes_nothing_is_read_as_browsers_do() -> None:
    found = page(OLD)
    assert (found.title, found.language) == ("Die Eule", "de")
    assert found.refresh == "http://mirror.test/eulen/neu.htm"
    assert found.text.split("\n") == [
        "Die Eule",
        "Erste und Zweite",
        "Ein Satz ohne Ende hier",
        "eins",
        "zwei",
        "drei",
    ]
    assert [(link.url.rpartition("/")[2], link.anchor) for link in found.links] == [
        ("a.htm", "Erste"),
        ("b.htm", "Zweite"),
        ("karte.htm", ""),
        ("neu.htm", ""),
    ]


def test_a_frameset_leads_to_its_frames() -> None:
    html = (
        "<title>Frames</title><frameset cols=2><frame src=/menu name=m title=Menu><frame src=main.html>"
        "<noframes><body>Get a browser. <a href=/no>no</a></body></noframes></frameset>"
    )
    found = page(html)
    assert (found.title, found.text) == ("Frames", "")
    assert [(link.url, link.title, link.flags) for link in found.links] == [
        ("http://owls.test/menu", "Menu", LinkFlag.FRAME),
        ("http://owls.test/birds/main.html", "", LinkFlag.FRAME),
    ]


def test_a_frame_in_a_page_is_a_link_whose_words_for_the_frameless_are_no_text() -> None:
    found = page("<p>Before <iframe src=/inner><p>No frames here?</p></iframe> after</p>")
    assert found.text == "Before after"
    (link,) = found.links
    assert (link.url, link.anchor, link.flags) == ("http://owls.test/inner", "", LinkFlag.FRAME)
    assert link.context == "Before after"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>One</title><title>Two</title><h1>Three</h1>", "One"),
        (
            "<title> </title><meta property=og:title content=' Two  words '><h1>Three</h1>",
            "Two words",
        ),
        ("<h1>Three<br>words <script>x()</script>here</h1><h1>Four</h1>", "Three words here"),
        ("<svg><title>Logo</title></svg><h1>Three</h1>", "Three"),
        ("<svg><title>Logo</title></svg><title>One</title>", "One"),
        ("<h1 hidden>Secret</h1><h1>Shown</h1>", "Shown"),
        ("<title>&lt;b&gt; &amp; &eacute;</title>", "<b> & é"),
        ("<p>nothing", ""),
        ("<title>" + "x" * 5000, "x" * 500),
    ],
)
def test_the_title_is_what_comes_nearest_to_one(html: str, title: str) -> None:
    assert page(html).title == title


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=en-US>", "en"),
        ("<html lang=' DE '>", "de"),
        ("<html xml:lang=fr>", "fr"),
        ("<html lang=pt_BR>", "pt"),
        ("<html><meta property=og:locale content=it_IT>", "it"),
        ("<html lang=english>", ""),
        ("<html lang=''>", ""),
        ("<html lang=1x>", ""),
        ("<p lang=es>", ""),
    ],
)
def test_the_language_is_the_one_that_the_page_names(html: str, language: str) -> None:
    assert page(html).language == language


@pytest.mark.parametrize(
    ("meta", "target"),
    [
        ('content="0;url=/new"', "http://owls.test/new"),
        ('content="5; URL=new.html"', "http://owls.test/birds/new.html"),
        ("content=\"0; url='/quoted'\"", "http://owls.test/quoted"),
        ('content="300"', ""),
        ('content="0;url=barn.html"', ""),
        ('content="0;url=barn.html#here"', ""),
        ('content="0;url=javascript:x()"', ""),
        ('content="soon"', ""),
        ("", ""),
    ],
)
def test_a_page_that_leads_on_by_itself_says_where(meta: str, target: str) -> None:
    found = page(f"<meta http-equiv=refresh {meta}><p>Wait.")
    assert found.refresh == target
    told = [(link.url, link.flags) for link in found.links]
    assert told == ([(target, LinkFlag.REFRESH)] if target else [])


def test_a_refresh_is_resolved_against_the_base_and_one_for_the_scriptless_is_none() -> None:
    refresh = '<meta http-equiv=refresh content="0;url=x">'
    assert page(f"<base href=http://b.test/c/>{refresh}").refresh == "http://b.test/c/x"
    assert page(f"<head><noscript>{refresh}</noscript></head>").refresh == ""


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ("<link rel=canonical href=/c>", "http://owls.test/c"),
        ("<link rel='CANONICAL' href=' /c '>", "http://owls.test/c"),
        (
            "<link rel=canonical><link rel=canonical href=''><link rel=canonical href=/c>",
            "http://owls.test/c",
        ),
        ("<link rel=canonical href=mailto:x>", ""),
        ("<link rel=stylesheet href=/c>", ""),
    ],
)
def test_the_canonical_address_is_the_one_named(html: str, canonical: str) -> None:
    assert page(html).canonical == canonical


HIDDEN = [
    "<{tag} hidden>secret</{tag}>",
    "<{tag} hidden=until-found>secret</{tag}>",
    '<{tag} style="display:none">secret</{tag}>',
    '<{tag} style="color:red; DISPLAY :  None !important">secret</{tag}>',
    '<{tag} style="visibility:hidden">secret</{tag}>',
    '<{tag} style="Visibility:  Hidden;">secret</{tag}>',
    "<{tag} hidden>secret<{tag} hidden>secret</{tag}></{tag}>",
    "<script>secret</script>",
    "<style>secret</style>",
    "<template><p>secret</p></template>",
    "<noscript>secret</noscript>",
    "<select><option>secret</select>",
    "<datalist><option>secret</datalist>",
    "<svg><text>secret</text></svg>",
    "<video>secret</video><audio>secret</audio><canvas>secret</canvas>",
    "<!-- secret -->",
    "<noframes>secret</noframes>",
]


@pytest.mark.parametrize("tag", ["span", "div"])
@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_hidden_is_no_text_anywhere(hidden: str, tag: str) -> None:
    told = hidden.format(tag=tag)
    found = page(
        f"<h1>A {told} head</h1><p>Some {told} words <a href=/x>a {told} link</a> more {told} words</p>"
    )
    for said in (
        found.title,
        found.text,
        found.main,
        *found.headings,
        *(x.anchor for x in found.links),
    ):
        assert "secret" not in said
    assert [link.url for link in found.links if "secret" in link.context] == []
    assert "Some words" in " ".join(found.text.split())


@pytest.mark.parametrize(
    "style",
    [
        "backface-visibility:hidden",
        "overflow:hidden",
        "display:block",
        "list-style:none",
        "x-display:none",
    ],
)
def test_what_only_looks_hidden_is_text(style: str) -> None:
    assert page(f'<p style="{style}">shown</p>').text == "shown"


def test_a_page_that_is_hidden_until_a_script_shows_it_is_read() -> None:
    assert (
        page('<html hidden><body style="display: none"><p>Shown in the end.').text
        == "Shown in the end."
    )


def test_links_in_hidden_places_are_links() -> None:
    found = page(
        "<div hidden>in <a href=/1>One</a></div><noscript><a href=/2><b>Two</b></a></noscript><p>x"
    )
    assert [(link.url[-2:], link.anchor, link.context) for link in found.links] == [
        ("/1", "One", ""),
        ("/2", "Two", ""),
    ]


@pytest.mark.parametrize(
    "html", ["", " \n\t ", "<html>", "<body></body>", "<!-- only -->", "\0", "<", "</p"]
)
def test_a_page_of_nothing_says_nothing(html: str) -> None:
    found = page(html)
    assert found.title == ""
    assert found.text.strip("\ufffd<") == ""
    assert found.links == ()


@pytest.mark.parametrize("spelled", ["\0", "&#0;", "&#x0;", "&#X000", "&#&#0;0;"])
def test_a_page_may_hold_the_marks_that_we_use_ourselves(spelled: str) -> None:
    html = (
        f"<title>T{spelled}</title><p>one {spelled} two {spelled}0{spelled} "
        f"<a href=/a>first{spelled}</a>{spelled} three"
        f" <a href=/b>{spelled}2{spelled}second</a> four {spelled}</p>{spelled}"
    )
    found = page(html)
    assert "\0" not in found.text + found.main + found.title
    assert [link.url for link in found.links] == ["http://owls.test/a", "http://owls.test/b"]
    assert found.links[0].anchor.startswith("first")
    assert found.links[1].anchor.endswith("second")
    assert "three" in found.links[0].context
    assert "four" in found.links[1].context


def test_headings_are_in_the_order_of_the_page_whatever_their_rank() -> None:
    found = page(
        "<h3>One</h3><h1>Two</h1><h2>Three <a href=/x>four</a></h2><table><tr><td>x<td><h1>Five</h1>"
    )
    assert found.headings == ("One", "Two", "Three four", "Five")


def test_a_heading_that_is_no_text_comes_last() -> None:
    """In a list, turbohtml reads nothing but its items."""
    assert page("<ul><h2>Lost</h2><li>item</ul><h2>Kept</h2>").headings == ("Kept", "Lost")


def test_there_is_an_end_to_headings() -> None:
    found = page("".join(f"<h{n % 3 + 1}>head {n}</h{n % 3 + 1}>" for n in range(1_000)))
    assert found.headings == tuple(f"head {n}" for n in range(200))


@pytest.mark.parametrize(
    "odd", ["\x00", "\ud800", "\ufeff", "\x1b[31m", "&#0;", "&#xD800;", "&#x110000;"]
)
def test_characters_that_are_none_do_no_harm(odd: str) -> None:
    found = page(
        f'<title>T{odd}</title><p title="{odd}">a{odd}b <a href="/{odd}x">l{odd}k</a> {odd}</p>'
    )
    assert found.title.startswith("T")
    assert found.text.startswith("a")


BROKEN = {
    "<p><b><i>one</b></i><table><p>two<tr>three</table>": "one\ntwo\nthree",
    "<a href=/x>one<a href=/y>two<table><a href=/z>three": "onetwothree",
    "<select><a href=/x>one<p>two three": "",
    "<title>one<p>two three": "",
    "<p title='one two three": "",
    "<ul><li>one</ol><li>two</table></div></body></html>three": "one\ntwothree",
    "<form><form><input></form>one two three</form>": "one two three",
    "<svg><p>one<math><mi>two</svg>three": "one",
    "<frameset><p>one</frameset><body>two three": "",
}


@pytest.mark.parametrize(("broken", "text"), BROKEN.items())
def test_broken_nesting_is_read_as_browsers_do(broken: str, text: str) -> None:
    assert page(f"<!DOCTYPE html>{broken}").text == text


def test_a_deeply_nested_page_has_paths_of_a_bounded_length() -> None:
    (link,) = page("<div>" * 400 + "<a href=/x>deep</a>").links
    assert link.anchor == "deep"
    assert link.path.endswith("/div/a")
    assert len(link.path) <= 500


def test_a_page_that_is_not_read_in_full_says_the_same_otherwise() -> None:
    html = (
        "<title>Owls</title><nav><a href=/home title=Home>Home</a></nav><form action=/find><input name=q>"
        "</form><p>Of all birds, <a href=/barn title='White owls' rel='nofollow friend'>barn<br>owls</a> are "
        "the most silent.<img src=x alt='An owl'><iframe src=/frame></iframe><a href=/pic><img alt=Nest></a>"
        f"<a href=/few> two \n words </a>and<a href=/late>{' ' * 3000}late</a><a href=/blank> </a>"
        "<h2><a href=/head>A heading</a></h2><table><tr><td><a href=/cell>cell</a><td>x</table>"
        "<pre><a href=/p>a   b\nc</a></pre><p hidden><a href=/hid>hid  den</a></p><a href=/nb>a&nbsp; b</a>"
    )
    whole = page(html)
    brief = read_html(html, URL, UrlRules(), in_full=False)
    assert whole.forms
    assert whole.images
    assert any(link.context and link.path for link in whole.links)
    links = tuple(Link(link.url, link.key, link.anchor, link.flags) for link in whole.links)
    assert brief == replace(whole, forms=(), images=(), links=links)
