"""`lode ask`: a query, a few pages to start from, a short crawl, a ranked answer (SPEC B31)."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import click
from msgspec import Struct

from motherlode.app.cli.common import harmless, highlighted, json_option, show_json
from motherlode.app.cli.display import Display, end_reason
from motherlode.app.cli.interruption import exit_interrupted
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.crawl import AskRequest
from motherlode.app.services.ask import QueryPortal, open_query_portal, query_of
from motherlode.app.services.portals.hints import crawl_command
from motherlode.app.services.query_crawl import crawl_for_answer
from motherlode.app.text import count
from motherlode.crawl.progress import Limits, Progress
from motherlode.records.shell_words import shell_word
from motherlode.search.answers import AnswerPage, QueryAnswer
from motherlode.topics import TopicTree
from motherlode.training.certainty import certainty_text
from motherlode.workers.fork_client import early_fork_server

MAX_QUERY_CHARS_SHOWN = 100


class AskResult(Struct, frozen=True):
    """The answer, the portal that keeps it, and why the crawl ended."""

    portal: str
    query: str
    topic: str
    fetched: int
    pages: int
    on_topic: int
    end: str
    answers: tuple[AnswerPage, ...]


class _SeveralSeeds(click.Command):
    """Accepts `--seeds URL FILE URL`: click wants the option before each value."""

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
    except (OSError, ValueError):  # a very long query is no file name
        return False


@click.command("ask", cls=_SeveralSeeds)
@click.argument("words", metavar="QUERY...", nargs=-1)
@click.option(
    "--portal",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Directory of the portal; by default named after the query.",
)
@request_options(AskRequest)
@json_option
@early_fork_server()
def command(
    words: tuple[str, ...], directory: Path | None, request: AskRequest, *, as_json: bool
) -> None:
    """Answer QUERY by a crawl from --seeds or from the hits of a --source; show the best pages.

    \b
    lode ask "open source ARIES recovery" --seeds https://aries.example/ papers.html --time 10m
    lode ask "open source ARIES recovery" --source arxiv --source mediawiki

    The crawler learns from the query and the seeds. The crawl is stored as a portal; the same
    command resumes it. Ctrl-C ends the crawl and shows the answer so far. A page's score is the
    margin of its judgement plus the cosine of its terms with the query's. With --set, settings
    go into the lode.toml of a new portal, and apply to this run only in an existing one.
    """
    query = query_of(words)
    place = open_query_portal(query, request.seeds, directory, request.settings, request.source)
    for problem in place.problems:
        click.echo(f"lode: {harmless(problem)}", err=True)
    if not as_json:
        _introduce(place)
    latest: deque[Progress] = deque(maxlen=1)

    def show(tree: TopicTree, limits: Limits) -> Display:
        return Display(tree, limits, quiet=as_json, on_update=latest.append)

    outcome = crawl_for_answer(place.path, query, request, show)
    if outcome.answer is None:
        exit_interrupted()
    if as_json:
        show_json(_result(place.path, query, outcome.answer, outcome.pages, outcome.end))
    else:
        end = "interrupted" if outcome.progress is None else end_reason(outcome.progress)
        click.echo(f"\nThe crawl ended: {end}.")
        _show(outcome.answer, query, place.path, interrupted=outcome.is_interrupted)
    if outcome.is_interrupted:
        _exit_interrupted(request, latest)


def _exit_interrupted(request: AskRequest, latest: deque[Progress]) -> NoReturn:
    pages, seconds = (latest[0].pages, latest[0].seconds) if latest else (0, 0.0)
    exit_interrupted(request, request.remaining(pages, seconds))


def _result(path: Path, query: str, answer: QueryAnswer, fetched: int, end: str) -> AskResult:
    return AskResult(
        portal=str(path),
        query=query,
        topic=answer.topic,
        fetched=fetched,
        pages=answer.pages,
        on_topic=answer.on_topic,
        end=end,
        answers=answer.finds,
    )


def _introduce(place: QueryPortal) -> None:
    seeds = place.seeds
    skipped = f" ({seeds.skipped:,} that cannot be crawled skipped)" if seeds.skipped else ""
    start = f": {count(seeds.pages, 'page')} to start from{skipped}" if seeds.pages else ""
    click.echo(f"{'Made' if place.fresh else 'Resuming'} {place.path}{start}.")


def _show(answer: QueryAnswer, query: str, path: Path, *, interrupted: bool) -> None:
    shown = harmless(
        query if len(query) <= MAX_QUERY_CHARS_SHOWN else f"{query[:MAX_QUERY_CHARS_SHOWN]} ..."
    )
    click.echo(f'"{shown}": {answer.on_topic:,} of {count(answer.pages, "page")} are on the topic.')
    if not answer.finds:
        click.echo("No page answers the query; try more seeds, or other words.")
    for number, find in enumerate(answer.finds, start=1):
        click.echo()
        _show_find(number, find)
    where = shell_word(str(path))
    # The last line of an interrupted command says how to resume it.
    resumes = "" if interrupted else "; the same command resumes the crawl"
    click.echo(f"\nEverything is stored in {path}{resumes}. Next:")
    table = {
        crawl_command(path): "resume the crawl, without an answer",
        f"lode feedback {where}": "review the pages that it chose to learn from",
        f"lode topics {where}": "see and edit its topics and examples",
        f"lode judge {where} URL": "see why a page is on the topic",
    }
    if answer.on_topic:
        table[f"lode links {where} --topic /"] = "see its hubs and authorities"
    width = max(map(len, table))
    for next_command, purpose in table.items():
        click.echo(f"  {next_command.ljust(width)}  {purpose}")


def _show_find(place: int, find: AnswerPage) -> None:
    title = click.style(harmless(find.title or find.url), bold=True)
    click.echo(f"{place:>3}. {title}{' (seed)' * find.seed}{' (nearly on the topic)' * find.near}")
    click.echo(f"     {harmless(find.url)}")
    certainty = certainty_text(find.probability)
    score = f"score {find.score:.3f} = margin {find.margin:.3f} + cosine {find.cosine:.3f}"
    click.echo(f"     {f'{certainty}, ' if certainty else ''}{score}")
    if find.snippet.text:
        click.echo(f"     {highlighted(find.snippet)}")
    if find.alike:
        more = f", and {len(find.alike) - 1:,} more" if len(find.alike) > 1 else ""
        click.echo(f"     nearly the same: {harmless(find.alike[0])}{more}")
