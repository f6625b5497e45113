"""Crawls for collections on small webs: seeds, cutoffs, parents, hits, turns, filters."""

from pathlib import Path

import pytest

from motherlode.explain.explainer import explain
from motherlode.policies.registry import TUNNEL, TUNNEL_2002
from motherlode.policies.tunnel.kind import store_model
from motherlode.policies.tunnel.stored_pages import reached_hits
from motherlode.portal import Portal
from motherlode.records import CENTROID_MODEL, Example, Origin
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import judgements_of
from motherlode.urls import address
from support.small_webs import Said, record_web
from support.subject_portals import (
    crawl_subjects,
    crawled,
    hit_pages,
    hit_url,
    subject_portal,
    urls_of,
)
from support.training_webs import paper, text

SEED = "http://seed.test/"
DUD_1, DUD_2, DUD_3 = "http://a.test/", "http://b.test/", "http://c.test/"
OWL, OWL_2 = "http://owl.test/", "http://owl2.test/"
BEHIND = "http://behind.test/"


def chain() -> dict[str, Said]:
    """A seed on no subject, then a dud, an owl, a dud, a dud, and another owl."""
    return {
        SEED: paper("News", text("news", 0), [DUD_1, OWL]),
        DUD_1: paper("More news", text("news", 1), ["http://behind-dud.test/"]),
        "http://behind-dud.test/": paper("Old news", text("news", 3)),
        OWL: paper("An owl", text("owl", 1), [DUD_2, BEHIND]),
        BEHIND: paper("Sports news", text("news", 5)),
        DUD_2: paper("News again", text("news", 2), [DUD_3]),
        DUD_3: paper("News still", text("news", 4), [OWL_2]),
        OWL_2: paper("Another owl", text("owl", 3)),
    }


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return record_web(tmp_path / "web", {**hit_pages(), **chain()})


def test_a_seed_counts_as_a_nugget_and_with_cutoff_0_no_dud_s_link_is_followed(
    tmp_path: Path, web: Path
) -> None:
    portal = subject_portal(
        tmp_path / "p",
        [SEED],
        tunnel__threshold=0.35,
        tunnel__cutoff=0.0,
        tunnel__adaptive=False,
    )
    crawl_subjects(portal, web)
    assert urls_of(portal) == [SEED, DUD_1, OWL, DUD_2, BEHIND]


def test_a_tunnel_of_two_duds_reaches_the_nugget_behind_it(tmp_path: Path, web: Path) -> None:
    portal = subject_portal(
        tmp_path / "p", [SEED], tunnel__threshold=0.35, tunnel__cutoff=2.0, tunnel__adaptive=False
    )
    crawl_subjects(portal, web)
    rows = {row.url: row for row in crawled(portal)}
    assert OWL_2 in rows
    assert [rows[url].parent_distance for url in (SEED, DUD_1, OWL)] == [0.0, 0.0, 0.0]
    assert [rows[url].parent_distance for url in (DUD_2, DUD_3, OWL_2)] == [0.0, 1.0, 2.0]


def test_pages_are_fetched_in_the_order_of_their_discovery(tmp_path: Path, web: Path) -> None:
    portal = subject_portal(tmp_path / "p", [SEED])
    crawl_subjects(portal, web)
    assert urls_of(portal) == [
        SEED, DUD_1, OWL, "http://behind-dud.test/", DUD_2, BEHIND, DUD_3, OWL_2,
    ]  # fmt: skip


def test_the_links_of_hits_do_not_enter_the_crawl_before_it_reaches_the_hits(
    tmp_path: Path,
) -> None:
    """Nor do they come first because the store has known them for longer."""
    secret, shared = "http://secret.test/", "http://shared.test/"
    pages = {
        **hit_pages({hit_url("owl", 0): [shared, secret]}),
        SEED: paper("News", text("news", 0), [DUD_1, shared]),
        DUD_1: paper("News", text("news", 1)),
        shared: paper("News", text("news", 2)),
        secret: paper("News", text("news", 3)),
    }
    portal = subject_portal(tmp_path / "p", [SEED])
    crawl_subjects(portal, record_web(tmp_path / "web", pages))
    assert urls_of(portal) == [SEED, DUD_1, shared]


@pytest.mark.parametrize("policy", [TUNNEL_2002, TUNNEL])
def test_a_hit_that_the_crawl_reaches_passes_its_links_on(tmp_path: Path, policy: str) -> None:
    beyond = "http://beyond.test/"
    pages = {
        **hit_pages({hit_url("owl", 0): [hit_url("heron", 1)], hit_url("heron", 1): [beyond]}),
        SEED: paper("News", text("news", 0), [hit_url("owl", 0)]),
        beyond: paper("News", text("news", 2)),
    }
    portal = subject_portal(tmp_path / "p", [SEED], crawl__policy=policy)
    crawl_subjects(portal, record_web(tmp_path / "web", pages))
    assert urls_of(portal) == [SEED, beyond]
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        reached = reached_hits(session)
        hit = next(row for row in crawled(portal) if row.url == beyond)
        assert hit.via is not None
    assert reached[hit_url("owl", 0)].parent == SEED
    assert reached[hit_url("heron", 1)].parent == hit_url("owl", 0)


def test_the_first_page_that_links_to_a_url_is_its_parent(tmp_path: Path) -> None:
    target = "http://target.test/"
    pages = {
        **hit_pages(),
        SEED: paper("News", text("news", 0), [DUD_1, OWL]),
        DUD_1: paper("News", text("news", 1), [target]),
        OWL: paper("An owl", text("owl", 1), [target]),
        target: paper("News", text("news", 2)),
    }
    portal = subject_portal(tmp_path / "p", [SEED])
    crawl_subjects(portal, record_web(tmp_path / "web", pages))
    rows = {row.url: row for row in crawled(portal)}
    assert rows[target].via == rows[DUD_1].page


