"""The small tables: runs, models, hosts, verdicts, archive files."""

from motherlode.records import (
    ROOT,
    Archived,
    Feedback,
    Host,
    HostState,
    Model,
    ModelId,
    Page,
    RobotsFile,
    RunEnd,
    Verdict,
)
from motherlode.store import Store
from motherlode.store.tables import ledger, outcomes, pages
from motherlode.urls import address
from support.store_records import keep_one, outcome, take


def test_runs_are_counted_and_ended(store: Store) -> None:
    with store.writing() as session:
        run = ledger.start_run(session, "lode crawl", "bingo", 1.0)
        ledger.advance_run(session, run.id, 5)
        ledger.advance_run(session, run.id, 12)
        assert (
            ledger.start_run(session, "lode crawl", "bingo", 1.0) == run
        )  # said again, as nobody heard
        assert ledger.all_runs(session)[0].ended_at is None
        ledger.end_run(session, run.id, RunEnd.PAGES, 9.0)
    with store.reading() as session:
        (found,) = ledger.all_runs(session)
        assert (found.pages, found.end, found.ended_at) == (12, "page limit", 9.0)


def test_the_latest_model_of_a_kind_is_found(store: Store) -> None:
    with store.writing() as session:
        assert ledger.latest_model(session, "tree") is None
        for number in range(3):
            made = Model(
                ModelId(0), "tree", 1, number, bytes([number, 0, 255]), {"précis": [number]}
            )
            kept = ledger.keep_model(session, made)
    with store.reading() as session:
        assert ledger.latest_model(session, "tree") == kept
        assert kept.packed == b"\x02\x00\xff"
        assert kept.report == {"précis": [2]}


def test_hosts_are_kept_and_changed(store: Store) -> None:
    host = Host(
        "a.example",
        "a.example",
        HostState.SLOW,
        "timeout",
        "192.0.2.1",
        2,
        3,
        4,
        1.5,
        9.5,
    )
    with store.writing() as session:
        ledger.keep_hosts(session, [Host("a.example"), Host("b.example")])
        ledger.keep_hosts(session, [host])
    with store.reading() as session:
        assert ledger.host_named(session, "a.example") == host
        assert ledger.host_named(session, "b.example") == Host("b.example")
        assert ledger.host_named(session, "c.example") is None


def test_hosts_are_listed_by_name(store: Store) -> None:
    hosts = [
        Host(f"{name}.example", "example", HostState.BAD, "refused", pages=3) for name in "cab"
    ]
    with store.writing() as session:
        ledger.keep_hosts(session, hosts)
    with store.reading() as session:
        assert list(ledger.all_hosts(session)) == sorted(hosts, key=lambda host: host.name)
        assert all(host.state is HostState.BAD for host in ledger.all_hosts(session))


def test_robots_txt_is_kept_by_origin_and_replaced(store: Store) -> None:
    plain = RobotsFile("http://a.example", 200, b"User-agent: *\nDisallow: \xff\x00", 1.5, 9.5)
    closed = RobotsFile("https://a.example:8443", 503, None, 2.0, 3.0)
    empty = RobotsFile("http://b.example", 404, b"", 0.0, 1.0)
    with store.writing() as session:
        ledger.keep_robots(session, [])
        ledger.keep_robots(session, [RobotsFile("http://a.example", 500, None, 0.0, 1.0), closed])
        ledger.keep_robots(
            session, [RobotsFile("http://a.example", 404, b"", 0.0, 1.0), plain, empty]
        )
    with store.reading() as session:
        found = [ledger.robots_of(session, file.origin) for file in (plain, closed, empty)]
        assert found == [plain, closed, empty]
        assert ledger.robots_of(session, "https://a.example") is None


def test_feedback_is_kept(store: Store) -> None:
    page = keep_one(store, "http://a/")
    with store.writing() as session:
        ledger.give_feedback(session, Feedback(page, ROOT, Verdict.BAD, 1.5, "off topic"))
    with store.reading() as session:
        (found,) = ledger.feedback_on(session, ROOT)
        assert (found.page, found.verdict, found.note) == (page, Verdict.BAD, "off topic")


def test_pages_behind_the_end_of_an_archive_file_lose_their_raw_response(store: Store) -> None:
    for number, url in enumerate(("http://a/", "http://b/")):
        archived = Archived("f", 100 * number, 100)
        with store.writing() as session:
            entry = take(session, url)
            page = Page(entry.url, entry.key, 1.0, 200, archived=archived)
            outcomes.keep(session, [outcome(entry, page=page)])
            ledger.note_archives(session, {"f": 100 * number + 100})
    with store.writing() as session:
        ledger.lose_archived(session, "f", 150)
    with store.reading() as session:
        first, second = (
            pages.page_at(session, address(url).key) for url in ("http://a/", "http://b/")
        )
        assert first is not None
        assert second is not None
        assert (first.page.archived, second.page.archived) == (Archived("f", 0, 100), None)
        assert ledger.archive_sizes(session) == {"f": 100}


def test_archive_sizes_follow_the_last_commit(store: Store) -> None:
    with store.writing() as session:
        ledger.note_archives(session, {"one": 10, "two": 20})
    with store.writing() as session:
        ledger.note_archives(session, {"two": 30})
    with store.reading() as session:
        assert ledger.archive_sizes(session) == {"one": 10, "two": 30}


def test_copies_are_found_by_their_digest_the_first_page_of_each(store: Store) -> None:
    for url, digest in (
        ("http://a/", b"same"),
        ("http://b/", b"same"),
        ("http://c/", b"other\x00\xff"),
    ):
        with store.writing() as session:
            entry = take(session, url)
            page = Page(entry.url, entry.key, 1.0, 200, digest=digest)
            outcomes.keep(session, [outcome(entry, page=page)])
    with store.reading() as session:
        many = {b"%d" % number for number in range(2000)}
        assert pages.copies_of(session, {b"same", b"other\x00\xff", *many}) == {
            b"same": "http://a/",
            b"other\x00\xff": "http://c/",
        }
        assert pages.copies_of(session, set()) == {}
