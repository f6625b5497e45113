"""The raw responses, as WARC 1.1: gzip, one member a record, so that each can be read by its
offset.

The files are append-only and the database says how far they are committed. What a killed process
wrote behind that is cut off before the next one appends.
"""

import errno
import gzip
import os
import re
import zlib
from base64 import b32encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha1
from itertools import count
from pathlib import Path
from typing import Annotated, BinaryIO, Self
from uuid import uuid4

from isal import isal_zlib
from isal.igzip_lib import IsalError
from msgspec import Meta, Struct

from motherlode.records import Archived, DiskFullError, ReadOnlyError, StoreError

_NAME = re.compile(r"lode-(\d{5,})\.warc\.gz")
_GZIP = 31  # zlib's window bits for a gzip member
_MAGIC = b"\x1f\x8b"
GZIPPED = b"Content-Encoding: gzip\r\n"  # in the head of a response whose body is packed
_BUFFER = 1 << 20
_HEAD = 16_384  # bytes of a record that have its headers
_DIGEST = re.compile(rb"^WARC-Payload-Digest: (\S+)", re.MULTILINE)
_LEVEL = (
    1  # isal's first level packs about as well as zlib's sixth on Web pages, at a fifth of the time
)
_KINDS: dict[int, type[StoreError]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), DiskFullError),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), ReadOnlyError),
}


class ArchiveOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How raw responses are kept, as WARC files in the portal's archive/ directory."""

    max_mb: Annotated[
        int,
        Meta(
            ge=1, le=100_000, description="Begin a new WARC file when one has reached this, in MB."
        ),
    ] = 1000


class Identity(Struct, frozen=True):
    """Who crawled, for the `warcinfo` record that begins every file."""

    software: str
    operator: str = ""
    description: str = ""


class SentRequest(Struct, frozen=True):
    """A request as it was sent: request line and headers as one block, then the body."""

    head: bytes
    body: bytes


class Exchange(Struct, frozen=True):
    """A response as it came: status line and headers as one block, then the body, packed if they
    have `GZIPPED`.

    A response to a POST has its request, which gets a record of its own before it.
    """

    url: str
    fetched_at: float
    head: bytes
    body: bytes
    address: str = ""
    request: SentRequest | None = None


