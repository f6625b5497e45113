"""`lode demo`: the main job end to end, on this machine alone."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from motherlode.app.cli.common import json_option, set_option, show_json
from motherlode.app.cli.tables import TextTable
from motherlode.app.cli.treeview import show_counts, show_tree
from motherlode.app.text import count, duration
from motherlode.records import TopicId
from motherlode.records.shell_words import shell_word

if TYPE_CHECKING:
    from motherlode.app.services.demo import DemoResult
    from motherlode.app.services.topics.trees import PortalTree
    from motherlode.crawl.progress import Progress


@click.command("demo")
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep the portal in DIR; by default it is removed at the end.",
)
@click.option(
    "--pages",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Stop after this many pages.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=7,
    show_default=True,
    help="Random seed of the web.",
)
@set_option
@json_option
def command(
    keep: Path | None, pages: int, seed: int, overrides: tuple[str, ...], *, as_json: bool
) -> None:
    """Generate a web on this machine, crawl it for a few topics, and show the result."""
    from motherlode.app.cli.display import Display  # noqa: PLC0415 - loaded only to run it
    from motherlode.app.services.demo import run_demo  # noqa: PLC0415
    from motherlode.portal.config_reader import parse_override  # noqa: PLC0415

    settings = dict(parse_override(override) for override in overrides)
    observer, show = _Observer(quiet=as_json), partial(Display, quiet=as_json)
    result = run_demo(keep, (pages, seed), settings, observer, show)
    if as_json:
        show_json(result)
    else:
        _show(result, keep, seed)


class _Observer:
    """Prints how the demo goes, unless it is to be quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet

    def say(self, sentence: str) -> None:
        if not self._quiet:
            click.echo(sentence)

    def show_portal(self, portal: "PortalTree") -> None:
        if not self._quiet:
            show_tree(portal.title, portal.tree, portal.examples, everything=True)

    def show_pages(
        self, portal: "PortalTree", pages: Mapping[TopicId, int], crawl: "Progress"
    ) -> None:
        if self._quiet:
            return
        click.echo()
        show_counts(portal.title, portal.tree, pages)
        spent = f"in {duration(crawl.seconds)}, {count(crawl.retrainings, 'retraining')}"
        click.echo(f"\n{count(crawl.pages, 'page')} from {count(crawl.hosts, 'host')} {spent}.")


def _show(result: "DemoResult", keep: Path | None, seed: int) -> None:
    """Print the quality of the crawl, by labels that the crawl did not know."""
    click.echo("\nMeasured by the labels of the web, which the crawl does not know:\n")
    table = TextTable(
        "topic", "examples", "assigned", "right", "precision", "fetched", "existing", "recall"
    )
    for topic in result.topics:
        precision = f"{topic.right / topic.assigned:.2f}" if topic.assigned else None
        counts = (topic.assigned, topic.right, precision, topic.fetched, topic.existing)
        table.add(topic.topic, topic.examples, *counts, f"{topic.right / topic.existing:.2f}")
    table.show()
    click.echo(
        f"\nOf the pages that the crawl assigned to a topic, {result.precision:.0%} are on it "
        f"(precision).\nOf all pages on these topics, it found {result.recall:.0%} (recall).\n"
        f"Of the pages that it fetched, {result.harvest_rate:.0%} are on a topic (true harvest "
        "rate)."
    )
    click.echo("\nTry next:")
    has_links = any(topic.assigned for topic in result.topics)
    for line in _next_steps(keep, seed, has_links=has_links):
        click.echo(line)


def _next_steps(keep: Path | None, seed: int, *, has_links: bool) -> list[str]:
    next_commands = [
        "  lode sandbox generate toy && lode lab compare toy --topic Animals/Birds --plot toy.png",
        "  lode new physics --bookmarks FILE",
    ]
    if keep is None:
        return ["  lode demo --keep demo && lode stats demo", *next_commands]
    place = shell_word(str(keep))
    return [
        f"  lode status {place}",
        f"  lode stats {place}",
        *([f"  lode links {place} --topic /"] if has_links else []),
        "or resume the crawl, with its web served in another terminal:",
        f"  lode sandbox generate web --seed {seed} && lode sandbox serve web --port 8080",
        f"  lode crawl {place} --set network.connect=127.0.0.1:8080",
        "or try another command:",
        *next_commands,
    ]
