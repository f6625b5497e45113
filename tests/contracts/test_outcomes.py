"""Outcomes: a batch of pages with all that they caused."""

import numpy as np
import pytest
from sqlalchemy import select

from motherlode.records import (
    ROOT,
    Archived,
    Document,
    Entry,
    Example,
    Fate,
    Judgement,
    LinkFlag,
    ModelId,
    Outcome,
    Page,
    Redirect,
    UrlState,
)
from motherlode.store import Store
from motherlode.store.link_rows import LinkRows
from motherlode.store.queries import overview
from motherlode.store.schema import links, metadata
from motherlode.store.tables import frontier, ledger, outcomes, pages
from motherlode.store.tables import topics as topic_rows
from motherlode.urls import address
from support.helpers import follow
from support.store_records import A, B, count_rows, keep_one, link, outcome, take, waiting


def test_a_page_is_kept_with_all_that_belongs_to_it(store: Store) -> None:
    archived = Archived("lode-00001.warc.gz", 10, 20)
    with store.writing() as session:
        run = ledger.start_run(session, "lode crawl", "bingo", 1.0)
        entry = take(session, "http://a.example/", rank=0.75)
        page = Page(
            entry.url,
            entry.key,
            2.5,
            203,
            "text/html",
            2**33,
            b"\x00d",
            "e",
            "Mon",
            "192.0.2.1",
            archived,
        )
        said = Judgement(B, -0.25, ModelId(3))
        made = outcomes.keep(session, [outcome(entry, page=page, judgement=said)], run.id).pages
    with store.reading() as session:
        kept = pages.page_at(session, entry.key)
        assert kept is not None
        assert [kept.id] == made
        assert kept.page == page
        assert (kept.title, kept.language, kept.fingerprint, kept.rank) == ("Title", "en", 7, 0.75)
        assert pages.text_of(session, kept.id) == "Some text"
        assert pages.vectors_of(session, kept.id) == {"terms": b"\x01"}
        assert pages.judgement_of(session, kept.id) == said
        known = pages.known_url(session, entry.key)
        assert known is not None
        assert (known.state, known.attempts) == (UrlState.FETCHED, 1)
        assert pages.count_pages(session) == 1


def test_links_are_kept_in_order_and_found_from_both_ends(store: Store) -> None:
    nav = link("http://b/", "home", LinkFlag.NAVIGATION | LinkFlag.NOFOLLOW)
    one = keep_one(store, "http://a/", nav, link("http://c/", "see C"), link("http://b/", "again"))
    two = keep_one(store, "http://c/", link("http://b/", "from C"))
    with store.reading() as session:
        out = pages.links_from(session, one)
        assert [(found.url, found.anchor, found.flags) for found in out] == [
            ("http://b/", "home", 3),
            ("http://c/", "see C", 0),
            ("http://b/", "again", 0),
        ]
        target = pages.known_url(session, address("http://b/").key)
        assert target is not None
        assert target.state is UrlState.OPEN
        into = pages.links_to(session, target.id)
        assert sorted((found.page, found.anchor) for found in into) == [
            (one, "again"),
            (one, "home"),
            (two, "from C"),
        ]
        assert len(pages.links_to(session, target.id, limit=2)) == 2


def test_links_are_found_across_segments(store: Store) -> None:
    first = keep_one(store, "http://a/", link("http://t/"))
    with store.writing() as session:  # as if five thousand pages had come in between
        session.connection.execute(metadata.tables["pages"].update().values(id=5000))
        session.connection.execute(links.update().values(page_id=5000))
    second = keep_one(store, "http://b/", link("http://t/"))
    assert first != second
    with store.reading() as session:
        target = pages.known_url(session, address("http://t/").key)
        assert target is not None
        assert {found.page for found in pages.links_to(session, target.id)} == {5000, second}


def test_a_link_alone_does_not_wait_and_a_follow_does(store: Store) -> None:
    with store.writing() as session:
        entry = take(session, "http://a/")
        found = outcome(
            entry, link("http://b/"), link("http://c/"), follows=(follow("http://c/", 0.4),)
        )
        (number,) = outcomes.keep(session, [found]).pages
    with store.reading() as session:
        (waits,) = frontier.waiting(session, A, 10)
        assert (waits.url, waits.rank, waits.via) == ("http://c/", 0.4, number)


