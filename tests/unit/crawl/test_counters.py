"""Counting what waits."""

from motherlode.crawl.counters import CrawlCounters
from motherlode.records import Entry, QueueId, UrlId
from motherlode.urls import address

OWLS, BATS = QueueId(2), QueueId(3)


def entry(number: int, queue: QueueId = OWLS, rank: float = 0.5) -> Entry:
    at = address(f"http://a.test/{number}")
    return Entry(UrlId(number), at.url, at.key, queue, rank)


def test_a_url_that_is_found_again_waits_once() -> None:
    counters = CrawlCounters()
    counters.add_waiting([entry(1), entry(2), entry(2, BATS)])
    assert counters.progress(1.0).waiting == 2
    counters.add_waiting(
        [entry(2, rank=0.9), entry(1, BATS, 0.8)],
    )  # memory may have forgotten them
    assert counters.progress(1.0).waiting == 2
    counters.add_waiting([entry(4), entry(3)])
    assert counters.progress(1.0).waiting == 4


def test_what_was_seen_by_an_earlier_crawl_is_not_counted_again() -> None:
    counters = CrawlCounters(newest=7)
    counters.set_waiting({OWLS: 5}, 5)
    counters.add_waiting([entry(3, rank=0.9), entry(8)])
    assert counters.progress(1.0).waiting == 6
