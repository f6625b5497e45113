"""`lode ask`: a query, a few pages to begin with, a short crawl, a ranked answer (SPEC B31)."""

import asyncio
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from motherlode.app.cli.commands.crawl import why
from motherlode.app.cli.common import count, harmless, json_option, marked, set_option, show_json
from motherlode.app.cli.durations import Duration
from motherlode.app.cli.interrupting import INTERRUPTED
from motherlode.app.services.ask import NothingFetchedError, Place, answer_from, open_place, query_of
from motherlode.app.services.crawl import Outing, crawl_portal
from motherlode.crawl.progress import Limits, Progress
from motherlode.fetch.loops import run
from motherlode.portal import Portal
from motherlode.records import RunEnd
from motherlode.search.answers import AnswerPage, QueryAnswer
from motherlode.workers.fork_client import early_fork_server

_LONG = 100  # characters of a query that are shown


class Told(Struct, frozen=True):
    """The answer, with where it is kept and how the crawl for it ended."""

    portal: str
    query: str
    topic: str
    fetched: int
    pages: int
    on_topic: int
    end: str
    answers: tuple[AnswerPage, ...]


class _SeveralSeeds(click.Command):
    """Click wants an option before each value; people write `--seeds URL FILE URL`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_spread(args)))


def _spread(args: list[str]) -> Iterator[str]:
    in_seeds = expected = False
    for arg in args:
        if in_seeds and not expected and not arg.startswith("-") and _is_seed(arg):
            yield "--seeds"
        yield arg
        if not expected:
            in_seeds = arg.startswith("--seeds") or (in_seeds and not arg.startswith("-"))
        expected = arg == "--seeds" and not expected


def _is_seed(arg: str) -> bool:
    try:
        return "://" in arg or Path(arg).is_file()
    except (OSError, ValueError):  # a query of ten thousand words names no file
        return False


@click.command("ask", cls=_SeveralSeeds)
@click.argument("words", metavar="QUERY...", nargs=-1)
@click.option(
    "--seeds",
    metavar="FILE|URL ...",
    multiple=True,
    help="Pages to begin with: addresses, a bookmark or OPML file, a list of URLs; or a document.",
)
@click.option(
    "--portal",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the portal is made; else in a directory named after the query.",
)
@click.option(
    "--time", "seconds", type=Duration(), default="10m", show_default=True, help="Crawl for so long."
)
@click.option(
    "--pages", type=click.IntRange(1), default=20_000, show_default=True, help="Fetch so many pages at most."
)
@click.option(
    "--most", type=click.IntRange(1), default=20, show_default=True, help="How many pages to answer with."
)
@set_option
@json_option
@early_fork_server()
def command(  # noqa: PLR0913 - one for each option
    words: tuple[str, ...],
    seeds: tuple[str, ...],
    directory: Path | None,
    overrides: tuple[str, ...],
    *,
    seconds: float,
    pages: int,
    most: int,
    as_json: bool,
) -> None:
    """Answer QUERY by a crawl from the pages given with --seeds, and show the best that was found.

    \b
    lode ask "open source ARIES recovery" --seeds https://aries.example/ papers.html --time 10m

    The query itself and the seeds are what the crawler learns from. All of it is kept as a portal; asked
    again, it goes on from there. Ctrl-C ends the crawl and shows the answer so far. A page's score is the
    confidence of its judgement plus the cosine of its terms with the query's. With --set, settings go into
    the lode.toml of a portal that is made, and count for this run where there is one.
    """
    query = query_of(words)
    place = open_place(query, seeds, directory, overrides)
    if not as_json:
        _introduce(place)
    with Portal.crawling(place.path, "ask", overrides) as portal:
        limits = Limits(pages, portal.config.crawl.connections, "ask", seconds)
        progress = _crawled(portal, Outing(limits, quiet=as_json))
        found = _answered(portal, query, most, interrupted=progress is None)
    end = RunEnd.INTERRUPTED.value if progress is None else progress.end
    if as_json:
        fetched = 0 if progress is None else progress.pages
        path = str(place.path)
        show_json(Told(path, query, found.topic, fetched, found.pages, found.on_topic, end, found.finds))
    else:
        ended = "interrupted" if progress is None else why(progress)
        click.echo(f"\nIt ended: {ended}.")
        _show(found, query, place.path)
    if end == RunEnd.INTERRUPTED:
        click.get_current_context().exit(INTERRUPTED)


def _crawled(portal: Portal, outing: Outing) -> Progress | None:
    """None: it was interrupted before it had begun, or twice."""
    try:
        return run(crawl_portal(portal, outing))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return None


def _answered(portal: Portal, query: str, most: int, *, interrupted: bool) -> QueryAnswer:
    try:
        return answer_from(portal, query, most)
    except NothingFetchedError:
        if not interrupted:
            raise
        click.echo("\nInterrupted before any page had come; asked again, it goes on.", err=True)
        click.get_current_context().exit(INTERRUPTED)


def _introduce(place: Place) -> None:
    seeds = place.seeds
    skipped = f" ({seeds.skipped:,} that cannot be crawled skipped)" if seeds.skipped else ""
    given = f": {count(seeds.pages, 'page')} to begin with{skipped}" if seeds.pages else ""
    click.echo(f"{'Made' if place.fresh else 'Going on in'} {place.path}{given}.")


def _show(found: QueryAnswer, query: str, path: Path) -> None:
    asked = harmless(query if len(query) <= _LONG else f"{query[:_LONG]} ...")
    click.echo(f'"{asked}": {found.on_topic:,} of {count(found.pages, "page")} are on it.')
    if not found.finds:
        click.echo("None of them comes near an answer; more seeds, or other words, may help.")
    for place, find in enumerate(found.finds, start=1):
        click.echo()
        _show_find(place, find)
    where = shlex.quote(str(path))
    click.echo(f"\nAll of it is kept in {path}; asked again, it goes on. Next:")
    table = {
        f"lode crawl {where}": "go on without an answer",
        f"lode feedback {where}": "see what it learned from by itself, accept or reject it",
        f"lode topics {where}": "see and edit what it learns from",
        f"lode judge {where} URL": "see why a page is on it",
        f"lode links {where} --topic /": "see its hubs and authorities",
    }
    width = max(map(len, table))
    for what, good_for in table.items():
        click.echo(f"  {what.ljust(width)}  {good_for}")


def _show_find(place: int, find: AnswerPage) -> None:
    title = click.style(harmless(find.title or find.url), bold=True)
    click.echo(f"{place:>3}. {title}{' (seed)' * find.seed}{' (nearly on it)' * find.near}")
    click.echo(f"     {harmless(find.url)}")
    click.echo(f"     score {find.score:.3f} = confidence {find.confidence:.3f} + cosine {find.cosine:.3f}")
    if find.snippet.text:
        click.echo(f"     {marked(find.snippet)}")
    if find.alike:
        more = f", and {len(find.alike) - 1:,} more" if len(find.alike) > 1 else ""
        click.echo(f"     nearly the same: {harmless(find.alike[0])}{more}")
