"""`lode refresh`: fetch pages again, and keep what has changed."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from motherlode.app.cli.common import json_option, portal_argument, show_json
from motherlode.app.cli.interruption import exit_interrupted, on_interruption
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.crawl import RefreshRequest
from motherlode.app.text import count
from motherlode.records import LodeError, RunEnd
from motherlode.records.shell_words import shell_word

if TYPE_CHECKING:
    from motherlode.crawl.refresh import RefreshResult


@click.command("refresh")
@portal_argument
@request_options(RefreshRequest)
@json_option
def command(directory: Path, request: RefreshRequest, *, as_json: bool) -> None:
    """Fetch the pages of DIR again, and store the changes.

    Requests are conditional, so most hosts answer with a few bytes if a page has not changed. A
    page that has changed is judged again, and its new links wait for the next 'lode crawl'. A page
    that is gone is marked as gone, and its text is kept. A page that cannot be fetched now stays as
    it is until the next refresh.

    \b
    lode refresh DIR --older-than 12h
    lode refresh DIR --topic science/physics --pages 500
    """
    from motherlode.app.cli.display import Display  # noqa: PLC0415 - loaded only to run it
    from motherlode.app.services.refresh import refresh_directory  # noqa: PLC0415

    with on_interruption(exit_interrupted):
        result = refresh_directory(directory, request, partial(Display, quiet=as_json))
    if result.end == RunEnd.INTERRUPTED:
        exit_interrupted(request, request.remaining(_total(result), result.left))
    if as_json:
        show_json(result)
    else:
        _show(result, directory)
    if result.problem:
        raise LodeError(result.problem)


def _total(result: "RefreshResult") -> int:
    return result.changed + result.unchanged + result.gone + result.moved + result.failed


def _show(result: "RefreshResult", directory: Path) -> None:
    total = _total(result)
    if not total and result.problem:
        return
    if not total:
        click.echo("No page is old enough to be fetched again.")
        return
    if result.resumed:
        click.echo("Went on with a refresh that had been interrupted.")
    parts = (
        f"{result.changed:,} changed, {result.unchanged:,} unchanged, {result.gone:,} gone",
        f", {result.moved:,} moved" if result.moved else "",
        f", {result.failed:,} could not be fetched now" if result.failed else "",
    )
    click.echo(f"Refreshed {count(total, 'page')}: {''.join(parts)}.")
    if result.left:
        click.echo(
            f"{count(result.left, 'page')} still to be refreshed; "
            f"'lode refresh {shell_word(str(directory))}' fetches them."
        )
