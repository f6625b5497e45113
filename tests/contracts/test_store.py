"""What a store promises, whichever database is behind it."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from helpers import follow
from motherlode.records import (
    ROOT,
    Archived,
    Document,
    Entry,
    Example,
    Fate,
    Feedback,
    Follow,
    Host,
    HostState,
    Judgement,
    Link,
    LinkFlag,
    LockedError,
    Model,
    ModelId,
    NewerStoreError,
    OlderStoreError,
    Origin,
    Outcome,
    Page,
    PageId,
    Redirect,
    RunEnd,
    StoreError,
    Topic,
    TopicId,
    UrlState,
    Verdict,
)
from motherlode.store import Session, Store, StoreOptions, frontier, ledger, migrations, outcomes, pages
from motherlode.store import topics as topic_rows
from motherlode.store.schema import VERSION, about, links, metadata, urls
from motherlode.urls import address

A, B = TopicId(1), TopicId(2)

# SQLite has one writer at a time, and its file is locked with its directory.
only_shared = pytest.mark.parametrize("options", ["postgresql"], indirect=True)


class StopHereError(Exception):
    """Raised in the middle of a transaction."""


def link(url: str, anchor: str = "", flags: LinkFlag = LinkFlag.NONE) -> Link:
    found = address(url)
    return Link(found.url, found.key, anchor, flags)


def take(session: Session, url: str, queue: TopicId = A, rank: float = 1.0) -> Entry:
    """Offer a URL and take its entry."""
    frontier.offer(session, [follow(url, rank, queue)])
    return next(entry for entry in frontier.waiting(session, queue, 1000) if entry.url == url)


def outcome(entry: Entry, *links_to: Link, **parts: object) -> Outcome:
    page = Page(entry.url, entry.key, 1.5, 200, "text/html", 10, b"digest")
    document = Document("Title", "en", "Some text", 7, {"terms": b"\x01"}, links_to)
    defaults: dict[str, object] = {"page": page, "document": document}
    return Outcome(entry, **(defaults | parts))  # type: ignore[arg-type]


def keep_one(store: Store, url: str, *links_to: Link, **parts: object) -> PageId:
    with store.writing() as session:
        return outcomes.keep(session, [outcome(take(session, url), *links_to, **parts)])[0]


def count_rows(store: Store, table: str) -> int:
    with store.reading() as session:
        query = select(func.count()).select_from(metadata.tables[table])
        return session.connection.execute(query).scalar_one()


# Topics and examples


def test_a_new_store_has_the_root_alone(store: Store) -> None:
    with store.reading() as session:
        assert topic_rows.all_topics(session) == [Topic(ROOT, None, "")]


def test_topics_are_added_renamed_and_moved(store: Store) -> None:
    with store.writing() as session:
        science = topic_rows.add_topic(session, ROOT, "Science")
        physics = topic_rows.add_topic(session, ROOT, "Physics")
        topic_rows.add_topic(session, ROOT, "OTHERS", is_others=True)
        topic_rows.rename_topic(session, physics.id, "Optics")
        topic_rows.move_topic(session, physics.id, science.id)
    with store.reading() as session:
        _, *found = topic_rows.all_topics(session)
        assert [(topic.name, topic.parent, topic.is_others) for topic in found] == [
            ("Science", ROOT, False),
            ("Optics", science.id, False),
            ("OTHERS", ROOT, True),
        ]


def test_siblings_of_one_name_are_refused(store: Store) -> None:
    with pytest.raises(StoreError), store.writing() as session:
        topic_rows.add_topic(session, ROOT, "Science")
        topic_rows.add_topic(session, ROOT, "SCIENCE")
    assert count_rows(store, "topics") == 1


def test_a_removed_topics_number_and_offers_are_gone_for_good(store: Store) -> None:
    with store.writing() as session:
        topic = topic_rows.add_topic(session, ROOT, "x")
        frontier.offer(session, [follow("http://a/", 0.9, topic.id)])
        topic_rows.remove_topics(session, [topic.id], ROOT)
        again = topic_rows.add_topic(session, ROOT, "y")
        assert again.id != topic.id
        frontier.offer(session, [follow("http://a/", 0.5, again.id)])
    assert waiting(store, again.id) == [("http://a/", 0.5)]


def test_removing_a_topic_hands_its_pages_to_its_parent(store: Store) -> None:
    with store.writing() as session:
        upper = topic_rows.add_topic(session, ROOT, "Upper")
        lower = topic_rows.add_topic(session, upper.id, "Lower")
        topic_rows.add_examples(session, [Example(lower.id, "http://a.example/")])
    page = keep_one(store, "http://p.example/", judgement=Judgement(lower.id, 0.5))
    with store.writing() as session:
        frontier.offer(session, [follow("http://q.example/", queue=lower.id)])
        ledger.give_feedback(session, Feedback(page, lower.id, Verdict.GOOD, 1.0))
        topic_rows.remove_topics(session, [upper.id, lower.id], ROOT)
    with store.reading() as session:
        assert [topic.id for topic in topic_rows.all_topics(session)] == [ROOT]
        assert topic_rows.examples_of(session) == []
        assert frontier.sizes(session) == {}
        assert pages.judgement_of(session, page) == Judgement(ROOT, 0.5)


def test_examples_are_kept_whole_and_once_a_topic(store: Store) -> None:
    example = Example(
        ROOT, "http://a.example/", "Title ü", "A note", ("x", "y z"), "trimmed", Origin.ARCHETYPE, 1.25
    )
    query = Example(ROOT, None, text="some words", origin=Origin.QUERY)
    with store.writing() as session:
        assert topic_rows.add_examples(session, [example, query]) == 2
        assert topic_rows.add_examples(session, [Example(ROOT, "http://a.example/", "other")]) == 0
        assert topic_rows.add_examples(session, []) == 0
    with store.reading() as session:
        first, second = topic_rows.examples_of(session, ROOT)
    assert (first.url, first.title, first.note, first.tags) == (
        example.url,
        "Title ü",
        "A note",
        ("x", "y z"),
    )
    assert (first.text, first.origin, first.added_at) == ("trimmed", Origin.ARCHETYPE, 1.25)
    assert (second.url, second.text) == (None, "some words")
    with store.writing() as session:
        assert topic_rows.remove_example(session, ROOT, "http://a.example/")
        assert not topic_rows.remove_example(session, ROOT, "http://a.example/")


# The frontier


def waiting(store: Store, queue: TopicId = A) -> list[tuple[str, float]]:
    with store.reading() as session:
        return [(entry.url, entry.rank) for entry in frontier.waiting(session, queue, 100)]


def test_entries_wait_best_first(store: Store) -> None:
    with store.writing() as session:
        offered = [follow("http://a/", 0.5), follow("http://b/", 0.9), follow("http://c/", -2.0)]
        frontier.offer(session, offered)
    assert waiting(store) == [("http://b/", 0.9), ("http://a/", 0.5), ("http://c/", -2.0)]


def test_a_rediscovery_raises_a_rank_and_never_lowers_it(store: Store) -> None:
    for rank in (0.5, 0.3, 0.8, 0.8):
        with store.writing() as session:
            frontier.offer(session, [follow("http://a/", rank)])
    assert waiting(store) == [("http://a/", 0.8)]
    with store.reading() as session:
        assert frontier.sizes(session) == {A: 1}
    with store.writing() as session:
        (best, *_) = frontier.waiting(session, A, 1)
        outcomes.keep(session, [outcome(best)])
    assert waiting(store) == []


def test_the_best_of_a_batch_counts(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 0.2), follow("http://a/", 0.7)])
    assert waiting(store) == [("http://a/", 0.7)]


def test_what_was_fetched_is_not_offered_again(store: Store) -> None:
    keep_one(store, "http://a/")
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 99.0)])
    assert waiting(store) == []


def test_what_was_fetched_is_not_offered_again_by_the_next_process(
    store: Store, database: Path, options: StoreOptions
) -> None:
    keep_one(store, "http://a/")
    with Store.open(database, options) as again, again.writing() as session:
        frontier.offer(session, [follow("http://a/", 99.0)])
    assert waiting(store) == []


def test_the_best_offer_is_there_whatever_the_queue(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 0.2, A), follow("http://b/", 0.9, A)])
        frontier.offer(session, [follow("http://a/", 0.7, B), follow("http://b/", 0.1, B)])
    assert ("http://a/", 0.7) in waiting(store, B)
    assert ("http://b/", 0.9) in waiting(store, A)


def test_offers_that_are_no_better_leave_no_rows(store: Store) -> None:
    for rank in (0.5, 0.4, 0.5):
        with store.writing() as session:
            frontier.offer(session, [follow("http://a/", rank)])
    keep_one(store, "http://b/", link("http://a/"), follows=(follow("http://a/", 0.3),))
    assert count_rows(store, "frontier") == 1


def test_what_is_settled_takes_no_more_rows(store: Store, database: Path, options: StoreOptions) -> None:
    keep_one(store, "http://a/")
    with Store.open(database, options) as again:
        for each in (store, again):  # one remembers it, the other has to ask
            with each.writing() as session:
                frontier.offer(session, [follow("http://a/", 99.0)])
    assert count_rows(store, "frontier") == 0


def test_a_rank_that_is_no_number_is_refused(store: Store) -> None:
    for rank in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(StoreError, match="finite"), store.writing() as session:
            frontier.offer(session, [follow("http://a/", rank)])
    assert count_rows(store, "urls") == 0


def test_a_queue_is_paged_through(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow(f"http://h/{n}", n // 3) for n in range(30)])
    with store.reading() as session:
        seen: list[Entry] = []
        while some := frontier.waiting(session, A, 7, after=seen[-1] if seen else None):
            seen += some
        assert seen == frontier.waiting(session, A, 100)
    assert len({entry.url for entry in seen}) == 30


def test_stale_entries_are_pruned(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 0.2)])
        frontier.offer(session, [follow("http://a/", 0.7), follow("http://b/", 0.1)])
        (best, *_) = frontier.waiting(session, A, 1)
        outcomes.keep(session, [outcome(best)])
        assert frontier.prune(session, A) == 1
    assert waiting(store) == [("http://b/", 0.1)]


# Outcomes


def test_a_page_is_kept_with_all_that_belongs_to_it(store: Store) -> None:
    archived = Archived("lode-00001.warc.gz", 10, 20)
    with store.writing() as session:
        run = ledger.start_run(session, "lode crawl", "bingo", 1.0)
        entry = take(session, "http://a.example/", rank=0.75)
        page = Page(
            entry.url, entry.key, 2.5, 203, "text/html", 2**33, b"\x00d", "e", "Mon", "192.0.2.1", archived
        )
        said = Judgement(B, -0.25, ModelId(3))
        made = outcomes.keep(session, [outcome(entry, page=page, judgement=said)], run.id)
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
        found = outcome(entry, link("http://b/"), link("http://c/"), follows=(follow("http://c/", 0.4),))
        (number,) = outcomes.keep(session, [found])
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
        numbers = outcomes.keep(session, [outcome(entry, link("http://x/"), page=page) for entry in entries])
    assert len(set(numbers)) == 1
    assert count_rows(store, "pages") == 1
    assert count_rows(store, "links") == 1


def test_a_page_settles_its_url_whatever_else_the_batch_says(store: Store) -> None:
    with store.writing() as session:
        new = take(session, "http://new/")
        old = take(session, "http://old/")
        page = Page(new.url, new.key, 1.0, 200)
        moved = outcome(old, page=page, fate=Fate(retry_at=9.0))
        outcomes.keep(session, [moved, Outcome(new, Fate(UrlState.FAILED, "timeout", retry_at=9.0))])
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
        assert outcomes.keep(session, [outcome(entry, page=again, document=None)]) == [first]
    with store.reading() as session:
        kept = pages.page_at(session, entry.key)
        assert kept is not None
        assert (kept.title, kept.page.fetched_at, kept.page.status, kept.page.etag) == (
            "Title",
            77.0,
            304,
            "new",
        )
        assert pages.text_of(session, first) == "Some text"
        assert len(pages.links_from(session, first)) == 1
        assert pages.judgement_of(session, first) == Judgement(A, 1.0)


def test_a_page_fetched_again_replaces_itself(store: Store) -> None:
    first = keep_one(store, "http://a/", link("http://b/"), link("http://c/"), judgement=Judgement(A, 1.0))
    with store.writing() as session:
        known = pages.known_url(session, address("http://a/").key)
        assert known is not None
        entry = Entry(known.id, known.url, address("http://a/").key, A, 1.0)
        document = Document("New", text="New text", links=(link("http://d/"),))
        second = outcomes.keep(session, [outcome(entry, document=document)])
    assert second == [first]
    with store.reading() as session:
        assert pages.text_of(session, first) == "New text"
        assert [found.url for found in pages.links_from(session, first)] == ["http://d/"]
        assert pages.vectors_of(session, first) == {}
        assert pages.judgement_of(session, first) is None


def test_an_empty_batch_is_nothing(store: Store) -> None:
    with store.writing() as session:
        assert outcomes.keep(session, []) == []
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


def test_what_no_database_keeps_is_replaced(store: Store) -> None:
    nul, lone = "a\x00b", "c\ud800d\u00e9"
    document = Document(nul, text=nul + lone, fingerprint=2**64 - 1, links=(link("http://b/", lone),))
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
            outcome(entry, *(link(url) for url in (*shared, entry.url)), follows=tuple(map(follow, shared)))
            for entry in entries
        ]
        numbers = outcomes.keep(session, batch)
    assert len(set(numbers)) == 300
    assert count_rows(store, "urls") == 340
    assert count_rows(store, "links") == 300 * 41
    assert len(waiting(store)) == 40


# Transactions


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    keep_one(store, "http://before/")
    tables = list(metadata.tables)
    before = {table: count_rows(store, table) for table in tables}
    with pytest.raises(StopHereError), store.writing() as session:
        topic_rows.add_topic(session, ROOT, "x")
        entry = take(session, "http://a/")
        found = outcome(entry, link("http://b/"), judgement=Judgement(A, 1.0), follows=(follow("http://c/"),))
        outcomes.keep(session, [found])
        ledger.note_archives(session, {"f": 3})
        raise StopHereError
    assert {table: count_rows(store, table) for table in tables} == before


def test_what_a_failed_transaction_saw_is_not_believed_later(store: Store) -> None:
    with pytest.raises(StopHereError), store.writing() as session:
        frontier.offer(session, [follow("http://a/"), follow("http://b/")])
        raise StopHereError
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/")])
    assert waiting(store) == [("http://a/", 1.0)]
    keep_one(store, "http://c/", link("http://b/"))
    with store.reading() as session:
        assert pages.links_from(session, PageId(1))[0].url == "http://b/"


def test_a_reader_sees_one_moment(store: Store) -> None:
    keep_one(store, "http://a/")
    with store.reading() as session:
        before = pages.count_pages(session)
        keep_one(store, "http://b/")
        assert pages.count_pages(session) == before == 1
    with store.reading() as session:
        assert pages.count_pages(session) == 2


def test_writers_of_one_process_take_turns(store: Store) -> None:
    def write(number: int) -> None:
        for step in range(5):
            keep_one(store, f"http://h{number}/{step}", link("http://shared/"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count_rows(store, "pages") == 20
    assert count_rows(store, "urls") == 21


def test_two_stores_on_one_database_agree_on_rows(
    store: Store, database: Path, options: StoreOptions
) -> None:
    """As two engines do: each has a memory of its own."""
    with Store.open(database, options) as other:
        for number, each in enumerate([store, other] * 3):
            with each.writing() as session:
                offers: Sequence[Follow] = [
                    follow(f"http://h/{n}", number) for n in range(number, number + 4)
                ]
                frontier.offer(session, offers)
    with store.reading() as session:
        rows = session.connection.execute(select(urls.c.key, urls.c.url)).all()
    assert len(rows) == len({row.key for row in rows}) == 9
    assert all(address(row.url).key == row.key for row in rows)


def test_two_writers_with_the_same_news_agree(store: Store, database: Path, options: StoreOptions) -> None:
    """Both transactions are open at once where the database allows it; no URL gets two rows."""
    ready = threading.Barrier(2)
    failed: list[BaseException] = []

    def write(each: Store, number: int) -> None:
        ready.wait()
        try:
            for step in range(20):
                with each.writing() as session:
                    frontier.offer(session, [follow(f"http://h/{step}/{n}", number) for n in range(20)])
        except StoreError as error:
            failed.append(error)

    with Store.open(database, options) as other:
        threads = [threading.Thread(target=write, args=pair) for pair in ((store, 0), (other, 1))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []
    assert count_rows(store, "urls") == 400
    with store.reading() as session:
        assert frontier.sizes(session) == {A: 400}


@only_shared
def test_a_url_that_another_engine_is_just_adding(
    store: Store, database: Path, options: StoreOptions
) -> None:
    """The other's row appears between our look and our insert."""
    entered, go_on = threading.Event(), threading.Event()

    def first() -> None:
        with store.writing() as session:
            frontier.offer(session, [follow("http://a/", 0.5)])
            entered.set()
            go_on.wait(10)

    with Store.open(database, options) as other:
        thread = threading.Thread(target=first)
        thread.start()
        entered.wait(10)
        threading.Timer(0.3, go_on.set).start()
        number = keep_one(other, "http://b/", link("http://a/"))
        thread.join()
        with other.reading() as session:
            (found,) = pages.links_from(session, number)
            known = pages.known_url(session, address("http://a/").key)
            assert known is not None
            assert found.url_id == known.id


