"""Hubs and authorities of a topic."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.portal import Portal
from motherlode.records import ROOT, Judgement, Outcome, Redirect, TopicId
from motherlode.store import frontier, outcomes
from motherlode.store.bulk import SqliteBulk
from motherlode.training.link_analysis import Standing, standings
from motherlode.urls import address
from support.helpers import follow
from support.store_records import keep_one, link, outcome, take
from support.training_webs import planted

OWLS = TopicId(2)
HERONS = TopicId(3)
BARN = TopicId(4)


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    planted(tmp_path / "p", {"owls": [], "herons": [], "owls/barn": []})
    with Portal.writing(tmp_path / "p", "test") as opened:
        yield opened


def keep(portal: Portal, url: str, *targets: str, topic: TopicId = OWLS, sure: float = 0.5) -> None:
    keep_one(portal.store, url, *map(link, targets), judgement=Judgement(topic, sure))


def around(
    portal: Portal, topic: TopicId = OWLS, base: int = 100, predecessors: int = 20
) -> dict[str, Standing]:
    with portal.store.reading() as session:
        found = standings(session, portal.tree(), topic, base=base, predecessors=predecessors)
    assert len({one.url for one in found}) == len(found)
    return {one.url: one for one in found}


def redirect(portal: Portal, source: str, target: str) -> None:
    one, other = address(source), address(target)
    hop = Redirect(one.url, one.key, other.url, other.key, 301)
    with portal.store.writing() as session:
        outcomes.keep(session, [Outcome(take(session, source), redirects=(hop,))])


def test_a_topic_without_pages_has_no_standings(portal: Portal) -> None:
    assert around(portal) == {}
    keep(portal, "http://h.test/", "http://o.test/", topic=HERONS)
    assert around(portal) == {}


def test_a_page_that_nothing_links_to_stands_alone(portal: Portal) -> None:
    keep(portal, "http://a.test/")
    (one,) = around(portal).values()
    assert (one.hub, one.authority, one.confidence) == (0.0, 0.0, 0.5)
    assert one.pagerank == pytest.approx(1.0)


def test_links_within_a_host_and_to_itself_make_nobody_a_hub(portal: Portal) -> None:
    keep(portal, "http://a.test/", "http://a.test/1", "http://a.test/", "http://a.test/2")
    keep(portal, "http://a.test/1", "http://a.test/", "http://a.test/2")
    found = around(portal)
    assert set(found) == {"http://a.test/", "http://a.test/1", "http://a.test/2"}
    assert {(one.hub, one.authority) for one in found.values()} == {(0.0, 0.0)}
    assert sum(one.pagerank for one in found.values()) == pytest.approx(1.0)


def test_hubs_link_to_authorities(portal: Portal) -> None:
    for number in range(3):
        keep(portal, f"http://hub{number}.test/", *[f"http://a{n}.test/" for n in range(number + 1)])
    keep(portal, "http://a0.test/")
    found = around(portal)
    hubs = sorted(found.values(), key=lambda one: -one.hub)
    authorities = sorted(found.values(), key=lambda one: -one.authority)
    assert [one.url for one in hubs[:3]] == [f"http://hub{n}.test/" for n in (2, 1, 0)]
    assert authorities[0].url == "http://a0.test/"
    assert found["http://a2.test/"].confidence is None  # never fetched
    assert not found["http://a2.test/"].elsewhere


def test_pages_below_a_topic_are_on_it(portal: Portal) -> None:
    keep(portal, "http://a.test/", topic=BARN)
    keep(portal, "http://b.test/", topic=HERONS)
    assert set(around(portal)) == {"http://a.test/"}
    assert set(around(portal, ROOT)) == {"http://a.test/", "http://b.test/"}


def test_pages_on_something_else_are_told_apart(portal: Portal) -> None:
    keep(portal, "http://a.test/", "http://heron.test/", "http://none.test/", "http://new.test/")
    keep(portal, "http://heron.test/", topic=HERONS)
    keep(portal, "http://none.test/", topic=ROOT, sure=-0.5)
    keep_one(portal.store, "http://new.test/")  # fetched, and not judged
    found = around(portal)
    assert {url for url, one in found.items() if one.elsewhere} == {"http://heron.test/", "http://none.test/"}
    assert {url for url, one in found.items() if one.confidence is not None} == {"http://a.test/"}
    whole = around(portal, ROOT)
    assert {url for url, one in whole.items() if one.elsewhere} == {"http://none.test/"}
    assert whole["http://heron.test/"].confidence == 0.5


def test_a_page_on_the_topic_is_so_however_many_are_surer(portal: Portal) -> None:
    keep(portal, "http://sure.test/", "http://less.test/", sure=0.9)
    keep(portal, "http://less.test/", sure=0.1)
    found = around(portal, base=1)
    assert (found["http://less.test/"].confidence, found["http://less.test/"].elsewhere) == (0.1, False)


def test_what_links_say_counts_by_the_relevance_of_who_says_it(portal: Portal) -> None:
    """Three hubs alike: one is sure, of one nothing is known, and one is on something else."""
    keep(portal, "http://sure.test/", "http://a.test/", "http://all.test/", sure=0.9)
    keep_one(portal.store, "http://new.test/", link("http://b.test/"), link("http://all.test/"))
    keep(portal, "http://heron.test/", "http://c.test/", "http://all.test/", topic=HERONS)
    for name in ("all", "a", "b", "c"):
        keep(portal, f"http://{name}.test/", sure=0.3)
    found = around(portal)
    sure, new, heron = (found[f"http://{name}.test/"].authority for name in ("a", "b", "c"))
    assert sure > new > heron > 0


def test_redirects_between_pages_are_no_detour(portal: Portal) -> None:
    keep(portal, "http://new.test/")
    redirect(portal, "http://old.test/", "http://new.test/")
    keep(portal, "http://hub.test/", "http://old.test/", "http://other.test/")
    keep(portal, "http://other.test/")
    found = around(portal)
    assert "http://old.test/" not in found
    assert found["http://new.test/"].authority == pytest.approx(found["http://other.test/"].authority)


def test_who_links_to_an_old_address_is_a_predecessor(portal: Portal) -> None:
    keep(portal, "http://new.test/")
    redirect(portal, "http://old.test/", "http://new.test/")
    keep(portal, "http://hub.test/", "http://old.test/", topic=ROOT, sure=-0.2)
    found = around(portal)
    assert found["http://hub.test/"].hub > 0
    assert found["http://new.test/"].authority > 0


def test_predecessors_are_so_many_at_most(portal: Portal) -> None:
    keep(portal, "http://a.test/", "http://a.test/")
    for number in range(6):
        keep(portal, f"http://h{number}.test/", *["http://a.test/"] * 9, topic=HERONS)
    assert len(around(portal, predecessors=4)) == 5
    assert len(around(portal, predecessors=0)) == 1
    assert len(around(portal)) == 7


def test_two_thousand_pages_take_two_questions_each(portal: Portal) -> None:
    urls = [f"http://h{number % 97}.test/{number}" for number in range(2_000)]
    with portal.store.writing() as session:
        frontier.offer(session, [follow(url) for url in urls])
        entries = frontier.waiting(session, TopicId(1), 2_000)
        batch = [
            outcome(
                entry,
                *(link(urls[number * step % 2_000]) for step in range(1, 9)),
                judgement=Judgement(OWLS, 0.1 + number / 2_000),
            )
            for number, entry in enumerate(entries)
        ]
        outcomes.keep(session, batch)
    asked: list[str] = []
    with portal.store.reading() as session:
        assert isinstance(session.bulk, SqliteBulk)
        session.bulk._driver.set_trace_callback(asked.append)
        found = standings(session, portal.tree(), OWLS)
        session.bulk._driver.set_trace_callback(None)
    assert sum(one.confidence is not None for one in found) == 2_000
    assert len(asked) <= 2 * 2_000 + 20  # who links to each; all else is asked at once
