"""Every habit, met by a plain client: what a crawler will have to live with."""

import gzip
import http.client
import ipaddress
import re
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, IncompleteRead
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from motherlode.lab.loader import open_web
from motherlode.lab.misbehaviour import HABITS
from motherlode.lab.serving.background import Running
from support.helpers import run_lode, said_one_sentence
from support.misbehaving_web import FIGURES
from support.sandbox_clients import (
    LOOPBACK,
    Reply,
    eventually,
    exchange,
    get,
    hear,
    hear_until,
    plug,
    request,
    resolve,
    serving,
)

Host = Any  # of conftest.py, which a test module does not import
MET: dict[str, set[str]] = {}
DRIP_BYTES = 16
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def meets(
    habit: str, *, generated: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Mark a test that shows a habit, in a recorded web, and in a generated one where that is quick."""
    kinds = ["recorded", "generated"] if generated else ["recorded"]
    MET.setdefault(habit, set()).update(kinds)
    return pytest.mark.parametrize(
        "host", [(kind, habit) for kind in kinds], indirect=True, ids=kinds
    )


def test_every_habit_has_a_test() -> None:
    assert set(MET) == set(HABITS)


def test_many_habits_are_shown_in_both_kinds_of_web() -> None:
    assert sum("generated" in kinds for kinds in MET.values()) > 15


def test_every_habit_occurs_in_a_generated_web_of_some_size(generated: Path) -> None:
    web = open_web(generated)
    assert {web.habit_of(host) for host in web.hosts()} == set(HABITS)


# --- delivery -------------------------------------------------------------------------------------------


@meets("slow-first-byte")
def test_the_first_byte_comes_late(host: Host) -> None:
    with plug(host.port) as client:
        began = monotonic()
        client.sendall(request(host.page, "Connection: close"))
        assert hear(client).endswith(host.plain)
    assert monotonic() - began > 0.9 * FIGURES["slow-first-byte"]


@meets("slow-drip")
def test_a_body_drips(host: Host) -> None:
    with plug(host.port) as client:
        began = monotonic()
        client.sendall(request(host.page, "Connection: close"))
        heard = hear(client)
    assert heard.endswith(host.plain)
    pauses = len(host.plain) // DRIP_BYTES
    assert pauses > 10
    assert (
        monotonic() - began > 0.4 * pauses * FIGURES["slow-drip"]
    )  # a loop may count in milliseconds


@meets("stall", generated=True)
def test_a_body_stops_half_way_and_the_connection_stays_open(host: Host) -> None:
    with plug(host.port) as client:
        client.sendall(request(host.page))
        heard = hear_until(client, host.plain[: len(host.plain) // 2])
        client.sendall(request(host.page))  # nothing moves it
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(1)
    assert not heard.endswith(host.plain)


@meets("reset", generated=True)
def test_a_connection_is_reset_in_mid_body(host: Host) -> None:
    heard = b""
    with plug(host.port) as client, pytest.raises(ConnectionResetError):
        client.sendall(request(host.page))
        while more := client.recv(65536):
            heard += more
    assert b"200 OK" in heard
    assert heard.endswith(host.plain[: len(host.plain) // 2])


@meets("missing-bytes", generated=True)
def test_a_length_promises_more_than_comes(host: Host) -> None:
    with pytest.raises(IncompleteRead) as caught:
        get(host.port, host.page)
    assert caught.value.partial == host.plain
    assert caught.value.expected == 1000


@meets("surplus-bytes", generated=True)
def test_a_length_promises_less_than_comes(host: Host) -> None:
    assert get(host.port, host.page).body == host.plain[: len(host.plain) // 2]
    assert exchange(host.port, request(host.page)).endswith(host.plain)


@meets("no-length", generated=True)
def test_a_body_ends_with_the_connection(host: Host) -> None:
    reply = get(host.port, host.page)
    assert reply.header("content-length") is None
    assert reply.header("transfer-encoding") is None
    assert reply.body == host.plain


@meets("absurd-length", generated=True)
def test_a_length_is_negative(host: Host) -> None:
    assert b"\r\nContent-Length: -1\r\n" in exchange(host.port, request(host.page))


@meets("broken-chunks", generated=True)
def test_a_chunk_has_a_size_that_is_no_number(host: Host) -> None:
    with pytest.raises(IncompleteRead) as caught:
        get(host.port, host.page)
    assert caught.value.partial == host.plain[: len(host.plain) // 2]


@meets("cut-chunks", generated=True)
def test_the_last_chunk_is_missing(host: Host) -> None:
    with pytest.raises(IncompleteRead) as caught:
        get(host.port, host.page)
    assert caught.value.partial == host.plain


@meets("endless", generated=True)
def test_a_body_has_no_end(host: Host) -> None:
    connection = HTTPConnection(LOOPBACK, host.port, timeout=30)
    connection.request("GET", "/", headers={"Host": host.name})
    response = connection.getresponse()
    assert len(response.read(20_000_000)) == 20_000_000
    connection.close()
    response.close()


@meets("endless-headers", generated=True)
def test_headers_have_no_end(host: Host) -> None:
    with plug(host.port) as client:
        client.sendall(request(host.page))
        heard = b""
        while len(heard) < 2_000_000:
            heard += client.recv(65536)
    assert b"\r\n\r\n" not in heard
    with pytest.raises(HTTPException, match="more than 100 headers"):
        get(host.port, host.page)


@meets("header-flood")
def test_headers_are_many(host: Host) -> None:
    heard = exchange(host.port, request(host.page, "Connection: close"))
    assert heard.count(b"\r\nX-Flood-") == 300
    assert heard.endswith(b"\r\n\r\n" + host.plain)


@meets("garbage", generated=True)
def test_an_answer_is_no_http(host: Host) -> None:
    with pytest.raises(http.client.BadStatusLine):
        get(host.port, host.page)


@meets("dies")
def test_a_host_dies_in_the_middle_of_a_crawl_and_comes_back(host: Host) -> None:
    def alive() -> bool:
        try:
            return get(host.port, host.page).status == 200
        except ConnectionError:
            return False

    eventually(alive)
    eventually(lambda: not alive())
    with pytest.raises(ConnectionError):
        get(host.port, host.page, method="HEAD")
    eventually(alive)


# --- speech ---------------------------------------------------------------------------------------------


@meets("gzip-bomb")
@pytest.mark.parametrize("accepted", ["gzip", "identity"])
def test_a_small_body_unpacks_to_a_huge_one_whoever_asks(host: Host, accepted: str) -> None:
    reply = get(host.port, host.page, {"Accept-Encoding": accepted})
    assert reply.header("content-encoding") == "gzip"
    assert len(reply.body) < 20_000
    assert len(gzip.decompress(reply.body)) == 3 * 2**20


@meets("wrong-mime", generated=True)
def test_pages_say_that_they_are_pictures_and_files_that_they_are_pages(host: Host) -> None:
    assert get(host.port, host.page).header("content-type") == "image/png"
    if host.name == "wrong-mime.test":
        assert get(host.port, host.url("/file.bin")).header("content-type") == "text/html"


@meets("no-mime", generated=True)
def test_a_page_does_not_say_what_it_is(host: Host) -> None:
    reply = get(host.port, host.page)
    assert reply.header("content-type") is None
    assert reply.body == host.plain


@meets("wrong-charset")
def test_a_page_names_a_charset_that_is_not_its_own(host: Host) -> None:
    reply = get(host.port, host.page)
    assert reply.header("content-type") == "text/html; charset=utf-16"
    assert "Words, words" in reply.text


def redirects(host: Host, count: int) -> list[str]:
    """The addresses that a client is led to, one after another."""
    url, seen = str(host.page), []
    for _ in range(count):
        reply = get(host.port, url)
        assert reply.status == 302
        url = urljoin(url, reply.header("location") or "")
        seen.append(url)
    return seen


@meets("redirect-loop", generated=True)
def test_redirects_lead_in_a_circle(host: Host) -> None:
    assert len(set(redirects(host, 9))) == 3


@meets("redirect-endless", generated=True)
def test_redirects_lead_to_ever_new_addresses(host: Host) -> None:
    assert len(set(redirects(host, 9))) == 9


def led_to(host: Host, count: int) -> set[str]:
    replies = [get(host.port, host.page) for _ in range(count)]
    assert {reply.status for reply in replies} == {302}
    return {reply.header("location") or "" for reply in replies}


@meets("redirect-loopback", generated=True)
def test_redirects_lead_to_this_machine(host: Host) -> None:
    names = {urlsplit(location).hostname for location in led_to(host, 10)}
    assert names == {"127.0.0.1", "localhost", "::1", "127.1", "2130706433"}


@meets("redirect-private", generated=True)
def test_redirects_lead_to_private_addresses(host: Host) -> None:
    hosts = {urlsplit(location).hostname or "" for location in led_to(host, 16)}
    assert len(hosts) == 8
    assert "169.254.169.254" in hosts
    assert not any(ipaddress.ip_address(one).is_global and one != "224.0.0.1" for one in hosts)


@meets("redirect-scheme", generated=True)
def test_redirects_lead_out_of_http(host: Host) -> None:
    schemes = {urlsplit(location).scheme for location in led_to(host, 10)}
    assert schemes == {"ftp", "file", "javascript", "gopher", "data"}


@meets("too-many")
def test_too_many_requests_are_refused_with_either_form_of_retry_after(host: Host) -> None:
    waits: set[str] = set()

    def heard_both() -> bool:
        reply = get(host.port, host.page)
        assert reply.status in (200, 429)
        if reply.status == 429:
            waits.add(reply.header("retry-after") or "")
        return "1" in waits and len(waits) > 1

    eventually(heard_both)
    assert parsedate_to_datetime(max(waits - {"1"})).year > 2000
    eventually(lambda: get(host.port, host.page).status == 200, every=1.0)  # as it was asked to


@meets("storm", generated=True)
def test_refusals_come_in_a_row_then_answers(host: Host) -> None:
    length = 3 if host.name == "storm.test" else 10
    statuses = [get(host.port, host.page).status for _ in range(4 * length)]
    assert set(statuses) == {200, 503}
    changes = sum(before != after for before, after in pairwise(statuses))
    assert 3 <= changes <= 4
    assert statuses.count(503) == 2 * length


# --- traps ----------------------------------------------------------------------------------------------


def hrefs(reply: Reply) -> list[str]:
    return re.findall(r'href="([^"]*)"', reply.body.decode("latin-1"))


@meets("calendar", generated=True)
def test_a_calendar_never_ends(host: Host) -> None:
    url = str(host.page)
    assert "/calendar/2026/11/16" in hrefs(get(host.port, url))
    url, seen = host.url("/calendar/2026/12/30"), set()
    for _ in range(100):
        seen.add(url)
        reply = get(host.port, url)
        assert reply.status == 200
        url = urljoin(url, hrefs(reply)[1])
    assert len(seen) == 100
    assert hrefs(get(host.port, host.url("/calendar/2026/12/30")))[1] == "/calendar/2027/01/01"


@meets("calendar")
def test_a_page_that_was_recorded_packed_leads_into_the_calendar_as_well(host: Host) -> None:
    reply = get(host.port, host.url("/packed.html"), {"Accept-Encoding": "gzip"})
    assert reply.header("content-encoding") == "gzip"
    assert b'href="/calendar/' in gzip.decompress(reply.body)


@meets("session-ids", generated=True)
def test_links_have_a_new_session_id_on_every_visit(host: Host) -> None:
    first, second = (set(hrefs(get(host.port, host.page))) for _ in range(2))
    mine = {link for link in first if "sid=" in link}
    assert mine
    assert not mine & second
    for link in mine:
        assert get(host.port, urljoin(host.page, link.replace("&amp;", "&"))).status < 400


@meets("session-ids")
def test_a_page_with_a_session_id_is_the_page_wherever_the_id_stands(host: Host) -> None:
    for query in ("sid=1f&a=1", "a=1&sid=1f"):
        assert "Another page" in get(host.port, host.url(f"/page.html?{query}")).text
    assert "A page" in get(host.port, host.url("/page.html?sid=1f")).text


@meets("session-ids")
def test_a_page_that_changes_on_every_visit_is_never_unmodified(host: Host) -> None:
    assert get(host.port, host.page, {"If-None-Match": '"fixed"'}).status == 200


# --- robots.txt -----------------------------------------------------------------------------------------


def robots(host: Host) -> Reply:
    assert get(host.port, host.page).body == host.plain  # all else is as it should be
    return get(host.port, host.url("/robots.txt"))


@meets("robots-huge")
def test_robots_txt_is_huge(host: Host) -> None:
    reply = robots(host)
    assert len(reply.body) > 500 * 1024
    assert reply.text.startswith("User-agent: *\nDisallow: /early/\n")
    assert reply.text.endswith("Disallow: /late/\n")


@meets("robots-error", generated=True)
def test_robots_txt_fails(host: Host) -> None:
    assert robots(host).status == (500 if host.name == "robots-error.test" else 503)


@meets("robots-slow")
def test_robots_txt_comes_late(host: Host) -> None:
    with plug(host.port) as client:
        began = monotonic()
        client.sendall(request(host.url("/robots.txt"), "Connection: close"))
        assert hear(client).startswith(b"HTTP/1.1 404 ")
    assert monotonic() - began > 0.9 * FIGURES["robots-slow"]
    assert get(host.port, host.page).body == host.plain


@meets("robots-delay", generated=True)
def test_robots_txt_asks_for_a_delay(host: Host) -> None:
    assert re.search(r"^Crawl-delay: [57]$", robots(host).text, re.MULTILINE)


@meets("robots-sitemaps", generated=True)
def test_robots_txt_names_sitemaps_good_and_broken(host: Host) -> None:
    index, broken, missing = re.findall(r"^Sitemap: (.*)$", robots(host).text, re.MULTILINE)
    plain, packed = locations(get(host.port, index).body)
    listed = locations(get(host.port, plain).body)
    listed += locations(gzip.decompress(get(host.port, packed).body))
    assert host.page in listed
    assert all(url.startswith(f"http://{host.name}/") for url in listed)
    with pytest.raises(ET.ParseError):
        locations(get(host.port, broken).body)
    assert get(host.port, missing).status == 404


def locations(sitemap: bytes) -> list[str]:
    return [one.text or "" for one in ET.fromstring(sitemap).iter(f"{SITEMAP}loc")]  # noqa: S314 - our own


@meets("robots-closed", generated=True)
def test_robots_txt_disallows_everything(host: Host) -> None:
    assert robots(host).text == "User-agent: *\nDisallow: /\n"


@meets("robots-forbidden", generated=True)
def test_robots_txt_is_forbidden(host: Host) -> None:
    assert robots(host).status == 403


@meets("robots-redirect", generated=True)
def test_robots_txt_lies_behind_redirects(host: Host) -> None:
    url, hops = host.url("/robots.txt"), 0
    while (reply := get(host.port, url)).status == 301:
        url, hops = urljoin(url, reply.header("location") or ""), hops + 1
    assert hops == 3
    assert "Disallow: /private/" in reply.text
    assert get(host.port, host.url(f"/robots-{'9' * 5000}")).status == 404


@meets("robots-page", generated=True)
def test_robots_txt_is_a_web_page(host: Host) -> None:
    reply = robots(host)
    assert reply.status == 200
    assert reply.text.startswith("<!DOCTYPE html>")


@meets("robots-binary", generated=True)
def test_robots_txt_is_no_text(host: Host) -> None:
    with pytest.raises(UnicodeDecodeError):
        robots(host).text  # noqa: B018 - it raises


@meets("robots-marked", generated=True)
def test_robots_txt_has_a_byte_order_mark_and_odd_spelling(host: Host) -> None:
    body = robots(host).body
    assert body.startswith(b"\xef\xbb\xbfUSER-AGENT :*\rDisallow:/private/ #")
    assert b"\n" not in body


# --- names ----------------------------------------------------------------------------------------------


def nobody_is_there(host: Host) -> None:
    """Whoever comes without a look-up meets nobody either."""
    for method in ("GET", "HEAD"):
        with pytest.raises(ConnectionError):
            get(host.port, host.page, method=method)


@meets("dns-unknown", generated=True)
def test_a_name_does_not_exist(host: Host) -> None:
    assert resolve(host.dns_port, host.name) == (3, [])
    nobody_is_there(host)


@meets("dns-failing", generated=True)
def test_a_name_server_fails(host: Host) -> None:
    assert resolve(host.dns_port, host.name) == (2, [])
    nobody_is_there(host)


@meets("dns-silent", generated=True)
def test_a_name_server_does_not_answer(host: Host) -> None:
    with pytest.raises(TimeoutError):
        resolve(host.dns_port, host.name, timeout=0.2)
    nobody_is_there(host)


# --- habits as such -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(HABITS) - {"dies", "too-many", "storm"}))
def test_head_has_no_body_whatever_the_habit(box: Running, name: str) -> None:
    if name in (
        "garbage",
        "endless-headers",
        "dns-unknown",
        "dns-failing",
        "dns-silent",
        "header-flood",
    ):
        return  # their headers are the trouble
    with plug(box.port) as client:
        client.sendall(request(f"http://{name}.test/page.html", method="HEAD"))
        heard = hear_until(client, b"\r\n\r\n")
        client.sendall(request(f"http://{name}.test/page.html", method="HEAD"))
        assert heard.endswith(b"\r\n\r\n")
        assert hear_until(client, b"\r\n\r\n").startswith(b"HTTP/1.1 ")


def test_conditions_hold_for_hosts_with_habits_as_well(box: Running) -> None:
    for name in ("slow-first-byte", "surplus-bytes", "robots-closed", "no-mime"):
        reply = get(box.port, f"http://{name}.test/page.html", {"If-None-Match": '"fixed"'})
        assert (reply.status, reply.body) == (304, b"")


def test_habits_can_be_given_on_the_command_line_by_pattern(recorded: Path, tmp_path: Path) -> None:
    options = ("--misbehave", "well.*=robots-closed", "--misbehave", "big.test=redirect-loop")
    with serving(tmp_path, recorded, *options) as served:
        assert "Disallow: /\n" in get(served.port, "http://well.test/robots.txt").text
        assert get(served.port, "http://big.test/big.bin").status == 302
        assert get(served.port, "http://robots-forbidden.test/robots.txt").status == 403


def test_an_unknown_habit_on_the_command_line_is_one_sentence(
    recorded: Path, tmp_path: Path
) -> None:
    run = run_lode(tmp_path, "sandbox", "serve", recorded, "--misbehave", "*=slow-dripp")
    assert said_one_sentence(run)
    assert run.returncode == 2
    run = run_lode(tmp_path, "sandbox", "serve", recorded, "--misbehave", "slow-drip")
    assert said_one_sentence(run)
    assert run.returncode == 2


def test_an_unknown_habit_in_about_toml_is_one_sentence_at_the_start(
    recorded: Path, tmp_path: Path
) -> None:
    web = tmp_path / "web"
    web.mkdir()
    for file in recorded.glob("*.warc.gz"):
        (web / file.name).symlink_to(file)
    (web / "about.toml").write_text('[misbehaviour]\n"*" = "slow-dripp"\n')
    run = run_lode(tmp_path, "sandbox", "serve", web)
    assert said_one_sentence(run)
    assert run.returncode == 3
    assert "slow-drip" in run.stderr


def test_a_bomb_is_one_whole_gzip_file(box: Running) -> None:
    body = get(box.port, "http://gzip-bomb.test/").body
    unpacker = zlib.decompressobj(31)
    assert unpacker.decompress(body).strip() == b""
    assert unpacker.eof
    assert unpacker.unused_data == b""
