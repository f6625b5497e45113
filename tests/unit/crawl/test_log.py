"""What a crawl writes down for people."""

import csv
from collections.abc import Iterator
from pathlib import Path
from time import time

import pytest

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.log import CODES, CRAWL_LOG, HARVEST, SKIPPED, CrawlLog
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.refresh import RefreshSelection, refresh
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.fetcher import Fetched
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import (
    DiskFullError,
    Entry,
    Fate,
    Host,
    HostState,
    Judgement,
    Outcome,
    Page,
    PageId,
    QueueId,
    Redirect,
    TopicId,
    UrlId,
    UrlState,
)
from motherlode.records.digests import digest_of, shown_digest
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import known_url
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address
from support.small_webs import Said, html, record_web

PAGES: dict[str, Said] = {
    "http://a.test/": html("A", "first", "/1", "/old", "/gone", "/copy", "/hidden", "/secret"),
    "http://a.test/1": html("A1", "second", "/3"),
    "http://a.test/3": html("A3", "third"),
    "http://a.test/old": (302, {"Location": "/new"}, b""),
    "http://a.test/new": html("New", "fourth"),
    "http://a.test/copy": html("A3", "third"),
    "http://a.test/hidden": '<meta name="robots" content="noindex"><p>Hidden.',
    "http://a.test/robots.txt": (
        200,
        {"Content-Type": "text/plain"},
        b"User-agent: *\nDisallow: /secret",
    ),
}


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    create_portal(tmp_path / "p", plant_seeds([(("a",), ["http://a.test/"])], UrlRules()), {})
    return tmp_path / "p"


@pytest.fixture
def opened(portal: Path) -> Iterator[Portal]:
    with Portal.crawling(portal, "test") as held:
        yield held


def run(portal: Path, web: Path, pages: int = 100) -> Progress:
    with Portal.crawling(portal, "test") as opened, CrawlLog(opened) as journal:
        policy = BreadthFirst([address("http://a.test/")])
        work = crawl(
            opened,
            Replay(open_web(web)),
            policy,
            Limits(pages, connections=1),
            CrawlContext(log=journal),
        )
        return run_virtually(work)


def lines(portal: Path) -> list[list[str]]:
    return [line.split(" ") for line in (portal / CRAWL_LOG).read_text().splitlines()]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def draft(url: str, number: int = 1, **said: object) -> DraftOutcome:
    """An attempt at a URL; a page on a topic came of it, unless a failure or a fate is given."""
    at = address(url)
    entry = Entry(UrlId(number), at.url, at.key, QueueId(1), 1.0)
    failure, fate = said.get("failure"), said.get("fate")
    if isinstance(failure, FailureKind):
        fetched = Fetched(at.url, at, failure=failure, detail=str(said.get("detail", "")))
        return DraftOutcome(Outcome(entry, Fate(UrlState.SKIPPED, str(failure))), None, fetched)
    if isinstance(fate, Fate):
        return DraftOutcome(Outcome(entry, fate), None, Fetched(at.url, at))
    page = Page(at.url, at.key, 0.0, 200)
    judgement = Judgement(TopicId(2), 1.0 if said.get("relevant", True) else -1.0)
    return DraftOutcome(Outcome(entry, page=page, judgement=judgement), None, Fetched(at.url, at))


# --- crawl.log ------------------------------------------------------------------------------------------


def test_every_request_is_a_line_with_the_way_that_led_there(portal: Path, tmp_path: Path) -> None:
    run(portal, record_web(tmp_path / "web", PAGES))
    found = {line[3].removeprefix("http://a.test"): line for line in lines(portal)}
    assert set(found) == {"/", "/1", "/old", "/new", "/gone", "/copy", "/hidden", "/secret", "/3"}
    assert all(len(line) == 8 for line in found.values())
    body = str(PAGES["http://a.test/1"]).encode()
    assert found["/1"][1:] == [
        "200",
        str(len(body)),
        "http://a.test/1",
        "L",
        "http://a.test/",
        "text/html",
        shown_digest(digest_of(body)),
    ]
    assert found["/"][4:6] == ["-", "-"]
    assert found["/3"][4:6] == ["LL", "http://a.test/1"]
    assert found["/old"][1:6] == ["302", "-", "http://a.test/old", "L", "http://a.test/"]
    assert found["/new"][1] == "200"
    assert found["/new"][4:6] == ["LR", "http://a.test/old"]
    assert found["/gone"][1] == "404"
    assert found["/secret"][1:3] == ["-9998", "-"]
    assert all(line[0].endswith("Z") for line in found.values())


