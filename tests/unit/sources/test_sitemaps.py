"""Sitemaps of every form."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.sources.sitemaps import Listed, Sitemap, parse_sitemap

SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urls(body: bytes) -> list[str]:
    return [page.url for page in parse_sitemap(body).pages]


def test_pages_have_their_dates() -> None:
    body = f"""<?xml version="1.0"?><urlset xmlns="{SPACE}"><url><loc> http://a.test/?x=1&amp;y=2
      </loc><lastmod>2026-11-01T00:00:00Z</lastmod></url><url><loc>http://a.test/b</loc></url></urlset>"""
    assert parse_sitemap(body.encode()).pages == (
        Listed("http://a.test/?x=1&y=2", 1793491200.0),
        Listed("http://a.test/b"),
    )


@pytest.mark.parametrize(
    "date",
    ["Fri, 01 Jan 99999999999 00:00:00 GMT", "9999-12-31", "0001-01-01", "2026-99-99", "9" * 400],
)
def test_a_date_far_from_our_time_is_none(date: str) -> None:
    body = f"<urlset><url><loc>http://a.test/</loc><lastmod>{date}</lastmod></url></urlset>"
    assert parse_sitemap(body.encode()).pages == (Listed("http://a.test/"),)


def test_an_index_lists_sitemaps() -> None:
    body = b"<sitemapindex><sitemap><loc>http://a.test/1.xml</loc></sitemap><sitemap>http://a.test/2.xml</sitemap></sitemapindex>"
    assert parse_sitemap(body) == Sitemap(sitemaps=("http://a.test/1.xml", "http://a.test/2.xml"))


def test_feeds_and_lists_are_sitemaps_too() -> None:
    rss = b"<rss><channel><link>http://a.test/</link><item><link>http://a.test/1</link></item></channel></rss>"
    links = b'<link href="http://a.test/2"/><link rel="edit" href="http://a.test/e"/>'
    atom = b'<feed><link href="http://a.test/"/><entry>' + links + b"</entry></feed>"
    assert urls(rss) == ["http://a.test/1"]
    assert urls(atom) == ["http://a.test/2"]
    assert urls(b"\xef\xbb\xbfhttp://a.test/3\r\nnonsense\nhttps://a.test/4\n") == [
        "http://a.test/3",
        "https://a.test/4",
    ]


def test_packed_ones_are_unpacked_up_to_a_limit() -> None:
    assert urls(gzip.compress(b"http://a.test/1\n")) == ["http://a.test/1"]
    assert urls(gzip.compress(bytes(60 * 2**20))) == []
    assert urls(gzip.compress(b"http://a.test/1\n")[:-9]) in ([], ["http://a.test/1"])


def test_what_stands_before_the_break_counts() -> None:
    assert urls(b"<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.te") == [
        "http://a.test/1"
    ]


def test_pictures_and_translations_of_a_page_are_no_pages() -> None:
    body = b"""<urlset xmlns:image="i" xmlns:xhtml="x"><url><loc>http://a.test/1</loc>
      <image:image><image:loc>http://a.test/1.png</image:loc></image:image>
      <xhtml:link rel="alternate" href="http://a.test/de"/></url></urlset>"""
    assert urls(body) == ["http://a.test/1"]


def test_entities_are_not_expanded() -> None:
    used = b"<urlset><url><loc>&b;</loc></url></urlset>"
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    assert parse_sitemap(bomb + used) == Sitemap()
    assert (
        parse_sitemap(b'<!DOCTYPE x [<!ENTITY b SYSTEM "file:///etc/passwd">]>' + used) == Sitemap()
    )


def test_the_files_of_others_are_read(conformance: Path) -> None:
    folder = conformance / "sitemaps"
    read = {path.name: parse_sitemap(path.read_bytes()) for path in folder.iterdir()}
    listed = {name: len(found.pages) + len(found.sitemaps) for name, found in read.items()}
    assert min(count for name, count in listed.items() if name != "sitemap-videos-tvshow.xml") > 0
    assert len(read["sitemap.index.xml"].sitemaps) >= 3
    assert read["sitemap.badns.xml"].pages[0].url == "http://www.example.com/1"


@given(st.binary(max_size=400))
def test_whatever_comes_is_read(body: bytes) -> None:
    parse_sitemap(body)
    parse_sitemap(b"<urlset><url><loc>" + body)
