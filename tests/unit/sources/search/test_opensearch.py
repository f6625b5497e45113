"""OpenSearch: descriptions, templates, and results as RSS, Atom and HTML."""

from collections.abc import Callable
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.sources.search.description import SearchTemplate, read_description
from motherlode.sources.search.feeds import read_feed
from motherlode.sources.search.opensearch import read_result_page
from motherlode.sources.search.source import Hit
from motherlode.urls import canonical
from support.search_services import Reply, SearchService, asked, asked_often, parameters_of

SITE = "opensearch:http://a.test/about/search.xml"
DESCRIPTION_TYPE = "application/opensearchdescription+xml"


def description(*urls: str, besides: str = "") -> Reply:
    text = (
        '<?xml version="1.0"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        f"<ShortName>A</ShortName>{besides}{''.join(urls)}</OpenSearchDescription>"
    )
    return DESCRIPTION_TYPE, text


def url(template: str, kind: str = "application/rss+xml", besides: str = "") -> str:
    return f'<Url type="{kind}" template="{escape(template)}" {besides}/>'


def rss(*links: str) -> Reply:
    items = "".join(
        f"<item><title>T {link[-1]}</title><link>{escape(link)}</link>"
        f"<description>&lt;b&gt;About&lt;/b&gt; {link[-1]}</description></item>"
        for link in links
    )
    return "application/rss+xml", f'<rss version="2.0"><channel>{items}</channel></rss>'


RSS = rss("http://a.test/1", "/2")


def test_rss_results_with_relative_template_and_links() -> None:
    service = SearchService(description(url("../find?q={searchTerms}&n={count?}")), RSS)
    answer = asked(SITE, service, wanted=2)
    assert service.urls == [
        "http://a.test/about/search.xml",
        "http://a.test/find?q=barn%20owls&n=2",
    ]
    assert answer.hits == (
        Hit("http://a.test/1", "T 1", "About 1"),
        Hit("http://a.test/2", "T 2", "About 2"),
    )


def test_the_description_is_fetched_once() -> None:
    service = SearchService(description(url("/find?q={searchTerms}")), RSS)
    asked_often(SITE, service, ["owls", "herons", "storks"])
    assert len(service.urls) == 4


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.test/x/">
<title>Results</title><link href="http://a.test/self" rel="self"/>
<entry><title type="html">&lt;i&gt;Barn&lt;/i&gt; owl</title><link rel="alternate" href="../owl"/>
<link rel="enclosure" href="http://b.test/file"/><id>urn:1</id><summary>It hunts.</summary></entry>
<entry><title>Heron</title><id>http://b.test/heron</id>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">In <em>water</em>.</div></content></entry>
<entry><title>Without a link</title><id>urn:2</id></entry>
</feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="http://a.test/"><title>Results</title><link>http://a.test/</link></channel>
<item rdf:about="http://b.test/owl"><title>Owl</title><link>http://b.test/owl</link></item></rdf:RDF>"""
PAGE = """<!DOCTYPE html><title>barn owls - search</title><nav><ul>
<li><a href="/about">About this site</a></li>
<li><a href="/contact">How to contact the owls</a></li></ul></nav>
<form action="/find"><a href="/advanced">Advanced search for barn owls</a></form>
<div class="filters"><a href="/find?q=barn+owls&amp;s=date">By date</a></div>
<div id="hits"><div class="item">
<h3><a href="/url?q=http%3A%2F%2Fb.test%2Fowl&amp;sa=1">The barn owl at night</a></h3>
<span>It hunts <b>mice</b>.</span></div><div class="item">
<h3><a href="http://b.test/heron">Herons and owls</a></h3>
<span>In water.</span></div></div>
<a href="/find?q=barn+owls&amp;page=2">Next</a>
<footer><a href="http://c.test/imprint">Imprint of owls</a></footer>"""


