"""From a request's bytes to a response's: HTTP/1.1 as far as a server of fixed documents needs it."""

import re
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from isal import igzip, isal_zlib
from isal.igzip_lib import IsalError
from msgspec import Struct

from motherlode.lab.misbehaviour.scene import Asked
from motherlode.lab.web import Answer

_COMPRESSIBLE = re.compile(r"text/|.*(?:xml|json|javascript)", re.IGNORECASE)
_WORTH_PACKING = 256
_PORT = re.compile(r":\d+\Z")
_DROPPED = frozenset({"content-length", "connection"})
_NO_BODY = frozenset({204, 304})
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class BadRequestError(Exception):
    """Bytes that are no request of HTTP/1.x that is answered here; `status` says why."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Ready(Struct, frozen=True):
    """A response that can be sent again and again."""

    head: bytes
    body: bytes
    etag: str
    modified: str

    def __len__(self) -> int:
        return len(self.head) + len(self.body)


def parse_request(head: bytes) -> tuple[Asked, bool]:
    """A request, and whether the connection stays open after it."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004 - method, target, version
        raise BadRequestError(400)
    method, target, version = words
    pairs = (line.partition(":") for line in lines if ":" in line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if target.startswith("http://"):  # the sandbox serves as a proxy, too
        host, slash, rest = target[7:].partition("/")
        target = f"/{rest}" if slash else "/"
    else:
        host = headers.get("host", "")
    host = _PORT.sub("", host).lower().rstrip(".")
    close = "close" in headers.get("connection", "").lower() or version == "HTTP/1.0"
    return Asked(method, f"http://{host}{target}", host, target, headers), not close


def ready(answer: Answer, *, gzip: bool) -> Ready:
    """The answer as it goes over the wire; packed if the client can unpack and it is worth it."""
    body, encoding = answer.body, answer.header("content-encoding").lower()
    headers = [pair for pair in answer.headers if pair[0].lower() not in _DROPPED]
    kind = answer.header("content-type")
    if encoding in ("gzip", "x-gzip") and not gzip:
        unpacked = _unpacked(body)
        if unpacked is not None:
            body = unpacked
            headers = [pair for pair in headers if pair[0].lower() != "content-encoding"]
    elif gzip and not encoding and len(body) >= _WORTH_PACKING and (not kind or _COMPRESSIBLE.match(kind)):
        body = igzip.compress(body, 1, mtime=0)
        headers += [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
    etag, modified = answer.header("etag"), answer.header("last-modified")
    if not etag and not modified and answer.status == HTTPStatus.OK:
        # Recordings often lack both; without one there would be no conditional requests.
        etag = f'"{len(answer.body):x}-{isal_zlib.crc32(answer.body):08x}"'
        headers.append(("ETag", etag))
    return Ready(_head(answer.status, headers, len(body)), body, etag, modified)


def not_modified(response: Ready) -> bytes:
    """The answer to a condition that does not hold."""
    told = (("ETag", response.etag), ("Last-Modified", response.modified))
    return _head(304, [(name, value) for name, value in told if value], None)


def unchanged(asked: Asked, response: Ready) -> bool:
    """Whether the client has it already (RFC 9110, section 13.2.2)."""
    if condition := asked.headers.get("if-none-match"):
        tags = {tag.strip().removeprefix("W/") for tag in condition.split(",")}
        return bool(response.etag) and ("*" in tags or response.etag.removeprefix("W/") in tags)
    if (since := asked.headers.get("if-modified-since")) and response.modified:
        try:
            return parsedate_to_datetime(response.modified) <= parsedate_to_datetime(since)
        except (ValueError, TypeError):
            return False
    return False


def accepts_gzip(asked: Asked) -> bool:
    accepted = asked.headers.get("accept-encoding", "").replace(" ", "").lower()
    return "gzip" in accepted and "gzip;q=0," not in f"{accepted}," and "gzip;q=0.0," not in f"{accepted},"


def _head(status: int, headers: list[tuple[str, str]], length: int | None) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Unnamed')}"]
    if length is not None and status not in _NO_BODY:
        lines.append(f"Content-Length: {length}")
    lines += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def _unpacked(body: bytes) -> bytes | None:
    try:
        unpacked: bytes = isal_zlib.decompress(body, 31)
    except (IsalError, EOFError):  # type: ignore[misc]  # isal's stubs lack it
        return None
    return unpacked
