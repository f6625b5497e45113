"""Cookies of a session: where they are sent, where they are not, and how many there may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.fetch import Response
from motherlode.fetch.cookie_jar import (
    MAX_COOKIES,
    MAX_HEADER_BYTES,
    MAX_PER_HOST,
    CookieJar,
    parse_cookie,
)

PAGE = "https://www.a.example/find/form"


def jar_after(*lines: str, url: str = PAGE, jar: CookieJar | None = None) -> CookieJar:
    kept = CookieJar(lambda: 1_000.0) if jar is None else jar
    headers = tuple(("Set-Cookie", line) for line in lines)
    kept.learn(Response(url, 200, headers, b"", 0.0, 0.0))
    return kept


def sent(jar: CookieJar, url: str) -> str:
    return "".join(value for _, value in jar.headers_for(url))


def test_a_cookie_is_sent_back_to_its_host_and_path() -> None:
    jar = jar_after("session=7; HttpOnly")
    assert jar.headers_for("https://www.a.example/find/results?page=2") == (
        ("Cookie", "session=7"),
    )
    assert sent(jar, "http://www.a.example/find") == "session=7"


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/find/form",
        "https://b.www.a.example/find/form",
        "https://www.a.example/",
        "https://www.a.example/findings",
        "https://www.a.example.b.example/find/form",
        "https://b.example/find/form",
    ],
)
def test_a_cookie_goes_to_no_other_host_or_path(url: str) -> None:
    assert sent(jar_after("session=7"), url) == ""


def test_a_cookie_of_a_domain_goes_to_the_hosts_below_it() -> None:
    jar = jar_after("session=7; Domain=.a.example; Path=/")
    assert sent(jar, "https://search.a.example/") == "session=7"
    assert sent(jar, "https://a.example/") == "session=7"
    assert sent(jar, "https://bada.example/") == ""


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        (PAGE, "b.example"),
        (PAGE, "example"),
        (PAGE, "other.a.example"),
        ("https://shop.co.uk/", "co.uk"),
        ("https://me.github.io/", "github.io"),
        ("http://192.0.2.1/", "2.1"),
    ],
)
def test_a_cookie_for_others_is_refused(url: str, domain: str) -> None:
    assert len(jar_after(f"session=7; Domain={domain}", url=url)) == 0


def test_a_cookie_of_a_registry_itself_stays_there() -> None:
    jar = jar_after("session=7; Domain=github.io", url="https://github.io/")
    assert sent(jar, "https://github.io/") == "session=7"
    assert sent(jar, "https://me.github.io/") == ""


def test_a_secure_cookie_is_neither_sent_nor_set_in_plain() -> None:
    jar = jar_after("session=7; Secure; Path=/")
    assert sent(jar, "http://www.a.example/") == ""
    assert sent(jar, "https://www.a.example/") == "session=7"
    jar_after("session=8; Secure; Path=/", url="http://www.a.example/", jar=jar)
    jar_after("session=9; Path=/", url="http://www.a.example/", jar=jar)
    jar_after("session=; Max-Age=0; Path=/", url="http://www.a.example/", jar=jar)
    assert sent(jar, "https://www.a.example/") == "session=7"


@pytest.mark.parametrize(
    "line",
    [
        "no pair",
        "=7",
        "a=\x007",
        "a=b\u2028c",
        f"a={'b' * 5000}",
        "__Secure-a=7",
        "__Host-a=7; Secure; Path=/find",
        "__Host-a=7; Secure; Path=/; Domain=a.example",
    ],
)
def test_what_is_no_cookie_is_passed_over(line: str) -> None:
    assert len(jar_after(line)) == 0


@pytest.mark.parametrize(
    ("end", "is_kept"),
    [
        ("Max-Age=60", True),
        ("Max-Age=0", False),
        ("Max-Age=-5", False),
        ("Max-Age=" + "9" * 3000, True),
        ("Expires=Thu, 01 Jan 1970 00:00:10 GMT", False),
        ("Expires=Thu, 01-Jan-2037 00:00:10 GMT", True),
        ("Expires=never", True),
        ("Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:10 GMT", True),
    ],
)
def test_a_cookie_lives_until_its_end(end: str, *, is_kept: bool) -> None:
    jar = jar_after("session=7; Path=/")
    jar_after(f"session=8; Path=/; {end}", jar=jar)
    assert sent(jar, "https://www.a.example/") == ("session=8" if is_kept else "")


def test_a_cookie_ends_while_the_session_goes_on() -> None:
    now = [1_000.0]
    jar = jar_after("session=7; Path=/; Max-Age=60", jar=CookieJar(lambda: now[0]))
    assert sent(jar, "https://www.a.example/") == "session=7"
    now[0] += 60
    assert sent(jar, "https://www.a.example/") == ""


def test_longer_paths_come_first_and_the_last_value_counts() -> None:
    jar = jar_after("a=1; Path=/", "b=2", "a=3; Path=/")
    assert sent(jar, PAGE) == "b=2; a=3"


def test_cookies_are_bounded_by_host_in_all_and_in_a_header() -> None:
    jar = CookieJar(lambda: 0.0)
    for host in range(20):
        for start in (0, 15):
            lines = [f"c{start + number}={'x' * 1000}" for number in range(15)]
            jar_after(*lines, url=f"http://h{host}.example/", jar=jar)
    assert len(jar) == MAX_COOKIES
    last = sent(jar, "http://h19.example/")
    assert 0 < len(last) <= MAX_HEADER_BYTES
    assert sent(jar, "http://h0.example/") == ""
    one_host = jar_after(*[f"c{number}=1" for number in range(1000)])
    assert len(one_host) == MAX_PER_HOST


@given(st.text(), st.sampled_from([PAGE, "http://192.0.2.1/", "http://[::1]/", "http://a/"]))
def test_no_line_is_an_error_and_what_is_sent_fits_in_one(line: str, url: str) -> None:
    cookie = parse_cookie(line, url, 0.0)
    assert cookie is None or (cookie.name + cookie.value).isprintable()
