"""A recorded web: the responses of an archive, by URL."""

import os
import weakref
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from motherlode.lab.description import Description, read_description
from motherlode.lab.labels import FILE, Labels, read_labels
from motherlode.lab.recorded.index import Index, MemberLocation, fingerprint, index_of
from motherlode.lab.recorded.warc import Record, files_of, http_parts, record_in
from motherlode.lab.web import Answer, RequestHandler, SandboxRequest, WebInfo
from motherlode.records import BadInputError
from motherlode.urls import host_of

_HOPS = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)

_MOST_OPEN = 100  # files


class RecordedWeb:
    """The web in a directory of WARC files. Bodies stay on the disk until they are asked for."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._description: Description = read_description(directory)
        self._index: Index = index_of(directory)
        self._files: dict[int, int] = {}  # open descriptors by the file's number
        weakref.finalize(self, _close, self._files)

    def answer(self, url: str) -> Answer | None:
        place = self._index.find(url)
        if place is None and url.startswith("http://"):
            place = self._index.find("https" + url[4:])  # the sandbox speaks plain HTTP for both
        return None if place is None else _answer(self._read(place))

    def handler_for(self, host: str) -> RequestHandler | None:
        """Return this web for a host to which a form was submitted; None: it has only pages."""
        return self if host in self._posted_hosts else None

    def reply(self, request: SandboxRequest) -> Answer | None:
        """Return the answer to a POST of the same URL and body, byte for byte, or to a GET."""
        port = f":{request.port}" if request.port else ""
        urls = dict.fromkeys((f"http://{request.host}{port}{request.target}", request.url))
        if request.method != "POST":
            return next((found for url in urls if (found := self.answer(url))), None)
        spellings = [url for plain in urls for url in (plain, "https" + plain[4:])]
        places = (self._index.find_post(url, request.body) for url in spellings)
        place = next((place for place in places if place is not None), None)
        return None if place is None else _answer(self._read(place))

    def urls(self) -> Iterator[str]:
        yield from self._index.places

    def pages_of(self, host: str) -> Iterator[str]:
        yield from self._hosts.get(host, ())

    def hosts(self) -> Iterator[str]:
        yield from self._hosts

    def has_host(self, name: str) -> bool:
        return name in self._hosts or name in self._posted_hosts

    def labels(self) -> Labels:
        return self._labels

    def habit_of(self, host: str) -> str:
        return self._description.habit_of(host)

    @cached_property
    def about(self) -> WebInfo:
        told = self._description
        name = told.name or self._directory.resolve().name
        return WebInfo(
            name, "recorded", len(self._index.places), len(self._hosts), told.licence, told.note
        )

    @property
    def fingerprint(self) -> str:
        return fingerprint(files_of(self._directory))

    @cached_property
    def _labels(self) -> Labels:
        """Those of pages that are here; the rest cannot be found by anybody."""
        told = read_labels(self._directory / FILE)
        return Labels({url: topics for url, topics in told.items() if url in self._index.places})

    @cached_property
    def _hosts(self) -> dict[str, list[str]]:
        """The URLs of each host, in order of the hosts' names."""
        grouped: dict[str, list[str]] = {}
        for url in self._index.places:
            grouped.setdefault(host_of(url), []).append(url)
        return dict(sorted(grouped.items()))

    @cached_property
    def _posted_hosts(self) -> frozenset[str]:
        return frozenset(host_of(key) for key in self._index.posts)

    def _read(self, place: MemberLocation) -> Record:
        path = self._directory / self._index.files[place.file]
        try:
            if place.file not in self._files:
                if len(self._files) >= _MOST_OPEN:
                    _close(self._files)
                self._files[place.file] = os.open(path, os.O_RDONLY)
            return record_in(os.pread(self._files[place.file], place.length, place.offset))
        except (OSError, ValueError, StopIteration) as error:
            raise BadInputError(
                f"{path} cannot be read at byte {place.offset}: {error}."
            ) from error


def _close(files: dict[int, int]) -> None:
    while files:
        os.close(files.popitem()[1])


def _answer(record: Record) -> Answer | None:
    if record.kind == "resource":  # a body without the talk around it
        return Answer(
            200, (("Content-Type", record.headers.get("content-type", "")),), record.content
        )
    try:
        status, headers, body = http_parts(record.content)
    except ValueError:  # it began like a response
        return None
    kept = tuple((name, value) for name, value in headers if name.lower() not in _HOPS)
    return Answer(status, kept, body)
