"""The main job end to end, on this machine alone: a made-up web, served, crawled, measured."""

import asyncio
import shlex
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp

import click
from msgspec import Struct

from motherlode.app.cli.common import count, duration
from motherlode.app.cli.tables import Table
from motherlode.app.cli.treeview import show_counts, show_tree
from motherlode.app.services.crawl import Outing, crawl_portal
from motherlode.crawl.progress import Limits, Progress
from motherlode.fetch.loops import run
from motherlode.lab.description import Plan, write_plan
from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.lexicon import lexicon_is_here
from motherlode.lab.labels import Labels
from motherlode.lab.opening import open_web
from motherlode.lab.serving.background import sandbox
from motherlode.lab.web import LabWeb
from motherlode.portal import Portal, create_portal
from motherlode.portal.directory import check_free
from motherlode.portal.reading import rules_in
from motherlode.records import RunEnd
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.judged import counts_by_topic, judged_for
from motherlode.store.pages import page_log
from motherlode.topics import OTHERS, TopicPath, TopicTree, parse_path, plant_seeds
from motherlode.urls import host_of
from motherlode.workers.fork_client import early_fork_server

_TOPICS = 3
_EXAMPLES = 3
_EVERYTHING = 10**9  # pages; there are fewer


class Found(Struct, frozen=True):
    """A topic of the demo by the web's own labels, examples left out: how many pages the crawl put on it, how
    many of those are on it, how many that are on it were fetched at all, and how many there are."""

    topic: str
    examples: int
    put: int
    right: int
    found: int
    there: int


class Result(Struct, frozen=True):
    """What the demo did. The harvest rate is of fetched pages that are on any of its topics."""

    crawl: Progress
    topics: list[Found]
    precision: float
    recall: float
    harvest_rate: float


@early_fork_server()
def run_demo(
    directory: Path | None, pages: int, seed: int, chosen: dict[str, object], *, quiet: bool
) -> Result:
    """Make up a web, serve it, crawl it into a portal, and count what was found.

    The portal is kept in `directory`, if there is one; all else is gone at the end, however it comes.
    """
    if directory is not None:
        check_free(directory)
    say = _silent if quiet else click.echo
    workshop = Path(mkdtemp(prefix="lode-demo-"))
    place = directory or workshop / "demo"
    try:
        first = "" if lexicon_is_here() else " (the first time, WordNet is fetched for it)"
        say(f"Making up a web on this machine{first} ...")
        write_plan(workshop / "web", Plan(seed=seed))
        web = open_web(workshop / "web")
        with sandbox(workshop / "web") as running:
            served = f"{count(running.pages, 'page')} on {count(running.hosts, 'host')}"
            say(f"Serving {served} at {running.address}.\n")
            seeds = examples_on(web)
            settings = chosen | {"network.connect": running.address}
            create_portal(place, plant_seeds(planted(seeds), rules_in(settings)), settings)
            if not quiet:
                _show_portal(place)
            with Portal.crawling(place, "demo") as portal:
                outing = Outing(Limits(pages, command="demo"), quiet=quiet)
                progress = _crawl(portal, outing)
        result = _result(progress, _count(place, web.labels(), seeds))
        if not quiet:
            _show_found(place, result, say)
        return result
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _crawl(portal: Portal, outing: Outing) -> Progress:
    """Raises `KeyboardInterrupt` if somebody stops it: a part of a demo shows nothing."""
    try:
        progress = run(crawl_portal(portal, outing))
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error
    if progress.end == RunEnd.INTERRUPTED:
        raise KeyboardInterrupt
    return progress


def _silent(_message: str) -> None:
    pass


def examples_on(web: LabWeb) -> dict[str, list[str]]:
    """What a person might have bookmarked: a few pages each on a few topics, and some on none."""
    labels = web.labels()
    leaves = sorted({topic for _, topics in labels.items() for topic in topics})
    dice = Dice("demo")
    chosen = [leaves.pop(dice.below(len(leaves))) for _ in range(_TOPICS)]
    pages = {topic: _fronts(labels.relevant(topic), dice) for topic in sorted(chosen)}
    focused = {host_of(url) for url, _ in labels.items()}
    return pages | {OTHERS: _fronts({url for url in web.urls() if host_of(url) not in focused}, dice)}


