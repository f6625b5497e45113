"""Making a recorded web out of WARC files of any origin."""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp

from msgspec import Struct
from msgspec.structs import replace

from motherlode import __version__
from motherlode.lab import description
from motherlode.lab.labels import FILE, Labels, read_labels, write_labels
from motherlode.lab.recorded.posts import PostedRequest, is_posted, posted_request, record_names
from motherlode.lab.recorded.warc import NotWarcError, Payloads, Record, http_parts, records
from motherlode.portal.config_writer import toml_value
from motherlode.records import BadInputError
from motherlode.sources.bookmarks import filed, read_bookmarks
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity, SentRequest
from motherlode.urls import UrlError, canonical, host_of

_END = re.compile(rb"\r?\n\r?\n")
_LABEL = re.compile(rb"^\s*https?:[^\t\r\n]*\t", re.IGNORECASE | re.MULTILINE)  # a URL and a tab


class Recorded(Struct, frozen=True):
    """What became of it: `strangers` are labels of pages that the archive does not have, `damage`
    what is wrong with files that could not be read to their end.
    """

    pages: int
    hosts: int
    labels: int
    strangers: int
    damage: tuple[str, ...] = ()


def record(
    directory: Path, sources: Sequence[Path], labelled: Path | None, note: str = ""
) -> Recorded:
    """Copy the responses of some WARC files into a new web, the last of each URL, and label its
    pages.

    It is there whole or not at all. Of a file that is damaged, what comes before the damage is
    taken.
    """
    labels = _labels(labelled)
    damage: dict[Path, str] = {}
    posts = _posts(sources)
    latest = _latest(sources, damage, posts)
    if not latest and not posts.answers:
        raise BadInputError(
            next(
                iter(damage.values()),
                f"{sources[0]} holds no HTTP responses; there is nothing to serve.",
            )
        )
    known = {url: topics for url, topics in labels.items() if url in latest}
    try:
        with _workshop(directory) as workshop:
            _copy(workshop, sources, latest, posts)
            write_labels(workshop / FILE, Labels(known))
            _describe(workshop, directory.resolve().name, note)
    except OSError as error:
        raise BadInputError(f"{directory} cannot be written: {error.strerror or error}.") from error
    hosts = {host_of(url) for url in (*latest, *posts.answers)}
    strangers = len(labels) - len(known)
    return Recorded(len(latest), len(hosts), len(known), strangers, tuple(damage.values()))