def test_a_failure_is_remembered_with_its_reason(store: Store) -> None:
    with store.writing() as session:
        entry = take(session, "http://a/")
        outcomes.keep(session, [Outcome(entry, Fate(UrlState.FAILED, "timeout"))])
    with store.reading() as session:
        known = pages.known_url(session, entry.key)
        assert known is not None
        assert (known.state, known.reason, known.attempts) == (UrlState.FAILED, "timeout", 1)
        assert pages.page_at(session, entry.key) is None
    assert waiting(store) == []


def test_a_retry_waits_for_its_time_at_every_rank(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 0.3)])
        entry = take(session, "http://a/", rank=0.6)
        assert entry.rank == 0.6
        outcomes.keep(session, [Outcome(entry, Fate(UrlState.FAILED, "timeout", retry_at=99.0))])
    with store.reading() as session:
        (again,) = frontier.waiting(session, A, 10)
        assert (again.rank, again.not_before, again.attempts) == (0.6, 99.0, 1)
        (worse,) = frontier.waiting(session, A, 10, after=again)
        assert (worse.rank, worse.not_before) == (0.3, 99.0)
    with store.writing() as session:
        outcomes.keep(session, [outcome(again)])
    assert waiting(store) == []


def test_a_redirect_settles_both_urls(store: Store) -> None:
    with store.writing() as session:
        entry = take(session, "http://old/")
        new = address("http://new/")
        hop = Redirect(entry.url, entry.key, new.url, new.key, 301)
        page = Page(new.url, new.key, 1.0, 200)
        outcomes.keep(session, [outcome(entry, page=page, redirects=(hop,))])
        frontier.offer(session, [follow("http://new/")])
    with store.reading() as session:
        old, moved = pages.known_url(session, entry.key), pages.known_url(session, new.key)
        assert old is not None
        assert moved is not None
        assert (old.state, moved.state) == (UrlState.MOVED, UrlState.FETCHED)
        assert pages.redirect_of(session, old.id) == moved.id
        assert pages.page_at(session, new.key) is not None
    assert waiting(store) == []


def test_two_entries_that_lead_to_one_page_keep_it_once(store: Store) -> None:
    with store.writing() as session:
        new = address("http://new/")
        page = Page(new.url, new.key, 1.0, 200)
        entries = [take(session, "http://old/"), take(session, "http://older/")]
        numbers = outcomes.keep(
            session, [outcome(entry, link("http://x/"), page=page) for entry in entries]
        ).pages
    assert len(set(numbers)) == 1
    assert count_rows(store, "pages") == 1
    assert count_rows(store, "links") == 1


def test_a_page_settles_its_url_whatever_else_the_batch_says(store: Store) -> None:
    with store.writing() as session:
        new = take(session, "http://new/")
        old = take(session, "http://old/")
        page = Page(new.url, new.key, 1.0, 200)
        moved = outcome(old, page=page, fate=Fate(retry_at=9.0))
        outcomes.keep(
            session, [moved, Outcome(new, Fate(UrlState.FAILED, "timeout", retry_at=9.0))]
        )
    with store.reading() as session:
        known = pages.known_url(session, new.key)
        assert known is not None
        assert (known.state, known.reason) == (UrlState.FETCHED, "")
    assert waiting(store) == []


def test_a_page_that_was_not_modified_keeps_what_it_said(store: Store) -> None:
    first = keep_one(store, "http://a/", link("http://b/"), judgement=Judgement(A, 1.0))
    with store.writing() as session:
        known = pages.known_url(session, address("http://a/").key)
        assert known is not None
        entry = Entry(known.id, known.url, address("http://a/").key, A, 1.0)
        again = Page(entry.url, entry.key, 77.0, 304, etag="new")
        assert outcomes.keep(session, [outcome(entry, page=again, document=None)]).pages == [first]
    with store.reading() as session:
        kept = pages.page_at(session, entry.key)
        assert kept is not None
        assert (kept.title, kept.page.fetched_at, kept.page.status, kept.page.etag) == (
            "Title",
            77.0,
            200,
            "new",
        )
        assert pages.text_of(session, first) == "Some text"
        assert len(pages.links_from(session, first)) == 1
        assert pages.judgement_of(session, first) == Judgement(A, 1.0)


