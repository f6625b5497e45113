"""Follows that cannot be queued come back to the policy; URLs that take no more follows are found."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from motherlode.crawl.queueable_moves import QueueableMoves, SettledUrls
from motherlode.policies.policy import Moves
from motherlode.portal import Portal, create_portal
from motherlode.records import (
    Entry,
    Fate,
    Follow,
    Note,
    Outcome,
    QueueId,
    StoreGoneError,
    UrlId,
    UrlKey,
    UrlState,
)
from motherlode.store.tables import frontier, outcomes
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address


def follow_of(number: int) -> Follow:
    page = address(f"http://a.test/{number}")
    return Follow(page.url, page.key, QueueId(1), 0.5)


def entry_of(number: int, url_id: int = 0) -> Entry:
    page = address(f"http://a.test/{number}")
    return Entry(UrlId(url_id), page.url, page.key, QueueId(1), 0.5)


KEYS = [follow_of(number).key for number in range(6)]


class NextPage:
    """A policy that goes from each page that it cannot have to the next one."""

    def __init__(self) -> None:
        self.refused: list[int] = []

    def not_queued(self, follow: Follow) -> Moves:
        number = KEYS.index(follow.key)
        self.refused.append(number)
        return Moves([follow_of(number + 1)], [Note("refused", str(number), 1)])

    def unwritten_notes(self) -> Sequence[Note]:
        return ()


def settled_of(*numbers: int) -> set[UrlKey]:
    return {KEYS[number] for number in numbers}


def test_a_policy_chooses_until_all_its_follows_can_be_queued() -> None:
    policy = NextPage()
    moves = Moves([follow_of(0), follow_of(4)], [Note("first", "", 1)])
    checked = QueueableMoves(policy, moves).check(lambda _keys: settled_of(0, 1))
    assert [follow.key for follow in checked.follows] == [KEYS[4], KEYS[2]]
    assert [note.kind for note in checked.notes] == ["first", "refused", "refused"]
    assert policy.refused == [0, 1]


def test_links_that_a_page_bars_come_back_too() -> None:
    policy = NextPage()
    queueable = QueueableMoves(policy, Moves([follow_of(0)]), lambda each: each.key == KEYS[0])
    assert [follow.key for follow in queueable.check(lambda _keys: set()).follows] == [KEYS[1]]


def test_no_answer_is_given_twice_when_the_database_goes_away() -> None:
    policy, calls = NextPage(), 0

    def find(_keys: Sequence[UrlKey]) -> set[UrlKey]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise StoreGoneError("away")
        return settled_of(0, 1)

    queueable = QueueableMoves(policy, Moves([follow_of(0)]))
    with pytest.raises(StoreGoneError):
        queueable.check(find)
    assert [follow.key for follow in queueable.check(find).follows] == [KEYS[2]]
    assert policy.refused == [0, 1]


def test_urls_are_settled_from_their_decision_on(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", plant_seeds([(("a",), ["http://a.test/"])], UrlRules()), {})
    with Portal.crawling(tmp_path / "p", "test") as portal:
        settled = SettledUrls(portal.store)
        with portal.batch() as session:
            waiting = frontier.offer(session, [follow_of(0), follow_of(1)])
        failed = Outcome(waiting[0], Fate(UrlState.FAILED, "status 404"))
        retried = Outcome(waiting[1], Fate(UrlState.FAILED, "timeout", retry_at=1e12))
        assert settled.find(KEYS) == set()
        settled.add([failed, retried])
        assert settled.find(KEYS) == settled_of(0)  # decided, and not written yet
        with portal.batch() as session:
            outcomes.keep(session, [failed, retried])
        settled.release([failed, retried])
        assert settled.find(KEYS) == settled_of(0)
        assert settled.find([]) == set()
