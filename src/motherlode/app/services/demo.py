"""The main job end to end, on this machine alone: a generated web, served, crawled and measured."""

import asyncio
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Protocol

from msgspec import Struct

from motherlode.app.services.crawl import CrawlPlan, ShowCrawl, crawl_portal
from motherlode.app.services.topics.trees import PortalTree, tree_of
from motherlode.app.text import count
from motherlode.crawl.progress import Limits, Progress
from motherlode.fetch.event_loop import run
from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.lexicon import lexicon_is_here
from motherlode.lab.labels import Labels
from motherlode.lab.loader import open_web
from motherlode.lab.serving.background import sandbox
from motherlode.lab.web import LabWeb
from motherlode.portal import Portal, create_portal
from motherlode.portal.config_reader import rules_in
from motherlode.portal.directory import check_free
from motherlode.records import RunEnd, TopicId
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import counts_by_topic, judged_for
from motherlode.store.tables.pages import page_log
from motherlode.topics import OTHERS, TopicPath, TopicTree, parse_path, plant_seeds
from motherlode.urls import host_of
from motherlode.workers.fork_client import early_fork_server

TOPICS = 3
EXAMPLES_PER_TOPIC = 3
_ALL_PAGES = 10**9  # there are fewer


_JSON_KEYS = {"assigned": "put", "fetched": "found", "existing": "there"}


class DemoTopic(Struct, frozen=True, rename=_JSON_KEYS):
    """The pages of a topic of the demo, by the labels of the web and without its examples.

    `assigned` counts the pages that the crawl put on the topic, and `right` those of them that are
    on it. `fetched` and `existing` count the fetched pages and all pages that are on it.
    """

    topic: str
    examples: int
    assigned: int
    right: int
    fetched: int
    existing: int


class DemoResult(Struct, frozen=True):
    """The crawl of the demo, and its quality by the labels of the web.

    `harvest_rate` is the share of the fetched pages that are on any of the topics.
    """

    crawl: Progress
    topics: list[DemoTopic]
    precision: float
    recall: float
    harvest_rate: float


class DemoObserver(Protocol):
    """Shows the user how the demo goes."""

    def say(self, sentence: str) -> None: ...

    def show_portal(self, portal: PortalTree) -> None: ...

    def show_pages(self, portal: PortalTree, pages: Mapping[TopicId, int], crawl: Progress) -> None:
        """Show the topic tree with the number of pages, before the portal is removed."""
        ...


@early_fork_server()
def run_demo(
    directory: Path | None,
    limits: tuple[int, int],
    settings: dict[str, object],
    observer: DemoObserver,
    show: ShowCrawl,
) -> DemoResult:
    """Generate a web, serve it, crawl it into a portal, and count what was found.

    `limits` are the pages to crawl and the seed of the web. The portal is kept in `directory`, if
    there is one; all else is removed at the end.
    """
    pages, seed = limits
    if directory is not None:
        check_free(directory)
    workshop = Path(mkdtemp(prefix="lode-demo-"))
    place = directory or workshop / "demo"
    try:
        first = "" if lexicon_is_here() else " (the first time, WordNet is fetched for it)"
        observer.say(f"Generating a web on this machine{first} ...")
        write_plan(workshop / "web", WebPlan(seed=seed))
        web = open_web(workshop / "web")
        with sandbox(workshop / "web") as server:
            served = f"{count(server.pages, 'page')} on {count(server.hosts, 'host')}"
            observer.say(f"Serving {served} at {server.address}.\n")
            seeds = examples_on(web)
            settings = settings | {"network.connect": server.address}
            create_portal(place, plant_seeds(paths_of(seeds), rules_in(settings)), settings)
            observer.show_portal(tree_of(place))
            progress = _crawl(place, Limits(pages, command="demo"), show)
        observer.show_pages(tree_of(place), _page_counts(place), progress)
        return _result(progress, _count(place, web.labels(), seeds))
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def examples_on(web: LabWeb) -> dict[str, list[str]]:
    """Return what a user might have bookmarked: pages on a few topics, and counterexamples."""
    labels = web.labels()
    leaves = sorted({topic for _, topics in labels.items() for topic in topics})
    dice = Dice("demo")
    chosen = [leaves.pop(dice.below(len(leaves))) for _ in range(TOPICS)]
    pages = {topic: _front_pages(labels.relevant(topic), dice) for topic in sorted(chosen)}
    focused = {host_of(url) for url, _ in labels.items()}
    others = {url for url in web.urls() if host_of(url) not in focused}
    return pages | {OTHERS: _front_pages(others, dice)}


def _crawl(place: Path, limits: Limits, show: ShowCrawl) -> Progress:
    """Crawl the portal.

    Raises `KeyboardInterrupt` if it is stopped: a part of a demo shows nothing.
    """
    try:
        with Portal.crawling(place, "demo") as portal, show(portal.tree(), limits) as observer:
            progress = run(crawl_portal(portal, CrawlPlan(limits), observer))
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error
    if progress.end == RunEnd.INTERRUPTED:
        raise KeyboardInterrupt
    return progress


def _front_pages(urls: Collection[str], dice: Dice) -> list[str]:
    """Return a few pages, drawn from those with the shortest URLs."""
    near = sorted(urls, key=lambda url: (url.count("/"), len(url), url))[: 4 * EXAMPLES_PER_TOPIC]
    return [near.pop(dice.below(len(near))) for _ in range(min(EXAMPLES_PER_TOPIC, len(near)))]


def paths_of(seeds: Mapping[str, list[str]]) -> Iterator[tuple[TopicPath, list[str]]]:
    return ((parse_path(topic), urls) for topic, urls in seeds.items())


def _page_counts(directory: Path) -> dict[TopicId, int]:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        return counts_by_topic(session)


def _count(directory: Path, labels: Labels, seeds: Mapping[str, list[str]]) -> list[DemoTopic]:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        fetched = {url for url, _, _ in page_log(session, members=False)}
        tree = TopicTree(topic_rows.all_topics(session))
        judged = {topic: _urls_on(session, tree, topic) for topic in seeds if topic != OTHERS}
    return [
        _topic(topic, set(seeds[topic]), urls, fetched, labels) for topic, urls in judged.items()
    ]


def _topic(
    topic: str, examples: set[str], urls: set[str], fetched: set[str], labels: Labels
) -> DemoTopic:
    relevant = labels.relevant(topic) - examples
    assigned = (urls & fetched) - examples
    return DemoTopic(
        topic=topic,
        examples=len(examples),
        assigned=len(assigned),
        right=len(assigned & relevant),
        fetched=len(fetched & relevant),
        existing=len(relevant),
    )


def _urls_on(session: Session, tree: TopicTree, path: str) -> set[str]:
    """Return the pages that the crawl put on a topic."""
    topic = tree.at(parse_path(path))
    return {page.url for page in judged_for(session, tree.descendants(topic.id), _ALL_PAGES)}


def _result(progress: Progress, topics: list[DemoTopic]) -> DemoResult:
    assigned = sum(topic.assigned for topic in topics)
    right = sum(topic.right for topic in topics)
    fetched = sum(topic.fetched for topic in topics)
    existing = sum(topic.existing for topic in topics)
    return DemoResult(
        crawl=progress,
        topics=topics,
        precision=right / max(assigned, 1),
        recall=right / max(existing, 1),
        harvest_rate=fetched / max(progress.pages, 1),
    )