@contextmanager
def _workshop(directory: Path) -> Iterator[Path]:
    """A hidden directory that takes the place of the wanted one when all is done."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise BadInputError(f"{directory} is not empty; name a new directory.")
    place = directory.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    workshop = Path(mkdtemp(prefix=f".{place.name[:100]}.", dir=place.parent))
    try:
        yield workshop
        workshop.chmod(0o755)
        workshop.rename(place)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


class _Posts:
    """POST requests by the names of their records, and which record answers each."""

    def __init__(self) -> None:
        self.requests: dict[str, tuple[PostedRequest, SentRequest]] = {}
        self.answers: dict[str, tuple[int, SentRequest]] = {}  # by key: record number, request

    def request_of(self, one: Record) -> tuple[PostedRequest, SentRequest] | None:
        names = record_names(one.headers)
        return next((self.requests[name] for name in names if name in self.requests), None)


def _posts(sources: Sequence[Path]) -> _Posts:
    posts = _Posts()
    for one in _all(sources, {}):
        if one.kind == "request" and is_posted(one.content):
            request = posted_request(one)
            for name in request.names:
                posts.requests[name] = (request, _sent(one.content))
    return posts


def _sent(content: bytes) -> SentRequest:
    end = _END.search(content)
    if end is None:
        return SentRequest(content, b"")
    head = b"".join(line + b"\r\n" for line in content[: end.start()].splitlines())
    return SentRequest(head, content[end.end() :])


def _latest(sources: Sequence[Path], damage: dict[Path, str], posts: _Posts) -> dict[str, int]:
    """The number of the record that has the last response for each URL; those to a POST are noted
    in `posts`.
    """
    found: dict[str, int] = {}
    payloads: Payloads[int] = Payloads()
    for number, one in enumerate(_all(sources, damage)):
        url = _url(one)
        if url is None:
            continue
        place: int | None = None
        if one.kind == "revisit":
            place = payloads.find(one.headers)
        elif one.kind in ("response", "resource") and _parts(one) is not None:
            place = number
            payloads.note(one.headers, number)
        if place is None:
            continue
        posted = posts.request_of(one)
        if posted is None:
            found[url] = place
        elif posted[0].key:
            posts.answers[posted[0].key] = (place, posted[1])
    return found


def _copy(directory: Path, sources: Sequence[Path], latest: dict[str, int], posts: _Posts) -> None:
    wanted: dict[int, list[tuple[str, SentRequest | None]]] = {}
    for url, number in latest.items():
        wanted.setdefault(number, []).append((url, None))
    for key, (number, sent) in posts.answers.items():
        wanted.setdefault(number, []).append((key.partition(" ")[0], sent))
    identity = Identity(f"Motherlode {__version__}", description="a recorded web")
    with Archive(directory, ArchiveOptions(), identity) as archive:
        for number, one in enumerate(_all(sources, {})):
            for url, request in wanted.get(number, ()):
                archive.append(replace(_exchange(one, url), request=request))
        archive.flush()
        archive.commit()


def _all(sources: Sequence[Path], damage: dict[Path, str]) -> Iterator[Record]:
    """Every record up to the end of its file or to what is damaged in it, which is noted."""
    for source in sources:
        try:
            yield from records(source)
        except NotWarcError as error:
            damage[source] = str(error)


def _url(one: Record) -> str | None:
    try:
        return canonical(one.url)
    except UrlError:
        return None


def _parts(one: Record) -> tuple[int, tuple[tuple[str, str], ...], bytes] | None:
    if one.kind == "resource":
        return 200, (("Content-Type", one.headers.get("content-type", "")),), one.content
    try:
        return http_parts(one.content)
    except ValueError:
        return None


def _exchange(one: Record, url: str) -> Exchange:
    parts = _parts(one)
    if parts is None:  # it could be read a moment ago
        raise BadInputError(f"The response for {url} changed while it was copied.")
    status, headers, body = parts
    kept = [(name, value) for name, value in headers if name.lower() != "transfer-encoding"]
    head = "".join(f"{name}: {value}\r\n" for name, value in kept)
    return Exchange(
        url, _date(one), f"HTTP/1.1 {status} -\r\n{head}".encode("latin-1", "replace"), body
    )


def _date(one: Record) -> float:
    try:
        return datetime.fromisoformat(one.headers.get("warc-date", "")).timestamp()
    except ValueError:
        return 0.0


def _labels(path: Path | None) -> Labels:
    """Labels from lines with tabs, or from bookmarks, where a page's topic is the path of its
    folders.
    """
    if path is None:
        return Labels({})
    try:
        start = path.read_bytes()[:2000]
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.") from error
    if _LABEL.search(start):
        return read_labels(path)
    topics_of: dict[str, set[str]] = {}
    for folders, bookmark in filed(read_bookmarks(path)):
        topic = "/".join(name.replace("/", "-") for name in folders)
        with suppress(UrlError):
            if topic:
                topics_of.setdefault(canonical(bookmark.url), set()).add(topic)
    if not topics_of:
        raise BadInputError(
            f"{path} labels nothing: give lines of URL, tab, topic, or bookmarks in folders."
        )
    return Labels(topics_of)


def _describe(directory: Path, name: str, note: str) -> None:
    told = {"name": name, "note": note}
    lines = [f"{key} = {toml_value(value)}\n" for key, value in told.items() if value]
    (directory / description.FILE).write_text("".join(lines), "utf-8")
