"""What a new model makes of pages and of what waits."""

from typing import Any

import numpy as np
import pytest

from motherlode.policies.bingo.rescoring import referrer_judgements, requeued_entries
from motherlode.records import ROOT, Entry, Judgement, PageId, QueueId, TopicId, UrlId, UrlKey
from motherlode.training.judgement_table import JudgementTable

OWLS, HERONS = TopicId(2), TopicId(3)
OWLS_QUEUE = QueueId(OWLS)
MADE = [
    (PageId(3), Judgement(OWLS, 0.4)),
    (PageId(5), Judgement(ROOT, -0.2)),
    (PageId(9), Judgement(HERONS, 0.1)),
]


def entry(number: int, rank: float, via: int | None = 3, queue: QueueId = OWLS_QUEUE) -> Entry:
    return Entry(
        UrlId(number),
        "http://x.test/",
        UrlKey(number),
        queue,
        rank,
        via=None if via is None else PageId(via),
    )


def test_judgements_are_found_by_page() -> None:
    judgements = JudgementTable.of(MADE)
    assert list(judgements) == MADE
    np.testing.assert_equal(
        judgements.confidences_of(np.array([3, 4, 9, 10])), [0.4, np.nan, 0.1, np.nan]
    )
    assert list(judgements.accepted()) == [MADE[0], MADE[2]]
    assert list(JudgementTable.of([])) == []
    np.testing.assert_equal(JudgementTable.of([]).confidences_of(np.array([3])), [np.nan])


def test_what_waits_is_on_the_topic_of_the_page_that_led_there() -> None:
    entries = [entry(1, 0.5, via) for via in (3, 5, 9, 4, None)]
    topics, sure = referrer_judgements(JudgementTable.of(MADE), entries)
    assert topics.tolist() == [OWLS, OWLS, HERONS, OWLS, OWLS]
    np.testing.assert_equal(sure, [0.4, -0.2, 0.1, np.nan, np.nan])
    topics, sure = referrer_judgements(JudgementTable.of([]), entries)
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
    policy.current_places = lambda entries, _confidences: (np.zeros(len(entries), int), ranks)
    batches = [entries, []]
    monkeypatch.setattr("motherlode.store.tables.frontier.all_waiting", lambda *_: batches.pop(0))
    session: Any = None
    found = list(
        requeued_entries(session, policy, JudgementTable.of(MADE), {UrlId(4), UrlId(5), UrlId(7)})
    )
    assert [(move.entry.url_id, TopicId(move.queue), move.rank) for move in found] == [
        (2, OWLS, 0.6),
        (3, HERONS, 0.5),
        (4, OWLS, 1.9),  # to the front
        (6, OWLS, 0.5),  # and from there; the last one is too unlikely for the front
    ]
