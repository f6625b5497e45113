"""`lode library`: the personal library of a portal."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from motherlode.app.cli.common import (
    OptionsAfterDirectory,
    harmless,
    json_option,
    portal_argument,
    set_option,
    show_json,
)
from motherlode.app.requests.library import (
    DEFAULT_FOLDER,
    AddPagesRequest,
    MoveInLibraryRequest,
    RemoveFromLibraryRequest,
    RenameFolderRequest,
)
from motherlode.app.services import library as service
from motherlode.app.services.library import ImportReport, LibraryEdit, LibraryView, ObjectView
from motherlode.app.services.library_pages import AdditionReport, add_pages
from motherlode.app.services.zotero import export_to_zotero, import_from_zotero
from motherlode.app.text import count
from motherlode.library.formats.registry import BY_NAME, FORMATS, writable_formats
from motherlode.library.zotero import DEFAULT_URL
from motherlode.records import UsageError
from motherlode.workers.fork_client import early_fork_server

Place = tuple[Path, tuple[str, ...]]  # the portal, and its settings for this run
F = TypeVar("F", bound=Callable[..., Any])
MAX_SHOWN_MERGED = 5
MAX_SHOWN_PROBLEMS = 20
MAX_SHOWN_AUTHORS = 3
MAX_SHOWN_TITLE_CHARS = 300

folder_option = click.option(
    "--folder",
    default=DEFAULT_FOLDER,
    show_default=True,
    metavar="FOLDER",
    help="The folder that receives the objects, such as Birds/Owls; it is made if it is missing.",
)


def zotero_option(purpose: str) -> Callable[[F], F]:
    """Return the option `--zotero`, whose URL may be left out."""
    return click.option(
        "--zotero", is_flag=False, flag_value=DEFAULT_URL, metavar="[URL]", help=purpose
    )


@click.group("library", cls=OptionsAfterDirectory, invoke_without_command=True)
@portal_argument
@set_option
@json_option
@click.pass_context
def command(
    ctx: click.Context, directory: Path, overrides: tuple[str, ...], *, as_json: bool
) -> None:
    """Show the library of the portal DIR: folders of papers, books and pages; change it.

    \b
    lode library owls import references.bib
    lode library owls show Library
    lode library owls export --format ris --output owls.ris
    lode library owls undo

    'import' makes the portal if there is none. Objects that are there already are merged: by DOI,
    arXiv number, PubMed number or ISBN, else by title and year.
    """
    ctx.obj = (directory, overrides)
    if ctx.invoked_subcommand is not None:
        if as_json:
            raise UsageError("--json before a subcommand shows the folders; write it after 'show'.")
        return
    view = service.library_in(directory, overrides)
    if as_json:
        show_json(view)
    else:
        _show_folders(directory, view)


@command.command("import")
@click.argument("files", metavar="[FILE...]", nargs=-1, type=click.Path(path_type=Path))
@folder_option
@zotero_option("Import from the Zotero that runs on this machine, at URL if not at its usual one.")
@click.option(
    "--collection",
    default="",
    metavar="NAME",
    help="Of Zotero, only this collection and those in it.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(BY_NAME)),
    help="The format of the files; by default each is recognised.",
)
@json_option
@click.pass_obj
def import_(place: Place, /, files: tuple[Path, ...], folder: str, **options: Any) -> None:
    """Import reference files: BibTeX, BibLaTeX, RIS, CSL-JSON, Zotero, EndNote and others.

    Collections of Zotero and groups of JabRef become folders inside FOLDER. A broken entry is
    reported, and the others are imported.
    """
    directory, overrides = place
    zotero, collection = options["zotero"], options["collection"]
    if bool(files) is (zotero is not None) or (collection and zotero is None):
        raise UsageError("Name either files or --zotero; --collection goes with --zotero.")
    if zotero is None:
        reports = service.import_files(
            directory, files, folder, options["format_name"] or "", overrides
        )
    else:
        reports = [import_from_zotero(directory, zotero, collection, folder)]
    if options["as_json"]:
        show_json(reports)
        return
    names = [file.name for file in files] or ["Zotero"]
    for name, report in zip(names, reports, strict=True):
        _show_import(name, report)
    click.echo(f"Next: lode library {shlex.quote(str(directory))}")


@command.command("add")
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@folder_option
@set_option
@json_option
@click.pass_obj
def add(
    place: Place,
    /,
    urls: tuple[str, ...],
    folder: str,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Add the pages or PDFs at URLs, with title, authors and year as they state them.

    A page that was crawled is read from the archive; others are fetched as politely as in a crawl.
    """
    directory, earlier = place
    request = AddPagesRequest(urls=urls, folder=folder)
    with early_fork_server():
        report = add_pages(directory, request, (*earlier, *overrides))
    if as_json:
        show_json(report)
    else:
        _show_added(directory, report)
    if report.problems:
        click.get_current_context().exit(1)