def test_atom_results() -> None:
    hits = read_feed(ATOM.encode(), "application/atom+xml", "http://a.test/find")
    assert hits == [
        Hit("http://b.test/owl", "Barn owl", "It hunts."),
        Hit("http://b.test/heron", "Heron", "In water."),
    ]


def test_results_as_rss_1() -> None:
    hits = read_feed(RDF.encode(), "application/rdf+xml", "http://a.test/find")
    assert hits == [Hit("http://b.test/owl", "Owl")]


def test_results_as_a_page() -> None:
    hits = read_result_page(PAGE, "http://a.test/find?q=barn+owls", "barn owls")
    assert hits == [
        Hit("http://b.test/owl", "The barn owl at night", "It hunts mice."),
        Hit("http://b.test/heron", "Herons and owls", "In water."),
    ]


def test_a_page_without_results_has_none() -> None:
    assert read_result_page("<title>Nothing</title><p>No results.", "http://a.test/", "owl") == []


def test_feeds_come_before_pages_and_suggestions_are_no_results() -> None:
    site = description(
        url("/suggest?q={searchTerms}", "application/x-suggestions+json"),
        url("/self", "application/rss+xml", 'rel="self"'),
        url("/page?q={searchTerms}", "text/html"),
        url("/feed?q={searchTerms}", "application/atom+xml;profile=x"),
    )
    service = SearchService(site, ("application/atom+xml", ATOM))
    asked(SITE, service)
    assert service.urls[1] == "http://a.test/feed?q=barn%20owls"


def test_html_results_are_read_where_there_is_no_feed() -> None:
    service = SearchService(
        description(url("/find?q={searchTerms}", "text/html")), ("text/html", PAGE)
    )
    assert [hit.url for hit in asked(SITE, service).hits] == [
        "http://b.test/owl",
        "http://b.test/heron",
    ]


def test_a_page_of_results_is_known_without_its_header() -> None:
    service = SearchService(description(url("/find?q={searchTerms}", "text/html")), (200, {}, PAGE))
    assert len(asked(SITE, service).hits) == 2


def test_a_page_that_links_to_a_description_is_enough() -> None:
    page = f'<head><link rel="search" type="{DESCRIPTION_TYPE}" href="/os.xml"></head>'
    service = SearchService(("text/html", page), description(url("/f?q={searchTerms}")), RSS)
    assert len(asked("opensearch:http://a.test/", service, wanted=2).hits) == 2
    assert service.urls[1] == "http://a.test/os.xml"


def pages_of(parameter: str) -> Callable[[str], Reply]:
    """A site with five pages of two results, and then none."""

    def reply(address: str) -> Reply:
        number = int(parameters_of(address)[parameter])
        first = number if parameter == "start" else 1 + (number - 1) * 2
        return rss(*(f"http://a.test/{n}" for n in (first, first + 1) if n <= 9))

    return reply


@pytest.mark.parametrize(
    "template", ["/f?q={searchTerms}&start={startIndex?}", "/f?q={searchTerms}&page={startPage}"]
)
def test_further_pages_of_results_are_fetched(template: str) -> None:
    parameter = "start" if "start=" in template else "page"
    service = SearchService(description(url(template)), pages_of(parameter))
    hits = asked(SITE, service, wanted=20).hits
    assert [hit.url[-1] for hit in hits] == list("123456789")


def test_the_first_page_and_index_are_as_described() -> None:
    site = description(
        url(
            "/f?q={searchTerms}&p={startPage}&i={startIndex}",
            besides='indexOffset="0" pageOffset="0"',
        )
    )
    service = SearchService(site, RSS)
    asked(SITE, service)
    sent = parameters_of(service.urls[1])
    assert (sent["p"], sent["i"]) == ("0", "0")


def test_what_was_found_stays_where_a_further_page_fails() -> None:
    service = SearchService(
        description(url("/f?q={searchTerms}&p={startPage}")), RSS, (500, {}, "")
    )
    answer = asked(SITE, service, wanted=9)
    assert (len(answer.hits), answer.problems) == (2, ())


