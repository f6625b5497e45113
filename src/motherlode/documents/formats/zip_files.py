"""Zip files, and documents that are zip files: parts by name, up to limits, however oddly they are
named.

The directory is read by zipfile, the parts are unpacked here: zipfile sets no limit on what bzip2
unpacks to, and gives nothing of a part whose checksum is wrong.
"""

import struct
from io import BytesIO
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats.decompression import TooMuchError, inflated, unbzipped

MAX_ENTRIES = 50_000  # in the directory
MAX_PART = 2**25  # bytes of a part, unpacked
MAX_PARTS = 2**26  # bytes of all parts of a document, unpacked
_ENTRY = b"PK\x01\x02"  # how an entry of the directory begins
_HEADER = struct.Struct(
    "<4s22xHH"
)  # of a part: a signature, and the lengths of its name and extra field
_ENCRYPTED = 1
_BROKEN = (
    BadZipFile,
    OSError,
    EOFError,
    ValueError,
    LookupError,
    NotImplementedError,
    struct.error,
)


def directory(body: bytes) -> list[ZipInfo]:
    """What is in a zip file."""
    # zipfile makes an object of each entry before it can be asked how many there are.
    if body.count(_ENTRY) > MAX_ENTRIES:
        raise UnreadableError("too many files in it")
    try:
        with ZipFile(BytesIO(body)) as archive:
            return [info for info in archive.infolist() if not info.is_dir()]
    except _BROKEN as error:
        raise UnreadableError("a broken zip file") from error


def is_encrypted(info: ZipInfo) -> bool:
    return bool(info.flag_bits & _ENCRYPTED)


def unpacked(body: bytes, info: ZipInfo, limit: int) -> bytes:
    """A part of a zip file; nothing, if it is encrypted or packed in a way that is not read.

    Raises TooMuchError if there is more of it than the limit.
    """
    packed = _packed(body, info)
    if is_encrypted(info) or not packed:
        return b""
    if info.compress_type == ZIP_DEFLATED:
        return inflated(packed, limit)
    if info.compress_type == ZIP_BZIP2:
        return unbzipped(packed, limit)
    if info.compress_type != ZIP_STORED:
        return b""
    if len(packed) > limit:
        raise TooMuchError(bytes(packed[:limit]))
    return bytes(packed)


def _packed(body: bytes, info: ZipInfo) -> memoryview:
    if not 0 <= info.header_offset <= len(body) - _HEADER.size:
        return memoryview(b"")
    _, name, extra = _HEADER.unpack_from(body, info.header_offset)
    start = info.header_offset + _HEADER.size + name + extra
    return memoryview(body)[start : start + max(info.compress_size, 0)]


def part_name(name: str) -> str:
    """As parts are compared: some writers use backslashes, a leading slash, or another case.

    >>> part_name("\\\\Word\\\\document.XML")
    'word/document.xml'
    """
    return name.replace("\\", "/").lstrip("/").lower()


class Package:
    """A document that is a zip file."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._room = MAX_PARTS
        self._parts = {part_name(info.filename): info for info in directory(body)}
        self.names = tuple(self._parts)

    def __contains__(self, name: str) -> bool:
        return part_name(name) in self._parts

    def part(self, name: str) -> bytes:
        """A part by its name, up to the limit; nothing, if there is none."""
        info = self._parts.get(part_name(name))
        if info is None:
            return b""
        try:
            part = unpacked(self._body, info, min(MAX_PART, self._room))
        except TooMuchError as error:
            part = error.begun
        self._room -= len(part)
        return part
