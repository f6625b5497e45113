"""`lode crawl`: fetch pages into a portal, from the examples of its topics on."""

import asyncio
from pathlib import Path

import click
from msgspec import Struct

from motherlode.app.cli.common import count, json_option, portal_argument, set_option, show_json

_INTERRUPTED = 11


class Crawled(Struct, frozen=True):
    """What a crawl brought, and what is left for the next."""

    pages: int
    failed: int
    redirects: int
    hosts: int
    seconds: float
    waiting: int


@click.command("crawl")
@portal_argument
@click.option("--pages", type=click.IntRange(1), default=1000, show_default=True, help="Fetch so many pages.")
@set_option
@json_option
def command(directory: Path, pages: int, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Crawl from the examples of the topics in DIR, level by level; run again, it goes on.

    The Web is crawled only by those who say who they are: set crawler.contact first.

    \b
    lode crawl DIR --set crawler.contact=you@example.org --pages 5000
    lode crawl DIR --set network.connect=127.0.0.1:8080
    """
    from motherlode.app.crawling import Outing, crawl_portal  # noqa: PLC0415 - loaded only to run it
    from motherlode.engine import Limits  # noqa: PLC0415
    from motherlode.fetch.loops import run  # noqa: PLC0415
    from motherlode.portal import Portal  # noqa: PLC0415
    from motherlode.records import RunEnd  # noqa: PLC0415
    from motherlode.store import frontier  # noqa: PLC0415

    with Portal.crawling(directory, "crawl", overrides) as portal:
        try:
            outing = Outing(Limits(pages, portal.config.crawl.connections), quiet=as_json)
            progress = run(crawl_portal(portal, outing))
        except (KeyboardInterrupt, asyncio.CancelledError):
            progress = None
        if progress is None or progress.end == RunEnd.INTERRUPTED:
            click.echo(f"\nInterrupted; 'lode crawl {directory}' goes on.", err=True)
            click.get_current_context().exit(_INTERRUPTED)
        with portal.store.reading() as session:
            waiting = sum(size for queue, size in frontier.sizes(session).items() if queue != frontier.AGAIN)
    if as_json:
        show_json(
            Crawled(
                progress.pages, progress.failed, progress.redirects, progress.hosts, progress.seconds, waiting
            )
        )
    else:
        click.echo(f"\n{_ending(progress.pages, pages)}: {count(waiting, 'URL')} still waiting.")


def _ending(fetched: int, limit: int) -> str:
    if fetched >= limit:
        return f"Fetched the {count(limit, 'page')} that were asked for"
    return f"Fetched {count(fetched, 'page')}; nothing more can be fetched now"
