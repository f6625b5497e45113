"""What a personal library holds: papers, books and pages as bibliographies name them (SPEC D1)."""

from typing import NewType

from msgspec import Struct

FolderId = NewType("FolderId", int)
ObjectId = NewType("ObjectId", int)


class Person(Struct, frozen=True):
    """An author or editor. An organisation has its whole name in `family`."""

    family: str
    given: str = ""
    suffix: str = ""

    @property
    def full_name(self) -> str:
        """The name as it is spoken.

        >>> Person("King", "Martin Luther", "Jr.").full_name
        'Martin Luther King, Jr.'
        """
        name = f"{self.given} {self.family}".strip()
        return f"{name}, {self.suffix}" if self.suffix else name

    @property
    def sorted_name(self) -> str:
        """The name with the family name first.

        >>> Person("King", "Martin Luther", "Jr.").sorted_name
        'King, Martin Luther, Jr.'
        """
        return ", ".join(filter(None, (self.family, self.given, self.suffix)))


class Identifier(Struct, frozen=True):
    """A name that others know an object by; `scheme` is doi, isbn, issn, arxiv, pmid or pmcid."""

    scheme: str
    value: str


class LibraryObject(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A paper, book or page in a library.

    `kind` is a type of CSL, such as `article-journal`. `date` is as exact as it is known: 2004,
    2004-05 or 2004-05-17. `folders` are paths in the tree of folders. `key` is the citation key.
    """

    kind: str = "document"
    title: str = ""
    authors: tuple[Person, ...] = ()
    editors: tuple[Person, ...] = ()
    date: str = ""
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    venue: str = ""
    publisher: str = ""
    place: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    language: str = ""
    identifiers: tuple[Identifier, ...] = ()
    links: tuple[str, ...] = ()
    note: str = ""
    key: str = ""
    folders: tuple[tuple[str, ...], ...] = ()

    @property
    def year(self) -> int | None:
        """The year of publication, if it is known."""
        return int(self.date[:4]) if self.date[:4].isdigit() else None

    def identifier(self, scheme: str) -> str:
        """Return the first identifier of a scheme; empty if there is none."""
        values = (entry.value for entry in self.identifiers if entry.scheme == scheme)
        return next(values, "")


class LibraryFolder(Struct, frozen=True):
    """A folder; `parent` is None for one at the top."""

    name: str
    parent: FolderId | None = None


class Membership(Struct, frozen=True, order=True):
    """An object in a folder."""

    folder: FolderId
    object: ObjectId


class LibraryChanges(Struct, frozen=True):
    """The rows that lead from one library to another; None removes a row."""

    folders: dict[FolderId, LibraryFolder | None] = {}
    objects: dict[ObjectId, LibraryObject | None] = {}
    added: tuple[Membership, ...] = ()
    removed: tuple[Membership, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.folders or self.objects or self.added or self.removed)
