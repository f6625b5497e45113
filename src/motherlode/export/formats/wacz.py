"""WACZ 1.1.1: a WARC file with its index and a list of its pages, in one zip.

https://specs.webrecorder.net/wacz/1.1.1/. The index is CDXJ in gzip members of some lines each,
with `index.idx` to find the right one (ZipNum); a reader may as well unpack it as a whole.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from gzip import compress
from hashlib import sha256
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from msgspec import Struct

from motherlode.export.external_sort import sorted_lines
from motherlode.export.records import PackedResponse, PageRecord, shown_time
from motherlode.export.text_cleaner import label, whole
from motherlode.records.digests import shown_digest
from motherlode.store.archive import payload_digest

WARC = "data.warc.gz"
_LINES = 1_000  # of the index in a gzip member
_CHUNK = 2**16
_NOTHING_MORE = b"\xfe\xca\x00\x00"
_WWW = re.compile(r"www\d*\.")
_NUMBERS = re.compile(r"[\d.]+|\[.*")


class ArchiveInfo(Struct, frozen=True):
    """Whose archive it is, and when it was made."""

    title: str
    software: str
    made_at: float
    opening: bytes  # the packed record that the WARC file begins with


def write_wacz(responses: Iterable[PackedResponse], out: BinaryIO, about: ArchiveInfo) -> int:
    """Write the archive, what finds things in it, and what says that it is whole; returns how many
    pages.
    """
    with TemporaryFile() as lines, TemporaryFile() as pages, ZipFile(out, "w") as package:
        parcel = _Parcel(package, about.made_at)
        number = _write_archive(parcel, responses, about.opening, (lines, pages))
        lines.seek(0)
        _write_index(parcel, sorted_lines(lines))
        pages.seek(0)
        with parcel.entry("pages/pages.jsonl") as entry:
            while chunk := pages.read(_CHUNK):
                entry.write(chunk)
        _write_description(parcel, about)
    return number


class _ZipEntry:
    """A file in the zip, with its digest and its length."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self.digest.update(data)
        self.size += len(data)


class _Parcel:
    """The zip, and what its description says of the files in it."""

    def __init__(self, package: ZipFile, made_at: float) -> None:
        self._package = package
        self._date = datetime.fromtimestamp(max(made_at, 315532800.0), UTC).timetuple()[
            :6
        ]  # zip begins in 1980
        self.resources: list[dict[str, Any]] = []

    @contextmanager
    def entry(self, path: str) -> Iterator[_ZipEntry]:
        info = ZipInfo(path, self._date)
        # What is packed already stays as it is, so that readers can find their way by offsets.
        info.compress_type = ZIP_STORED if path.endswith((".gz", ".idx")) else ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        # Sizes are not known beforehand, so there is room for large ones where each file begins,
        # but in the zip's directory only if they are. ReplayWeb.page skips that room only where the
        # directory has some extra field, too: this one, as in Java's archives, says nothing.
        info.extra = _NOTHING_MORE
        with self._package.open(info, "w", force_zip64=True) as file:
            entry = _ZipEntry(file)
            yield entry
        digest = f"sha256:{entry.digest.hexdigest()}"
        name = path.rpartition("/")[2]
        self.resources.append({"name": name, "path": path, "hash": digest, "bytes": entry.size})


def _write_archive(
    parcel: _Parcel,
    responses: Iterable[PackedResponse],
    opening: bytes,
    notes: tuple[IO[bytes], IO[bytes]],
) -> int:
    """Write the WARC file, and note lines for the index and for the list of pages."""
    lines, pages = notes
    number = 0
    pages.write(_json({"format": "json-pages-1.0", "id": "pages", "title": "All pages"}))
    with parcel.entry(f"archive/{WARC}") as entry:
        entry.write(opening)
        for number, response in enumerate(responses, 1):  # noqa: B007 - the last one counts
            lines.write(_index_line(response, entry.size))
            pages.write(_page_line(response.page))
            entry.write(response.member)
    return number


def _write_index(parcel: _Parcel, lines: Iterator[bytes]) -> None:
    """Write the index in parts, then where each part begins."""
    parts = [_json({"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}, before="!meta 0 ")]
    with parcel.entry("indexes/index.cdx.gz") as entry:
        while part := list(islice(lines, _LINES)):
            packed = compress(b"".join(part), mtime=0)
            key = part[0].partition(b" {")[0].decode()
            digest = f"sha256:{sha256(packed).hexdigest()}"
            where = {
                "offset": entry.size,
                "length": len(packed),
                "digest": digest,
                "filename": "index.cdx.gz",
            }
            parts.append(_json(where, before=f"{key} "))
            entry.write(packed)
    with parcel.entry("indexes/index.idx") as entry:
        entry.write(b"".join(parts))


def _write_description(parcel: _Parcel, about: ArchiveInfo) -> None:
    described = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": label(about.title),
        "software": label(about.software),
        "created": shown_time(about.made_at),
        "resources": list(parcel.resources),
    }
    with parcel.entry("datapackage.json") as entry:
        entry.write(json.dumps(described, indent=2).encode())
    digest = f"sha256:{entry.digest.hexdigest()}"
    with parcel.entry("datapackage-digest.json") as entry:
        entry.write(_json({"path": "datapackage.json", "hash": digest}))


def _index_line(response: PackedResponse, offset: int) -> bytes:
    page = response.page
    stamp = datetime.fromtimestamp(page.fetched_at, UTC).strftime("%Y%m%d%H%M%S")
    found = {
        "url": whole(page.url),
        "mime": whole(page.mime),
        "status": str(page.status),
        "digest": payload_digest(response.member) or shown_digest(page.digest),
        "length": str(len(response.member)),
        "offset": str(offset),
        "filename": WARC,
    }
    return _json(found, before=f"{surt(page.url)} {stamp} ")


def _page_line(page: PageRecord) -> bytes:
    said = {
        "id": str(page.id),
        "url": whole(page.url),
        "ts": shown_time(page.fetched_at),
        "title": label(page.title),
    }
    return _json(said if page.text is None else {**said, "text": whole(page.text)})


def surt(url: str) -> str:
    """A URL as an index sorts it: the host turned round, without www, in small letters.

    >>> surt("https://www.Owls.example:8080/Barn?x=1")
    'example,owls:8080)/barn?x=1'
    """
    parts = urlsplit(whole(url).lower())
    host, _, port = (
        parts.netloc.partition(":") if not parts.netloc.startswith("[") else (parts.netloc, "", "")
    )
    if not _NUMBERS.fullmatch(host):
        host = ",".join(reversed(_WWW.sub("", host, count=1).split(".")))
    query = f"?{parts.query}" if parts.query else ""
    return re.sub(r"\s", "%20", f"{host}{f':{port}' if port else ''}){parts.path or '/'}{query}")


def _json(value: dict[str, Any], before: str = "") -> bytes:
    return f"{before}{json.dumps(value)}\n".encode("ascii", "replace")
