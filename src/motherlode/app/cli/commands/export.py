"""`lode export`: a portal, or a topic of it, in another form."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import Any, BinaryIO, cast

import click
from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.cli.common import count, json_option, portal_argument, set_option, show_json
from motherlode.export.formats import FORMATS, Format, Wish
from motherlode.export.gathering import Gathering
from motherlode.export.packing import pack
from motherlode.export.placing import check_place, directory_at, file_at
from motherlode.export.site import FILES as SITE_FILES
from motherlode.export.site import MARKER
from motherlode.portal import Portal
from motherlode.records import TopicId, UsageError
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree, parse_path

_STREAM = "-"
_BEST = 100  # bookmarks of a topic
UNPACKED = ".lode-export-"  # what a folder is called that is about to be packed
_EVERY = 500  # pages between two looks at the progress


class Exported(Struct, frozen=True):
    """What was written."""

    format: str
    output: str
    pages: int


def _site(what: Gathering, directory: Path) -> int:
    from motherlode.export.site.content import content_of  # noqa: PLC0415 - no other format learns or compares
    from motherlode.export.site.writing import write_site  # noqa: PLC0415 - nor has templates

    pages = write_site(content_of(what), directory, _progress)
    if sys.stderr.isatty():
        click.echo(err=True)
    return pages


def _progress(what: str, done: int) -> None:
    """Tells on a terminal how far a site has come."""
    if sys.stderr.isatty() and (what == "topic" or done % _EVERY == 0):
        click.echo(f"\rWriting the site: {count(done, what):<20}", err=True, nl=False)


ALL_FORMATS = FORMATS | {
    "site": Format("a folder of HTML pages", into_directory=_site, files=SITE_FILES, marker=MARKER)
}


@click.command("export")
@portal_argument
@click.option(
    "--format", "form", required=True, type=click.Choice(list(ALL_FORMATS)), help="What to make; see above."
)
@click.option("--output", required=True, metavar="PATH", help="Where to write; - is the standard output.")
@click.option("--topic", help="Only the pages of this topic and of those below, such as science/physics.")
@click.option("--text", "texts", is_flag=True, help="What the pages say, too (jsonl, csv, parquet, wacz).")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=_BEST,
    show_default=True,
    help="How many pages of a topic to bookmark, the surest.",
)
@click.option("--zip", "packed", is_flag=True, help="A directory of files as one zip (parquet, site).")
@click.option("--force", is_flag=True, help="Replace what is there.")
@set_option
@json_option
def command(
    directory: Path, form: str, output: str, overrides: tuple[str, ...], *, as_json: bool, **given: Any
) -> None:
    """Write the portal DIR, or one topic of it, in another form.

    \b
    jsonl      a page a line                   warc       the raw responses, gzip
    csv        a page a row                    wacz       the same with an index, zip
    parquet    a directory of three tables     graphml    the link graph
    bookmarks  best pages by topic, HTML       gexf       the same for Gephi
    site       the portal as HTML pages with a search, to publish

    \b
    lode export birds --format jsonl --output birds.jsonl --text
    lode export birds --format bookmarks --topic birds/owls --output owls.html
    lode export birds --format csv --output - | head
    lode export birds --format site --output public

    The file is there when it is whole, and never in part. A crawl may go on meanwhile: what is written
    is the portal of one moment. A site that this command made is replaced by its successor.
    """
    chosen = ALL_FORMATS[form]
    if given["packed"]:
        chosen = _as_zip(form, chosen, Path(output).resolve().parent)
    _check(form, chosen, output, texts=given["texts"], as_json=as_json)
    if output != _STREAM:
        check_place(
            Path(output),
            force=given["force"],
            portal=directory,
            files=chosen.files or None,
            marker=chosen.marker,
        )
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        what = Gathering(portal, session, tree, _topic(tree, given["topic"]), given["texts"])
        pages = _write(what, chosen, output, given["most"])
    if as_json:
        show_json(Exported(form, output, pages))
    else:
        click.echo(f"Wrote {count(pages, 'page')} to {output}.", err=output == _STREAM)


def _as_zip(form: str, chosen: Format, beside: Path) -> Format:
    """A format that is a directory of files, as one file."""
    write = chosen.into_directory
    if write is None:
        raise UsageError(f"{form} is one file already; leave --zip out.")

    def into_file(what: Gathering, out: BinaryIO, _wish: Wish) -> int:
        # Beside the file, where there is as much room as there is for it.
        with TemporaryDirectory(prefix=UNPACKED, dir=beside) as folder:
            pages = write(what, Path(folder))
            pack(Path(folder), out)
        return pages

    return replace(chosen, into_file=into_file, into_directory=None, files=(), marker="")


def _check(form: str, chosen: Format, output: str, *, texts: bool, as_json: bool) -> None:
    if texts and not chosen.texts:
        raise UsageError(f"{form} has no place for texts; leave --text out.")
    if output == _STREAM and chosen.into_file is None:
        raise UsageError(f"{form} is a directory of files; name one with --output, or add --zip.")
    if output == _STREAM and as_json:
        raise UsageError("--json and --output - would both write to the standard output; choose one.")
    if not output.strip():
        raise UsageError("--output needs a name.")


def _topic(tree: TopicTree, path: str | None) -> TopicId | None:
    if path is None:
        return None
    found = tree.at(parse_path(path))
    if found.is_others:
        raise UsageError("OTHERS is where pages go that no topic wants; name a topic, or none for all pages.")
    return found.id


def _write(what: Gathering, chosen: Format, output: str, most: int) -> int:
    wish = Wish("portal" if output == _STREAM else Path(output).name, time(), most)
    if chosen.into_file is None:
        assert chosen.into_directory is not None  # noqa: S101 - one of the two is there
        with directory_at(Path(output)) as place:
            return chosen.into_directory(what, place)
    if output == _STREAM:
        return chosen.into_file(what, cast("BinaryIO", sys.stdout.buffer), wish)
    with file_at(Path(output)) as file:
        return chosen.into_file(what, file, wish)