class Archive:
    """A directory of WARC files, written by one process at a time.

    With `durable`, a flush waits until the records are on the disk, not only with the operating
    system.
    """

    def __init__(
        self, directory: Path, options: ArchiveOptions, identity: Identity, *, durable: bool = False
    ) -> None:
        self._directory = directory
        self._limit = options.max_mb * 2**20
        self._identity = identity
        self._durable = durable
        self._file: BinaryIO | None = None
        self._before: dict[str, int] = {}  # the size each file had before this batch, by name
        self._sizes: dict[str, int] = {}  # and the size it has now

    def append(self, exchange: Exchange) -> Archived:
        """Write a response. It counts once the transaction that notes `flush()` is committed."""
        request_id = _record_id() if exchange.request is not None else ""
        member = _response_member(exchange, request_id)
        with _explained(self._directory):
            file = self._current(exchange.fetched_at)
            if exchange.request is not None:
                self._write(file, _request_member(exchange, exchange.request, request_id))
            return self._write(file, member)

    def flush(self) -> dict[str, int]:
        """Hand the batch's records over. Returns the sizes to note of the files they lie in, by
        name.
        """
        with _explained(self._directory):
            if self._file is not None:
                self._sync(self._file)
        return dict(self._sizes)

    def commit(self) -> None:
        """The transaction is through: what was written stays."""
        self._before, self._sizes = {}, {}

    def rollback(self) -> None:
        """The transaction failed: nothing of the batch stays."""
        before, self._before, self._sizes = self._before, {}, {}
        with suppress(StoreError):
            self.close()
        with _explained(self._directory):
            for name, size in before.items():
                _cut(self._directory / name, size)

    def abandon(self) -> None:
        """Nobody can say whether the transaction went through: `recover` cuts what did not."""
        self._before, self._sizes = {}, {}
        with suppress(StoreError):
            self.close()

    def read(self, archived: Archived) -> Exchange:
        """A response, from where it lies; unpacked."""
        path = self._directory / archived.file
        try:
            with path.open("rb") as file:
                file.seek(archived.offset)
                return _exchange(isal_zlib.decompress(file.read(archived.length), _GZIP))
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror or error}.") from error
        except (IsalError, zlib.error, EOFError, ValueError, KeyError) as error:  # type: ignore[misc]  # isal's stubs lack it
            raise StoreError(f"{path} holds no response at {archived.offset}.") from error

    def packed(self, archived: Archived) -> bytes:
        """A record as it lies there, packed: a gzip member that can be put into another file."""
        path = self._directory / archived.file
        try:
            with path.open("rb") as file:
                file.seek(archived.offset)
                member = file.read(archived.length)
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror or error}.") from error
        if len(member) < archived.length or not member.startswith(_MAGIC):
            raise StoreError(f"{path} holds no response at {archived.offset}.")
        return member

    def opening(self, name: str, at: float) -> bytes:
        """The packed record that a WARC file of this name begins with: who made it."""
        fields = {
            "software": self._identity.software,
            "format": "WARC file version 1.1",
            "operator": self._identity.operator,
            "description": self._identity.description,
        }
        about = "".join(
            f"{name}: {_one_line(value)}\r\n" for name, value in fields.items() if value
        )
        headers = {"WARC-Filename": name, "Content-Type": "application/warc-fields"}
        return _member("warcinfo", at, headers, (about.encode(errors="replace"),))

    def recover(self, committed: Mapping[str, int]) -> dict[str, int]:
        """Cut every file back to what is committed. Returns by how many bytes, by file.

        A file of which nothing is committed is put aside under another name, never removed: it may
        belong to a newer database than this one. A negative figure means that a file is shorter
        than was committed, as after a power cut.
        """
        cut: dict[str, int] = {}
        with _explained(self._directory):
            for path in sorted(self._files()):
                size, keep = path.stat().st_size, committed.get(path.name, 0)
                if keep == 0:
                    path.rename(_aside(path))
                elif size > keep:
                    os.truncate(path, keep)
                if size != keep:
                    cut[path.name] = size - keep
        missing = committed.keys() - {path.name for path in self._files()} - cut.keys()
        return cut | {name: -committed[name] for name in missing if committed[name]}

    def missing(self, committed: Mapping[str, int]) -> list[Path]:
        """The files that are committed and not there at all."""
        there = {path.name for path in self._files()}
        return [
            self._directory / name
            for name in sorted(committed)
            if committed[name] and name not in there
        ]

    def size(self, name: str) -> int:
        """How long a file really is; 0 if it is gone."""
        path = self._directory / name
        return path.stat().st_size if path.exists() else 0

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with _explained(self._directory):
                file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, file: BinaryIO, member: bytes) -> Archived:
        name = file.name.rpartition(os.sep)[2]
        offset = (
            self._sizes[name] if name in self._sizes else self._before.setdefault(name, file.tell())
        )
        file.write(member)
        self._sizes[name] = offset + len(member)
        return Archived(name, offset, len(member))

    def _current(self, at: float) -> BinaryIO:
        """The file to append to: the last one while it has room, then a new one."""
        if self._file is None:
            last = max(self._files(), default=None)
            self._file = last.open("ab", _BUFFER) if last else self._begin(1, at)
        if self._file.tell() >= self._limit:
            number = int(Path(self._file.name).name[5:-8]) + 1
            self._sync(self._file)
            self._file.close()
            self._file = self._begin(number, at)
        return self._file

    def _begin(self, number: int, at: float) -> BinaryIO:
        self._directory.mkdir(parents=True, exist_ok=True)
        path = self._directory / f"lode-{number:05d}.warc.gz"
        file = path.open("ab", _BUFFER)
        self._write(file, self.opening(path.name, at))
        return file

    def _sync(self, file: BinaryIO) -> None:
        file.flush()
        if self._durable:
            os.fsync(file.fileno())

    def _files(self) -> Iterator[Path]:
        if self._directory.is_dir():
            yield from (path for path in self._directory.iterdir() if _NAME.fullmatch(path.name))


