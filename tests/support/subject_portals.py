"""Portals of subjects with hits, and their crawls on small recorded webs, on virtual time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits, Progress
from motherlode.documents.analysis import Manner
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.kind import PolicySetup, load_policy
from motherlode.portal import Portal, create_portal
from motherlode.records import Example, Origin, TopicId
from motherlode.store.queries.path_records import PathRow, path_rows
from motherlode.topics import Planting
from motherlode.topics.tree_builder import Planted
from motherlode.workers.worker_pool import InlineWorkerPool
from support.small_webs import Said
from support.training_webs import paper, text

SUBJECTS = ("owl", "heron")
HITS = 4


def hit_url(subject: str, number: int) -> str:
    return f"http://hits.test/{subject}{number}"


def hit_pages(links: Mapping[str, Sequence[str]] | None = None) -> dict[str, Said]:
    """The hits of both subjects; some of them have links."""
    return {
        hit_url(subject, number): paper(
            f"{subject} {number}",
            text(subject, number),
            (links or {}).get(hit_url(subject, number), ()),
        )
        for subject in SUBJECTS
        for number in range(HITS)
    }


def subject_portal(directory: Path, seeds: Sequence[str], **settings: object) -> Path:
    """A portal of two subjects with their hits; `tunnel__cutoff` sets `tunnel.cutoff`."""
    unplaced = TopicId(0)
    topics = [
        Planted(
            (subject,),
            (
                Example(unplaced, None, title=subject, text=subject, origin=Origin.QUERY),
                *(
                    Example(unplaced, hit_url(subject, number), origin=Origin.HIT)
                    for number in range(HITS)
                ),
            ),
        )
        for subject in SUBJECTS
    ]
    chosen: dict[str, object] = {
        "crawl.policy": "tunnel-2002",
        "crawl.seeds": list(seeds),
        "learning.semantic": "off",
        "politeness.delay": 0.0,
        **{key.replace("__", "."): value for key, value in settings.items()},
    }
    create_portal(directory, Planting(tuple(topics)), chosen)
    return directory


def crawl_subjects(directory: Path, web: Path, pages: int = 1_000) -> Progress:
    """Crawl a portal by its policy, as `lode crawl` does, one page at a time."""
    with Portal.crawling(directory, "test") as portal:
        return run_virtually(_crawl(portal, Replay(open_web(web)), pages))


async def _crawl(portal: Portal, web: Replay, pages: int) -> Progress:
    workers, kind = InlineWorkerPool(Manner()), load_policy(portal.config.crawl.policy)
    await prepare(portal, web, kind.wanted, workers=workers)
    if kind.before_crawl is not None:
        kind.before_crawl(portal)
    policy = kind.make(PolicySetup(portal))
    assert policy is not None
    limits = Limits(pages, connections=1, ahead=1, patience=0.0)
    return await crawl(portal, web, policy, limits, CrawlContext(workers))


def crawled(directory: Path) -> list[PathRow]:
    """The pages of the crawl in their order, without the hits."""
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        return [row for row in path_rows(session) if "hits.test" not in row.url]


def urls_of(directory: Path) -> list[str]:
    return [row.url for row in crawled(directory)]
