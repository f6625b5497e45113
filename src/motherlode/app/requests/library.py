"""The requests that change a personal library; see `lode library`."""

from typing import Annotated

from msgspec import Meta, Struct

from motherlode.app.requests.fields import described
from motherlode.library.formats.registry import BY_NAME, writable_formats

MAX_FOLDER_CHARS = 20_000
MAX_IMPORT_CHARS = 20_000_000
MAX_NAMED_OBJECTS = 10_000
MAX_ADDED_PAGES = 100
MAX_URL_CHARS = 10_000
DEFAULT_FOLDER = "Library"

FolderText = Annotated[
    str,
    described(
        "A folder, such as Birds/Owls.",
        min_length=1,
        max_length=MAX_FOLDER_CHARS,
        examples=["Birds/Owls"],
    ),
]
TargetFolder = Annotated[
    str,
    described(
        "The folder that receives the objects; it is made if it is missing.",
        min_length=1,
        max_length=MAX_FOLDER_CHARS,
    ),
]
ReferenceText = Annotated[
    str, described("The content of a reference file.", min_length=1, max_length=MAX_IMPORT_CHARS)
]
FileName = Annotated[
    str, described("The name of the file, which helps to tell its format.", max_length=1_000)
]
ReadFormat = Annotated[
    str,
    described(
        "The format of the file; by default it is recognised.", choices=lambda: ("", *BY_NAME)
    ),
]
WrittenFormat = Annotated[str, described("The format to write.", choices=writable_formats)]
ParentFolder = Annotated[
    str, described("The folder to move it into; / is the top.", max_length=MAX_FOLDER_CHARS)
]
FolderName = Annotated[
    str, described("The new name of the folder.", min_length=1, max_length=MAX_FOLDER_CHARS)
]
ObjectNumbers = Annotated[
    tuple[int, ...], described("Numbers of objects.", max_length=MAX_NAMED_OBJECTS)
]
PageUrls = Annotated[
    tuple[Annotated[str, Meta(max_length=MAX_URL_CHARS)], ...],
    described("URLs of pages or PDFs.", min_length=1, max_length=MAX_ADDED_PAGES),
]
OptionalFolder = Annotated[
    str, described("A folder; empty: the whole library.", max_length=MAX_FOLDER_CHARS)
]


class ImportReferencesRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode library import`."""

    text: ReferenceText
    file: FileName = ""
    format: ReadFormat = ""
    folder: TargetFolder = DEFAULT_FOLDER


class AddPagesRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode library add`."""

    urls: PageUrls
    folder: TargetFolder = DEFAULT_FOLDER


class MoveInLibraryRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode library move`: objects of a folder, or without numbers the folder itself."""

    folder: FolderText
    into: ParentFolder
    objects: ObjectNumbers = ()


class RenameFolderRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode library rename`."""

    folder: FolderText
    name: FolderName


class RemoveFromLibraryRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode library remove`: objects of a folder, or without numbers the folder itself."""

    folder: OptionalFolder = ""
    objects: ObjectNumbers = ()