@command.command("formats")
@json_option
def formats(*, as_json: bool) -> None:
    """Show the formats of reference files."""
    if as_json:
        show_json([{"name": kind.name, "title": kind.title} for kind in FORMATS])
        return
    for kind in FORMATS:
        direction = "read and written" if kind.writer else "read"
        click.echo(f"{click.style(kind.name, bold=True)}: {kind.title}; {direction}")


@command.command("show")
@click.argument("folder", default="", metavar="[FOLDER]")
@json_option
@click.pass_obj
def show(place: Place, /, folder: str, *, as_json: bool) -> None:
    """Show the objects of FOLDER, or all, with their numbers."""
    directory, overrides = place
    objects = service.objects_in(directory, folder, overrides)
    if as_json:
        show_json(objects)
        return
    for view in objects:
        _show_object(view)
    click.echo(f"{count(len(objects), 'object')}.")


@command.command("export")
@click.option("--folder", default="", metavar="FOLDER", help="Only this folder and those in it.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(writable_formats()),
    default="bibtex",
    show_default=True,
    help="The format to write.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write; by default the standard output.",
)
@zotero_option("Add it to the Zotero (10 or newer) that runs on this machine; it asks you first.")
@click.pass_obj
def export(
    place: Place,
    /,
    folder: str,
    format_name: str,
    output: Path | None,
    zotero: str | None,
) -> None:
    """Write the library, or a folder of it, as a reference file, or add it to Zotero.

    Zotero gets what it does not have. Choose 'Always Allow' in its dialog: it takes several writes.
    """
    directory, overrides = place
    if zotero is not None:
        _export_to_zotero(directory, folder, zotero)
        return
    text = service.export_library(directory, folder, format_name, overrides)
    if output is None:
        click.echo(text, nl=False)
        return
    service.write_file(output, text)
    click.echo(f"Wrote {output}.")


def _export_to_zotero(directory: Path, folder: str, url: str) -> None:
    click.echo("Zotero may ask you to allow this.", err=True)
    export = export_to_zotero(directory, url, folder)
    known = f"; it had {export.known} before" if export.known else ""
    collections = f" and {count(export.collections, 'collection')}" if export.collections else ""
    click.echo(f"Added {count(export.items, 'item')}{collections} to Zotero{known}.")
    for problem in export.problems[:MAX_SHOWN_PROBLEMS]:
        click.echo(f"  {harmless(problem)}", err=True)
    if export.problems:
        click.get_current_context().exit(1)


@command.command("move")
@click.argument("folder")
@click.argument("into")
@click.option("--object", "objects", type=int, multiple=True, help="Only this object (repeatable).")
@json_option
@click.pass_obj
def move(
    place: Place, /, folder: str, into: str, objects: tuple[int, ...], *, as_json: bool
) -> None:
    """Move FOLDER, or objects in it, INTO another folder; / is the top."""
    request = MoveInLibraryRequest(folder=folder, into=into, objects=objects)
    _show_edit(service.move(place[0], request, place[1]), as_json=as_json)


@command.command("rename")
@click.argument("folder")
@click.argument("name")
@json_option
@click.pass_obj
def rename(place: Place, /, folder: str, name: str, *, as_json: bool) -> None:
    """Give FOLDER another NAME, where it is."""
    request = RenameFolderRequest(folder=folder, name=name)
    _show_edit(service.rename(place[0], request, place[1]), as_json=as_json)


