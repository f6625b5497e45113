"""`lode crawl`: fetch pages into a portal, from the examples of its topics on."""

import asyncio
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from motherlode.app.cli.common import (
    count,
    duration,
    json_option,
    portal_argument,
    set_option,
    show_json,
)
from motherlode.app.cli.durations import Duration
from motherlode.app.cli.interrupting import interrupted
from motherlode.policies.options import PolicyName
from motherlode.records import RunEnd

if TYPE_CHECKING:
    from motherlode.crawl.progress import Progress

_PAGES = 1000  # unless a limit is given
_FAILED_ON = {RunEnd.PAGES: 14, RunEnd.TIME: 15}
# Options that are settings under shorter names.
_SETTINGS = {"policy": "crawl.policy", "workers": "reading.workers", "index": "index.while_crawling"}


class Crawled(Struct, frozen=True):
    """What a crawl brought, why it ended, and what is left for the next."""

    pages: int
    failed: int
    skipped: int
    redirects: int
    copies: int
    hosts: int
    size: int
    seconds: float
    waiting: int
    relevant: int
    topics: dict[str, int]
    errors: dict[str, int]
    retrainings: int
    precision: float | None
    phase: str
    end: str


@click.command("crawl")
@portal_argument
@click.option("--pages", type=click.IntRange(1), help=f"Fetch so many pages; {_PAGES:,} without --time.")
@click.option("--time", "seconds", type=Duration(), metavar="TIME", help="Go on for so long: 90s, 10m, 2h.")
@click.option("--learn-pages", type=click.IntRange(0), help="Harvest after so many pages at the latest.")
@click.option(
    "--policy", type=click.Choice([name.value for name in PolicyName]), help="Which way the crawl goes."
)
@click.option("--workers", type=click.IntRange(0, 256), help="Processes that read documents.")
@click.option("--index/--no-index", default=None, help="Have the search index follow, or not.")
@click.option("--resume", is_flag=True, expose_value=False, help="Go on where it was: it always does.")
@click.option("--feedback", is_flag=True, help="Stop before harvesting, to let you judge the archetypes.")
@click.option(
    "--metrics", type=click.IntRange(0, 65_535), metavar="PORT", help="Serve Prometheus metrics meanwhile."
)
@click.option("--progress", is_flag=True, help="Say how far it is on the standard error, also with --json.")
@click.option("--fail-on-limit", is_flag=True, help="Exit with 14 or 15 if a limit ended it.")
@set_option
@json_option
def command(directory: Path, **options: Any) -> None:
    """Crawl for the topics of DIR, from their examples on; run again, it goes on where it was.

    Examples are fetched first and count as pages. Ctrl-C ends a crawl in good order, a second one at once.
    The Web is crawled only by those who say who they are: set crawler.contact first.

    \b
    lode crawl DIR --set crawler.contact=you@example.org --pages 5000
    lode crawl DIR --set network.connect=127.0.0.1:8080 --time 10m
    """
    try:
        crawled, progress = _crawl(directory, options)
    except (KeyboardInterrupt, asyncio.CancelledError):
        interrupted()
    if options["as_json"]:
        show_json(crawled)
    else:
        _show(crawled, progress, directory)
    if progress.end == RunEnd.INTERRUPTED:
        interrupted()
    if options["fail_on_limit"]:
        click.get_current_context().exit(_FAILED_ON.get(RunEnd(progress.end), 0))


