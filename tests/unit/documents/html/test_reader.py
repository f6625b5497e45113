"""HTML to title, text and links."""

from motherlode.documents.text.terms import unpack
from motherlode.records import Document, LinkFlag
from motherlode.urls import UrlRules
from support.small_webs import page_analysed, page_read


def page(html: str, url: str = "http://a.test/dir/page.html") -> Document:
    return page_read(url, "text/html; charset=utf-8", html.encode())


def links(html: str) -> list[str]:
    return [link.url for link in page(html).links]


def test_title_and_text_are_read_without_markup() -> None:
    document = page(
        "<title> A\n title </title><body><h1>Head</h1><p>One <b>two</b></p><p>three</p>"
    )
    assert document.title == "A title"
    assert document.text.split() == ["Head", "One", "two", "three"]


def test_scripts_and_styles_are_no_text() -> None:
    html = "<body>seen<script>var hidden=1</script><style>p{hidden:1}</style><noscript>no</noscript></body>"
    assert page(html).text == "seen"


def test_links_are_canonical_and_in_order() -> None:
    html = '<a href="b.html#x">b</a><a href="/c?utm_source=x">c</a><A HREF=http://D.test:80>d</A>'
    assert links(html) == ["http://a.test/dir/b.html", "http://a.test/c", "http://d.test/"]


def test_links_are_resolved_against_the_base() -> None:
    assert links('<base href="http://b.test/x/"><a href="y">y</a>') == ["http://b.test/x/y"]
    assert links('<base href="mailto:x"><a href="y">y</a>') == ["http://a.test/dir/y"]


def test_what_is_no_link_of_the_web_is_left_out() -> None:
    html = '<a href="mailto:a@b">m</a><a href="javascript:x()">j</a><a name=x>n</a><a href="#top">t</a>'
    assert links(html) == []


def test_frames_and_areas_are_links() -> None:
    html = '<frameset><frame src="/f"></frameset>'
    assert [(link.url, link.flags) for link in page(html).links] == [
        ("http://a.test/f", LinkFlag.FRAME)
    ]
    assert links('<iframe src="/i"></iframe><map><area href="/m"></map>') == [
        "http://a.test/i",
        "http://a.test/m",
    ]


def test_anchors_and_nofollow_are_kept() -> None:
    link = page('<a href="/x" rel="external nofollow">two\n words</a>').links[0]
    assert (link.anchor, link.flags) == ("two words", LinkFlag.NOFOLLOW)


def test_rules_of_the_portal_apply_to_links() -> None:
    rules = UrlRules(max_url=30)
    document = page_read(
        "http://a.test/",
        "text/html",
        b'<a href="/short">s</a><a href="/' + b"l" * 40 + b'">l</a>',
        rules,
    )
    assert [link.url for link in document.links] == ["http://a.test/short"]


def test_a_page_that_hides_its_type_is_read_all_the_same() -> None:
    assert (
        page_read(
            "http://a.test/", "application/octet-stream", b"<!DOCTYPE html><title>T</title>"
        ).title
        == "T"
    )
    assert page_read("http://a.test/", "", b"<title>T</title>").title == "T"


def test_what_cannot_be_read_says_nothing() -> None:
    picture = page_read("http://a.test/x.png", "image/png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert picture == Document(title="x", unreadable="nothing reads image/png")
    assert page("") == Document()


def test_plain_text_is_text() -> None:
    assert (
        page_read("http://a.test/x.txt", "text/plain", b"some  words\n here").text
        == "some words here"
    )


def test_terms_come_from_title_and_text() -> None:
    document = page_analysed(
        "http://a.test/", "text/html", b"<title>Owls</title><p>An owl and another owl</p>"
    )
    bag = unpack(document.vectors["terms"])
    assert sorted(bag.counts.tolist()) == [1, 3]