def _fronts(urls: Collection[str], dice: Dice) -> list[str]:
    """Some pages of one kind, those with short addresses rather than others."""
    near = sorted(urls, key=lambda url: (url.count("/"), len(url), url))[: 4 * _EXAMPLES]
    return [near.pop(dice.below(len(near))) for _ in range(min(_EXAMPLES, len(near)))]


def planted(seeds: Mapping[str, list[str]]) -> Iterator[tuple[TopicPath, list[str]]]:
    return ((parse_path(topic), urls) for topic, urls in seeds.items())


def _show_portal(directory: Path) -> None:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        show_tree(portal.title, tree, topic_rows.examples_of(session), everything=True)


def _count(directory: Path, labels: Labels, seeds: Mapping[str, list[str]]) -> list[Found]:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        kept = {url for url, _, _ in page_log(session, members=False)}
        tree = TopicTree(topic_rows.all_topics(session))
        put = {topic: _put_on(session, tree, topic) for topic in seeds if topic != OTHERS}
    found = []
    for topic, pages in put.items():
        shown = set(seeds[topic])
        there = labels.relevant(topic) - shown
        mine = (pages & kept) - shown
        counts = (len(mine), len(mine & there), len(kept & there), len(there))
        found.append(Found(topic, len(shown), *counts))
    return found


def _put_on(session: Session, tree: TopicTree, topic: str) -> set[str]:
    """The pages that the crawl put on a topic."""
    here = tree.at(parse_path(topic))
    return {one.url for one in judged_for(session, tree.descendants(here.id), _EVERYTHING)}


def _result(progress: Progress, topics: list[Found]) -> Result:
    put, right = sum(row.put for row in topics), sum(row.right for row in topics)
    found, there = sum(row.found for row in topics), sum(row.there for row in topics)
    return Result(
        progress, topics, right / max(put, 1), right / max(there, 1), found / max(progress.pages, 1)
    )


def _show_found(directory: Path, result: Result, say: Callable[[str], None]) -> None:
    """The topic tree with what was found, before the portal is removed."""
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        say("")
        show_counts(portal.title, tree, counts_by_topic(session))
    spent = f"in {duration(result.crawl.seconds)}, {count(result.crawl.retrainings, 'retraining')}"
    say(f"\n{count(result.crawl.pages, 'page')} from {count(result.crawl.hosts, 'host')} {spent}.")


def show_result(result: Result, keep: Path | None, seed: int) -> None:
    """How good it was, by labels that the crawl knew nothing of."""
    click.echo("\nBy the labels of the web, which the crawl knows nothing of:\n")
    table = Table("topic", "examples", "found", "right", "precision", "fetched", "there", "recall")
    for row in result.topics:
        precision = f"{row.right / row.put:.2f}" if row.put else None
        counts = (row.put, row.right, precision, row.found, row.there)
        table.add(row.topic, row.examples, *counts, f"{row.right / row.there:.2f}")
    table.show()
    click.echo(
        f"\nOf the pages that the crawl put on a topic, {result.precision:.0%} are on it (precision); of all "
        f"that are on one, it found {result.recall:.0%} (recall).\nOf the pages that it fetched, "
        f"{result.harvest_rate:.0%} are on a topic (true harvest rate)."
    )
    click.echo("\nTry next:")
    if keep is not None:
        place = shlex.quote(str(keep))
        click.echo(f"  lode status {place}\n  lode stats {place}\n  lode links {place} --topic /")
        click.echo("or crawl on, with its web served again in another terminal:")
        click.echo(f"  lode sandbox generate web --seed {seed} && lode sandbox serve web --port 8080")
        click.echo(f"  lode crawl {place} --set network.connect=127.0.0.1:8080")
        click.echo("or something else:")
    else:
        click.echo("  lode demo --keep demo && lode stats demo")
    click.echo("  lode sandbox generate toy && lode lab compare toy --topic Animals/Birds --plot toy.png")
    click.echo("  lode new physics --bookmarks bookmarks.html")