def test_a_crawl_without_seeds_begins_at_the_hits(tmp_path: Path) -> None:
    pages = {
        **hit_pages({hit_url("owl", 0): [OWL]}),
        OWL: paper("An owl", text("owl", 1), [DUD_1]),
        DUD_1: paper("News", text("news", 1)),
    }
    portal = subject_portal(tmp_path / "p", [])
    crawl_subjects(portal, record_web(tmp_path / "web", pages))
    assert urls_of(portal) == [OWL, DUD_1]


def test_a_crawl_that_was_stopped_goes_on_in_the_same_order(tmp_path: Path, web: Path) -> None:
    portal = subject_portal(tmp_path / "p", [SEED])
    crawl_subjects(portal, web, pages=3)
    assert len(urls_of(portal)) < 8
    crawl_subjects(portal, web)
    whole = subject_portal(tmp_path / "whole", [SEED])
    crawl_subjects(whole, web)
    assert urls_of(portal) == urls_of(whole)


def test_subjects_take_turns(tmp_path: Path) -> None:
    """However promising the links of one subject are, every second page is for the other."""
    owls = [f"http://o{number}.test/barn-owl-{number}" for number in range(12)]
    herons = [f"http://h{number}.test/heron-{number}" for number in range(12)]
    links = dict.fromkeys(owls, "barn owl") | dict.fromkeys(herons, "grey heron")
    pages: dict[str, Said] = {**hit_pages(), SEED: paper("Birds", text("news", 0), links)}
    pages |= {url: paper("Owl", f"{text('owl', 1)} {url}") for url in owls}
    pages |= {url: paper("Heron", f"{text('heron', 1)} {url}") for url in herons}
    portal = subject_portal(tmp_path / "p", [SEED], crawl__policy=TUNNEL)
    crawl_subjects(portal, record_web(tmp_path / "web", pages), pages=9)
    fetched = urls_of(portal)[1:]
    assert len(fetched) == 8
    assert sum(url in owls for url in fetched) == 4


def test_links_that_promise_a_subject_come_before_others(tmp_path: Path) -> None:
    links = {"http://n1.test/": "taxes", "http://o1.test/": "barn owl", "http://n2.test/": "vote"}
    pages = {
        **hit_pages(),
        SEED: paper("News", text("news", 0), links),
        **{url: paper("News", f"{text('news', 1)} {url}") for url in links},
    }
    portal = subject_portal(tmp_path / "p", [SEED], crawl__policy=TUNNEL)
    crawl_subjects(portal, record_web(tmp_path / "web", pages))
    assert urls_of(portal)[1] == "http://o1.test/"


def test_urls_with_words_to_skip_are_not_followed_and_explain_says_so(
    tmp_path: Path, web: Path
) -> None:
    portal = subject_portal(tmp_path / "p", [SEED], tunnel__skip_tokens=["BEHIND"])
    crawl_subjects(portal, web)
    assert BEHIND not in urls_of(portal)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        explanation = explain(session, opened.config, address(BEHIND))
    assert explanation is not None
    assert "'behind' (tunnel.skip_tokens)" in explanation.why


def test_explain_says_that_a_link_was_beyond_the_cutoff(tmp_path: Path, web: Path) -> None:
    portal = subject_portal(
        tmp_path / "p", [SEED], tunnel__threshold=0.35, tunnel__cutoff=0.0, tunnel__adaptive=False
    )
    crawl_subjects(portal, web)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        explanation = explain(session, opened.config, address(DUD_3))
    assert explanation is not None
    assert "beyond the cutoff of 0 (tunnel.cutoff)" in explanation.why


def test_the_rank_of_a_page_is_explained_by_its_parts(tmp_path: Path, web: Path) -> None:
    portal = subject_portal(tmp_path / "p", [SEED], crawl__policy=TUNNEL)
    crawl_subjects(portal, web, pages=1)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        explanation = explain(session, opened.config, address(OWL))
    assert explanation is not None
    assert explanation.rank is not None
    assert {part.name for part in explanation.rank.parts} == {
        "page", "anchor", "URL", "host", "constant",
    }  # fmt: skip
    assert explanation.rank.now == pytest.approx(explanation.rank.rank, abs=1e-6)


def test_all_pages_are_judged_anew_when_the_hits_have_changed(tmp_path: Path, web: Path) -> None:
    portal = subject_portal(tmp_path / "p", [SEED])
    crawl_subjects(portal, web)
    with Portal.crawling(portal, "test") as opened:
        with opened.store.reading() as session:
            before = ledger.latest_model(session, CENTROID_MODEL)
            owl = next(topic for topic in topic_rows.all_topics(session) if topic.name == "owl")
        store_model(opened, with_meanings=False)
        with opened.store.reading() as session:
            assert ledger.latest_model(session, CENTROID_MODEL) == before  # nothing has changed
        with opened.batch() as session:
            topic_rows.add_examples(session, [Example(owl.id, OWL_2, origin=Origin.PERSON)])
        store_model(opened, with_meanings=False)
        with opened.store.reading() as session:
            after = ledger.latest_model(session, CENTROID_MODEL)
            pages = [row.page for row in crawled(portal)]
            judged = judgements_of(session, pages)
    assert before is not None
    assert after is not None
    assert after.id != before.id
    assert {judged[page].model for page in pages} == {after.id}
