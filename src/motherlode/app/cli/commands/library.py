"""`lode library`: the personal library of a portal."""

import shlex
from pathlib import Path

import click

from motherlode.app.cli.common import (
    OptionsAfterDirectory,
    harmless,
    json_option,
    portal_argument,
    show_json,
)
from motherlode.app.requests.library import (
    DEFAULT_FOLDER,
    MoveInLibraryRequest,
    RemoveFromLibraryRequest,
    RenameFolderRequest,
)
from motherlode.app.services import library as service
from motherlode.app.services.library import ImportReport, LibraryEdit, LibraryView, ObjectView
from motherlode.app.text import count
from motherlode.library.formats.registry import BY_NAME, FORMATS, writable_formats
from motherlode.records import UsageError

MAX_SHOWN_MERGED = 5
MAX_SHOWN_PROBLEMS = 20
MAX_SHOWN_AUTHORS = 3

folder_option = click.option(
    "--folder",
    default=DEFAULT_FOLDER,
    show_default=True,
    metavar="FOLDER",
    help="The folder that receives the objects, such as Birds/Owls; it is made if it is missing.",
)


@click.group("library", cls=OptionsAfterDirectory, invoke_without_command=True)
@portal_argument
@json_option
@click.pass_context
def command(ctx: click.Context, directory: Path, *, as_json: bool) -> None:
    """Show the library of the portal DIR: folders of papers, books and pages; change it.

    \b
    lode library owls import references.bib
    lode library owls show Library
    lode library owls export --format ris --output owls.ris
    lode library owls undo

    'import' makes the portal if there is none. Objects that are there already are merged: by DOI,
    arXiv number, PubMed number or ISBN, else by title and year.
    """
    ctx.obj = directory
    if ctx.invoked_subcommand is not None:
        if as_json:
            raise UsageError("--json before a subcommand shows the folders; write it after 'show'.")
        return
    view = service.library_in(directory)
    if as_json:
        show_json(view)
    else:
        _show_folders(directory, view)


@command.command("import")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@folder_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(BY_NAME)),
    help="The format of the files; by default each is recognised.",
)
@json_option
@click.pass_obj
def import_(
    directory: Path,
    /,
    files: tuple[Path, ...],
    folder: str,
    format_name: str | None,
    *,
    as_json: bool,
) -> None:
    """Import reference files: BibTeX, BibLaTeX, RIS, CSL-JSON, Zotero, EndNote and others.

    Collections of Zotero and groups of JabRef become folders inside FOLDER. A broken entry is
    reported, and the others are imported.
    """
    reports = service.import_files(directory, files, folder, format_name or "")
    if as_json:
        show_json(reports)
        return
    for file, report in zip(files, reports, strict=True):
        _show_import(file, report)
    click.echo(f"Next: lode library {shlex.quote(str(directory))}")


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
def show(directory: Path, /, folder: str, *, as_json: bool) -> None:
    """Show the objects of FOLDER, or all, with their numbers."""
    objects = service.objects_in(directory, folder)
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
@click.pass_obj
def export(directory: Path, /, folder: str, format_name: str, output: Path | None) -> None:
    """Write the library, or a folder of it, as a reference file."""
    text = service.export_library(directory, folder, format_name)
    if output is None:
        click.echo(text, nl=False)
        return
    service.write_file(output, text)
    click.echo(f"Wrote {output}.")


@command.command("move")
@click.argument("folder")
@click.argument("into")
@click.option("--object", "objects", type=int, multiple=True, help="Only this object (repeatable).")
@json_option
@click.pass_obj
def move(
    directory: Path, /, folder: str, into: str, objects: tuple[int, ...], *, as_json: bool
) -> None:
    """Move FOLDER, or objects in it, INTO another folder; / is the top."""
    request = MoveInLibraryRequest(folder=folder, into=into, objects=objects)
    _show_edit(service.move(directory, request), as_json=as_json)


@command.command("rename")
@click.argument("folder")
@click.argument("name")
@json_option
@click.pass_obj
def rename(directory: Path, /, folder: str, name: str, *, as_json: bool) -> None:
    """Give FOLDER another NAME, where it is."""
    request = RenameFolderRequest(folder=folder, name=name)
    _show_edit(service.rename(directory, request), as_json=as_json)


@command.command("remove")
@click.argument("folder", default="", metavar="[FOLDER]")
@click.option("--object", "objects", type=int, multiple=True, help="Only this object (repeatable).")
@json_option
@click.pass_obj
def remove(directory: Path, /, folder: str, objects: tuple[int, ...], *, as_json: bool) -> None:
    """Remove FOLDER with all in it, or objects: from FOLDER, or everywhere without one."""
    request = RemoveFromLibraryRequest(folder=folder, objects=objects)
    _show_edit(service.remove(directory, request), as_json=as_json)


@command.command("undo")
@json_option
@click.pass_obj
def undo(directory: Path, /, *, as_json: bool) -> None:
    """Take back the latest change of the library."""
    _show_edit(service.undo(directory), as_json=as_json)


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
    first = shlex.quote(harmless(view.folders[0].path))
    click.echo(f"Next: lode library {place} show {first}")


def _show_import(file: Path, report: ImportReport) -> None:
    new = count(report.new, "new object")
    merged = f", {len(report.merged)} merged with objects that were there" if report.merged else ""
    click.echo(f"{harmless(file.name)} ({report.format}): {new}{merged}, into {report.folder}.")
    for title in report.merged[:MAX_SHOWN_MERGED]:
        click.echo(f"  merged: {harmless(title)}")
    hidden = len(report.merged) - MAX_SHOWN_MERGED
    if hidden > 0:
        click.echo(f"  and {hidden} more; --json has all.")
    for problem in report.problems[:MAX_SHOWN_PROBLEMS]:
        click.echo(f"  {harmless(problem)}", err=True)
    hidden = len(report.problems) - MAX_SHOWN_PROBLEMS
    if hidden > 0:
        click.echo(f"  and {count(hidden, 'more problem')}; --json has all.", err=True)


def _show_object(view: ObjectView) -> None:
    entry = view.object
    click.echo(f"{view.number:>4}  {click.style(harmless(entry.title or '(no title)'), bold=True)}")
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
