"""`lode index`: makes the search index of a portal, or brings it up to date."""

import sys
from pathlib import Path

import click

from motherlode.app.cli.common import count, json_option, portal_argument, set_option, show_json
from motherlode.portal import Portal
from motherlode.search.index import has_other_format
from motherlode.search.indexer import IndexUpdate, ProgressCallback, index_directory, update_index

_EVERY = 2_000  # pages between two looks at the progress


@click.command("index")
@portal_argument
@click.option("--rebuild", is_flag=True, help="Make it anew; until it is done, the old one is searched.")
@set_option
@json_option
def command(directory: Path, overrides: tuple[str, ...], *, rebuild: bool, as_json: bool) -> None:
    """Make the search index of DIR, or bring it up to date with what was fetched and judged since.

    'lode search' does so by itself; this is for doing it beforehand, also while a crawl is going on. The
    index is made of nothing but what the portal holds: DIR/index can be deleted at any time.
    """
    with Portal.reading(directory, overrides) as portal:
        announce(portal)
        done = update_index(portal, rebuild=rebuild, on_progress=progress())
    if as_json:
        show_json(done)
    else:
        click.echo(_told(done))


def announce(portal: Portal) -> None:
    """Say beforehand where an index has to be made anew, which takes longer than to bring it up to date."""
    if has_other_format(index_directory(portal)):
        click.echo("The index was made by another version, so it is made anew.", err=True)


def progress(doing: str = "Indexing") -> ProgressCallback:
    """Tells on a terminal how far one has come."""

    def told(done: int, of: int) -> None:
        if sys.stderr.isatty() and (done % _EVERY == 0 or done == of):
            click.echo(f"\r{doing} {done:,} of {count(of, 'page')} ", err=True, nl=done == of)

    return told


def _told(done: IndexUpdate) -> str:
    if not done.written and not done.removed:
        return f"The index is up to date: {count(done.pages, 'page')}."
    removed = f", {done.removed:,} taken out" if done.removed else ""
    speed = f" ({done.written / done.seconds:,.0f} a second)" if done.seconds >= 1 else ""
    return f"{count(done.written, 'page')} indexed{speed}{removed}; it holds {count(done.pages, 'page')}."
