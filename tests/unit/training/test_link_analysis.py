"""Hubs and authorities of a topic."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.portal import Portal
from motherlode.records import ROOT, Judgement, Outcome, QueueId, Redirect, TopicId
from motherlode.store.bulk import SqliteBulk
from motherlode.store.tables import frontier, outcomes
from motherlode.training.link_analysis import LinkScores, link_scores_of, topic_authorities
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


def keep(
    portal: Portal,
    url: str,
    *targets: str,
    topic: TopicId = OWLS,
    confidence: float = 0.5,
) -> None:
    judgement = Judgement(topic, confidence)
    keep_one(portal.store, url, *map(link, targets), judgement=judgement)


def scores_around(
    portal: Portal, topic: TopicId = OWLS, base: int = 100, predecessors: int = 20
) -> dict[str, LinkScores]:
    with portal.store.reading() as session:
        pages = link_scores_of(session, portal.tree(), topic, base=base, predecessors=predecessors)
    by_url = {page.url: page for page in pages}
    assert len(by_url) == len(pages)
    return by_url


def redirect(portal: Portal, source: str, target: str) -> None:
    start, end = address(source), address(target)
    hop = Redirect(start.url, start.key, end.url, end.key, 301)
    with portal.store.writing() as session:
        outcomes.keep(session, [Outcome(take(session, source), redirects=(hop,))])


def test_a_topic_without_pages_has_no_scores(portal: Portal) -> None:
    assert scores_around(portal) == {}
    keep(portal, "http://h.test/", "http://o.test/", topic=HERONS)
    assert scores_around(portal) == {}


def test_a_page_that_nothing_links_to_stands_alone(portal: Portal) -> None:
    keep(portal, "http://a.test/")
    (page,) = scores_around(portal).values()
    assert (page.hub, page.authority, page.confidence) == (0.0, 0.0, 0.5)
    assert page.pagerank == pytest.approx(1.0)


def test_links_within_a_host_make_no_hub(portal: Portal) -> None:
    keep(portal, "http://a.test/", "http://a.test/1", "http://a.test/", "http://a.test/2")
    keep(portal, "http://a.test/1", "http://a.test/", "http://a.test/2")
    scores = scores_around(portal)
    assert set(scores) == {"http://a.test/", "http://a.test/1", "http://a.test/2"}
    assert {(page.hub, page.authority) for page in scores.values()} == {(0.0, 0.0)}
    assert sum(page.pagerank for page in scores.values()) == pytest.approx(1.0)


def test_hubs_link_to_authorities(portal: Portal) -> None:
    for number in range(3):
        keep(
            portal,
            f"http://hub{number}.test/",
            *[f"http://a{target}.test/" for target in range(number + 1)],
        )
    keep(portal, "http://a0.test/")
    scores = scores_around(portal)
    hubs = sorted(scores.values(), key=lambda page: -page.hub)
    authorities = sorted(scores.values(), key=lambda page: -page.authority)
    assert [page.url for page in hubs[:3]] == [f"http://hub{number}.test/" for number in (2, 1, 0)]
    assert authorities[0].url == "http://a0.test/"
    assert scores["http://a2.test/"].confidence is None  # never fetched
    assert not scores["http://a2.test/"].elsewhere


def test_pages_below_a_topic_are_on_it(portal: Portal) -> None:
    keep(portal, "http://a.test/", topic=BARN)
    keep(portal, "http://b.test/", topic=HERONS)
    assert set(scores_around(portal)) == {"http://a.test/"}
    assert set(scores_around(portal, ROOT)) == {"http://a.test/", "http://b.test/"}


def test_pages_on_other_topics_are_elsewhere(portal: Portal) -> None:
    keep(portal, "http://a.test/", "http://heron.test/", "http://none.test/", "http://new.test/")
    keep(portal, "http://heron.test/", topic=HERONS)
    keep(portal, "http://none.test/", topic=ROOT, confidence=-0.5)
    keep_one(portal.store, "http://new.test/")  # fetched, and not judged
    scores = scores_around(portal)
    elsewhere = {url for url, page in scores.items() if page.elsewhere}
    on_topic = {url for url, page in scores.items() if page.confidence is not None}
    assert elsewhere == {"http://heron.test/", "http://none.test/"}
    assert on_topic == {"http://a.test/"}
    whole = scores_around(portal, ROOT)
    assert {url for url, page in whole.items() if page.elsewhere} == {"http://none.test/"}
    assert whole["http://heron.test/"].confidence == 0.5


@pytest.mark.parametrize(
    "identifier",
    [
        "http://doi.test/10.1126/science.1253451",
        "http://pubmed.test/?term=25504713",
        "http://hdl.test/2027/mdp.39015",
        "http://web-archive.test/web/2008/http://birds.test/",
        "http://books.test/isbn/0-7136-3647-8",
        "http://wiki.test/index.php?title=Owl&action=edit",
    ],
)
def test_cited_identifiers_are_no_authorities_of_a_topic(portal: Portal, identifier: str) -> None:
    """Every page cites it, so it has the highest score; it was never fetched."""
    for number in range(6):
        cited = [identifier, *(["http://owls.test/"] if number < 2 else [])]
        keep(portal, f"http://h{number}.test/", *cited)
    keep(portal, "http://owls.test/")
    scores = scores_around(portal)
    assert max(scores.values(), key=lambda page: page.authority).url == address(identifier).url
    authorities = topic_authorities(scores.values(), 10)
    assert [page.url for page in authorities] == ["http://owls.test/"]
    assert topic_authorities(scores.values(), 0) == []


def test_a_page_that_was_rejected_or_not_judged_is_no_authority(portal: Portal) -> None:
    keep(portal, "http://a.test/", "http://no.test/", "http://new.test/", "http://yes.test/")
    keep(portal, "http://no.test/", topic=ROOT, confidence=-0.5)
    keep_one(portal.store, "http://new.test/")
    keep(portal, "http://yes.test/", topic=BARN)
    authorities = topic_authorities(scores_around(portal).values(), 10)
    assert [page.url for page in authorities] == ["http://yes.test/"]


def test_a_page_outside_the_base_set_can_be_on_the_topic(portal: Portal) -> None:
    keep(portal, "http://sure.test/", "http://less.test/", confidence=0.9)
    keep(portal, "http://less.test/", confidence=0.1)
    scores = scores_around(portal, base=1)
    page = scores["http://less.test/"]
    assert (page.confidence, page.elsewhere) == (0.1, False)


def test_links_count_by_the_relevance_of_their_pages(portal: Portal) -> None:
    """Three similar hubs: one on the topic, one not judged, and one on another topic."""
    keep(portal, "http://sure.test/", "http://a.test/", "http://all.test/", confidence=0.9)
    keep_one(portal.store, "http://new.test/", link("http://b.test/"), link("http://all.test/"))
    keep(portal, "http://heron.test/", "http://c.test/", "http://all.test/", topic=HERONS)
    for name in ("all", "a", "b", "c"):
        keep(portal, f"http://{name}.test/", confidence=0.3)
    scores = scores_around(portal)
    on_topic, new, heron = (scores[f"http://{name}.test/"].authority for name in ("a", "b", "c"))
    assert on_topic > new > heron > 0


def test_links_through_redirects_lead_to_the_page(portal: Portal) -> None:
    keep(portal, "http://new.test/")
    redirect(portal, "http://old.test/", "http://new.test/")
    keep(portal, "http://hub.test/", "http://old.test/", "http://other.test/")
    keep(portal, "http://other.test/")
    scores = scores_around(portal)
    assert "http://old.test/" not in scores
    assert scores["http://new.test/"].authority == pytest.approx(
        scores["http://other.test/"].authority,
    )


def test_a_page_that_links_to_an_old_url_is_a_predecessor(portal: Portal) -> None:
    keep(portal, "http://new.test/")
    redirect(portal, "http://old.test/", "http://new.test/")
    keep(portal, "http://hub.test/", "http://old.test/", topic=ROOT, confidence=-0.2)
    scores = scores_around(portal)
    assert scores["http://hub.test/"].hub > 0
    assert scores["http://new.test/"].authority > 0


def test_the_number_of_predecessors_is_limited(portal: Portal) -> None:
    keep(portal, "http://a.test/", "http://a.test/")
    for number in range(6):
        keep(portal, f"http://h{number}.test/", *["http://a.test/"] * 9, topic=HERONS)
    assert len(scores_around(portal, predecessors=4)) == 5
    assert len(scores_around(portal, predecessors=0)) == 1
    assert len(scores_around(portal)) == 7


def test_two_thousand_pages_take_two_queries_each(portal: Portal) -> None:
    urls = [f"http://h{number % 97}.test/{number}" for number in range(2_000)]
    with portal.store.writing() as session:
        frontier.offer(session, [follow(url) for url in urls])
        entries = frontier.waiting(session, QueueId(2), 2_000)
        batch = [
            outcome(
                entry,
                *(link(urls[number * step % 2_000]) for step in range(1, 9)),
                judgement=Judgement(OWLS, 0.1 + number / 2_000),
            )
            for number, entry in enumerate(entries)
        ]
        outcomes.keep(session, batch)
    queries: list[str] = []
    with portal.store.reading() as session:
        assert isinstance(session.bulk, SqliteBulk)
        session.bulk._driver.set_trace_callback(queries.append)
        pages = link_scores_of(session, portal.tree(), OWLS)
        session.bulk._driver.set_trace_callback(None)
    assert sum(page.confidence is not None for page in pages) == 2_000
    assert len(queries) <= 2 * 2_000 + 20  # the links to each page; all else comes at once
