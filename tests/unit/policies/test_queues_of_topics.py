"""Queues have numbers of their own: only a policy's kind says what they stand for."""

from dataclasses import replace
from pathlib import Path

import pytest

from motherlode.app.services.topics.edits import open_editor, remove, undo_removal
from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import Wanted, prepare, wanted_examples
from motherlode.crawl.progress import Limits
from motherlode.crawl.refresh import RefreshContext, RefreshSelection, refresh
from motherlode.documents.analysis import Manner
from motherlode.explain.explainer import explain
from motherlode.lab.clock import run_virtually
from motherlode.policies.baseline_kinds import BREADTH_FIRST_KIND
from motherlode.policies.baselines import BreadthFirst
from motherlode.policies.policy import NO_MOVES, Moves, Visit
from motherlode.policies.registry import Registration
from motherlode.portal import Portal
from motherlode.records import Judgement, Lane, QueueId
from motherlode.store.tables import frontier
from motherlode.urls import address
from motherlode.workers.worker_pool import InlineWorkerPool
from support.helpers import follow
from support.scripted_web import Said, ScriptedWeb
from support.training_webs import number_of, paper, planted

SITES = QueueId(700)
NAME = "by-site"
# A policy whose queues are sites.
BY_SITE = replace(
    BREADTH_FIRST_KIND,
    name=NAME,
    queue_names=lambda _tree: {QueueId(2): "the site b.test"},
    queues_of_topics=lambda _topics: (),
)
PAGES: dict[str, Said] = {
    "http://a.test/robots.txt": (200, {}, b"Sitemap: http://a.test/map.xml\n"),
    "http://a.test/map.xml": (
        200,
        {"Content-Type": "application/xml"},
        b"<urlset><url><loc>http://a.test/listed</loc></url></urlset>",
    ),
    "http://a.test/": paper("A", "An owl", {"/1": "one"}),
    "http://busy.test/": 503,
}


@pytest.fixture
def _by_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "motherlode.policies.registry.BUILT_IN",
        (Registration(NAME, "", f"{__name__}:BY_SITE"),),
    )


def waiting(portal: Path, queue: QueueId, lane: Lane = Lane.CRAWL) -> set[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return {entry.url for entry in frontier.waiting(session, queue, 100, lane=lane)}


def portal_with_queues(tmp_path: Path, policy: str) -> tuple[Path, QueueId]:
    """Return a portal whose queue 2 has the number of its topic."""
    portal = planted(tmp_path / "p", {"owls": ["http://a.test/"]}, crawl__policy=policy)
    queue = QueueId(number_of(portal, "owls"))
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        frontier.offer(session, [follow("http://b.test/", 0.5, queue)])
    return portal, queue


@pytest.mark.usefixtures("_by_site")
def test_a_removed_topic_leaves_queues_alone_that_are_no_topics(tmp_path: Path) -> None:
    portal, queue = portal_with_queues(tmp_path, NAME)
    with open_editor(portal, "test") as editor:
        remove(editor, "owls")
    assert waiting(portal, queue) == {"http://b.test/"}
    with open_editor(portal, "test") as editor:
        undo_removal(editor)
    assert waiting(portal, queue) == {"http://b.test/"}


def test_a_removed_topic_takes_its_queue_with_it_until_it_is_restored(tmp_path: Path) -> None:
    portal, queue = portal_with_queues(tmp_path, "bingo")
    with open_editor(portal, "test") as editor:
        remove(editor, "owls")
    assert waiting(portal, queue) == set()
    with open_editor(portal, "test") as editor:
        undo_removal(editor)
    assert waiting(portal, queue) == {"http://b.test/"}


@pytest.mark.usefixtures("_by_site")
def test_a_queue_is_explained_by_the_name_that_the_policy_gives_it(tmp_path: Path) -> None:
    portal, queue = portal_with_queues(tmp_path, NAME)
    assert queue == 2
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        explanation = explain(session, opened.config, address("http://b.test/"))
    assert explanation is not None
    assert explanation.wait is not None
    assert explanation.wait.queue == "the site b.test"


def test_links_of_wanted_pages_go_to_the_queue_that_the_kind_chooses(tmp_path: Path) -> None:
    seeds = {"owls": ["http://a.test/", "http://busy.test/"]}
    portal = planted(tmp_path / "p", seeds, robots__sitemaps=True)

    def wanted(opened: Portal) -> list[Wanted]:
        return [
            Wanted(page.url, page.key, page.follows_links, SITES)
            for page in wanted_examples(opened)
        ]

    with Portal.crawling(portal, "test") as opened:
        context = CrawlContext(InlineWorkerPool(Manner()))
        work = prepare(opened, ScriptedWeb(PAGES), wanted, context=context, within=Limits(10))
        run_virtually(work)
    expected = {"http://a.test/1", "http://a.test/listed", "http://busy.test/"}
    assert waiting(portal, SITES) == expected
    assert waiting(portal, QueueId(1)) == set()


def test_links_of_refreshed_pages_go_to_the_queue_that_the_kind_chooses(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://a.test/"]}, crawl__policy="breadth-first")
    queues: list[QueueId] = []

    class Watching(BreadthFirst):
        def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
            queues.append(visit.entry.queue)
            return NO_MOVES

    with Portal.crawling(portal, "test") as opened:
        web, policy = ScriptedWeb(PAGES), Watching([address("http://a.test/")])
        run_virtually(crawl(opened, web, policy, Limits(1)))
        queues.clear()
        web.pages["http://a.test/"] = paper("A", "Another owl", {"/2": "two"})
        context = RefreshContext(policy=policy, queue=SITES)
        run_virtually(refresh(opened, web, RefreshSelection(1e12, 10), context))
    assert queues == [SITES]