def test_a_page_fetched_again_replaces_itself(store: Store) -> None:
    first = keep_one(
        store, "http://a/", link("http://b/"), link("http://c/"), judgement=Judgement(A, 1.0)
    )
    with store.writing() as session:
        known = pages.known_url(session, address("http://a/").key)
        assert known is not None
        entry = Entry(known.id, known.url, address("http://a/").key, A, 1.0)
        document = Document("New", text="New text", links=(link("http://d/"),))
        second = outcomes.keep(session, [outcome(entry, document=document)]).pages
    assert second == [first]
    with store.reading() as session:
        assert pages.text_of(session, first) == "New text"
        assert [found.url for found in pages.links_from(session, first)] == ["http://d/"]
        assert pages.vectors_of(session, first) == {}
        assert pages.judgement_of(session, first) is None


def test_an_empty_batch_is_nothing(store: Store) -> None:
    with store.writing() as session:
        assert outcomes.keep(session, []).pages == []
        frontier.offer(session, [])
        ledger.keep_hosts(session, [])
        ledger.note_archives(session, {})


def test_odd_text_is_kept(store: Store) -> None:
    odd = "tab\t, newline\n, backslash \\N, quote ', emoji \N{OWL}, right-to-left \u202e"
    number = keep_one(
        store,
        "http://a/",
        link("http://b/", odd),
        document=Document(odd, text=odd, links=(link("http://b/", odd),)),
    )
    with store.reading() as session:
        assert pages.text_of(session, number) == odd
        assert pages.links_from(session, number)[0].anchor == odd


def test_odd_anchors_of_many_links_are_kept(store: Store) -> None:
    odd = (
        '"quoted" \\ and \\u0041',
        "tab\tand \x01\x1f\x7f",
        "\u2028 \U0001f989 \u202e",
        "[1, null]",
        "",
    )
    many = [
        (f"http://b/{number}", odd[number % len(odd)], LinkFlag(number % 8))
        for number in range(300)
    ]
    page = keep_one(store, "http://a/", *(link(*one) for one in many))
    with store.reading() as session:
        assert [(one.url, one.anchor, one.flags) for one in pages.links_from(session, page)] == many


@pytest.mark.parametrize("target", [1, 2**33 - 1, 2**33, 2**62])
@pytest.mark.parametrize("flags", [0, 2**15 - 1])
def test_links_of_several_pages_are_kept_whatever_their_numbers(
    store: Store, target: int, flags: int
) -> None:
    counts = [(7, 2), (8, 0), (2**40, 3)]
    anchors = ["same", "same", "", "same", "12"]
    rows = LinkRows(
        counts, np.array([target, 5, 5, 6, target]), anchors, np.array([1, 0, 0, flags, flags])
    )
    with store.writing() as session:
        session.bulk.insert_links(rows)
        session.bulk.insert_links(LinkRows([], np.array([], np.int64), [], np.array([], np.int64)))
    with store.reading() as session:
        kept = session.connection.execute(select(links).order_by(links.c.page_id, links.c.position))
        assert [tuple(row) for row in kept] == [
            (7, 0, target, "same", 1),
            (7, 1, 5, "same", 0),
            (2**40, 0, 5, "", 0),
            (2**40, 1, 6, "same", flags),
            (2**40, 2, target, "12", flags),
        ]


def test_a_page_of_very_many_links_is_kept(store: Store) -> None:
    many = 2**15 + 2
    nothing = np.zeros(many, np.int64)
    with store.writing() as session:
        session.bulk.insert_links(LinkRows([(1, many)], nothing, [""] * many, nothing))
    with store.reading() as session:
        kept = session.connection.execute(
            select(links.c.position).order_by(links.c.position)
        ).scalars()
        assert list(kept) == list(range(many))


