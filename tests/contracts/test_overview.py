"""Counting what a portal holds, alike in both databases."""

import pytest

from motherlode.records import ROOT, Fate, Judgement, Outcome, TopicId, UrlState
from motherlode.store import Store
from motherlode.store.queries import overview
from motherlode.store.tables import outcomes
from motherlode.store.tables.pages import urls_of_pages
from support.store_records import keep_one, link, take

OWLS = TopicId(5)


def test_the_harvest_is_told_in_parts_of_the_crawl(store: Store) -> None:
    for number in range(8):
        probability = (0.9, 0.5, None)[number % 3]
        said = Judgement(OWLS, 0.5, probability=probability)
        if number >= 3:
            said = Judgement(ROOT, -0.5, probability=0.1)
        keep_one(store, f"http://a/{number}", judgement=said)
    with store.reading() as session:
        assert overview.harvest(session, 2) == [0.75, 0.0]
        assert overview.harvest(session, 1) == [3 / 8]
        (owls,) = overview.pages_by_topic(session).values()
        assert (owls.pages, owls.margin) == (3, 0.5)


def test_everything_is_counted(store: Store) -> None:
    keep_one(store, "http://a/1", link("http://b/"), link("http://c/"))
    with store.writing() as session:
        given_up = Fate(UrlState.FAILED, "not there: status 404")
        outcomes.keep(session, [Outcome(take(session, "http://a/2"), given_up)])
    with store.reading() as session:
        found = overview.totals(session)
        assert (found.pages, found.size, found.links, found.urls) == (1, 10, 2, 4)
        assert overview.page_totals(session) == (1, 10)
        assert overview.last_fetched(session) == 1.5
        assert overview.pages_by(session, "mime") == {"text/html": 1}
        assert overview.reasons(session, UrlState.FAILED) == {"not there": 1}
        assert overview.urls_by_state(session)[UrlState.FETCHED] == 1


def test_an_empty_portal_has_nothing(store: Store) -> None:
    with store.reading() as session:
        assert overview.harvest(session, 5) == []
        assert overview.page_totals(session) == (0, 0)
        assert overview.last_fetched(session) is None
        assert overview.latest_model_note(session, "tree") is None


@pytest.mark.parametrize("many", [2, 600])
def test_addresses_of_pages_are_found_whatever_their_number(store: Store, many: int) -> None:
    first, second = keep_one(store, "http://a/1"), keep_one(store, "http://a/2")
    absent = [type(first)(10_000 + number) for number in range(many)]
    with store.reading() as session:
        assert urls_of_pages(session, [first, *absent, second]) == {
            first: "http://a/1",
            second: "http://a/2",
        }
