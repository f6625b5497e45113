"""`lode crawl`: fetch pages into a portal, from the examples of its topics on."""

from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from motherlode.app.cli.common import json_option, portal_argument, show_json
from motherlode.app.cli.interruption import exit_interrupted, on_interruption
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.text import count, duration
from motherlode.policies.registry import policy_summaries
from motherlode.records import LodeError, RunEnd
from motherlode.records.shell_words import shell_word

if TYPE_CHECKING:
    from motherlode.crawl.progress import Progress

_LIMIT_EXIT_CODES = {RunEnd.PAGES: 14, RunEnd.TIME: 15}


class _CrawlCommand(click.Command):
    """A command whose help ends with the policies, those of other packages included."""

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Policies"):
            formatter.write_dl(list(policy_summaries().items()))


@click.command("crawl", cls=_CrawlCommand)
@portal_argument
@request_options(CrawlRequest)
@click.option(
    "--resume", is_flag=True, expose_value=False, help="Resume the last crawl; it always does."
)
@click.option(
    "--progress", is_flag=True, help="Show the progress on standard error, also with --json."
)
@click.option(
    "--fail-on-limit", is_flag=True, help="Exit with 14 or 15 if a limit ended the crawl."
)
@json_option
def command(
    directory: Path, request: CrawlRequest, *, progress: bool, fail_on_limit: bool, as_json: bool
) -> None:
    """Crawl for the topics of DIR, starting from their examples; run it again to resume.

    Examples are fetched first and count as pages. Ctrl-C ends the crawl after the pages in progress
    are stored; a second Ctrl-C ends it at once. For a crawl of the Web, set crawler.contact first:
    owners of sites see it in every request.

    \b
    lode crawl DIR --set crawler.contact=you@example.org --pages 5000
    lode crawl DIR --set network.connect=127.0.0.1:8080 --time 10m
    """
    from motherlode.app.cli.display import Display  # noqa: PLC0415 - loaded only to run it
    from motherlode.app.services.crawl import crawl_directory  # noqa: PLC0415

    latest: deque[Progress] = deque(maxlen=1)
    quiet = as_json and not progress
    show = partial(Display, quiet=quiet, aside=progress, on_update=latest.append)
    with on_interruption(lambda: _exit_interrupted(request, *latest)):
        outcome, result = crawl_directory(directory, request, show)
    if as_json:
        show_json(result)
    else:
        _show(outcome, directory, has_problem=bool(result.problem))
    if outcome.end == RunEnd.INTERRUPTED:
        _exit_interrupted(request, outcome)
    if result.problem:
        raise LodeError(result.problem)
    if fail_on_limit:
        click.get_current_context().exit(_LIMIT_EXIT_CODES.get(RunEnd(outcome.end), 0))


def _exit_interrupted(request: CrawlRequest, progress: "Progress | None" = None) -> NoReturn:
    """Exit with the command that fetches what is left of the limits; without progress, all."""
    if progress is None:
        exit_interrupted()
    exit_interrupted(request, request.remaining(progress.pages, progress.seconds))


def _show(progress: "Progress", directory: Path, *, has_problem: bool) -> None:
    """Print how much was fetched, why the crawl ended, and what to do next.

    What to do about a problem, or after an interruption, is said in a sentence of its own.
    """
    show_end(progress)
    if not has_problem and progress.end != RunEnd.INTERRUPTED:
        click.echo(f"Next: {_next(progress, directory)}")


def show_end(progress: "Progress", reason: str = "") -> None:
    """Print how much was fetched, and why the crawl ended: the given reason, or the usual one."""
    from motherlode.app.cli.display import end_reason, failures, harvest_rate, pace  # noqa: PLC0415

    fetched = f"{count(progress.pages, 'page')} from {count(progress.hosts, 'host')}"
    spent = f"in {duration(progress.seconds)}, {pace(progress)}"
    click.echo(f"\n{fetched} {spent}: {reason or end_reason(progress)}.")
    if progress.summary:
        click.echo(f"{progress.summary}.")
    elif progress.phase or progress.relevant:  # pages were judged
        click.echo(f"{progress.relevant:,} on a topic: harvest rate {harvest_rate(progress):.2f}.")
    figures = [
        f"{progress.size / 1e6:,.1f} MB",
        count(progress.redirects, "redirect"),
        failures(progress),
        f"{progress.skipped:,} skipped",
        f"{progress.copies:,} known already",
        f"{count(progress.waiting, 'URL')} still waiting",
    ]
    click.echo(f"{', '.join(figures)}.")


def _next(progress: "Progress", directory: Path) -> str:
    from motherlode.app.services.portals.hints import crawl_command  # noqa: PLC0415

    place = shell_word(str(directory))
    if progress.end == RunEnd.FEEDBACK:
        return f"lode feedback {place}"
    can_resume = progress.waiting and progress.end != RunEnd.DONE
    if can_resume and not progress.pages:
        return crawl_command(directory)
    return f"lode status {place}"
