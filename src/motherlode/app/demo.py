"""The main job end to end, on this machine alone: a made-up web, served, crawled, measured."""

import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp

import click
from msgspec import Struct

from motherlode.app.cli.common import count
from motherlode.app.cli.tables import Table
from motherlode.app.cli.treeview import show_tree
from motherlode.app.crawling import Outing, crawl_portal
from motherlode.engine import Limits, Progress
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
from motherlode.store import topics as topic_rows
from motherlode.store.pages import page_log
from motherlode.topics import OTHERS, TopicPath, TopicTree, parse_path, plant_seeds
from motherlode.urls import host_of

_TOPICS = 3
_EXAMPLES = 3


class Found(Struct, frozen=True):
    """A topic of the demo: how many of the web's pages on it were found, by the web's own labels."""

    topic: str
    examples: int
    found: int
    there: int


class Result(Struct, frozen=True):
    """What the demo did."""

    crawl: Progress
    topics: list[Found]


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
            seeds = _examples(web)
            settings = chosen | {"network.connect": running.address}
            create_portal(place, plant_seeds(_planted(seeds), rules_in(settings)), settings)
            if not quiet:
                _show_portal(place)
            with Portal.crawling(place, "demo") as portal:
                outing = Outing(Limits(pages, command="demo"), quiet=quiet)
                progress = run(crawl_portal(portal, outing))
        return Result(progress, _count(place, web.labels(), seeds))
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _silent(_message: str) -> None:
    pass


def _examples(web: LabWeb) -> dict[str, list[str]]:
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


def _planted(seeds: Mapping[str, list[str]]) -> Iterator[tuple[TopicPath, list[str]]]:
    return ((parse_path(topic), urls) for topic, urls in seeds.items())


def _show_portal(directory: Path) -> None:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        show_tree(portal.title, tree, topic_rows.examples_of(session), everything=True)


def _count(directory: Path, labels: Labels, seeds: Mapping[str, list[str]]) -> list[Found]:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        kept = {url for url, _, _ in page_log(session, members=False)}
    wanted = {topic: labels.relevant(topic) - set(urls) for topic, urls in seeds.items() if topic != OTHERS}
    return [Found(topic, len(seeds[topic]), len(kept & pages), len(pages)) for topic, pages in wanted.items()]


def show_result(result: Result, keep: Path | None) -> None:
    click.echo(f"\nBy the labels of the web, {count(result.crawl.pages, 'page')} brought:\n")
    table = Table("topic", "examples", "found", "there", "recall")
    for row in result.topics:
        table.add(row.topic, row.examples, row.found, row.there, f"{row.found / row.there:.2f}")
    table.show()
    found = sum(row.found for row in result.topics)
    click.echo(
        f"\nHarvest rate {found / max(result.crawl.pages, 1):.2f}: a crawl that looks at nothing but order."
    )
    click.echo("\nTry next:")
    if keep is not None:
        click.echo(f"  lode topics {keep}")
    click.echo("  lode sandbox generate toy && lode lab compare toy --topic Animals/Birds --plot toy.png")
    click.echo("  lode new physics --bookmarks bookmarks.html")
