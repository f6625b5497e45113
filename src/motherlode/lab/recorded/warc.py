"""Reading WARC of any origin: records one after another, or one gzip member by its offset."""

from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO, cast

from isal import igzip, isal_zlib
from isal.igzip_lib import IsalError
from msgspec import Struct

from motherlode.records import BadInputError

_GZIP = 31  # zlib's window bits for a gzip member
_CHUNK = 16 * 1024
_HEAD = 16 * 1024  # more than the headers of a record take
_MAX_LINES = 1000


class Record(Struct, frozen=True):
    """A WARC record; header names in lower case."""

    headers: dict[str, str]
    content: bytes

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "").lower()

    @property
    def url(self) -> str:
        return self.headers.get("warc-target-uri", "").strip().strip("<>")


class Member(Struct, frozen=True):
    """A gzip member and the start of what it holds."""

    offset: int
    length: int
    start: bytes
    size: int


class NotWarcError(BadInputError):
    """A file that is no WARC, or a damaged one."""


def records(path: Path) -> Iterator[Record]:
    """Every record of a WARC file, however it is compressed."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            yield from _records(_unpacking(raw) if packed else raw)
    except FileNotFoundError as error:
        raise BadInputError(f"There is no file {path}.") from error
    except (OSError, EOFError, ValueError, IsalError) as error:  # type: ignore[misc]  # isal's stubs lack it
        raise NotWarcError(f"{path} is not a WARC file, or it is damaged: {error}.") from error


def members(path: Path) -> Iterator[Member]:
    """Every gzip member of a file, in order. Raises `NotWarcError` where it does not read as gzip."""
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


def _unpacking(raw: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", igzip.open(raw))  # type: ignore[no-untyped-call]


def _records(stream: BinaryIO) -> Iterator[Record]:
    while first := stream.readline(_HEAD):
        if not first.strip():
            continue
        headers = _headers(stream, first)
        length = int(headers.get("content-length", "-1"))
        if length < 0:
            raise ValueError("a record without its length")
        content = stream.read(length)
        if len(content) < length:
            raise ValueError("it ends in the middle of a record")
        yield Record(headers, content)


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
        headers[name] = value.strip()
    raise ValueError("headers without an end")


def _member(path: Path, view: mmap, offset: int) -> Member:
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
    return Member(offset, end - len(unpacker.unused_data) - offset, start, size)


def http_parts(content: bytes) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
    """Status, headers and body of a recorded HTTP response. Raises `ValueError` if it is none."""
    head, separator, body = content.partition(b"\r\n\r\n")
    if not separator:
        head, _, body = content.partition(b"\n\n")
    first, *lines = head.decode("latin-1").splitlines()
    version, _, rest = first.partition(" ")
    if not version.upper().startswith("HTTP/"):
        raise ValueError("not an HTTP response")
    pairs = (line.partition(":") for line in lines if ":" in line)
    headers = tuple((name.strip(), value.strip()) for name, _, value in pairs)
    if any(name.lower() == "transfer-encoding" and "chunked" in value.lower() for name, value in headers):
        body = _dechunked(body)
    return int(rest[:3]), headers, body


def _dechunked(body: bytes) -> bytes:
    """A chunked body in one piece; tools that put it together but kept the header leave it as it is."""
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


def files_of(directory: Path) -> list[Path]:
    """The WARC files of a web, in order of their names."""
    return sorted(chain(directory.glob("*.warc.gz"), directory.glob("*.warc")))