def test_a_host_that_rests_since_an_earlier_run_is_waited_for(portal: Path, tmp_path: Path) -> None:
    resting = Host("a.test", "a.test", HostState.SLOW, "stalled", failures=1, next_at=time() + 30.0)
    with Portal.crawling(portal, "test") as opened, opened.batch() as session:
        ledger.keep_hosts(session, [resting])
    run(portal, record_web(tmp_path / "web", PAGES))
    found = [line[1] for line in lines(portal) if line[3] == "http://a.test/"]
    assert found == ["-50", "200"]
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        known = known_url(session, address("http://a.test/").key)
    assert known is not None
    assert (known.state, known.attempts) == (UrlState.FETCHED, 1)  # it was asked for once


@pytest.mark.parametrize("kind", FailureKind)
def test_what_has_no_status_has_a_number(kind: FailureKind) -> None:
    with_status = {
        FailureKind.TOO_MANY,
        FailureKind.UNAVAILABLE,
        FailureKind.SERVER,
        FailureKind.CLIENT,
    }
    assert (kind in with_status) != (CODES.get(kind, 0) < 0)


def test_a_long_way_is_cut_and_blanks_never_make_a_field(opened: Portal, portal: Path) -> None:
    at = address("http://a.test/")
    entry = Entry(UrlId(1), at.url, at.key, QueueId(1), 1.0, depth=70)
    hop = Redirect("http://a.test/a b", at.key, at.url, at.key, 301)
    with CrawlLog(opened) as journal:
        journal.note([DraftOutcome(Outcome(entry), None, Fetched(at.url, at, (hop,)))])
    assert [len(line) for line in lines(portal)] == [8, 8]
    assert lines(portal)[0][3:5] == ["http://a.test/a%20b", f"20+{'L' * 50}"]
    assert lines(portal)[1][4] == f"21+{'L' * 49}R"


def test_pages_that_led_somewhere_are_looked_up_once(
    opened: Portal, portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[PageId]] = []

    def look_up(_session: object, wanted: list[PageId]) -> dict[PageId, str]:
        asked.append(sorted(wanted))
        return {page: f"http://a.test/page{page}" for page in wanted}

    monkeypatch.setattr("motherlode.crawl.log.urls_of_pages", look_up)
    monkeypatch.setattr("motherlode.crawl.log._MAX_CACHED_URLS", 2)
    at = address("http://a.test/")

    def led_by(*pages: int) -> list[DraftOutcome]:
        entries = [
            Entry(UrlId(1), at.url, at.key, QueueId(1), 1.0, via=PageId(page)) for page in pages
        ]
        return [DraftOutcome(Outcome(entry), None, Fetched(at.url, at)) for entry in entries]

    with CrawlLog(opened) as journal:
        journal.note(led_by(1, 2, 2))
        journal.note(led_by(2, 1))
        journal.note(led_by(3))
        assert asked == [[1, 2], [3]]
        assert len(journal._urls) == 2
    assert [line[5][-1] for line in lines(portal)] == list("122213")


# --- harvest.csv ----------------------------------------------------------------------------------------


def test_the_harvest_has_a_row_every_fifty_pages_and_one_at_the_end(
    opened: Portal, portal: Path
) -> None:
    with CrawlLog(opened) as journal:
        journal.note([draft(f"http://a.test/{n}", n, relevant=n % 2 == 0) for n in range(1, 121)])
    told = [(row["pages"], row["relevant"], row["rate"]) for row in rows(portal / HARVEST)]
    assert told == [("50", "25", "0.5000"), ("100", "50", "0.5000"), ("120", "60", "0.5000")]


def test_after_five_seconds_a_row_is_due_for_one_page(opened: Portal, portal: Path) -> None:
    now = [1000.0]
    with CrawlLog(opened, lambda: now[0]) as journal:
        journal.note([draft("http://a.test/1")])
        now[0] += 6
        journal.note([draft("http://a.test/2", 2)])
    assert [row["pages"] for row in rows(portal / HARVEST)] == ["2"]


