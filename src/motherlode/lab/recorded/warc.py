"""Reading WARC of any origin: records one after another, or one gzip member by its offset."""

import re
from collections.abc import Iterator
from io import BufferedReader, BytesIO, RawIOBase
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar, cast

from isal import isal_zlib
from isal.igzip_lib import IsalError
from msgspec import Struct

from motherlode.records import BadInputError

_GZIP = 31  # zlib's window bits for a gzip member
_MAGIC = b"\x1f\x8b"
_CHUNK = 16 * 1024
_HEAD = 64 * 1024  # more than the headers of a record take
_MOST = 2**30  # bytes of a record
_MAX_LINES = 1000
_BLANK = " \t"
_REPEATED = "warc-concurrent-to"  # the one header that may occur again (WARC 1.1, 5.7)
_END = re.compile(rb"\r?\n\r?\n")
_FOLD = re.compile(r"\r?\n[ \t]+")
_STATUS = re.compile(r"HTTP/[0-9.]+ +([1-9][0-9]{2})(?![0-9])", re.IGNORECASE)


class Record(Struct, frozen=True):
    """A WARC record; header names in lower case."""

    headers: dict[str, str]
    content: bytes

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "").lower()

    @property
    def url(self) -> str:
        return url_in(self.headers)


class GzipMember(Struct, frozen=True):
    """A gzip member and the start of what it holds."""

    offset: int
    length: int
    start: bytes
    size: int


T = TypeVar("T")


class Payloads(Generic[T]):
    """Where a body lies that was recorded before, for the `revisit` records that only
    refer to it.
    """

    def __init__(self) -> None:
        self._first: dict[str, T] = {}
        self._others: dict[
            tuple[str, str], T
        ] = {}  # the same body at other URLs, with headers of its own

    def note(self, headers: dict[str, str], place: T) -> None:
        digest = headers.get("warc-payload-digest", "")
        if not digest:
            return
        if self._first.setdefault(digest, place) is not place:
            self._others[digest, url_in(headers)] = place

    def find(self, headers: dict[str, str]) -> T | None:
        digest = headers.get("warc-payload-digest", "")
        referred = headers.get("warc-refers-to-target-uri", "").strip("<>")
        return self._others.get((digest, referred), self._first.get(digest))


class NotWarcError(BadInputError):
    """A file that is no WARC, or a damaged one."""


def records(path: Path) -> Iterator[Record]:
    """Every record of a WARC file, however it is compressed."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _MAGIC
            raw.seek(0)
            unpacked = _Unpacked(raw)
            yield from _records(cast("BinaryIO", BufferedReader(unpacked)) if packed else raw)
            if unpacked.damage:
                raise NotWarcError(f"{path} is damaged: {unpacked.damage}.")
    except FileNotFoundError as error:
        raise BadInputError(f"There is no file {path}.") from error
    except (OSError, EOFError, ValueError, IsalError) as error:  # type: ignore[misc]  # isal's stubs lack it
        raise NotWarcError(f"{path} is not a WARC file, or it is damaged: {error}.") from error


def members(path: Path) -> Iterator[GzipMember]:
    """Every gzip member of a file, in order. Raises `NotWarcError` where it does not
    read as gzip.
    """
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as view:
            offset = 0
            while offset < len(view):
                member = _member(path, view, offset)
                yield member
                offset += member.length


def record_in(member: bytes) -> Record:
    """The record in a gzip member. Raises `ValueError` if there is none."""
    try:
        unpacked = isal_zlib.decompress(member, _GZIP)
    except (IsalError, EOFError) as error:  # type: ignore[misc]  # isal's stubs lack it
        raise ValueError(str(error)) from error
    return next(_records(BytesIO(unpacked)))


def headers_at(start: bytes) -> tuple[dict[str, str], int]:
    """The headers that a record begins with, and how long they are. Raises `ValueError`."""
    stream = BytesIO(start)
    return _headers(stream, stream.readline()), stream.tell()


def url_in(headers: dict[str, str]) -> str:
    return headers.get("warc-target-uri", "").strip().strip("<>")


class _Unpacked(RawIOBase):
    """Gzip members one after another, as one stream; it ends where they are damaged,
    and says how.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._packed = b""
        self._unpacker = isal_zlib.decompressobj(_GZIP)
        self._inside = False  # a member
        self.damage = ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.damage and (self._packed or self._more()):
            try:
                piece = self._unpacker.decompress(self._packed, len(buffer))
            except IsalError as error:  # type: ignore[misc]  # isal's stubs lack it
                self.damage = str(error)
                break
            self._inside = not self._unpacker.eof
            self._packed = (
                self._unpacker.unconsumed_tail if self._inside else self._unpacker.unused_data
            )
            if not self._inside:
                self._unpacker = isal_zlib.decompressobj(_GZIP)
            if piece:
                buffer[: len(piece)] = piece
                return len(piece)
        return 0

    def _more(self) -> bool:
        self._packed = self._raw.read(_CHUNK)
        if not self._packed and self._inside:
            self.damage = "it ends in the middle of a record"
        return bool(self._packed)