def test_a_reader_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError), store.reading() as session:
        topic_rows.add_topic(session, ROOT, "x")
    assert count_rows(store, "topics") == 1
    keep_one(store, "http://a/")


@only_shared
def test_one_writer_at_a_time_on_a_shared_database(
    store: Store, database: Path, options: StoreOptions
) -> None:
    with Store.open(database, options) as other:
        with store.exclusive(), pytest.raises(LockedError, match="being written"), other.exclusive():
            pass
        with other.exclusive():
            pass


# The small tables


def test_runs_are_counted_and_ended(store: Store) -> None:
    with store.writing() as session:
        run = ledger.start_run(session, "lode crawl", "bingo", 1.0)
        ledger.advance_run(session, run.id, 5)
        ledger.advance_run(session, run.id, 7)
        assert ledger.all_runs(session)[0].ended_at is None
        ledger.end_run(session, run.id, RunEnd.PAGES, 9.0)
    with store.reading() as session:
        (found,) = ledger.all_runs(session)
        assert (found.pages, found.end, found.ended_at) == (12, "page limit", 9.0)


def test_the_latest_model_of_a_kind_is_found(store: Store) -> None:
    with store.writing() as session:
        assert ledger.latest_model(session, "tree") is None
        for number in range(3):
            made = Model(ModelId(0), "tree", 1, number, bytes([number, 0, 255]), {"précis": [number]})
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
        b"User-agent: *",
        200,
        7.5,
    )
    with store.writing() as session:
        ledger.keep_hosts(session, [Host("a.example"), Host("b.example")])
        ledger.keep_hosts(session, [host])
    with store.reading() as session:
        assert ledger.host_named(session, "a.example") == host
        assert ledger.host_named(session, "b.example") == Host("b.example")
        assert ledger.host_named(session, "c.example") is None


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
        first, second = (pages.page_at(session, address(url).key) for url in ("http://a/", "http://b/"))
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


