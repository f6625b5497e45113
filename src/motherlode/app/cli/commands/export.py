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
from motherlode.export.formats.registry import FORMATS
from motherlode.records import UsageError

_PAGES_BETWEEN_UPDATES = 500
_DIRECTORIES = ", ".join(name for name, format_ in FORMATS.items() if format_.is_directory)
_FORMAT_LIST = "\n".join(f"{name:<10} {format_.about}" for name, format_ in FORMATS.items())


class ExportResult(Struct, frozen=True):
    """The format, the place and the number of pages of an export."""

    format: str
    output: str
    pages: int


_HELP = f"""Write the portal DIR, or one topic of it, in another format.

\b
{_FORMAT_LIST}

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


@click.command("export", help=_HELP)
@portal_argument
@request_options(ExportRequest)
@click.option(
    "--output", required=True, metavar="PATH", help="The file to write; - is standard output."
)
@click.option(
    "--zip", "as_zip", is_flag=True, help=f"Pack a directory of files into a zip ({_DIRECTORIES})."
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
    target = ExportTarget(output, as_zip=as_zip, force=force)
    if target.is_stream and as_json:
        raise UsageError(
            "--json and --output - would both write to the standard output; choose one."
        )
    stream = cast("BinaryIO", sys.stdout.buffer)
    progress = _ProgressLine()
    pages = export_directory(directory, request, target, stream, progress.show)
    progress.end()
    if as_json:
        show_json(ExportResult(request.format, output, pages))
    else:
        click.echo(f"Wrote {count(pages, 'page')} to {output}.", err=target.is_stream)


class _ProgressLine:
    """Shows on a terminal how many pages or topics of a long export are written."""

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, kind: str, number: int) -> None:
        if sys.stderr.isatty() and (kind == "topic" or number % _PAGES_BETWEEN_UPDATES == 0):
            click.echo(f"\rWriting: {count(number, kind):<20}", err=True, nl=False)
            self._is_shown = True

    def end(self) -> None:
        if self._is_shown:
            click.echo(err=True)
