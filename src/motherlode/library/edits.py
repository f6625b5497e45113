"""Changes of a library, each a function from one library to the next."""

from collections.abc import Mapping

from msgspec.structs import replace

from motherlode.library.library import (
    FolderPath,
    Library,
    folder_name,
    show_folder,
)
from motherlode.records import UsageError
from motherlode.records.library import FolderId, LibraryFolder, Membership, ObjectId


def rename_folder(library: Library, path: FolderPath, name: str) -> Library:
    """Return a library in which a folder has another name."""
    folder = library.require_folder(path)
    if not name.strip():
        raise UsageError("A folder needs a name.")
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
