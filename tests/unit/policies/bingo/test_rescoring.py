"""What a new model makes of pages and of what waits."""

from typing import Any

import numpy as np
import pytest

from motherlode.policies.bingo.rescoring import Thoughts, moves
from motherlode.records import ROOT, Entry, Judgement, PageId, TopicId, UrlId, UrlKey

OWLS, HERONS = TopicId(2), TopicId(3)
MADE = [
    (PageId(3), Judgement(OWLS, 0.4)),
    (PageId(5), Judgement(ROOT, -0.2)),
    (PageId(9), Judgement(HERONS, 0.1)),
]


def entry(number: int, rank: float, via: int | None = 3, queue: TopicId = OWLS) -> Entry:
    return Entry(
        UrlId(number), "http://x.test/", UrlKey(number), queue, rank, via=None if via is None else PageId(via)
    )


def test_thoughts_are_found_by_page() -> None:
    thoughts = Thoughts.of(MADE)
    assert list(thoughts) == MADE
    np.testing.assert_equal(thoughts.confidences_of(np.array([3, 4, 9, 10])), [0.4, np.nan, 0.1, np.nan])
    assert list(thoughts.on_topic()) == [MADE[0], MADE[2]]
    assert list(Thoughts.of([])) == []
    np.testing.assert_equal(Thoughts.of([]).confidences_of(np.array([3])), [np.nan])


def test_what_waits_is_on_the_topic_of_the_page_that_led_there() -> None:
    entries = [entry(1, 0.5, via) for via in (3, 5, 9, 4, None)]
    topics, sure = Thoughts.of(MADE).behind(entries)
    assert topics.tolist() == [OWLS, OWLS, HERONS, OWLS, OWLS]
    np.testing.assert_equal(sure, [0.4, -0.2, 0.1, np.nan, np.nan])
    topics, sure = Thoughts.of([]).behind(entries)
    assert topics.tolist() == [OWLS] * 5
    assert np.isnan(sure).all()


def test_only_what_moves_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        entry(1, 0.5),
        entry(2, 0.5),
        entry(3, 0.5, via=9),
        entry(4, 0.5),
        entry(5, 0.7),
        entry(6, 1.5),
        entry(7, 0.5),
    ]
    policy: Any = type("Policy", (), {})()
    ranks = np.array([0.501, 0.6, 0.5, 0.9, np.nan, 0.5, 0.5])
    policy.places_now = lambda _entries, topics, _sure: (topics, ranks)
    batches = [entries, []]
    monkeypatch.setattr("motherlode.store.frontier.all_waiting", lambda *_: batches.pop(0))
    session: Any = None
    found = list(moves(session, policy, Thoughts.of(MADE), {UrlId(4), UrlId(5), UrlId(7)}))
    assert [(one.entry.url_id, one.queue, one.rank) for one in found] == [
        (2, OWLS, 0.6),
        (3, HERONS, 0.5),
        (4, OWLS, 1.9),  # to the front
        (6, OWLS, 0.5),  # and from there; the last one is too unlikely for the front
    ]
