"""Where each URL's response lies: made by one pass over the archive, kept in the cache for the next
start.
"""

from collections import OrderedDict
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from motherlode.lab.recorded.posts import is_posted, post_key, posted_request, record_names
from motherlode.lab.recorded.warc import (
    GzipMember,
    NotWarcError,
    Payloads,
    Record,
    files_of,
    headers_at,
    is_http,
    is_packed,
    length_in,
    members,
    record_in,
    url_in,
)
from motherlode.lexicon.cache import cached, forget
from motherlode.records import BadInputError
from motherlode.urls import UrlError, canonical

_FORM = 3  # of the cached index; another number makes it anew

_RECENT = 10_000  # names of records; a request stands near its response


class MemberLocation(Struct, frozen=True, gc=False, array_like=True):
    """One gzip member of one of the web's files."""

    file: int
    offset: int
    length: int


class Index(Struct, frozen=True):
    """Places by canonical URL; `spelled` has URLs that were recorded under another spelling.

    `posts` has the answers to POST requests, by `posts.post_key`.
    """

    files: tuple[str, ...]
    places: dict[str, MemberLocation]
    spelled: dict[str, MemberLocation]
    posts: dict[str, MemberLocation]

    def find_post(self, url: str, body: bytes) -> MemberLocation | None:
        """Return where the answer to a POST of this very body lies."""
        try:
            return self.posts.get(post_key(canonical(url), body))
        except UrlError:
            return None

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
    scan = _Scan(files)
    for number, file in enumerate(files):
        if file.stat().st_size and not is_packed(file):
            raise NotWarcError(_rerecord(file, "is not compressed"))
        for member in members(file):
            scan.note(number, member)
    return scan.index


class _Noted(Struct, frozen=True):
    """A response that was taken for that of its URL, and what was there before."""

    place: MemberLocation
    url: str
    spelling: str
    place_before: MemberLocation | None
    spelled_before: MemberLocation | None


class _Scan:
    """An index in the making, told of one record after another."""

    def __init__(self, files: list[Path]) -> None:
        self.index = Index(tuple(file.name for file in files), {}, {}, {})
        self._files = files
        self._payloads: Payloads[MemberLocation] = Payloads()
        self._posted: dict[str, str] = {}  # keys of POST requests by the names of their records
        self._recent: OrderedDict[str, _Noted] = OrderedDict()  # by the names of their records

    def note(self, number: int, member: GzipMember) -> None:
        """Add what a member holds; the last recording of a URL counts."""
        file = self._files[number]
        headers, length = _checked_headers(file, member)
        kind = headers.get("warc-type", "").lower()
        if kind == "request" and is_posted(member.start[length:]):
            self._note_post(file, member)
            return
        place: MemberLocation | None = MemberLocation(number, member.offset, member.length)
        if kind == "revisit":
            place = self._payloads.find(headers)
        elif kind != "resource" and not (kind == "response" and is_http(member.start[length:])):
            return
        if place is None:
            return
        if kind != "revisit":
            self._payloads.note(headers, place)
        self._note_answer(headers, place)

    def _note_answer(self, headers: dict[str, str], place: MemberLocation) -> None:
        names = record_names(headers)
        key = next((self._posted[name] for name in names if name in self._posted), None)
        if key is not None:
            self._place_post(key, place)
            return
        url = url_in(headers)
        try:
            spelling = canonical(url)
        except UrlError:  # dns: records and the like
            return
        places, spelled = self.index.places, self.index.spelled
        noted = _Noted(place, url, spelling, places.get(spelling), spelled.get(url))
        for name in names:
            self._recent[name] = noted
        while len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        places[spelling] = place
        if spelling != url:
            spelled[url] = place

    def _note_post(self, file: Path, member: GzipMember) -> None:
        """Remember a request; its response may stand before or behind it."""
        request = posted_request(_record_at(file, member))
        for name in request.names:
            self._posted[name] = request.key
        for name in request.names:
            noted = self._recent.pop(name, None)
            if noted is not None:
                self._take_back(noted)
                self._place_post(request.key, noted.place)
                return

    def _place_post(self, key: str, place: MemberLocation) -> None:
        if key:
            self.index.posts[key] = place

    def _take_back(self, noted: _Noted) -> None:
        """Let a response no longer stand for its URL."""
        for places, url, before in (
            (self.index.places, noted.spelling, noted.place_before),
            (self.index.spelled, noted.url, noted.spelled_before),
        ):
            if places.get(url) != noted.place:
                continue
            if before is None:
                del places[url]
            else:
                places[url] = before


def _checked_headers(file: Path, member: GzipMember) -> tuple[dict[str, str], int]:
    """Return the headers of a member's record and their length. Raises `NotWarcError`."""
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
    return headers, length


def _record_at(file: Path, member: GzipMember) -> Record:
    with file.open("rb") as packed:
        packed.seek(member.offset)
        return record_in(packed.read(member.length))


def _rerecord(file: Path, what: str) -> str:
    return (
        f"{file} {what}; 'lode sandbox record NEW {file.name}' makes a web of it that can be "
        "served."
    )
