"""Which recorded responses answer a POST: they stand for its URL and body, not for the URL alone.

A request and its response name each other by `WARC-Concurrent-To` (WARC 1.1, section 5.7), in
either direction and order.
"""

import re
from hashlib import blake2b

from msgspec import Struct

from motherlode.lab.recorded.warc import Record
from motherlode.urls import UrlError, canonical

_METHOD = re.compile(rb"([A-Z]{1,20}) ")
_END = re.compile(rb"\r?\n\r?\n")
_NAME = re.compile(r"<[^<>]+>")


class PostedRequest(Struct, frozen=True, gc=False):
    """A recorded request other than GET and HEAD: its key, and the records that belong to it.

    The key is empty if the method is not POST or the URL is none.
    """

    key: str
    names: tuple[str, ...]


def post_key(url: str, body: bytes) -> str:
    """Return the name under which the answer to a POST is found; the URL is canonical."""
    return f"{url} {blake2b(body, digest_size=16).hexdigest()}"


def record_names(headers: dict[str, str]) -> tuple[str, ...]:
    """Return the names of a record and of those that it names as concurrent to it."""
    told = (headers.get("warc-record-id", ""), headers.get("warc-concurrent-to", ""))
    return tuple(name for text in told for name in _NAME.findall(text))


def is_posted(content: bytes) -> bool:
    """Return whether the start of a request record has a method whose answer is not the URL's."""
    method = _METHOD.match(content)
    return method is not None and method[1] not in (b"GET", b"HEAD")


def posted_request(record: Record) -> PostedRequest:
    """Return what a request record says of its answer."""
    end = _END.search(record.content)
    body = record.content[end.end() :] if end else b""
    key = ""
    if record.content.startswith(b"POST "):
        try:
            key = post_key(canonical(record.url), body)
        except UrlError:
            key = ""
    return PostedRequest(key, record_names(record.headers))
