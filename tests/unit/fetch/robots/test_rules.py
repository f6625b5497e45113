"""robots.txt: Google's published cases, and what RFC 9309 says in words."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.fetch.robots.rules import DISALLOW_ALL, Robots, parse_robots, path_of
from motherlode.urls import canonical


def said(text: str, agent: str = "motherlode") -> Robots:
    return parse_robots(text.encode(), agent)


def bytes_of(text: str) -> bytes:
    """The cases are bytes, kept as the characters of the same numbers where that is possible."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()


def test_every_published_case_is_decided_as_published(conformance: Path) -> None:
    cases = json.loads((conformance / "robots" / "cases.json").read_text())
    wrong = [
        case
        for case in cases
        if parse_robots(bytes_of(case["robots_txt"]), case["agent"]).allows(case["url"])
        != case["allowed"]
    ]
    assert len(cases) == 140
    assert wrong == []


def test_real_and_odd_files_are_read(conformance: Path) -> None:
    read = {
        path.name: parse_robots(path.read_bytes(), "motherlode")
        for path in (conformance / "robots").glob("*.txt")
    }
    assert read["astore.amazon.com-robots.txt"].delay == 5.0
    assert read["wildcards.txt"].rules
    assert read["sitemap-robots.txt"].sitemaps
    assert (
        len(
            {read[f"robots-with-{bom}-bom.txt"].rules for bom in ("utf8", "utf16le", "utf16be")}
            | {()}
        )
        >= 2
    )


def test_the_longest_rule_counts_and_allow_wins_a_tie() -> None:
    robots = said(
        "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nDisallow: /tie\nAllow: /tie"
    )
    assert [robots.allows(f"http://h.test{path}") for path in ("/a", "/a/b", "/a/b/c", "/tie", "/z")] == [
        False, True, False, True, True,
    ]  # fmt: skip


def test_a_group_of_ones_own_replaces_everybodys() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: Motherlode/2.0\nUser-agent: other\nDisallow: /private\n"
    assert said(text).allows("http://h.test/public")
    assert not said(text).allows("http://h.test/private")
    assert not said(text, "stranger").allows("http://h.test/public")


def test_groups_of_one_name_are_one() -> None:
    mine = "User-agent: motherlode\nDisallow: "
    text = f"{mine}/a\nUser-agent: x\nDisallow: /\n{mine}/b"
    assert [said(text).allows(f"http://h.test/{page}") for page in "abc"] == [False, False, True]


def test_wildcards_and_the_end_are_understood() -> None:
    robots = said("User-agent: *\nDisallow: /*.pdf$\nDisallow: /x*y*z")
    assert not robots.allows("http://h.test/a/b.pdf")
    assert robots.allows("http://h.test/a/b.pdf?x=1")
    assert not robots.allows("http://h.test/x1y2z3")
    assert robots.allows("http://h.test/x1z2y3")


def test_robots_txt_itself_may_always_be_fetched() -> None:
    assert said("User-agent: *\nDisallow: /").allows("http://h.test/robots.txt")
    assert not DISALLOW_ALL.allows("http://h.test/")


def test_delay_and_sitemaps_are_read() -> None:
    robots = said(
        "Sitemap: http://h.test/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: http://h.test/s.xml\n"
    )
    assert (robots.delay, robots.sitemaps) == (2.5, ("http://h.test/s.xml",))


@pytest.mark.parametrize("value", ["soon", "-1", "nan", "inf", ""])
def test_a_delay_that_is_none_is_no_delay(value: str) -> None:
    assert said(f"User-agent: *\nCrawl-delay: {value}\n").delay is None


def test_only_the_first_500_kb_count() -> None:
    filler = "Disallow: /nobody-asks-for-this\n" * 20_000
    robots = said(f"User-agent: *\nDisallow: /early\n{filler}Disallow: /late\n")
    assert not robots.allows("http://h.test/early")
    assert robots.allows("http://h.test/late")


def test_a_pattern_of_many_wildcards_does_not_stop_the_crawl() -> None:
    robots = said(
        "User-agent: *\nDisallow: /" + "*a" * 3000 + "$\nDisallow: /" + "*a*b" * 1000 + "c\n"
    )
    assert robots.allows("http://h.test/" + "ab" * 900)


@given(st.binary(max_size=300), st.text(max_size=20), st.text(max_size=60))
def test_whatever_comes_is_decided(body: bytes, agent: str, url: str) -> None:
    assert parse_robots(b"User-agent: *\nDisallow: /x\n" + body, agent).allows(url) in (True, False)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://h.test", "/"),
        ("http://h.test/a?b#c", "/a?b"),
        ("http://h.test?b", "/?b"),
        ("", "/"),
        ("//h.test/a", "/a"),
    ],
)
def test_rules_are_about_path_and_query(url: str, path: str) -> None:
    assert path_of(url) == path


def test_the_rule_that_decides_can_be_told() -> None:
    robots = parse_robots(b"User-agent: *\nDisallow: /a\nAllow: /a/b\n", "motherlode")
    told = {
        path: str(robots.rule_for(f"http://x.test{path}") or "") for path in ("/a", "/a/b", "/c")
    }
    assert told == {"/a": "Disallow: /a", "/a/b": "Allow: /a/b", "/c": ""}
    assert robots.rule_for("http://x.test/robots.txt") is None


@pytest.mark.parametrize(
    ("rule", "url"),
    [
        ("/%7Ejoe/", "http://a.test/~joe/x"),
        ("/%7ejoe/", "http://a.test/%7Ejoe/x"),
        ("/~joe/", "http://a.test/%7ejoe/x"),
        ("/%70rivate", "http://a.test/private"),
        ("/secret.html", "http://a.test/secret%2Ehtml"),
        ("/secret%2ehtml$", "http://a.test/secret.html"),
        ("/two words/", "http://a.test/two words/x"),
        ("/*%2D", "http://a.test/a-b"),
    ],
)
def test_what_is_disallowed_in_one_spelling_is_disallowed_in_any(rule: str, url: str) -> None:
    robots = parse_robots(f"User-agent: *\nDisallow: {rule}\n".encode(), "motherlode")
    assert not robots.allows(canonical(url))
    assert robots.allows("http://a.test/other")


def test_an_escaped_slash_is_no_slash() -> None:
    robots = parse_robots(b"User-agent: *\nDisallow: /a%2Fb\nDisallow: /%2A$\n", "motherlode")
    assert not robots.allows("http://a.test/a%2Fb")
    assert robots.allows("http://a.test/a/b")
    assert robots.allows("http://a.test/anything")
