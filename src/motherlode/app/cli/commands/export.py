"""`lode export`: a portal, or a topic of it, in another format."""

import sys
from pathlib import Path
from typing import BinaryIO, cast

import click
from msgspec import Struct

from motherlode.app.cli.common import json_option, portal_argument, show_json
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.export import ExportRequest
from motherlode.app.services.export import ExportTarget, export_directory
from motherlode.app.text import count
from motherlode.records import UsageError

_PAGES_BETWEEN_UPDATES = 500


class ExportResult(Struct, frozen=True):
    """The format, the place and the number of pages of an export."""

    format: str
    output: str
    pages: int


@click.command("export")
@portal_argument
@request_options(ExportRequest)
@click.option(
    "--output", required=True, metavar="PATH", help="The file to write; - is standard output."
)
@click.option(
    "--zip", "as_zip", is_flag=True, help="Pack a directory of files into a zip (parquet, site)."
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
@json_option
def command(
    directory: Path,
    request: ExportRequest,
    output: str,
    *,
    as_zip: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Write the portal DIR, or one topic of it, in another format.

    \b
    jsonl      one page per line               warc       the raw responses, gzip
    csv        one page per row                wacz       WARC files with an index, zip
    parquet    a directory of three tables     graphml    the link graph
    bookmarks  best pages by topic, HTML       gexf       the link graph, for Gephi
    bibtex     best pages by topic, as @misc   site       HTML pages with a search, to publish

    \b
    lode export birds --format jsonl --output birds.jsonl --text
    lode export birds --format bookmarks --topic birds/owls --output owls.html
    lode export birds --format csv --output - | head
    lode export birds --format site --output public

    Of a portal with collections (see 'lode collections'), jsonl, csv, bookmarks, bibtex and site
    have the members of the collections; the other formats have all pages.

    The file appears when it is complete. A crawl may run at the same time: the export shows the
    portal at one moment. A site that this command made before is replaced.
    """
    target = ExportTarget(output, as_zip=as_zip, force=force)
    if target.is_stream and as_json:
        raise UsageError(
            "--json and --output - would both write to the standard output; choose one."
        )
    stream = cast("BinaryIO", sys.stdout.buffer)
    pages = export_directory(directory, request, target, stream, _show_progress)
    if request.format == "site" and sys.stderr.isatty():
        click.echo(err=True)
    if as_json:
        show_json(ExportResult(request.format, output, pages))
    else:
        click.echo(f"Wrote {count(pages, 'page')} to {output}.", err=target.is_stream)


def _show_progress(kind: str, number: int) -> None:
    """Show on a terminal how many pages or topics of a site are written."""
    if sys.stderr.isatty() and (kind == "topic" or number % _PAGES_BETWEEN_UPDATES == 0):
        click.echo(f"\rWriting the site: {count(number, kind):<20}", err=True, nl=False)
