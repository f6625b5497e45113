"""`lode index`: build the search index of a portal, or bring it up to date."""

import sys
from pathlib import Path

import click

from motherlode.app.cli.common import json_option, portal_argument, show_json
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.training import IndexRequest
from motherlode.app.services.search.searcher import update_index_in
from motherlode.app.text import count
from motherlode.search.indexer import IndexUpdate, ProgressCallback

_PAGES_BETWEEN_UPDATES = 2_000  # of the progress


@click.command("index")
@portal_argument
@request_options(IndexRequest)
@json_option
def command(directory: Path, request: IndexRequest, *, as_json: bool) -> None:
    """Build the search index of DIR, or update it with the pages fetched and judged since.

    'lode search' updates the index by itself; this command does it beforehand, also while a crawl
    is running. The index is derived from the portal, so DIR/index can be deleted at any time.
    """
    update = update_index_in(directory, request, IndexProgressLine())
    if as_json:
        show_json(update)
    else:
        click.echo(_sentence(update))


class IndexProgressLine:
    """Shows on a terminal how many pages are indexed."""

    def __init__(self) -> None:
        self.update = progress()

    def announce_rebuild(self) -> None:
        click.echo("The index was made by another version, so it is rebuilt.", err=True)


def progress(activity: str = "Indexing") -> ProgressCallback:
    """Return a callback that shows the progress on a terminal."""

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty() and (done % _PAGES_BETWEEN_UPDATES == 0 or done == total):
            click.echo(
                f"\r{activity} {done:,} of {count(total, 'page')} ", err=True, nl=done == total
            )

    return show


def _sentence(update: IndexUpdate) -> str:
    if not update.written and not update.removed:
        return f"The index is up to date: {count(update.pages, 'page')}."
    removed = f", {update.removed:,} taken out" if update.removed else ""
    speed = f" ({update.written / update.seconds:,.0f} a second)" if update.seconds >= 1 else ""
    return (
        f"{count(update.written, 'page')} indexed{speed}{removed}; it holds "
        f"{count(update.pages, 'page')}."
    )