def test_the_next_crawl_counts_on(portal: Path, tmp_path: Path) -> None:
    web = record_web(tmp_path / "web", PAGES)
    run(portal, web, 2)
    run(portal, web, 1)
    assert [row["pages"] for row in rows(portal / HARVEST)] == ["2", "3"]
    assert (portal / HARVEST).read_text().count("time,pages") == 1


def test_pages_that_were_fetched_again_are_no_harvest(portal: Path, tmp_path: Path) -> None:
    web = record_web(tmp_path / "web", PAGES)
    run(portal, web, 2)
    with Portal.crawling(portal, "refresh") as held:
        refreshed = run_virtually(
            refresh(held, Replay(open_web(web)), RefreshSelection(before=1e12, pages=9))
        )
    assert refreshed.unchanged == 2
    run(portal, web, 1)
    assert [row["pages"] for row in rows(portal / HARVEST)] == ["2", "3"]


# --- skipped.csv ----------------------------------------------------------------------------------------


def test_what_was_left_out_is_listed_with_its_reason(portal: Path, tmp_path: Path) -> None:
    run(portal, record_web(tmp_path / "web", PAGES))
    told = {row["url"].removeprefix("http://a.test"): row for row in rows(portal / SKIPPED)}
    copied = "/3" if "/3" in told else "/copy"  # whichever came second
    assert {path: row["reason"] for path, row in told.items()} == {
        copied: "copy",
        "/hidden": "noindex",
        "/secret": "robots",
    }
    assert told[copied]["detail"] in ("http://a.test/3", "http://a.test/copy")


def test_no_cell_is_taken_for_a_formula_or_for_two(opened: Portal, portal: Path) -> None:
    url = 'http://a.test/?q=a,"b",=1'
    with CrawlLog(opened) as journal:
        journal.note([draft(url, failure=FailureKind.TRAP, detail='=HYPERLINK("http://x"),\n2')])
    (row,) = rows(portal / SKIPPED)
    assert row["url"] == address(url).url
    assert (row["reason"], row["detail"]) == ("trap", '\'=HYPERLINK("http://x"), 2')


def test_what_waits_for_another_attempt_is_not_left_out(opened: Portal, portal: Path) -> None:
    with CrawlLog(opened) as journal:
        journal.note([draft("http://a.test/", fate=Fate(UrlState.SKIPPED, "later", retry_at=9.0))])
    assert rows(portal / SKIPPED) == []


# --- trouble --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [CRAWL_LOG, HARVEST, SKIPPED])
def test_a_full_disk_is_said_in_a_sentence(opened: Portal, portal: Path, name: str) -> None:
    (portal / name).symlink_to("/dev/full")
    many = [draft(f"http://a.test/{n}", n) for n in range(1, 60)]
    with (
        pytest.raises(DiskFullError, match=r"No space is left for .*; all pages so far are kept"),
        CrawlLog(opened) as journal,
    ):
        journal.note([*many, draft("http://a.test/x", 99, failure=FailureKind.ROBOTS)])


def test_a_crawl_that_cannot_write_its_journal_ends_with_its_pages_kept(
    portal: Path, tmp_path: Path
) -> None:
    (portal / CRAWL_LOG).symlink_to("/dev/full")
    with pytest.raises(DiskFullError):
        run(portal, record_web(tmp_path / "web", PAGES))
    (portal / CRAWL_LOG).unlink()
    run(portal, record_web(tmp_path / "web2", PAGES))
    assert rows(portal / HARVEST)[-1]["pages"] == "4"


def test_half_a_line_of_a_killed_crawl_is_cut_off(opened: Portal, portal: Path) -> None:
    (portal / HARVEST).write_text(
        "time,pages,relevant,rate\n2026-01-01T00:00:00Z,10,4,0.4\n2026-01-01T0"
    )
    (portal / CRAWL_LOG).write_text("half a li")
    with CrawlLog(opened) as journal:
        journal.note([draft("http://a.test/")])
    assert len(rows(portal / HARVEST)) == 2
    assert [line[3] for line in lines(portal)] == ["http://a.test/"]
