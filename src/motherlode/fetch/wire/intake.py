"""One response as it comes in, held to its limits: in number and size of headers, in type, in
bytes.
"""

from motherlode.documents.mime import mime_of, sniff_mime
from motherlode.fetch.content_codings import TooLargeError, decoded, is_whole_gzip, start_of
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.types import limit_of
from motherlode.fetch.web import FetchError, Headers, Request

MAX_HEADERS = 256
MAX_HEAD = 64 * 1024  # bytes of all headers
_MAX_ASIDE = 64 * 1024  # bytes that are read of what is no document: an error page, a redirect
_NO_BODY = frozenset({204, 205, 304})
_LOOK = 1024
_DIGITS = 20  # of 64 bits


class Intake:
    """Told of headers and bytes as they arrive; raises `FetchError` as soon as they are too many or
    unwanted.

    `add` says whether it has enough: then the rest is not wanted, and the connection is no longer
    of use.
    """

    __slots__ = (
        "_aside",
        "_coding",
        "_cut",
        "_head",
        "_limit",
        "_looked",
        "_max",
        "_pieces",
        "_request",
        "headers",
        "mime",
        "received",
        "sent",
        "status",
        "told",
    )

    def __init__(self, request: Request, max_bytes: int) -> None:
        self._request = request
        self._max = max_bytes
        self.status = 0
        self.headers: list[tuple[str, str]] = []
        self._head = 0
        self._pieces: list[bytes] = []
        self.received = 0
        self.sent = b""  # the body as it came, once it has ended, if that is gzip and whole
        self.mime = ""
        self.told: dict[str, str] = {}  # headers by name in lower case, the first of each
        self._cut = request.cut
        self._limit = request.cut or max_bytes
        self._coding = ""
        self._aside = False
        self._looked = bool(request.cut)  # whether it is known what this is, or does not matter

    def add_header(self, name: bytes, value: bytes) -> None:
        self._head += len(name) + len(value)
        if len(self.headers) >= MAX_HEADERS or self._head > MAX_HEAD:
            raise self.failure(FailureKind.HEADERS)
        if self.status:  # a trailer: too late to say anything about a response
            return
        key, text = name.decode("latin-1"), value.decode("utf-8", "surrogateescape")
        if not text.isascii() and not text.isprintable():
            text = value.decode("latin-1")
        self.headers.append((key, text))
        self.told.setdefault(key.lower(), text)

    def begin(self, status: int) -> None:
        """The head is complete."""
        self.status = status
        self.mime = mime_of(self.told.get("content-type", ""))
        self._coding = self.told.get("content-encoding", "")
        if not 200 <= status < 300:  # noqa: PLR2004 - no document: its words are not needed
            self._aside = self._looked = True
            self._cut = self._limit = min(self._limit, _MAX_ASIDE)

    def forget(self) -> None:
        """That was an interim response (1xx); the real one follows."""
        self.headers, self.told, self._head = [], {}, 0

    def add(self, data: bytes) -> bool:
        """Take some bytes of the body. True: that is enough."""
        self._pieces.append(data)
        self.received += len(data)
        if not self._looked and self.received >= _LOOK:
            self._look()
        if self.received <= self._limit:
            return False
        if self._cut:
            return True
        raise self.failure(FailureKind.TOO_LARGE, f"more than {self._limit:,} bytes")

    def end(self) -> bytes:
        """The body, unpacked."""
        if self.status in _NO_BODY:
            return b""
        if not self._looked:
            self._look()
        raw = self._raw()
        try:
            body = decoded(raw, self._coding, self._limit, cut=bool(self._cut))
        except TooLargeError as error:
            raise self.failure(
                FailureKind.TOO_LARGE, f"unpacks to more than {self._limit:,} bytes"
            ) from error
        except ValueError as error:
            if self._aside:
                return b""
            raise self.failure(FailureKind.PROTOCOL, str(error)) from error
        if not self._cut:
            self._limit = self._wanted(body, packed=False)
            if len(body) > self._limit:
                raise self.failure(FailureKind.TOO_LARGE, f"more than {self._limit:,} bytes")
        if self._coding.strip().lower() == "gzip" and is_whole_gzip(raw, body):
            self.sent = raw
        return body

    @property
    def ends_with_connection(self) -> bool:
        """Whether nothing but the end of the connection ends the body."""
        codings = [
            value.lower() for name, value in self.headers if name.lower() == "transfer-encoding"
        ]
        return "content-length" not in self.told and not any(
            "chunked" in coding for coding in codings
        )

    def failure(self, kind: FailureKind, detail: str = "") -> FetchError:
        return FetchError(kind, self._request.url, detail)

    def response_headers(self) -> Headers:
        return tuple(self.headers)

    def _raw(self) -> bytes:
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def _look(self) -> None:
        """See what this is, once enough has come to tell: the first piece may be a single byte."""
        self._looked = True
        if self._pieces:
            self._limit = self._wanted(self._raw())
            self._check_length()

    def _check_length(self) -> None:
        """Do not wait for what is announced to be too much."""
        length = self.told.get("content-length", "")
        if length.isdecimal() and len(length) < _DIGITS and int(length) > self._limit:
            raise self.failure(FailureKind.TOO_LARGE, f"{int(length):,} bytes announced")

    def _wanted(self, data: bytes, *, packed: bool = True) -> int:
        """How much is wanted of what begins like this. Raises `FetchError` if nothing is."""
        start = data
        if packed and self._coding:
            # A packed page that says it is one is believed until it is unpacked: looking costs
            # more.
            bound = self._bound(self.mime)
            if bound:
                return bound
            start = start_of(data, self._coding, _LOOK)
        kind = sniff_mime(start, self.mime)
        if not packed or not self._coding:
            self.mime = kind
        bound = self._bound(kind)
        if not bound:
            raise self.failure(FailureKind.TYPE, kind)
        return bound

    def _bound(self, mime: str) -> int:
        types = self._request.types
        return self._max if types is None else min(limit_of(mime, types), self._max)
