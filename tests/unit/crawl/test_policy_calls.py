"""What a policy hears of during a crawl, and what comes of what it says."""

from pathlib import Path

import pytest

from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.lab.clock import run_virtually
from motherlode.policies.follows import QUEUE, follow_links, follow_seeds
from motherlode.policies.policy import Miss, MissKind, Moves, PolicyDefaults, Visit
from motherlode.portal import Portal
from motherlode.records import Follow, Judgement, Note, RunEnd
from motherlode.store.tables.notes import notes_of
from motherlode.store.tables.pages import page_log
from motherlode.urls import address
from support.scripted_web import Said, ScriptedWeb, moved
from support.training_webs import paper, planted

SEED = "http://a.test/"
LINKS = ["/old", "/gone", "/1", "/copy", "/private/x", "/last"]
PAGES: dict[str, Said] = {
    "http://a.test/robots.txt": (200, {}, b"User-agent: *\nDisallow: /private/\n"),
    SEED: paper("A", "first", LINKS),
    "http://a.test/old": moved("http://b.test/new"),
    "http://b.test/new": paper("New", "at the end"),
    "http://a.test/1": paper("One", "the same"),
    "http://a.test/copy": paper("One", "the same"),
    "http://a.test/last": paper("Last", "last of all"),
    "http://a.test/instead": paper("Instead", "of the page that was gone"),
}


class ListeningPolicy(PolicyDefaults):
    """Follows every link in order, and remembers what it hears."""

    name = "listening"

    def __init__(self, enough_after: int = 1_000) -> None:
        self.visited: list[tuple[str, str]] = []
        self.misses: list[Miss] = []
        self.enough_after = enough_after

    def seed(self) -> list[Follow]:
        return list(follow_seeds([address(SEED)]))

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        self.visited.append((visit.entry.url, visit.url))
        note = Note("title", visit.url, visit.document.title)
        return Moves(follow_links(visit, -float(visit.entry.depth)), [note])

    def missed(self, miss: Miss) -> Moves:
        self.misses.append(miss)
        instead = address("http://a.test/instead")
        follows = [Follow(instead.url, instead.key, QUEUE, 0.0)] if "gone" in miss.entry.url else []
        return Moves(follows, [Note("miss", miss.entry.url, miss.kind.value)])

    def enough(self) -> bool:
        return len(self.visited) >= self.enough_after


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    return planted(tmp_path / "p", {"a": [SEED]})


def run(portal: Path, policy: ListeningPolicy, limits: Limits) -> Progress:
    with Portal.crawling(portal, "test") as opened:
        return run_virtually(crawl(opened, ScriptedWeb(PAGES), policy, limits))


def test_a_visit_knows_where_the_page_really_was(portal: Path) -> None:
    policy = ListeningPolicy()
    run(portal, policy, Limits(100, connections=1))
    assert ("http://a.test/old", "http://b.test/new") in policy.visited
    assert ("http://a.test/1", "http://a.test/1") in policy.visited


def test_a_policy_hears_of_what_failed_was_skipped_or_is_a_duplicate(portal: Path) -> None:
    policy = ListeningPolicy()
    run(portal, policy, Limits(100, connections=1))
    heard = {
        miss.entry.url.removeprefix(SEED): (miss.kind, miss.duplicate_of) for miss in policy.misses
    }
    assert heard == {
        "gone": (MissKind.FAILED, ""),
        "private/x": (MissKind.SKIPPED, ""),
        "copy": (MissKind.DUPLICATE, "http://a.test/1"),
    }


def test_what_a_policy_follows_after_a_miss_is_fetched(portal: Path) -> None:
    run(portal, ListeningPolicy(), Limits(100, connections=1))
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert "http://a.test/instead" in [url for url, _, _ in page_log(session)]


def test_notes_are_stored_with_their_page(portal: Path) -> None:
    run(portal, ListeningPolicy(), Limits(100, connections=1))
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert notes_of(session, "title")["http://b.test/new"] == "New"
        assert notes_of(session, "miss")["http://a.test/copy"] == "duplicate"


def test_a_policy_that_has_enough_ends_the_crawl(portal: Path) -> None:
    policy = ListeningPolicy(enough_after=2)
    progress = run(portal, policy, Limits(100, connections=1, ahead=1))
    assert (progress.end, progress.pages) == (RunEnd.ENOUGH, 2)


@pytest.mark.parametrize(("requests", "pages"), [(1, 1), (3, 2), (4, 2), (100, 5)])
def test_a_crawl_ends_after_so_many_requests(portal: Path, requests: int, pages: int) -> None:
    """The seed is one request, /old two, /gone one, /1 one."""
    limits = Limits(100, connections=1, ahead=1, requests=requests, patience=0.0)
    progress = run(portal, ListeningPolicy(), limits)
    assert progress.pages == pages
    assert progress.requests <= requests
    assert progress.end == (RunEnd.DONE if requests == 100 else RunEnd.REQUESTS)
