"""The seam between the crawl and whatever it crawls: one request, one response, no redirects followed."""

from typing import Protocol

from msgspec import Struct

from motherlode.records import LodeError

Headers = tuple[tuple[str, str], ...]


class Request(Struct, frozen=True):
    """What to ask for: a canonical URL, and headers beyond those that the web sends anyway."""

    url: str
    headers: Headers = ()


class Response(Struct, frozen=True):
    """What came back, unpacked. `at` and `seconds` are by the clock of the web that fetched it."""

    url: str
    status: int
    headers: Headers
    body: bytes
    at: float
    seconds: float
    address: str = ""

    @property
    def ok(self) -> bool:
        """Whether a document came back."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the class of status codes that means success

    def header(self, name: str) -> str:
        """The value of a header, by its name in lower case; empty if there is none."""
        return next((value for key, value in self.headers if key.lower() == name), "")


class FetchError(LodeError):
    """No response came back; `kind` says in a word or two what happened."""

    def __init__(self, kind: str, url: str) -> None:
        super().__init__(f"{url}: {kind}.")
        self.kind = kind


class Web(Protocol):
    """Whatever answers requests. Raises `FetchError`, and nothing else, when no response comes."""

    async def fetch(self, request: Request) -> Response: ...
