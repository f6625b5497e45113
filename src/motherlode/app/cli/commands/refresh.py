"""`lode refresh`: fetch pages again, and keep what has changed."""

import asyncio
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.common import count, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.durations import Duration
from motherlode.app.cli.interrupting import interrupted

if TYPE_CHECKING:
    from motherlode.crawl.refresh import Refreshed
    from motherlode.portal import Portal
    from motherlode.records import TopicId


@click.command("refresh")
@portal_argument
@click.option(
    "--older-than",
    type=Duration(zero=True),
    default="7d",
    show_default=True,
    help="Only pages that were last fetched so long ago: 90s, 30m, 12h, 7d, 2w.",
)
@click.option("--topic", help="Only pages on this topic and those below it, such as science/physics.")
@click.option(
    "--pages", type=click.IntRange(1), default=10_000, show_default=True, help="So many pages, oldest first."
)
@set_option
@json_option
def command(directory: Path, overrides: tuple[str, ...], **options: Any) -> None:
    """Fetch the pages of DIR again, and keep what has changed.

    Hosts are asked whether there is anything new, and most say no in a few bytes. A page that has changed is
    judged anew, and its new links wait for the next 'lode crawl'; one that is gone is marked as gone, and
    what it said is kept. What cannot be had now stays as it is until the next refresh.

    \b
    lode refresh DIR --older-than 12h
    lode refresh DIR --topic science/physics --pages 500
    """
    from motherlode.app.services.refresh import refresh_portal  # noqa: PLC0415 - loaded only to run it
    from motherlode.crawl.refresh import Wish  # noqa: PLC0415
    from motherlode.fetch.loops import run  # noqa: PLC0415
    from motherlode.portal import Portal  # noqa: PLC0415
    from motherlode.records import RunEnd  # noqa: PLC0415
    from motherlode.workers.fork_client import early_fork_server  # noqa: PLC0415

    with early_fork_server(), Portal.crawling(directory, "refresh", overrides) as portal:
        wish = Wish(time() - options["older_than"], options["pages"], _topics(portal, options["topic"]))
        try:
            found = run(refresh_portal(portal, wish, quiet=options["as_json"]))
        except (KeyboardInterrupt, asyncio.CancelledError):
            found = None
    if found is None or found.end == RunEnd.INTERRUPTED:
        interrupted()
    if options["as_json"]:
        show_json(found)
    else:
        _show(found, directory)


def _topics(portal: "Portal", path: str | None) -> "set[TopicId] | None":
    from motherlode.topics import parse_path  # noqa: PLC0415

    if path is None:
        return None
    tree = portal.tree()
    topic = tree.at(parse_path(path)).id
    return {topic, *tree.descendants(topic)}


def _show(found: "Refreshed", directory: Path) -> None:
    total = found.changed + found.unchanged + found.gone + found.moved + found.failed
    if not total:
        click.echo("No page is old enough to be fetched again.")
        return
    if found.resumed:
        click.echo("Went on with a refresh that had been interrupted.")
    parts = (
        f"{found.changed:,} changed, {found.unchanged:,} unchanged, {found.gone:,} gone",
        f", {found.moved:,} moved" if found.moved else "",
        f", {found.failed:,} not to be had now" if found.failed else "",
    )
    click.echo(f"Refreshed {count(total, 'page')}: {''.join(parts)}.")
    if found.left:
        click.echo(f"{count(found.left, 'page')} still to be refreshed; 'lode refresh {directory}' goes on.")
