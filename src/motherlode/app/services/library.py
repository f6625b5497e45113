"""A portal's personal library: show, import, export, edit, undo (SPEC D1)."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import time_ns

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.library import (
    DEFAULT_FOLDER,
    MoveInLibraryRequest,
    RemoveFromLibraryRequest,
    RenameFolderRequest,
)
from motherlode.app.text import count
from motherlode.library import edits
from motherlode.library.additions import ImportedObject, add_objects
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.registry import read_references, write_references
from motherlode.library.library import (
    Library,
    changes_between,
    folder_name,
    parse_folder,
    show_folder,
)
from motherlode.portal import Portal, create_portal
from motherlode.portal.directory import CONFIG
from motherlode.records import BadInputError, UsageError
from motherlode.records.library import LibraryObject, ObjectId
from motherlode.store import Session
from motherlode.store.tables import library as library_rows
from motherlode.topics import Planting

MAX_FILE_BYTES = 200_000_000
TOP = "/"
COMMAND = "lode library"  # as others see who writes the portal
Change = Callable[[Library], Library]


class FolderView(Struct, frozen=True):
    """A folder in a list of all: its path, its depth, and how many objects lie in it itself."""

    path: str
    depth: int
    objects: int


class LibraryView(Struct, frozen=True):
    """All folders of a library, each below its parent, and how many objects there are."""

    folders: tuple[FolderView, ...]
    objects: int


class ObjectView(Struct, frozen=True):
    """An object with its number and the folders that it lies in."""

    number: int
    folders: tuple[str, ...]
    object: LibraryObject


class ImportReport(Struct, frozen=True, kw_only=True):
    """The result of an import: new objects, titles that were merged, and unreadable parts."""

    format: str
    new: int
    merged: tuple[str, ...]
    problems: tuple[str, ...]
    folder: str


class LibraryEdit(Struct, frozen=True):
    """A sentence about a change of the library."""

    sentence: str


def library_of(session: Session) -> Library:
    """Return the library that a portal holds."""
    return Library(
        folders=library_rows.stored_folders(session),
        objects=library_rows.stored_objects(session),
        members=frozenset(library_rows.stored_members(session)),
    )


def library_in(path: Path, overrides: Sequence[str] = ()) -> LibraryView:
    """Return the folders of a portal's library."""
    with Portal.reading(path, overrides) as portal, portal.store.reading() as session:
        library = library_of(session)
    counts = Counter(member.folder for member in library.members)
    paths = {library.path_of(number): counts[number] for number in library.folders}
    in_order = sorted(paths, key=lambda path: [name.casefold() for name in path])
    views = (FolderView(show_folder(path), len(path) - 1, paths[path]) for path in in_order)
    return LibraryView(tuple(views), len(library.objects))


def objects_in(path: Path, folder: str = "", overrides: Sequence[str] = ()) -> list[ObjectView]:
    """Return the objects of a folder, or of the whole library. Raises `UsageError`."""
    with Portal.reading(path, overrides) as portal, portal.store.reading() as session:
        library = library_of(session)
    held = library.folders_by_object()
    return [
        ObjectView(number, tuple(map(show_folder, held[number])), library.objects[number])
        for number in _numbers_in(library, folder)
    ]


def _numbers_in(library: Library, folder: str, *, with_subfolders: bool = False) -> list[ObjectId]:
    if folder in ("", TOP):
        return list(library.objects)
    number = library.require_folder(parse_folder(folder))
    return library.objects_in(number, with_subfolders=with_subfolders)


def import_files(
    path: Path,
    files: Sequence[Path],
    folder: str,
    format_name: str = "",
    overrides: Sequence[str] = (),
) -> list[ImportReport]:
    """Import reference files into a folder, all in one change; the portal is made if it is missing.

    Raises `BadInputError` if a file cannot be read at all: then nothing is imported.
    """
    bodies = [(file.name, _body_of(file)) for file in files]
    read = [(name, *read_references(body, name, format_name)) for name, body in bodies]
    ensure_portal(path)
    reports: list[ImportReport] = []

    def change(library: Library) -> Library:
        for name, kind, result in read:
            library, added = add_objects(library, result.objects, parse_folder(folder))
            reports.append(_report(kind, added, result.problems, folder, name))
        return library

    edit_library(path, change, overrides)
    return reports


def ensure_portal(path: Path) -> None:
    """Make a portal without topics, unless there is one."""
    if not (path / CONFIG).exists():
        create_portal(path, Planting(topics=()), {})


def import_text(path: Path, text: str, file: str, folder: str, format_name: str) -> ImportReport:
    """Import the content of a reference file into a folder of a portal's library."""
    kind, result = read_references(text.encode(), file, format_name)
    return import_result(path, kind, result, folder, file)


