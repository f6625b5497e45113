"""What was given up and may be had another time: it is out of the way, and comes back where it was."""

from motherlode.records import ROOT, Entry, Fate, Outcome, QueueId, Redirect, TopicId, UrlState
from motherlode.store import Store
from motherlode.store.schema import frontier as frontier_table
from motherlode.store.tables import frontier, outcomes, parked_urls
from motherlode.store.tables.pages import known_url, redirect_of
from motherlode.store.tables.topics import remove_topics
from motherlode.urls import address
from support.helpers import follow
from support.store_records import A, B, count_rows, outcome, waiting

TIMED_OUT = Fate(UrlState.FAILED, "timed out", passing=True)
BAD_HOST = Fate(UrlState.SKIPPED, "bad host", passing=True)
NOT_THERE = Fate(UrlState.FAILED, "not there: status 404")


def settle(store: Store, fates: dict[str, Fate], queue: QueueId = A, rank: float = 0.5) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow(url, rank, queue) for url in fates])
        entries = {entry.url: entry for entry in frontier.waiting(session, queue, 100)}
        outcomes.keep(session, [Outcome(entries[url], fate) for url, fate in fates.items()])


def redirected(entry: Entry, *targets: str) -> tuple[Redirect, ...]:
    urls = (entry.url, *targets)
    return tuple(
        Redirect(one, address(one).key, other, address(other).key, 302)
        for one, other in zip(urls, targets, strict=False)
    )


def parked(store: Store) -> dict[str, list[str]]:
    with store.reading() as session:
        return {way[0]: way for way in parked_urls.parked(session).values()}


def reopen(store: Store, *urls: str) -> None:
    with store.writing() as session:
        parked_urls.reopen(
            session, [one for one, way in parked_urls.parked(session).items() if way[0] in urls]
        )


def test_it_waits_again_where_it_waited(store: Store) -> None:
    settle(store, {"http://a/": TIMED_OUT, "http://b/": NOT_THERE})
    settle(store, {"http://c/": BAD_HOST}, B, 0.7)
    assert (waiting(store), waiting(store, B)) == ([], [])
    with store.reading() as session:
        assert (frontier.size(session), frontier.sizes(session)) == (0, {})
        assert frontier.all_waiting(session, 10, None) == []
    assert parked(store) == {"http://a/": ["http://a/"], "http://c/": ["http://c/"]}
    reopen(store, "http://a/", "http://c/")
    assert (waiting(store), waiting(store, B)) == ([("http://a/", 0.5)], [("http://c/", 0.7)])
    assert parked(store) == {}
    with store.writing() as session:
        (entry,) = frontier.waiting(session, A, 9)
        assert (entry.attempts, entry.not_before) == (0, 0.0)
        frontier.offer(session, [follow("http://a/", 0.9)])
    assert waiting(store)[0] == ("http://a/", 0.9)
    with store.writing() as session:
        (best, *_) = frontier.waiting(session, A, 1)
        outcomes.keep(session, [outcome(best)])
    assert waiting(store) == []


def test_those_that_nobody_asks_for_stay(store: Store) -> None:
    settle(store, {"http://a/": TIMED_OUT, "http://b/": TIMED_OUT})
    reopen(store, "http://b/")
    assert waiting(store) == [("http://b/", 0.5)]
    assert list(parked(store)) == ["http://a/"]


def test_it_is_known_where_it_led(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 0.5)])
        (entry,) = frontier.waiting(session, A, 1)
        lost = Outcome(entry, TIMED_OUT, redirects=redirected(entry, "http://b/", "http://c/"))
        outcomes.keep(session, [lost])
    assert parked(store) == {"http://a/": ["http://a/", "http://b/", "http://c/"]}
    reopen(store, "http://a/")
    with store.reading() as session:
        known = known_url(session, address("http://a/").key)
        assert known is not None
        assert redirect_of(session, known.id) is None  # it may lead elsewhere now


def test_a_circle_of_redirects_has_an_end(store: Store) -> None:
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/", 0.5)])
        (entry,) = frontier.waiting(session, A, 1)
        outcomes.keep(
            session,
            [Outcome(entry, TIMED_OUT, redirects=redirected(entry, "http://b/", "http://a/"))],
        )
    assert set(parked(store)["http://a/"]) == {"http://a/", "http://b/"}


def test_what_was_had_after_all_is_not_parked(store: Store) -> None:
    settle(store, {"http://a/": TIMED_OUT})
    reopen(store, "http://a/")
    with store.writing() as session:
        (entry,) = frontier.waiting(session, A, 1)
        outcomes.keep(session, [outcome(entry)])
    assert parked(store) == {}
    assert waiting(store) == []


def test_it_goes_with_its_topic(store: Store) -> None:
    settle(store, {"http://a/": TIMED_OUT})
    with store.writing() as session:
        remove_topics(session, [TopicId(A)], ROOT, [A])
    assert parked(store) == {}
    assert count_rows(store, frontier_table.name) == 0


def test_what_was_put_off_can_be_hurried(store: Store) -> None:
    settle(store, {"http://a/": Fate(UrlState.FAILED, "unavailable", 9e9, passing=True)})
    assert parked(store) == {}  # it waits
    with store.writing() as session:
        ((number, url),) = parked_urls.put_off(session)
        assert url == "http://a/"
        assert [entry.not_before for entry in frontier.waiting(session, A, 9)] == [9e9]
        parked_urls.hurry(session, [number])
        assert [(e.not_before, e.attempts) for e in frontier.waiting(session, A, 9)] == [(0.0, 0)]
        assert parked_urls.put_off(session) == []
