"""Objects that are added to a library: new ones, and those that are merged into what is there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.library.identity import merged, same_work, work_keys
from motherlode.library.library import MAX_DEPTH, FolderPath, Library, folder_name
from motherlode.records.library import FolderId, LibraryFolder, LibraryObject, Membership, ObjectId

MAX_CANDIDATES = 50  # of one title: works called "Editorial" are compared with so many others


class ImportedObject(Struct, frozen=True):
    """What became of an object that was added: `is_new`, or merged into one that was there."""

    number: ObjectId
    title: str
    is_new: bool


def add_objects(
    library: Library, entries: Sequence[LibraryObject], into: FolderPath
) -> tuple[Library, list[ImportedObject]]:
    """Return a library with objects in a folder and in their own folders, and what became of each.

    An object that is the same work as one in the library adds to it what that lacks.
    """
    folders, objects = _Folders(library), _Objects(library)
    members = set(library.members)
    results: list[ImportedObject] = []
    for entry in entries:
        result = objects.add(replace(entry, folders=()))
        for path in _folders_for(entry, into):
            members.add(Membership(folders.number_of(path), result.number))
        results.append(result)
    return Library(folders.by_number, objects.by_number, frozenset(members)), results


def _folders_for(entry: LibraryObject, into: FolderPath) -> Iterable[FolderPath]:
    depth = MAX_DEPTH - len(into)
    own = [tuple(map(folder_name, path[:depth])) for path in entry.folders]
    return [(*into, *path) for path in own if path] or [into]


class _Folders:
    """The folders of a library, and those that are made on the way."""

    def __init__(self, library: Library) -> None:
        self.by_number: dict[FolderId, LibraryFolder] = dict(library.folders)
        self._next = max(self.by_number, default=0) + 1
        self._places = {
            (folder.parent, folder.name.casefold()): number
            for number, folder in library.folders.items()
        }

    def number_of(self, path: FolderPath) -> FolderId:
        """Return the folder at a path of at least one name; it is made if it is missing."""
        parent: FolderId | None = None
        for name in path:
            place = parent, name.casefold()
            if place not in self._places:
                self._places[place] = FolderId(self._next)
                self.by_number[FolderId(self._next)] = LibraryFolder(name, parent)
                self._next += 1
            parent = self._places[place]
        if parent is None:
            raise ValueError("a folder without a name")
        return parent


class _Objects:
    """The objects of a library by what names their works."""

    def __init__(self, library: Library) -> None:
        self.by_number: dict[ObjectId, LibraryObject] = dict(library.objects)
        self._next = max(self.by_number, default=0) + 1
        self._by_key: dict[str, list[ObjectId]] = defaultdict(list)
        for number, entry in self.by_number.items():
            self._index(number, entry)

    def add(self, entry: LibraryObject) -> ImportedObject:
        """Add an object, or merge it into the one that is the same work."""
        known = next(
            (n for n in self._candidates(entry) if same_work(self.by_number[n], entry)), None
        )
        number = ObjectId(self._next) if known is None else known
        if known is None:
            self._next += 1
            self.by_number[number] = entry
        else:
            self.by_number[number] = merged(self.by_number[number], entry)
        self._index(number, self.by_number[number])
        return ImportedObject(number, entry.title, known is None)

    def _candidates(self, entry: LibraryObject) -> Iterator[ObjectId]:
        for key in work_keys(entry):
            yield from self._by_key.get(key, ())[:MAX_CANDIDATES]

    def _index(self, number: ObjectId, entry: LibraryObject) -> None:
        for key in work_keys(entry):
            if number not in self._by_key[key][:MAX_CANDIDATES]:
                self._by_key[key].append(number)