@command.command("remove")
@click.argument("folder", default="", metavar="[FOLDER]")
@click.option("--object", "objects", type=int, multiple=True, help="Only this object (repeatable).")
@json_option
@click.pass_obj
def remove(place: Place, /, folder: str, objects: tuple[int, ...], *, as_json: bool) -> None:
    """Remove FOLDER with all in it, or objects: from FOLDER, or everywhere without one."""
    request = RemoveFromLibraryRequest(folder=folder, objects=objects)
    _show_edit(service.remove(place[0], request, place[1]), as_json=as_json)


@command.command("undo")
@json_option
@click.pass_obj
def undo(place: Place, /, *, as_json: bool) -> None:
    """Take back the latest change of the library."""
    _show_edit(service.undo(*place), as_json=as_json)


def _show_edit(edit: LibraryEdit, *, as_json: bool) -> None:
    if as_json:
        show_json({"done": edit.sentence})
    else:
        click.echo(harmless(edit.sentence))


def _show_folders(directory: Path, view: LibraryView) -> None:
    place = shlex.quote(str(directory))
    if not view.folders:
        click.echo("The library is empty.")
        click.echo(f"Next: lode library {place} import FILE")
        return
    for folder in view.folders:
        name = harmless(folder.path.rpartition("/")[2])
        click.echo(f"{'  ' * folder.depth}{name} ({count(folder.objects, 'object')})")
    click.echo(f"\n{count(view.objects, 'object')} in {count(len(view.folders), 'folder')}.")
    first = next((folder for folder in view.folders if folder.objects), view.folders[0])
    click.echo(f"Next: lode library {place} show {shlex.quote(harmless(first.path))}")


def _show_import(name: str, report: ImportReport) -> None:
    new = count(report.new, "new object")
    merged = f", {len(report.merged)} merged with objects that were there" if report.merged else ""
    kind = f" ({report.format})" if name.lower() != report.format else ""
    click.echo(f"{harmless(name)}{kind}: {new}{merged}, into {report.folder}.")
    for title in report.merged[:MAX_SHOWN_MERGED]:
        click.echo(f"  merged: {_short(title)}")
    hidden = len(report.merged) - MAX_SHOWN_MERGED
    if hidden > 0:
        click.echo(f"  and {hidden} more; --json has all.")
    for problem in report.problems[:MAX_SHOWN_PROBLEMS]:
        click.echo(f"  {harmless(problem)}", err=True)
    hidden = len(report.problems) - MAX_SHOWN_PROBLEMS
    if hidden > 0:
        click.echo(f"  and {count(hidden, 'more problem')}; --json has all.", err=True)


def _show_added(directory: Path, report: AdditionReport) -> None:
    for page in report.added:
        result = "Added" if page.is_new else "Merged with an object that was there:"
        click.echo(f"{result} {_short(page.title)} ({page.kind})")
    for problem in report.problems:
        click.echo(harmless(problem), err=True)
    if report.added:
        place, folder = shlex.quote(str(directory)), shlex.quote(report.folder)
        click.echo(f"Next: lode library {place} show {harmless(folder)}")


def _short(title: str, key: str = "") -> str:
    """Return a title that is safe to print, in one line, and not longer than a few."""
    text = harmless(" ".join(title.split()))
    if len(text) > MAX_SHOWN_TITLE_CHARS:
        text = text[:MAX_SHOWN_TITLE_CHARS].rstrip() + "..."
    return text or f"(no title{f'; {harmless(key)}' if key else ''})"


def _show_object(view: ObjectView) -> None:
    entry = view.object
    click.echo(f"{view.number:>4}  {click.style(_short(entry.title, entry.key), bold=True)}")
    names = [person.full_name for person in entry.authors[:MAX_SHOWN_AUTHORS]]
    if len(entry.authors) > MAX_SHOWN_AUTHORS:
        names.append("others")
    facts = (", ".join(names), entry.venue, entry.date[:4])
    if line := "; ".join(filter(None, facts)):
        click.echo(f"      {harmless(line)}")
    if links := (entry.identifier("doi") and f"doi:{entry.identifier('doi')}") or next(
        iter(entry.links), ""
    ):
        click.echo(f"      {harmless(links)}")
