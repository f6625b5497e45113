"""What a zip or an OLE file really is, told by what is in it."""

import struct
from collections.abc import Iterator
from zipfile import ZipInfo

from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats.decompression import TooMuchError
from motherlode.documents.formats.markup import local, walk
from motherlode.documents.formats.zip_files import directory, part_name, unpacked

ZIP = "application/zip"
OLE = "application/x-ole-storage"
ENCRYPTED = "application/x-ooxml-encrypted"  # our name for Office files under a password
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_OFFICE = "application/vnd.openxmlformats-officedocument."
_MAX_MIME = 200
_MAX_TYPES = 2**20  # bytes of [Content_Types].xml
# By the folder in which the main part usually is, for packages whose list of types is broken.
_FOLDERS = (
    ("word/", f"{_OFFICE}wordprocessingml.document"),
    ("ppt/", f"{_OFFICE}presentationml.presentation"),
    ("xl/", f"{_OFFICE}spreadsheetml.sheet"),
    ("meta-inf/container.xml", "application/epub+zip"),
    ("index/document.iwa", "application/vnd.apple.iwork"),
    ("index/presentation.iwa", "application/vnd.apple.iwork"),
    ("index.zip", "application/vnd.apple.iwork"),
    ("index.apxl", "application/vnd.apple.iwork"),
    ("index.xml", "application/vnd.apple.iwork"),
)
_STREAMS = {
    "encryptedpackage": ENCRYPTED,
    "worddocument": "application/msword",
    "powerpoint document": "application/vnd.ms-powerpoint",
    "pp97_dualstorage": "application/vnd.ms-powerpoint",
    "workbook": "application/vnd.ms-excel",
    "book": "application/vnd.ms-excel",
}
_SECTOR_0 = 512  # where the header ends
_ENTRY = 128  # bytes of a directory entry
_MAX_SECTORS = 1_000  # of a directory: 4,000 streams at least
_IN_HEADER = 109  # sectors of the table that the header names; they cover 6.8 MB of a file
_NOWHERE = 0xFFFFFFFE


def kind_of_zip(body: bytes) -> str:
    """The type of what a zip file is; `application/zip` if it is an archive, or broken."""
    try:
        parts = {part_name(info.filename): info for info in directory(body)}
    except UnreadableError:
        return ZIP
    told = _small(body, parts.get("mimetype"), _MAX_MIME).decode("ascii", "replace").strip().lower()
    if told.startswith("application/") and told.isprintable():
        return told
    return _office_type(_small(body, parts.get("[content_types].xml"), _MAX_TYPES)) or _by_folder(
        parts
    )


def _small(body: bytes, info: ZipInfo | None, limit: int) -> bytes:
    try:
        return unpacked(body, info, limit) if info else b""
    except TooMuchError:
        return b""


def _by_folder(names: dict[str, ZipInfo]) -> str:
    office = "[content_types].xml" in names
    for beginning, mime in _FOLDERS:
        # An archive may well have a folder "word"; a package has a list of types besides.
        if beginning in names or (office and any(name.startswith(beginning) for name in names)):
            return mime
    return ZIP


class _Types:
    """The type of the main part, out of the list of all parts' types."""

    def __init__(self) -> None:
        self.main = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("ContentType", "").lower()
        if not self.main and local(name) in ("Override", "Default") and kind.endswith(".main+xml"):
            self.main = kind.removesuffix(".main+xml")

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass


def _office_type(types: bytes) -> str:
    found = _Types()
    walk(types, found)
    return found.main


def kind_of_ole(body: bytes) -> str:
    """The type of what an OLE file is, by the names of its streams.

    >>> kind_of_ole(b"no OLE file at all")
    'application/x-ole-storage'
    """
    names = {name.lower() for name in stream_names(body)}
    return next((mime for name, mime in _STREAMS.items() if name in names), OLE)


def stream_names(body: bytes) -> list[str]:
    """The names at the top of an OLE file ([MS-CFB] 2.6), as far as its directory can be followed.

    What is deeper belongs to other documents that this one has in it.
    """
    if not body.startswith(OLE_MAGIC) or len(body) < _SECTOR_0:
        return []
    directory = b"".join(_directory_sectors(body))
    entries = [
        directory[place : place + _ENTRY] for place in range(0, len(directory) - _ENTRY + 1, _ENTRY)
    ]
    # The root's child is the root of a tree whose branches are the names before and after.
    ahead, seen = ([_number(entries[0], 76)] if entries else []), set()
    while ahead:
        number = ahead.pop()
        if number < len(entries) and number not in seen:
            seen.add(number)
            ahead += [_number(entries[number], 68), _number(entries[number], 72)]
    # Where the tree is broken, any name is better than none.
    return [_entry_name(entries[number]) for number in sorted(seen) or range(len(entries))]


def _entry_name(entry: bytes) -> str:
    length = min(int.from_bytes(entry[64:66], "little"), 64)
    return entry[: max(length - 2, 0)].decode("utf-16-le", "replace")


def _directory_sectors(body: bytes) -> Iterator[bytes]:
    (shift,) = struct.unpack_from("<H", body, 30)
    sector = _number(body, 48)
    size = 1 << (shift if shift in (9, 12) else 9)
    for _ in range(_MAX_SECTORS):
        content = body[(sector + 1) * size : (sector + 2) * size]
        if not content:
            return
        yield content
        sector = _next_sector(body, sector, size)


def _next_sector(body: bytes, sector: int, size: int) -> int:
    """By the table of sectors; one past the end of any file where the table does not say."""
    table, place = divmod(sector, size // 4)
    return _number(body, (_table_sector(body, table, size) + 1) * size + 4 * place)


def _table_sector(body: bytes, number: int, size: int) -> int:
    """Where a sector of the table is: the first are named in the header, the rest in a chain of
    lists.
    """
    if number < _IN_HEADER:
        return _number(body, 76 + 4 * number)
    lists, place = divmod(number - _IN_HEADER, size // 4 - 1)
    at = _number(body, 68)
    for _ in range(min(lists, _MAX_SECTORS)):
        at = _number(body, (at + 2) * size - 4)
    return _number(body, (at + 1) * size + 4 * place)


def _number(body: bytes, place: int) -> int:
    """Four bytes; where there are none, a number past the end of any file."""
    found = body[place : place + 4]
    return int.from_bytes(found, "little") if found else _NOWHERE
