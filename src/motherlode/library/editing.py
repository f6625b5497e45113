"""Changes of a library, each a function from one library to the next."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.library.identity import merged, same_identifiers, work_keys
from motherlode.library.library import (
    MAX_NAME_CHARS,
    SEPARATOR,
    FolderPath,
    Library,
    show_folder,
)
from motherlode.records import UsageError
from motherlode.records.library import FolderId, LibraryFolder, LibraryObject, Membership, ObjectId


class ImportedObject(Struct, frozen=True):
    """What became of an object that was added: `is_new`, or merged into one that was there."""

    number: ObjectId
    title: str
    is_new: bool


def with_folder(library: Library, path: FolderPath) -> tuple[Library, FolderId]:
    """Return a library that has a folder at a path, and the folder."""
    folders: dict[FolderId, LibraryFolder] = dict(library.folders)
    parent: FolderId | None = None
    for depth in range(1, len(path) + 1):
        known = Library(folders=folders).folder_at(path[:depth])
        if known is None:
            known = FolderId(_next(folders))
            folders[known] = LibraryFolder(path[depth - 1], parent)
        parent = known
    if parent is None:
        raise UsageError("A folder needs a name.")
    return replace(library, folders=folders), parent


def add_objects(
    library: Library, entries: Sequence[LibraryObject], into: FolderPath
) -> tuple[Library, list[ImportedObject]]:
    """Return a library with objects in a folder and in their own folders, and what became of each.

    An object that is the same work as one in the library adds to it what that lacks.
    """
    objects: dict[ObjectId, LibraryObject] = dict(library.objects)
    numbers = {key: number for number, entry in objects.items() for key in work_keys(entry)}
    members = set(library.members)
    results: list[ImportedObject] = []
    for entry in entries:
        number = _known(entry, numbers, objects)
        is_new = number is None
        if number is None:
            number = ObjectId(_next(objects))
        bare = replace(entry, folders=())
        objects[number] = bare if is_new else merged(objects[number], bare)
        numbers |= dict.fromkeys(work_keys(objects[number]), number)
        for path in _folders_for(entry, into):
            library, folder = with_folder(library, path)
            members.add(Membership(folder, number))
        results.append(ImportedObject(number, entry.title, is_new))
    return replace(library, objects=objects, members=frozenset(members)), results


def _known(
    entry: LibraryObject,
    numbers: Mapping[str, ObjectId],
    objects: Mapping[ObjectId, LibraryObject],
) -> ObjectId | None:
    """Return the object that is the same work, unless their identifiers say otherwise."""
    candidates = (numbers[key] for key in work_keys(entry) if key in numbers)
    return next((n for n in candidates if same_identifiers(entry, objects[n])), None)


def _folders_for(entry: LibraryObject, into: FolderPath) -> Iterable[FolderPath]:
    own = [tuple(map(folder_name, path)) for path in entry.folders if path]
    return [(*into, *path) for path in own] or [into]


def folder_name(text: str) -> str:
    """Return the name of a folder that a file names; the separator cannot be part of it.

    >>> folder_name(" TCP/IP ")
    'TCP-IP'
    """
    name = " ".join(text.replace(SEPARATOR, "-").split())
    return name[:MAX_NAME_CHARS].strip() or "Untitled"


def rename_folder(library: Library, path: FolderPath, name: str) -> Library:
    """Return a library in which a folder has another name."""
    folder = library.require_folder(path)
    new = folder_name(name)
    _refuse_taken(library, (*path[:-1], new), folder)
    return _with_folders(library, {folder: replace(library.folders[folder], name=new)})


def move_folder(library: Library, path: FolderPath, into: FolderPath) -> Library:
    """Return a library in which a folder lies inside another, or at the top for ()."""
    folder = library.require_folder(path)
    parent = library.require_folder(into) if into else None
    if parent is not None and parent in {folder, *library.folders_below(folder)}:
        raise UsageError(f"{show_folder(path)} cannot be moved into itself.")
    _refuse_taken(library, (*into, path[-1]), folder)
    return _with_folders(library, {folder: replace(library.folders[folder], parent=parent)})


def remove_folder(library: Library, path: FolderPath) -> Library:
    """Return a library without a folder, what is in it, and objects that lie nowhere else."""
    folder = library.require_folder(path)
    gone = {folder, *library.folders_below(folder)}
    members = frozenset(member for member in library.members if member.folder not in gone)
    folders = {number: value for number, value in library.folders.items() if number not in gone}
    return _without_homeless(library, replace(library, folders=folders, members=members))


def move_object(
    library: Library, number: ObjectId, source: FolderPath, into: FolderPath
) -> Library:
    """Return a library in which an object lies in another folder."""
    from_folder, to_folder = library.require_folder(source), library.require_folder(into)
    member = Membership(from_folder, number)
    if member not in library.members:
        raise UsageError(f"There is no object {number} in {show_folder(source)}.")
    members = (library.members - {member}) | {Membership(to_folder, number)}
    return replace(library, members=members)


def remove_object(library: Library, number: ObjectId, source: FolderPath | None = None) -> Library:
    """Return a library without an object: in one folder, or everywhere."""
    if number not in library.objects:
        raise UsageError(f"There is no object {number} in the library.")
    folder = library.require_folder(source) if source is not None else None
    members = frozenset(
        member
        for member in library.members
        if member.object != number or (folder is not None and member.folder != folder)
    )
    if members == library.members:
        raise UsageError(f"There is no object {number} in {show_folder(source or ())}.")
    return _without_homeless(library, replace(library, members=members))


def _without_homeless(before: Library, after: Library) -> Library:
    """Return a library without the objects that have lost their last folder."""
    held = {member.object for member in after.members}
    lost = {member.object for member in before.members} - held
    objects = {number: entry for number, entry in after.objects.items() if number not in lost}
    return replace(after, objects=objects)


def _with_folders(library: Library, changed: Mapping[FolderId, LibraryFolder]) -> Library:
    return replace(library, folders={**library.folders, **changed})


def _refuse_taken(library: Library, path: FolderPath, folder: FolderId) -> None:
    if library.folder_at(path) not in (None, folder):
        raise UsageError(f"There is a folder {show_folder(path)} already.")


def _next(numbers: Iterable[int]) -> int:
    return max(numbers, default=0) + 1