def payload_digest(member: bytes) -> str:
    """The digest that a packed record has of its body, which may be packed itself; or nothing."""
    head = zlib.decompressobj(_GZIP).decompress(member, _HEAD).partition(b"\r\n\r\n")[0]
    found = _DIGEST.search(head)
    return found[1].decode("ascii", "replace") if found else ""


def _response_member(exchange: Exchange, request_id: str) -> bytes:
    headers = _headers_of(exchange, "response", exchange.body)
    if exchange.address:
        headers["WARC-IP-Address"] = exchange.address
    if request_id:
        headers["WARC-Concurrent-To"] = request_id
    content = (exchange.head, b"\r\n", exchange.body)
    return _member("response", exchange.fetched_at, headers, content)


def _request_member(exchange: Exchange, request: SentRequest, record_id: str) -> bytes:
    """The record of a request, which is named by that of its response."""
    headers = _headers_of(exchange, "request", request.body) | {"WARC-Record-ID": record_id}
    content = (request.head, b"\r\n", request.body)
    return _member("request", exchange.fetched_at, headers, content)


def _headers_of(exchange: Exchange, kind: str, payload: bytes) -> dict[str, str]:
    digest = b32encode(sha1(payload).digest()).decode()  # noqa: S324 - what readers of WARC check
    return {
        "WARC-Target-URI": exchange.url,
        "WARC-Payload-Digest": f"sha1:{digest}",
        "Content-Type": f"application/http; msgtype={kind}",
    }


def _record_id() -> str:
    return f"<urn:uuid:{uuid4()}>"


def _member(kind: str, at: float, headers: Mapping[str, str], content: Sequence[bytes]) -> bytes:
    """A record as a gzip member of its own. What is packed already is only wrapped: to pack it
    again would take as long, and save nothing.
    """
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        *(() if "WARC-Record-ID" in headers else (f"WARC-Record-ID: {_record_id()}",)),
        f"WARC-Date: {datetime.fromtimestamp(at, UTC).strftime('%Y-%m-%dT%H:%M:%S.%fZ')}",
        *(f"{name}: {_one_line(value)}" for name, value in headers.items()),
        f"Content-Length: {sum(map(len, content))}",
    ]
    head = "\r\n".join(lines).encode(errors="replace") + b"\r\n\r\n"
    record = b"".join((head, *content, b"\r\n\r\n"))
    if content[0].endswith(GZIPPED):
        return zlib.compress(record, 0, _GZIP)
    packer = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _GZIP)
    packed: bytes = packer.compress(record) + packer.flush()
    return packed


def _cut(path: Path, size: int) -> None:
    if size == 0:
        path.unlink(missing_ok=True)
    else:
        os.truncate(path, size)


def _aside(path: Path) -> Path:
    """A name for a file that is not ours to read: `lode-00001.warc.gz.1.aside`, the first that is
    free.
    """
    names = (path.with_name(f"{path.name}.{number}.aside") for number in count(1))
    return next(name for name in names if not name.exists())


@contextmanager
def _explained(directory: Path) -> Iterator[None]:
    """Turn the operating system's error into the family's."""
    try:
        yield
    except OSError as error:
        kind = _KINDS.get(error.errno or 0, StoreError)
        kept = (
            "; the unfinished batch was dropped and all before it is kept"
            if kind is DiskFullError
            else ""
        )
        raise kind(f"{directory} cannot be written: {error.strerror or error}{kept}.") from error


def _exchange(record: bytes) -> Exchange:
    """The response in a record of ours."""
    described, _, content = record.partition(b"\r\n\r\n")
    lines = described.decode().split("\r\n")[1:]
    headers = dict(line.split(": ", 1) for line in lines)
    head, _, body = content[: int(headers["Content-Length"])].partition(b"\r\n\r\n")
    head += b"\r\n"
    if head.endswith(GZIPPED):
        head, body = head.removesuffix(GZIPPED), gzip.decompress(body)
    fetched_at = datetime.fromisoformat(headers["WARC-Date"]).timestamp()
    address = headers.get("WARC-IP-Address", "")
    return Exchange(headers["WARC-Target-URI"], fetched_at, head, body, address)


def _one_line(value: str) -> str:
    return " ".join(value.split())