def import_result(
    path: Path, kind: str, result: ReadResult, folder: str, file: str = ""
) -> ImportReport:
    """Add what was read to a folder of a portal's library, in one change."""
    reports: list[ImportReport] = []

    def change(library: Library) -> Library:
        library, added = add_objects(library, result.objects, parse_folder(folder))
        reports.append(_report(kind, added, result.problems, folder, file))
        return library

    edit_library(path, change)
    return reports[0]


def _report(
    kind: str,
    added: Sequence[ImportedObject],
    problems: Sequence[str],
    folder: str,
    file: str,
) -> ImportReport:
    return ImportReport(
        format=kind,
        new=sum(entry.is_new for entry in added),
        merged=tuple(entry.title for entry in added if not entry.is_new),
        problems=tuple(f"{file}: {problem}" if file else problem for problem in problems),
        folder=folder or DEFAULT_FOLDER,
    )


def _body_of(file: Path) -> bytes:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise BadInputError(f"{file} is larger than {MAX_FILE_BYTES // 10**6} MB.")
        return file.read_bytes()
    except OSError as error:
        raise BadInputError(f"{file} cannot be read: {error.strerror}.") from error


def export_library(path: Path, folder: str, format_name: str, overrides: Sequence[str] = ()) -> str:
    """Return the objects of a folder and those below it in a reference format."""
    return write_references(objects_for_export(path, folder, overrides), format_name)


def objects_for_export(
    path: Path, folder: str, overrides: Sequence[str] = ()
) -> list[LibraryObject]:
    """Return the objects of a folder and those below it, each with all its folders."""
    with Portal.reading(path, overrides) as portal, portal.store.reading() as session:
        library = library_of(session)
    numbers = _numbers_in(library, folder, with_subfolders=True)
    held = library.folders_by_object()
    return [replace(library.objects[number], folders=tuple(held[number])) for number in numbers]


def move(path: Path, request: MoveInLibraryRequest, overrides: Sequence[str] = ()) -> LibraryEdit:
    """Move objects, or a folder, into a folder; / is the top. Raises `UsageError`."""
    source = parse_folder(request.folder)
    into = () if request.into == TOP else parse_folder(request.into)

    def change(library: Library) -> Library:
        if not request.objects:
            return edits.move_folder(library, source, into)
        for number in request.objects:
            library = edits.move_object(library, ObjectId(number), source, into)
        return library

    edit_library(path, change, overrides)
    moved = count(len(request.objects), "object") if request.objects else show_folder(source)
    return LibraryEdit(f"Moved {moved} to {show_folder(into) or TOP}.")


def rename(path: Path, request: RenameFolderRequest, overrides: Sequence[str] = ()) -> LibraryEdit:
    """Give a folder another name. Raises `UsageError`."""
    source = parse_folder(request.folder)
    edit_library(
        path, lambda library: edits.rename_folder(library, source, request.name), overrides
    )
    return LibraryEdit(f"Renamed {show_folder(source)} to {folder_name(request.name)}.")


def remove(
    path: Path, request: RemoveFromLibraryRequest, overrides: Sequence[str] = ()
) -> LibraryEdit:
    """Remove objects from a folder or from the library, or a folder with all in it."""
    source = parse_folder(request.folder) if request.folder else None
    if source is None and not request.objects:
        raise UsageError("Name a folder, or numbers of objects; 'lode library DIR show' has them.")

    def change(library: Library) -> Library:
        if source is not None and not request.objects:
            return edits.remove_folder(library, source)
        for number in request.objects:
            library = edits.remove_object(library, ObjectId(number), source)
        return library

    edit_library(path, change, overrides)
    removed = (
        count(len(request.objects), "object") if request.objects else show_folder(source or ())
    )
    return LibraryEdit(f"Removed {removed}; 'undo' brings it back.")


def undo(path: Path, overrides: Sequence[str] = ()) -> LibraryEdit:
    """Take back the latest change of the library. Raises `UsageError` if there is none."""
    with (
        Portal.writing(path, COMMAND, overrides) as portal,
        portal.store.writing() as session,
    ):
        latest = next(iter(library_rows.UNDO.ids(session)), None)
        changes = library_rows.UNDO.get(session, latest) if latest else None
        if latest is None or changes is None:
            raise UsageError("There is no change of the library to take back.")
        library_rows.write_library_changes(session, changes)
        library_rows.UNDO.remove(session, latest)
    return LibraryEdit("Took back the latest change of the library.")


def edit_library(path: Path, change: Change, overrides: Sequence[str] = ()) -> None:
    """Change a portal's library in one transaction, with what undoes it."""
    with Portal.writing(path, COMMAND, overrides) as portal, portal.store.writing() as session:
        before = library_of(session)
        after = change(before)
        changes = changes_between(before, after)
        if not changes:
            return
        library_rows.write_library_changes(session, changes)
        library_rows.UNDO.add(session, f"{time_ns():020}", changes_between(after, before))


def write_file(file: Path, text: str) -> None:
    """Write an export. Raises `BadInputError` if the file cannot be written."""
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise BadInputError(f"{file} cannot be written: {error.strerror}.") from error
