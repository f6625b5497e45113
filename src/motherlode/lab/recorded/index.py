"""Where each URL's response lies: made by one pass over the archive, kept in the cache for the next
start.
"""

from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from motherlode.lab.recorded.warc import (
    GzipMember,
    NotWarcError,
    Payloads,
    files_of,
    headers_at,
    is_http,
    is_packed,
    length_in,
    members,
    url_in,
)
from motherlode.lexicon.cache import cached, forget
from motherlode.records import BadInputError
from motherlode.urls import UrlError, canonical

_FORM = 2  # of the cached index; another number makes it anew


class MemberLocation(Struct, frozen=True, gc=False, array_like=True):
    """One gzip member of one of the web's files."""

    file: int
    offset: int
    length: int


class Index(Struct, frozen=True):
    """Places by canonical URL; `spelled` has URLs that were recorded under another spelling."""

    files: tuple[str, ...]
    places: dict[str, MemberLocation]
    spelled: dict[str, MemberLocation]

    def find(self, url: str) -> MemberLocation | None:
        found = self.spelled.get(url) or self.places.get(url)
        if found is None:
            try:
                found = self.places.get(canonical(url))
            except UrlError:
                return None
        return found


def index_of(directory: Path) -> Index:
    """The index of a web's archive, out of the cache if the files are as they were."""
    files = files_of(directory)
    if not files:
        raise BadInputError(f"{directory} has no WARC files (*.warc.gz).")
    try:
        name = f"{directory.resolve().name}-{fingerprint(files)}.index"
        packed = cached("webs", name, lambda: msgspec.msgpack.encode(_scan(files)))
        try:
            return msgspec.msgpack.decode(packed, type=Index)
        except (msgspec.MsgspecError, UnicodeDecodeError):  # a cache file that someone damaged
            forget("webs", name)
            return _scan(files)
    except OSError as error:
        raise BadInputError(f"{directory} cannot be read: {error.strerror or error}.") from error


def fingerprint(files: list[Path]) -> str:
    """A name for the files as they are."""
    told = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return blake2b(repr((_FORM, told)).encode(), digest_size=10).hexdigest()


def _scan(files: list[Path]) -> Index:
    index = Index(tuple(file.name for file in files), {}, {})
    payloads: Payloads[MemberLocation] = Payloads()
    for number, file in enumerate(files):
        if file.stat().st_size and not is_packed(file):
            raise NotWarcError(_rerecord(file, "is not compressed"))
        for member in members(file):
            _note(index, payloads, file, number, member)
    return index


def _note(
    index: Index, payloads: Payloads[MemberLocation], file: Path, number: int, member: GzipMember
) -> None:
    """Add what a member holds; the last recording of a URL counts."""
    try:
        headers, length = headers_at(member.start)
        content = length_in(headers)
    except ValueError as error:
        raise NotWarcError(
            f"{file} is not a WARC file at byte {member.offset}: {error}."
        ) from error
    if member.size < length + content:
        raise NotWarcError(f"{file} is damaged: the record at byte {member.offset} is cut short.")
    if member.size > length + content + len(b"\r\n\r\n"):
        raise NotWarcError(_rerecord(file, "has several records in one gzip member"))
    kind = headers.get("warc-type", "").lower()
    place: MemberLocation | None = MemberLocation(number, member.offset, member.length)
    if kind == "revisit":
        place = payloads.find(headers)
    elif kind != "resource" and not (kind == "response" and is_http(member.start[length:])):
        return
    if place is None:
        return
    if kind != "revisit":
        payloads.note(headers, place)
    url = url_in(headers)
    try:
        spelling = canonical(url)
    except UrlError:  # dns: records and the like
        return
    index.places[spelling] = place
    if spelling != url:
        index.spelled[url] = place


def _rerecord(file: Path, what: str) -> str:
    return (
        f"{file} {what}; 'lode sandbox record NEW {file.name}' makes a web of it that can be "
        "served."
    )