def _crawl(directory: Path, options: dict[str, Any]) -> "tuple[Crawled, Progress]":
    from motherlode.app.cli.display import UNLIMITED  # noqa: PLC0415
    from motherlode.app.services.crawl import Outing, crawl_portal  # noqa: PLC0415 - loaded only to run it
    from motherlode.crawl.progress import Limits  # noqa: PLC0415
    from motherlode.fetch.loops import run  # noqa: PLC0415
    from motherlode.portal import Portal  # noqa: PLC0415
    from motherlode.workers.fork_client import early_fork_server  # noqa: PLC0415

    pages = options["pages"] or (_PAGES if options["seconds"] is None else UNLIMITED)
    overrides = (*options["overrides"], *_settings(options))
    with early_fork_server(), Portal.crawling(directory, "crawl", overrides) as portal:
        limits = Limits(pages, portal.config.crawl.connections, seconds=options["seconds"])
        outing = Outing(
            limits,
            feedback=options["feedback"],
            quiet=options["as_json"] and not options["progress"],
            aside=options["progress"],
            metrics=options["metrics"],
            learn_pages=options["learn_pages"],
        )
        progress = run(crawl_portal(portal, outing))
        return _crawled(progress, portal), progress


def _settings(options: dict[str, Any]) -> Iterator[str]:
    """The settings that options stand for."""
    given = ((key, options[name]) for name, key in _SETTINGS.items())
    return (f"{key}={str(value).lower()}" for key, value in given if value is not None)


def _crawled(progress: "Progress", portal: Any) -> Crawled:
    from motherlode.topics import show_path  # noqa: PLC0415

    tree = portal.tree()
    topics = {show_path(tree.path(t.id)): progress.topics[t.id] for t in tree if t.id in progress.topics}
    return Crawled(
        pages=progress.pages,
        failed=progress.failed,
        skipped=progress.skipped,
        redirects=progress.redirects,
        copies=progress.copies,
        hosts=progress.hosts,
        size=progress.size,
        seconds=progress.seconds,
        waiting=progress.waiting,
        relevant=progress.relevant,
        topics=topics,
        errors=progress.errors,
        retrainings=progress.retrainings,
        precision=progress.precision,
        phase=progress.phase,
        end=progress.end,
    )


def _show(crawled: Crawled, progress: "Progress", directory: Path) -> None:
    """The summary: how much, of what, why it ended, and what to do next."""
    from motherlode.app.cli.display import harvest_rate, pace  # noqa: PLC0415

    spent = f"in {duration(crawled.seconds)}, {pace(progress)}"
    click.echo(
        f"\n{count(crawled.pages, 'page')} from {count(crawled.hosts, 'host')} {spent}: {why(progress)}."
    )
    sure = "" if crawled.precision is None else f", estimated precision {crawled.precision:.2f}"
    if crawled.phase or crawled.relevant:  # pages were judged
        click.echo(f"{crawled.relevant:,} on a topic: harvest rate {harvest_rate(progress):.2f}{sure}.")
    others = [
        f"{crawled.size / 1e6:,.1f} MB",
        count(crawled.redirects, "redirect"),
        f"{crawled.failed:,} failed",
        f"{crawled.skipped:,} skipped",
        f"{crawled.copies:,} known already",
        f"{count(crawled.waiting, 'URL')} still waiting",
    ]
    click.echo(f"{', '.join(others)}.")
    click.echo(f"Next: {_next(crawled, directory)}")


def why(progress: "Progress") -> str:
    """The reason that a crawl has ended for."""
    match progress.end:
        case RunEnd.PAGES:
            return "the pages that were asked for"
        case RunEnd.TIME:
            return "the time is over"
        case RunEnd.FEEDBACK:
            return "it has learned, and waits for your judgement of what it learned from"
        case RunEnd.INTERRUPTED:
            return "interrupted"
    if progress.idle is not None:
        from motherlode.app.cli.display import named_errors, waits  # noqa: PLC0415

        said = waits(progress.idle, named_errors(progress)).rstrip(".")
        return said[:1].lower() + said[1:]
    return "nothing more can be fetched now" if progress.waiting else "all that was found is fetched"


def _next(crawled: Crawled, directory: Path) -> str:
    place = shlex.quote(str(directory))
    if crawled.end == RunEnd.FEEDBACK:
        return f"lode feedback {place}"
    goes_on = crawled.waiting and crawled.end != RunEnd.DONE
    return f"lode crawl {place}" if goes_on and not crawled.pages else f"lode status {place}"