@pytest.mark.parametrize(
    ("site", "says"),
    [
        (description(url("/f?q={searchTerms}", besides='method="post"')), "only by POST"),
        (description(url("/f?q={searchTerms}&c={geo:box}")), "asks for geo:box in each search"),
        (description(url("/f?q={searchTerms}", "image/png")), "no search whose results are RSS"),
        (description(), "no search whose results are RSS"),
        (description(url("http://[x/?q={searchTerms}")), "template is no URL"),
        (description(url("ftp://a.test/?q={searchTerms}")), "template is no URL"),
        (("text/html", "<p>Welcome"), "no OpenSearch description"),
        (("application/xml", "<x/>"), "no OpenSearch description"),
        (("application/json", "{}"), "no OpenSearch description"),
        (("text/xml", b"\xff\xfe\x00"), "no OpenSearch description"),
        ((404, {}, ""), "nothing at its address"),
    ],
)
def test_what_cannot_be_searched_is_said_in_one_sentence(site: Reply, says: str) -> None:
    answer = asked(SITE, SearchService(site, RSS))
    assert answer.hits == ()
    (problem,) = answer.problems
    assert says in problem


def test_the_results_must_be_of_a_form_that_is_known() -> None:
    service = SearchService(description(url("/f?q={searchTerms}")), ("application/json", "{}"))
    assert "neither RSS, Atom nor HTML" in asked(SITE, service).problems[0]


def test_a_query_is_written_in_the_encoding_of_the_site() -> None:
    site = description(
        url("/f?q={searchTerms}&ie={inputEncoding}"),
        besides="<InputEncoding>ISO-8859-1</InputEncoding>",
    )
    service = SearchService(site, RSS)
    asked(SITE, service, query="hühner")
    assert service.urls[1] == "http://a.test/f?q=h%FChner&ie=ISO8859-1"


def test_parameters_in_elements_of_their_own_belong_to_the_template() -> None:
    firefox = (
        '<SearchPlugin xmlns="http://www.mozilla.org/2006/browser/search/"><ShortName>A</ShortName>'
        '<os:Url xmlns:os="x" type="text/html" method="GET" template="http://a.test/f">'
        '<Param name="q" value="{searchTerms}"/><Param name="x" value="1"/></os:Url></SearchPlugin>'
    )
    read = read_description(firefox.encode())
    assert read is not None
    assert read.templates[0].template == "http://a.test/f?q={searchTerms}&x=1"


@pytest.mark.parametrize(
    ("template", "written"),
    [
        ("/s?q={searchTerms}&l={language?}&x={k:name?}", "/s?q=a%20b"),
        ("/s?q={os:searchTerms}&l={language}", "/s?q=a%20b&l=%2A"),
        ("/s/{searchTerms}/{count?}", "/s/a%20b/"),
        ("/s?{x?}&q={searchTerms}{y?}", "/s?&q=a%20b"),
        ("/s?q=1", "/s?q=1"),
    ],
)
def test_parameters_are_filled_in(template: str, written: str) -> None:
    assert SearchTemplate(template, "").url({"searchTerms": "a b"}) == written


@given(st.text(max_size=50))
def test_any_query_makes_a_url(query: str) -> None:
    text = query.encode("utf-8", "replace").decode()
    written = SearchTemplate("http://a.test/s?q={searchTerms}", "").url({"searchTerms": text})
    assert parameters_of(canonical(written)).get("q", "") == text


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_no_bytes_break_a_reader(body: bytes) -> None:
    read_description(body)
    read_feed(body, "", "http://a.test/")
    read_result_page(body.decode("utf-8", "replace"), "http://a.test/", "owls")


def test_a_bomb_of_entities_is_no_description() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    assert read_description(f"{bomb}<OpenSearchDescription/>".encode()) is None
    assert not read_feed(
        f"{bomb}<rss><item><title>&b;</title></item></rss>".encode(), "", "http://a.test/"
    )
