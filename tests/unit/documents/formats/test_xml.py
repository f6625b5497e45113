"""XML, feeds and FictionBooks."""

import pytest

from motherlode.documents.extracts import UnreadableError
from support.document_files import links, read

XML = "application/xml"


def test_elements_are_lines_except_inside_running_text() -> None:
    body = """<?xml version="1.0"?>
    <book xml:lang="de"><title>On  <b>rain</b></title>
      <para>It <em>rains</em> here.</para><para><em>Always</em> so.</para>
      <row><c>1</c><c>2</c></row><script>none()</script>
    </book>"""
    extract = read(XML, body)
    assert extract.text == "On rain\nIt rains here.\nAlways so.\n1\n2"
    assert (extract.title, extract.language) == ("On rain", "de")


def test_attributes_that_lead_elsewhere_are_links_with_the_text_they_hold() -> None:
    body = """<x xmlns:xlink="u"><a href="one.html">The <b>one</b></a><b xlink:href="two"/>
    <i src="three">3</i><a href="#n"/></x>"""
    assert links(read(XML, body)) == [("one.html", "The one"), ("two", ""), ("three", "3")]


def test_what_stands_before_a_break_counts() -> None:
    assert read(XML, "<x><p>One</p><p>Two & three</p></x>").text == "One\nTwo"
    assert read(XML, "<x><p>One</p><q:p>Two</p></x>").text == "One\nTwo"


def test_entities_of_html_and_forbidden_characters_break_nothing() -> None:
    assert read(XML, "<x>a&nbsp;b&eacute;\x0cc</x>").text == "a bé c"
    assert (
        read(
            XML,
            "\n <?xml version='1.0'?><!DOCTYPE x SYSTEM 'http://example.org/x.dtd'><x>&auml;</x>",
        ).text
        == "ä"
    )


@pytest.mark.parametrize("encoding", ["gb18030", "euc-jp", "shift_jis", "utf-16", "utf-16-le"])
def test_every_encoding_is_read(encoding: str) -> None:
    body = f'<?xml version="1.0" encoding="{encoding}"?><x>日本の天気</x>'.encode(encoding)
    assert read(XML, body).text == "日本の天気"


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {new} "{10 * old}">'
        for old, new in zip(("&a;", "&b;", "&c;", "&d;", "&e;"), "bcdef", strict=True)
    )
    + "]><x>&f;</x>"
)


@pytest.mark.parametrize(
    "body",
    [
        LAUGHS,
        f'<!DOCTYPE x [<!ENTITY a "{"b" * 100_000}">]><x>{"&a;" * 100_000}</x>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
        '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1/x"> %a;]><x>&b;</x>',
        "no XML",
        "",
    ],
)
def test_entity_bombs_are_not_even_lit(body: str) -> None:
    with pytest.raises(UnreadableError, match="broken XML"):
        read(XML, body)


def test_depth_breadth_and_size_do_no_harm() -> None:
    assert read(XML, "<a>" * 100_000 + "deep").text == "deep"
    many = " ".join(f"a{number}='x'" for number in range(100_000))
    assert read(XML, f"<a {many}>wide</a>").text == "wide"
    assert read(XML, "<x>" + '<a href="y">z</a>' * 200_000).text.startswith("z")
    assert read(XML, "<x>t" + '<a href="y">' * 100_000 + "z").text == "tz"
    assert read(XML, "<x>" + "&amp;" * 1_000_000 + "</x>").text == "&" * 1_000_000


RSS = """<?xml version="1.0"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="c" xmlns:media="m">
<channel><title>Weather &amp; more</title><link>http://example.org/</link><language>en-gb</language>
<atom:link rel="self" href="http://example.org/feed"/><description>All of it</description>
<image><title>Logo</title><link>http://example.org/logo</link></image>
<item><title>Rain</title><link> http://example.org/rain </link><media:title>Not this</media:title>
<description>&lt;p&gt;Much &lt;a href="/more"&gt;more&lt;/a&gt;.&lt;/p&gt;</description>
<enclosure url="http://example.org/rain.pdf" type="application/pdf"/></item>
<item><title>Sun</title><guid>http://example.org/sun</guid><description>Short</description>
<content:encoded><![CDATA[<p>Long one.</p><p>In two.</p><script>no()</script>]]></content:encoded></item>
<item><title>Names</title><guid isPermaLink="false">http://example.org/no</guid></item>
</channel></rss>"""


