"""`lode new`: make a portal from bookmarks, seeds or a query (SPEC B1)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from motherlode.app.cli.common import json_option, portal_argument, set_option, show_json
from motherlode.app.cli.treeview import count_topics
from motherlode.app.services.portals.creation import (
    PortalContents,
    make_portal,
    parse_topics,
    skipped_text,
)
from motherlode.app.services.topics.trees import tree_of
from motherlode.app.text import count
from motherlode.portal.config_reader import parse_override
from motherlode.records import UsageError
from motherlode.records.shell_words import shell_word
from motherlode.sources.bookmarks import read_bookmarks
from motherlode.topics import Planting, TopicPath

_SEPARATOR = "\x1f"  # between a seed and the number of its topic


class _SeedsKnowTheirTopic(click.Command):
    """Assigns each `--seed` to the `--topic` before it: click collects each option by itself."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_number_seeds(args)))


def _number_seeds(args: list[str]) -> Iterator[str]:
    topics, in_seeds, expects_seed = 0, False, False
    for arg in args:
        topics += arg == "--topic" or arg.startswith("--topic=")
        if arg.startswith("--seed="):
            yield f"--seed={topics}{_SEPARATOR}{arg[7:]}"
        elif expects_seed:
            yield f"{topics}{_SEPARATOR}{arg}"
        elif in_seeds and "://" in arg and not arg.startswith("-"):  # --seed URL URL ...
            yield from ("--seed", f"{topics}{_SEPARATOR}{arg}")
        else:
            yield arg
        in_seeds = (in_seeds and not arg.startswith("-")) or arg.startswith("--seed")
        expects_seed = arg == "--seed"


@click.command("new", cls=_SeedsKnowTheirTopic)
@portal_argument
@click.option(
    "--bookmarks",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A browser's bookmark file, an OPML file, or a list of URLs; its folders become topics.",
)
@click.option(
    "--topic",
    "topics",
    metavar="NAME",
    multiple=True,
    help="A topic, such as physics or science/physics (repeatable).",
)
@click.option(
    "--seed",
    "seeds",
    metavar="URL ...",
    multiple=True,
    help="An example page of the topic named before it (repeatable).",
)
@click.option("--query", metavar="WORDS", help="An expert query; its words become the topic.")
@set_option
@json_option
def command(  # noqa: PLR0913 - one for each option
    directory: Path,
    bookmarks: Path | None,
    topics: tuple[str, ...],
    seeds: tuple[str, ...],
    query: str | None,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Make the portal DIR.

    \b
    lode new physics --bookmarks bookmarks.html
    lode new birds --topic owls --seed https://owls.example/ --topic OTHERS --seed https://news.example/
    lode new aries --query "open source ARIES recovery"

    A topic called OTHERS holds counterexamples. With --set, settings go into the portal's
    lode.toml.
    """
    chosen = dict(parse_override(override) for override in overrides)
    planting = make_portal(
        directory, _contents(bookmarks, _seeds_by_topic(topics, seeds), query), chosen
    )
    _report(directory, planting, as_json=as_json)


def _contents(
    bookmarks: Path | None, topics: tuple[tuple[TopicPath, list[str]], ...], query: str | None
) -> PortalContents:
    if bookmarks is None:
        return PortalContents(topics=topics, query=query)
    return PortalContents(read_bookmarks(bookmarks), bookmarks, topics, query)


def _seeds_by_topic(
    topics: tuple[str, ...], seeds: tuple[str, ...]
) -> tuple[tuple[TopicPath, list[str]], ...]:
    """Return each topic with the seeds that follow it."""
    groups = parse_topics((topic, ()) for topic in topics)
    for seed in seeds:
        number, _, url = seed.partition(_SEPARATOR)
        if not 1 <= int(number) <= len(groups):
            raise UsageError(f"--seed {url} comes before any topic; write --topic NAME first.")
        groups[int(number) - 1][1].append(url)
    return groups


def _report(directory: Path, planting: Planting, *, as_json: bool) -> None:
    if as_json:
        topics: list[dict[str, Any]] = [
            {"path": "/".join(planted.path) or "/", "examples": len(planted.examples)}
            for planted in planting.topics
        ]
        show_json({"portal": str(directory), "topics": topics, "skipped": planting.skipped})
        return
    topics_text = count_topics(tree_of(directory).tree)
    click.echo(
        f"Made {directory}: {topics_text}, "
        f"{count(planting.examples, 'example')}{skipped_text(planting)}."
    )
    click.echo(f"Next: lode topics {shell_word(str(directory))}")
