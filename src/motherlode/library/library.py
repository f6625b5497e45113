"""A library as it stands: a tree of folders, objects, and which objects lie in which folders.

A library is a value: functions return another one, and the difference of two is what is written.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct

from motherlode.records import UsageError
from motherlode.records.library import (
    FolderId,
    LibraryChanges,
    LibraryFolder,
    LibraryObject,
    Membership,
    ObjectId,
)

FolderPath = tuple[str, ...]
K = TypeVar("K")
V = TypeVar("V")

MAX_NAME_CHARS = 200
MAX_DEPTH = 50
SEPARATOR = "/"


class Library(Struct, frozen=True):
    """All folders, objects and memberships of a library, by their numbers."""

    folders: Mapping[FolderId, LibraryFolder] = {}
    objects: Mapping[ObjectId, LibraryObject] = {}
    members: frozenset[Membership] = frozenset()

    def path_of(self, folder: FolderId) -> FolderPath:
        """Return the names from the top to a folder."""
        names: list[str] = []
        here: FolderId | None = folder
        while here is not None:
            names.append(self.folders[here].name)
            here = self.folders[here].parent
        return tuple(reversed(names))

    def children_of(self, parent: FolderId | None) -> list[FolderId]:
        """Return the folders in a folder, or those at the top, by name."""
        inside = (number for number, folder in self.folders.items() if folder.parent == parent)
        return sorted(inside, key=lambda number: self.folders[number].name.casefold())

    def objects_in(self, folder: FolderId, *, with_subfolders: bool = False) -> list[ObjectId]:
        """Return the objects of a folder in the order in which they came."""
        folders = {folder, *self.folders_below(folder)} if with_subfolders else {folder}
        return sorted({member.object for member in self.members if member.folder in folders})

    def folders_below(self, folder: FolderId) -> Iterator[FolderId]:
        """Yield all folders inside a folder, at any depth."""
        for child in self.children_of(folder):
            yield child
            yield from self.folders_below(child)

    def folders_by_object(self) -> dict[ObjectId, list[FolderPath]]:
        """Return the paths of the folders that hold each object."""
        paths = {folder: self.path_of(folder) for folder in self.folders}
        held: dict[ObjectId, list[FolderPath]] = {number: [] for number in self.objects}
        for member in self.members:
            held[member.object].append(paths[member.folder])
        return {number: sorted(places) for number, places in held.items()}

    def folder_at(self, path: FolderPath) -> FolderId | None:
        """Return the folder at a path, whose names may differ in case; None if there is none."""
        here: FolderId | None = None
        for name in path:
            inside = self.children_of(here)
            same = (n for n in inside if self.folders[n].name.casefold() == name.casefold())
            here = next(same, None)
            if here is None:
                return None
        return here

    def require_folder(self, path: FolderPath) -> FolderId:
        """Return the folder at a path. Raises `UsageError` if there is none."""
        folder = self.folder_at(path)
        if folder is None:
            raise UsageError(f"There is no folder {show_folder(path)!r} in the library.")
        return folder


def changes_between(before: Library, after: Library) -> LibraryChanges:
    """Return the changes that make `after` of `before`; the other way round, they undo it."""
    return LibraryChanges(
        folders=_changed(before.folders, after.folders),
        objects=_changed(before.objects, after.objects),
        added=tuple(sorted(after.members - before.members)),
        removed=tuple(sorted(before.members - after.members)),
    )


def _changed(before: Mapping[K, V], after: Mapping[K, V]) -> dict[K, V | None]:
    changed: dict[K, V | None] = {key: None for key in before if key not in after}
    changed.update((key, value) for key, value in after.items() if before.get(key) != value)
    return changed


def _applied(before: Mapping[K, V], changed: Mapping[K, V | None]) -> dict[K, V]:
    after = {key: value for key, value in before.items() if key not in changed}
    after.update((key, value) for key, value in changed.items() if value is not None)
    return after


def apply_changes(library: Library, changes: LibraryChanges) -> Library:
    """Return the library after some changes."""
    return Library(
        folders=_applied(library.folders, changes.folders),
        objects=_applied(library.objects, changes.objects),
        members=(library.members - set(changes.removed)) | set(changes.added),
    )


def parse_folder(text: str) -> FolderPath:
    """Return the path that a user has typed, such as `Birds/Owls`.

    Raises `UsageError` for a path without a name, or one that is too deep or too long.
    """
    path = tuple(filter(None, (part.strip() for part in text.split(SEPARATOR))))
    if not path:
        raise UsageError("A folder needs a name, such as 'Birds' or 'Birds/Owls'.")
    if len(path) > MAX_DEPTH or any(len(name) > MAX_NAME_CHARS for name in path):
        raise UsageError(
            f"Folders can have names of {MAX_NAME_CHARS} characters and lie {MAX_DEPTH} deep."
        )
    return path


def folder_name(text: str) -> str:
    """Return the name of a folder that a file names; the separator cannot be part of it.

    >>> folder_name(" TCP/IP ")
    'TCP-IP'
    """
    name = " ".join(text.replace(SEPARATOR, "-").split())
    return name[:MAX_NAME_CHARS].strip() or "Untitled"


def show_folder(path: Iterable[str]) -> str:
    """Return a path as a user types it."""
    return SEPARATOR.join(path)