def _records(stream: BinaryIO) -> Iterator[Record]:
    while first := stream.readline(_HEAD):
        if not first.strip():
            continue
        headers = _headers(stream, first)
        length = length_in(headers)
        content = stream.read(length)
        if len(content) < length:
            raise ValueError("it ends in the middle of a record")
        yield Record(headers, content)


def length_in(headers: dict[str, str]) -> int:
    """How long a record is, by its headers. Raises `ValueError`."""
    told = headers.get("content-length", "")
    if not re.fullmatch(r"[0-9]{1,18}", told):
        raise ValueError("a record without its length")
    if int(told) > _MOST:
        raise ValueError(f"a record of {told} bytes")
    return int(told)


def _headers(stream: BinaryIO, first: bytes) -> dict[str, str]:
    if not first.startswith(b"WARC/"):
        raise ValueError(f"a record begins with {first[:20]!r}")
    headers: dict[str, str] = {}
    name = ""
    for _ in range(_MAX_LINES):
        line = stream.readline(_HEAD)
        if not line.strip():
            return headers
        if line[:1] in b" \t" and name:  # a value that goes on
            headers[name] += " " + line.decode("utf-8", "replace").strip()
            continue
        key, _, value = line.decode("utf-8", "replace").partition(":")
        name = key.strip().lower()
        if name == _REPEATED and name in headers:
            headers[name] += " " + value.strip()
        else:
            headers[name] = value.strip()
    raise ValueError("headers without an end")


def _member(path: Path, view: mmap, offset: int) -> GzipMember:
    unpacker = isal_zlib.decompressobj(_GZIP)
    end, size, start = offset, 0, b""
    try:
        while not unpacker.eof:
            chunk = view[end : end + _CHUNK]
            if not chunk:
                raise NotWarcError(f"{path} ends in the middle of a record; it is damaged.")
            out = unpacker.decompress(chunk)
            end += len(chunk)
            size += len(out)
            if len(start) < _HEAD:
                start += out[:_HEAD]
    except IsalError as error:  # type: ignore[misc]  # isal's stubs lack it
        raise NotWarcError(f"{path} is not gzip at byte {offset}: {error}.") from error
    return GzipMember(offset, end - len(unpacker.unused_data) - offset, start, size)


def is_http(content: bytes) -> bool:
    """Whether it begins as an HTTP response does."""
    return _STATUS.match(content[:100].decode("latin-1")) is not None


def http_parts(content: bytes) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
    """Status, headers and body of a recorded HTTP response. Raises `ValueError` if it is none."""
    end = _END.search(content)
    head, body = (content[: end.start()], content[end.end() :]) if end else (content, b"")
    # A line that begins with a space goes on with the one before; a lone CR ends none.
    lines = (
        _FOLD.sub(" ", head.decode("latin-1")).replace("\r\n", "\n").replace("\r", " ").split("\n")
    )
    found = _STATUS.match(lines[0])
    if not found:
        raise ValueError("not an HTTP response")
    status = int(found[1])
    if status < 200:  # noqa: PLR2004 - "100 Continue": the response comes after it
        return http_parts(body)
    pairs = (line.partition(":") for line in lines[1:] if ":" in line)
    # Only blanks are stripped: the last byte of "\u00e0" in UTF-8 looks like a space in Latin-1.
    headers = tuple((name.strip(_BLANK), value.strip(_BLANK)) for name, _, value in pairs)
    if any(
        name.lower() == "transfer-encoding" and "chunked" in value.lower()
        for name, value in headers
    ):
        body = _dechunked(body)
    return status, headers, body


def _dechunked(body: bytes) -> bytes:
    """A chunked body in one piece; tools that put it together but kept the header leave it as it
    is.
    """
    pieces: list[bytes] = []
    rest = body
    while True:
        line, separator, rest = rest.partition(b"\r\n")
        try:
            size = int(line.split(b";")[0].strip(), 16)
        except ValueError:
            return body
        if not separator or size > len(rest):
            return body
        if size == 0:
            return b"".join(pieces)
        pieces.append(rest[:size])
        rest = rest[size + 2 :]


def is_packed(path: Path) -> bool:
    """Whether a file begins as gzip does."""
    with path.open("rb") as file:
        return file.read(2) == _MAGIC


def files_of(directory: Path) -> list[Path]:
    """The WARC files of a web, in order of their names."""
    return sorted(chain(directory.glob("*.warc.gz"), directory.glob("*.warc")))
