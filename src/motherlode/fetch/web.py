"""The seam between the crawl and whatever it crawls: one request, one response, no redirects
followed.
"""

from typing import Protocol

from msgspec import Struct

from motherlode.fetch.types import TypeOptions
from motherlode.records import LodeError

Headers = tuple[tuple[str, str], ...]


class Request(Struct, frozen=True, gc=False):
    """What to ask for: a canonical URL, and headers beyond those that the web sends anyway.

    `types` says which types are wanted and how much of each (None: any, up to the web's own limit).
    With `cut`, any type will do and only so many bytes are taken, the rest is left: for files like
    robots.txt.

    `method` is GET or POST; only a POST has a body, and its `content_type` says how it is encoded.
    """

    url: str
    headers: Headers = ()
    types: TypeOptions | None = None
    cut: int = 0
    method: str = "GET"
    body: bytes = b""
    content_type: str = ""


class Phases(Struct, frozen=True, gc=False):
    """Where the seconds went; a connection that was kept open costs no look-up,
    connecting or TLS.
    """

    resolve: float = 0.0
    connect: float = 0.0
    tls: float = 0.0
    first_byte: float = 0.0
    transfer: float = 0.0


class Response(Struct, frozen=True, gc=False):
    """What came back, unpacked. `at` and `seconds` are by the clock of the web that fetched it.

    `mime` is the type by the header and by the bytes; `packed` the size of the body as it was sent.
    `told` has the first value of each header by its name in lower case, if whoever read them has it
    at hand; `aliases` the names that its host is an alias for, by the name server, with blanks
    between them; `sent` the body as it came, where that is whole and nothing but gzip.
    """

    url: str
    status: int
    headers: Headers
    body: bytes
    at: float
    seconds: float
    address: str = ""
    mime: str = ""
    packed: int = 0
    phases: Phases = Phases()
    protocol: str = ""
    told: dict[str, str] | None = None
    aliases: str = ""
    sent: bytes = b""

    @property
    def ok(self) -> bool:
        """Whether a document came back."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the class of status codes that means success

    def header(self, name: str) -> str:
        """The value of a header, by its name in lower case; empty if there is none."""
        if self.told is not None:
            return self.told.get(name, "")
        return next((value for key, value in self.headers if key.lower() == name), "")

    def all_headers(self, name: str) -> list[str]:
        """Every value of a header that may occur more than once."""
        return [value for key, value in self.headers if key.lower() == name]


class FetchError(LodeError):
    """No response came back; `kind` says in a word or two what happened, `detail` what is known
    beyond, and `wait` for how many seconds there is no use in asking again, if that is known.
    """

    def __init__(self, kind: str, url: str, detail: str = "", wait: float | None = None) -> None:
        super().__init__(f"{url}: {kind}{f' ({detail})' if detail else ''}.")
        self.kind = kind
        self.detail = detail
        self.wait = wait


class Web(Protocol):
    """Whatever answers requests. Raises `FetchError`, and nothing else, when no response comes."""

    async def fetch(self, request: Request) -> Response: ...

    def expect(self, host: str) -> None:
        """This host will be asked soon: whatever can be prepared, may be. Never fails."""
        ...