# Versions


def set_version(store: Store, version: int) -> None:
    with store.writing() as session:
        session.connection.execute(about.update().values(value=str(version)))


def test_a_newer_database_is_refused(store: Store, database: Path, options: StoreOptions) -> None:
    set_version(store, VERSION + 1)
    with pytest.raises(NewerStoreError, match=f"version {VERSION + 1}.* up to {VERSION}"):
        Store.open(database, options)


@pytest.mark.usefixtures("store")
def test_an_older_database_is_upgraded_only_if_asked(
    database: Path, options: StoreOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "is_current", lambda *_: False)
    monkeypatch.setattr(migrations, "migrate", lambda _: None)
    with pytest.raises(OlderStoreError):
        Store.open(database, options)
    Store.open(database, options, upgrade=True).close()


def test_an_older_database_is_brought_up_to_date_step_by_step(store: Store) -> None:
    done = []

    def first(_: object) -> None:
        done.append(1)

    def second(connection: object) -> None:
        done.append(2)
        connection.execute(text("CREATE TABLE novelty (x INTEGER)"))  # type: ignore[attr-defined]

    set_version(store, 1)
    with store.writing() as session:
        migrations.migrate(session.connection, (first, second))
        assert migrations.version(session.connection) == 3
        migrations.migrate(session.connection, (first, second))
    assert done == [1, 2]


def test_a_step_that_fails_leaves_the_old_version(store: Store) -> None:
    def fail(connection: object) -> None:
        connection.execute(text("CREATE TABLE novelty (x INTEGER)"))  # type: ignore[attr-defined]
        raise StopHereError

    set_version(store, 1)
    with pytest.raises(StopHereError), store.writing() as session:
        migrations.migrate(session.connection, (fail,))
    with store.reading() as session:
        assert migrations.version(session.connection) == 1
        with pytest.raises(StoreError), store.reading() as inner:
            inner.connection.execute(text("SELECT * FROM novelty"))


def test_the_newest_version_is_the_last_step() -> None:
    assert len(migrations.STEPS) + 1 == VERSION


@pytest.mark.usefixtures("store")
def test_a_database_in_use_is_not_taken_for_a_new_portal(database: Path, options: StoreOptions) -> None:
    with pytest.raises(StoreError, match="holds a portal already"):
        Store.create(database, options)
