"""Counting what waits."""

from motherlode.crawl.counters import Tally
from motherlode.records import Entry, TopicId, UrlId
from motherlode.urls import address

OWLS, BATS = TopicId(2), TopicId(3)


def entry(number: int, queue: TopicId = OWLS, rank: float = 0.5) -> Entry:
    at = address(f"http://a.test/{number}")
    return Entry(UrlId(number), at.url, at.key, queue, rank)


def test_a_url_that_is_found_again_waits_once() -> None:
    tally = Tally()
    tally.await_more([entry(1), entry(2), entry(2, BATS)])
    assert tally.progress(1.0).waiting == 2
    tally.await_more([entry(2, rank=0.9), entry(1, BATS, 0.8)])  # of which memory may know nothing any more
    assert tally.progress(1.0).waiting == 2
    tally.await_more([entry(4), entry(3)])
    assert tally.progress(1.0).waiting == 4


def test_what_was_seen_by_an_earlier_crawl_is_not_counted_again() -> None:
    tally = Tally(newest=7)
    tally.await_all({OWLS: 5}, 5)
    tally.await_more([entry(3, rank=0.9), entry(8)])
    assert tally.progress(1.0).waiting == 6
