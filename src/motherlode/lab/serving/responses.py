"""From a request's bytes to a response's: HTTP/1.1 as far as a server of fixed documents needs
it.
"""

import re
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http import HTTPStatus

from isal import igzip, isal_zlib
from msgspec import Struct
from msgspec.structs import replace

from motherlode.lab.misbehaviour.gzip_bodies import unpacked
from motherlode.lab.web import Answer, SandboxRequest

_COMPRESSIBLE = re.compile(r"text/|.*(?:xml|json|javascript)", re.IGNORECASE)
_WORTH_PACKING = 256
_ABSOLUTE = re.compile(r"http://([^/?#]*)(.*)", re.IGNORECASE)
_HOST = re.compile(r"([^\x00-\x20/?#@\\:\[\]]*|\[[0-9a-f:.]+\])(?::(\d{0,5}))?", re.IGNORECASE)
_NO_TEXT = re.compile(r"[\x00-\x20\x7f]")
_NOT_ASCII = re.compile(r"[\x80-\xff]")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_CODING = re.compile(r"\s*(\*|[\w\-]+)\s*(?:;\s*q\s*=\s*([0-9.]+)\s*)?", re.IGNORECASE)
_TAG = re.compile(r'\*|(?:W/)?("[^"]*")|[^\s,]+')
_DROPPED = frozenset({"content-length", "connection", "transfer-encoding"})
NO_BODY = frozenset({204, 304})
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
    answer: Answer  # its status and headers

    def __len__(self) -> int:
        return len(self.head) + len(self.body)


def parse_request(head: bytes) -> tuple[SandboxRequest, bool]:
    """A request, and whether the connection stays open after it."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004 - method, target, version
        raise BadRequestError(400)
    method, target, version = words
    pairs = (line.partition(":") for line in lines if ":" in line)
    headers = {name.strip(" \t").lower(): value.strip(" \t") for name, _, value in pairs}
    told = headers.get("host", "")
    if absolute := _ABSOLUTE.fullmatch(target):  # the sandbox serves as a proxy, too
        told, rest = absolute.groups()
        target = rest if rest.startswith("/") else f"/{rest}"
    where = _HOST.fullmatch(told)
    if (
        where is None
        or _NO_TEXT.search(target)
        or (method in ("GET", "HEAD", "POST") and target[:1] != "/")
    ):
        raise BadRequestError(400)
    host, port = where[1].lower().rstrip("."), where[2] or ""
    target = _NOT_ASCII.sub(lambda found: f"%{ord(found[0]):02X}", target)
    # A body in chunks is not read, so what follows it cannot be told from it.
    close = "close" in headers.get("connection", "").lower() or "transfer-encoding" in headers
    keep_alive = not close and version != "HTTP/1.0"
    return SandboxRequest(method, f"http://{host}{target}", host, target, headers, port), keep_alive


def ready(answer: Answer, *, gzip: bool) -> Ready:
    """The answer as it goes over the wire; packed if the client can unpack and it is worth it."""
    answer = with_validator(answer)
    body, encoding = answer.body, answer.header("content-encoding").lower()
    headers = [pair for pair in answer.headers if pair[0].lower() not in _DROPPED]
    kind = answer.header("content-type")
    if answer.status in NO_BODY:
        body = b""
    elif encoding and not gzip:
        plain = unpacked(body, encoding)
        if plain is not None:
            body = plain
            headers = [pair for pair in headers if pair[0].lower() != "content-encoding"]
    elif (
        gzip
        and not encoding
        and len(body) >= _WORTH_PACKING
        and (not kind or _COMPRESSIBLE.match(kind))
    ):
        body = igzip.compress(body, 1, mtime=0)
        headers += [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
    return Ready(_head(answer.status, headers, len(body)), body, replace(answer, body=b""))


def with_validator(answer: Answer) -> Answer:
    """The answer with something to make a condition of: recordings often lack both ETag and
    date.
    """
    if answer.status != HTTPStatus.OK or answer.header("etag") or answer.header("last-modified"):
        return answer
    etag = f'"{len(answer.body):x}-{isal_zlib.crc32(answer.body):08x}"'
    return replace(answer, headers=(*answer.headers, ("ETag", etag)))


def not_modified(answer: Answer) -> bytes:
    """The answer to a condition that does not hold."""
    told = (("ETag", answer.header("etag")), ("Last-Modified", answer.header("last-modified")))
    return _head(304, [(name, value) for name, value in told if value], None)


def unchanged(asked: SandboxRequest, answer: Answer) -> bool:
    """Whether the client has it already (RFC 9110, section 13.2.2)."""
    if answer.status != HTTPStatus.OK or asked.method == "POST":
        return False
    if condition := asked.headers.get("if-none-match"):
        tags = {found[1] or found[0] for found in _TAG.finditer(condition)}
        return "*" in tags or answer.header("etag").removeprefix("W/") in tags
    since, modified = asked.headers.get("if-modified-since"), answer.header("last-modified")
    if since and modified:
        try:
            return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
        except (ValueError, TypeError):
            return False
    return False


def accepts_gzip(asked: SandboxRequest) -> bool:
    """Whether the client can unpack gzip, by name or as one of all codings."""
    return _takes_gzip(asked.headers.get("accept-encoding", ""))


@lru_cache(maxsize=256)
def _takes_gzip(accepted: str) -> bool:
    told: dict[str, str] = {}
    for coding in accepted.split(","):
        if found := _CODING.fullmatch(coding):
            told.setdefault(found[1].lower(), found[2] or "1")
    weight = told.get("gzip", told.get("x-gzip", told.get("*", "0")))
    return weight.strip("0.") != ""


def _head(status: int, headers: list[tuple[str, str]], length: int | None) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Unnamed')}"]
    if length is not None and status not in NO_BODY:
        lines.append(f"Content-Length: {length}")
    # What was recorded must not end a line, and so begin a header or a response of its own.
    lines += [
        f"{name}: {_CONTROL.sub(' ', value)}" for name, value in headers if _TOKEN.fullmatch(name)
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