def test_rss_gives_titles_summaries_and_links() -> None:
    extract = read("application/rss+xml", RSS)
    assert (extract.title, extract.language, extract.description) == (
        "Weather & more",
        "en-gb",
        "All of it",
    )
    assert extract.headings == ("Rain", "Sun", "Names")
    assert extract.text.split("\n") == [
        "Weather & more", "All of it", "Rain", "Much more.", "Sun", "Short", "Long one.", "In two.", "Names",
    ]  # fmt: skip
    assert links(extract) == [
        ("http://example.org/", "Weather & more"),
        ("http://example.org/rain", "Rain"),
        ("http://example.org/rain.pdf", "Rain"),
        ("/more", "more"),
        ("http://example.org/sun", "Sun"),
    ]


ATOM = """<a:feed xmlns:a="http://www.w3.org/2005/Atom" xml:base="http://example.org/blog/">
<a:title type="html">A &lt;b&gt;blog&lt;/b&gt;</a:title><a:subtitle>Of sorts</a:subtitle>
<a:link rel="self" href="feed"/><a:link href="./"/>
<a:entry><a:title>One</a:title><a:link rel="alternate" href="one"/><a:link rel="edit" href="edit"/>
<a:summary>Sum</a:summary><a:source><a:title>Elsewhere</a:title></a:source>
<a:content type="xhtml"><div xmlns="x"><p>1 &lt; 2</p><p>See <a href="http://example.org/t">two</a></p></div></a:content>
</a:entry></a:feed>"""


def test_atom_is_read_with_its_own_prefix_and_base() -> None:
    extract = read("application/atom+xml", ATOM)
    assert (extract.title, extract.description) == ("A blog", "Of sorts")
    assert extract.text.split("\n") == ["A blog", "Of sorts", "One", "Sum", "1 < 2", "See two"]
    assert links(extract) == [
        ("http://example.org/blog/", "A blog"),
        ("http://example.org/blog/one", "One"),
        ("http://example.org/t", "two"),
    ]


def test_rss_1_keeps_its_entries_beside_the_channel() -> None:
    body = """<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="r" xmlns:dc="d">
    <channel rdf:about="http://example.org/"><title>T</title><link>http://example.org/</link></channel>
    <item rdf:about="http://example.org/1"><title>One</title><link>http://example.org/1</link>
    <description>Said</description></item></rdf:RDF>"""
    extract = read(XML, body)
    assert (extract.title, extract.text) == ("T", "T\nOne\nSaid")
    assert links(extract) == [("http://example.org/", "T"), ("http://example.org/1", "One")]


def test_a_broken_feed_keeps_its_first_entries() -> None:
    extract = read(XML, RSS[: RSS.index("<item><title>Names")])
    assert extract.headings == ("Rain", "Sun")


def test_a_fiction_book_has_chapters_and_links_to_elsewhere() -> None:
    body = """<FictionBook xmlns:l="http://www.w3.org/1999/xlink"><description><title-info>
    <author><first-name>A</first-name></author><book-title>War</book-title><lang>ru</lang>
    <annotation><p>About it.</p></annotation></title-info></description>
    <body><title><p>Part one</p></title><section><title><p>I</p></title><p>Some <a l:href="http://example.org/">li<b>n</b>k</a>
    and <a l:href="#n1">note</a>.</p><poem><stanza><v>Verse</v></stanza></poem></section></body>
    <binary id="i">QUJD</binary></FictionBook>"""
    extract = read("application/x-fictionbook+xml", body)
    assert (extract.title, extract.language, extract.description) == ("War", "ru", "About it.")
    assert extract.headings == ("Part one", "I")
    assert extract.text == "About it.\nPart one\nI\nSome link and note.\nVerse"
    assert links(extract) == [("http://example.org/", "link")]
