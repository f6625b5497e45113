"""`lode new`: a portal from bookmarks, seeds or a query (SPEC B1)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from motherlode.app.cli.common import (
    count,
    json_option,
    portal_argument,
    set_option,
    show_json,
)
from motherlode.portal import Portal, create_portal
from motherlode.portal.reading import parse_override, rules_in
from motherlode.records import BadInputError, UsageError
from motherlode.sources.bookmarks import read_bookmarks
from motherlode.topics import Planting, TopicPath, parse_path, plant, plant_query, plant_seeds
from motherlode.urls import UrlRules

_MARK = "\x1f"  # between a seed and the number of the topic it was written behind


class _SeedsKnowTheirTopic(click.Command):
    """Click gathers each option by itself; here a `--seed` belongs to the `--topic` before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_number_seeds(args)))


def _number_seeds(args: list[str]) -> Iterator[str]:
    topics, in_seeds, expects_seed = 0, False, False
    for arg in args:
        topics += arg == "--topic" or arg.startswith("--topic=")
        if arg.startswith("--seed="):
            yield f"--seed={topics}{_MARK}{arg[7:]}"
        elif expects_seed:
            yield f"{topics}{_MARK}{arg}"
        elif in_seeds and "://" in arg and not arg.startswith("-"):  # --seed URL URL ...
            yield from ("--seed", f"{topics}{_MARK}{arg}")
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

    A topic called OTHERS holds counterexamples. With --set, settings go into the portal's lode.toml.
    """
    chosen = dict(parse_override(override) for override in overrides)
    planting = _planting(bookmarks, _grouped(topics, seeds), query, rules_in(chosen))
    create_portal(directory, planting, chosen)
    _report(directory, planting, as_json=as_json)


def _planting(
    bookmarks: Path | None,
    topics: list[tuple[TopicPath, list[str]]],
    query: str | None,
    rules: UrlRules,
) -> Planting:
    if sum((bookmarks is not None, bool(topics), query is not None)) != 1:
        raise UsageError("Name the topics one way: --bookmarks FILE, --topic NAME, or --query WORDS.")
    if bookmarks is not None:
        planting = plant(read_bookmarks(bookmarks), bookmarks.stem, rules)
        if not planting.examples:
            raise BadInputError(f"{bookmarks} holds no bookmark that can be crawled{_skipped(planting)}.")
        return planting
    if query is not None:
        if not query.split():
            raise UsageError("--query needs some words.")
        return plant_query(query)
    return plant_seeds(topics, rules)


def _grouped(topics: tuple[str, ...], seeds: tuple[str, ...]) -> list[tuple[TopicPath, list[str]]]:
    """Each topic with the seeds that were written behind it."""
    paths = [parse_path(topic) for topic in topics]
    if not all(paths):
        raise UsageError("--topic needs a name.")
    groups: list[tuple[TopicPath, list[str]]] = [(path, []) for path in paths]
    for seed in seeds:
        number, _, url = seed.partition(_MARK)
        if not 1 <= int(number) <= len(groups):
            raise UsageError(f"--seed {url} stands before any topic; write --topic NAME first.")
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
    with Portal.reading(directory) as portal:
        made = len(portal.tree())
    click.echo(
        f"Made {directory}: {count(made, 'topic')}, {count(planting.examples, 'example')}"
        f"{_skipped(planting)}."
    )
    click.echo(f"Next: lode topics {directory}")


def _skipped(planting: Planting) -> str:
    if not planting.skipped:
        return ""
    reasons = ", ".join(f"{number} for {kind}" for kind, number in sorted(planting.skipped.items()))
    return f" ({reasons} skipped)"
