"""Figures of one crawl agree, whoever tells them; and what a chain of redirects leads through is known."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from motherlode.app.cli.main import lode as group
from motherlode.crawl.context import CrawlContext
from motherlode.crawl.log import CRAWL_LOG, SKIPPED, CrawlLog
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.lab.clock import run_virtually
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal
from motherlode.records import Follow, QueueId
from motherlode.store.tables import frontier
from motherlode.urls import address
from support.scripted_web import Said, ScriptedWeb, moved
from support.training_webs import paper, planted

PAGES: dict[str, Said] = {
    "http://a.test/": paper("A", "first", ["/old", "/1", "/copy", "/2"]),
    "http://a.test/old": moved("/older"),
    "http://a.test/older": moved("/oldest"),
    "http://a.test/oldest": moved("/new"),
    "http://a.test/new": paper("New", "at the end"),
    "http://a.test/1": paper("One", "the same"),
    "http://a.test/copy": paper("One", "the same"),
    "http://a.test/2": paper("Two", "second", ["/3", "/4"]),
}


@pytest.fixture
def crawled(tmp_path: Path) -> tuple[Path, Progress]:
    path = planted(tmp_path / "p", {"a": ["http://a.test/"], "b": ["http://b.test/"]})
    with Portal.crawling(path, "test") as portal, CrawlLog(portal) as journal:
        policy = BreadthFirst([address("http://a.test/")])
        limits = Limits(4, connections=1)
        work = crawl(portal, ScriptedWeb(PAGES), policy, limits, CrawlContext(log=journal))
        return path, run_virtually(work)


def told(name: str, portal: Path, *words: str) -> Any:
    run = CliRunner().invoke(group, [name, str(portal), *words, "--json"])
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


def test_progress_status_stats_and_logs_say_the_same(crawled: tuple[Path, Progress]) -> None:
    portal, progress = crawled
    states, status = told("stats", portal)["states"], told("status", portal)
    assert progress.waiting == status["waiting"] == states["waiting"] == 2
    log = [line.split(" ") for line in (portal / CRAWL_LOG).read_text().splitlines()]
    redirects = sum(line[1].startswith("3") for line in log)
    assert progress.redirects == told("stats", portal)["redirects"] == redirects == 3
    skipped = (portal / SKIPPED).read_text().splitlines()[1:]
    assert progress.copies == len(skipped) == 1
    # /old, the two that it leads through, and the copy; nothing is left that nobody can explain
    assert (states["moved"], states["linked"], states["fetched"]) == (4, 0, 4)


def test_what_a_chain_of_redirects_leads_through_is_explained(
    crawled: tuple[Path, Progress],
) -> None:
    found = told("explain", crawled[0], "http://a.test/older")
    assert found["became"] == "moved"
    assert found["why"] == "It redirects to http://a.test/new."


def test_a_url_that_waits_for_two_topics_waits_once(crawled: tuple[Path, Progress]) -> None:
    portal, place = crawled[0], address("http://a.test/3")
    with Portal.writing(portal, "test") as opened, opened.batch() as session:
        frontier.offer(session, [Follow(place.url, place.key, QueueId(2), 9.0)])
        assert sum(frontier.sizes(session).values()) == 3
    assert told("status", portal)["waiting"] == told("stats", portal)["states"]["waiting"] == 2


def test_runs_are_told_by_the_names_of_policies(crawled: tuple[Path, Progress]) -> None:
    assert [run["policy"] for run in told("status", crawled[0])["runs"]] == ["breadth-first"]