def test_what_no_database_keeps_is_replaced(store: Store) -> None:
    nul, lone = "a\x00b", "c\ud800d\u00e9"
    document = Document(
        nul, text=nul + lone, fingerprint=2**64 - 1, links=(link("http://b/", lone),)
    )
    number = keep_one(store, "http://a/", document=document, fate=Fate(reason=nul))
    with store.writing() as session:
        topic_rows.add_examples(session, [Example(ROOT, None, nul, lone, (nul,), lone)])
    with store.reading() as session:
        kept = pages.page_at(session, address("http://a/").key)
        assert kept is not None
        assert (kept.title, kept.fingerprint) == ("a\ufffdb", -1)
        assert pages.links_from(session, number)[0].anchor == "c\ufffdd\u00e9"
        assert pages.text_of(session, number).startswith("a")
        assert topic_rows.examples_of(session)[0].note == "c\ufffdd\u00e9"


def test_a_large_batch_with_much_in_common(store: Store) -> None:
    shared = [f"http://shared/{n}" for n in range(40)]
    with store.writing() as session:
        frontier.offer(session, [follow(f"http://h{n % 7}/{n}", n / 300) for n in range(300)])
        entries = frontier.waiting(session, A, 300)
        batch = [
            outcome(
                entry,
                *(link(url) for url in (*shared, entry.url)),
                follows=tuple(map(follow, shared)),
            )
            for entry in entries
        ]
        numbers = outcomes.keep(session, batch).pages
    assert len(set(numbers)) == 300
    assert count_rows(store, "urls") == 340
    assert count_rows(store, "links") == 300 * 41
    assert len(waiting(store)) == 40


def test_a_page_that_could_not_be_read_says_why_until_it_is_read(store: Store) -> None:
    keep_one(store, "http://a/", document=Document("Rain", unreadable="needs\x00 a program"))
    key = address("http://a/").key

    def again(document: Document | None) -> tuple[UrlState, str]:
        with store.writing() as session:
            known = pages.known_url(session, key)
            assert known is not None
            entry = Entry(known.id, known.url, key, A, 1.0)
            page = Page(entry.url, key, 77.0, 200)
            outcomes.keep(session, [outcome(entry, page=page, document=document)])
        with store.reading() as session:
            known = pages.known_url(session, key)
            assert known is not None
            return known.state, known.reason

    said = "unreadable: needs\ufffd a program"
    with store.reading() as session:
        known = pages.known_url(session, key)
        assert known is not None
        assert (known.state, known.reason) == (UrlState.FETCHED, said)
        assert overview.unreadable(session) == {"needs\ufffd a program": 1}
    assert again(None) == (UrlState.FETCHED, said)  # it was not modified
    assert again(Document("Rain", text="It rains.")) == (UrlState.FETCHED, "")
    with store.reading() as session:
        assert overview.unreadable(session) == {}
    assert again(None) == (UrlState.FETCHED, "")


@pytest.mark.parametrize("state", [UrlState.FAILED, UrlState.MOVED, UrlState.SKIPPED])
@pytest.mark.parametrize("retry_at", [None, 100.0])
def test_a_page_stays_whatever_becomes_of_its_own_entry_later(
    store: Store, state: UrlState, retry_at: float | None
) -> None:
    """A redirect led to it while its entry was out."""
    with store.writing() as session:
        late = take(session, "http://a/about/", rank=0.5)
        entry = take(session, "http://a/about", rank=0.75)
        page = Page(late.url, late.key, 1.0, 200)
        hop = Redirect(entry.url, entry.key, late.url, late.key, 301)
        outcomes.keep(session, [outcome(entry, page=page, redirects=(hop,))])
    away = Redirect(late.url, late.key, "http://b/", address("http://b/").key, 302)
    with store.writing() as session:
        kept = outcomes.keep(
            session, [Outcome(late, Fate(state, "not there", retry_at), redirects=(away,))]
        )
        assert late.url_id in kept.settled
    with store.reading() as session:
        known = pages.known_url(session, late.key)
        assert known is not None
        assert (known.state, known.reason) == (UrlState.FETCHED, "")
        assert pages.redirect_of(session, late.url_id) is None
    assert waiting(store) == []
