"""What every web of the lab can do, recorded or generated: answer for a URL, and say what is true
of it.
"""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from msgspec import Struct

from motherlode.lab.labels import Labels

Headers = tuple[tuple[str, str], ...]


class Answer(Struct, frozen=True):
    """What a host says to a request for a URL, before anything happens to it on the way."""

    status: int
    headers: Headers = ()
    body: bytes = b""

    def header(self, name: str) -> str:
        """The value of a header, by its name in lower case; empty if there is none."""
        return next((value for key, value in self.headers if key.lower() == name), "")


class SandboxRequest(Struct, frozen=True):
    """A request as the sandbox understood it; header names in lower case.

    The body is bounded by the server.
    """

    method: str
    url: str
    host: str
    target: str  # path and query
    headers: dict[str, str] = {}
    port: str = ""  # as the client named it; `url` is without
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """The query as it was sent, without its question mark."""
        return self.target.partition("?")[2]


class WebInfo(Struct, frozen=True):
    """What is known of a web as a whole."""

    name: str
    kind: str
    pages: int
    hosts: int
    licence: str = ""
    note: str = ""


class LabWeb(Protocol):
    """A web whose truth is known."""

    @property
    def about(self) -> WebInfo: ...

    @property
    def fingerprint(self) -> str:
        """A short name for exactly this web; another web, or a change to this one, has another."""
        ...

    def answer(self, url: str) -> Answer | None:
        """What the web says at this URL, however it is spelled; None: nothing is there."""
        ...

    def hosts(self) -> Iterator[str]: ...

    def has_host(self, name: str) -> bool: ...

    def urls(self) -> Iterator[str]:
        """The canonical URL of every document."""
        ...

    def pages_of(self, host: str) -> Iterator[str]:
        """The canonical URL of every document of a host."""
        ...

    def labels(self) -> Labels: ...

    def habit_of(self, host: str) -> str:
        """How a host misbehaves, such as `slow-drip:2`; empty if it does not."""
        ...


class RequestHandler(Protocol):
    """A host whose answers depend on more than the URL: on method, body or cookies."""

    def reply(self, request: SandboxRequest) -> Answer | None:
        """Return the answer to a GET or POST (HEAD comes as GET); None: nothing is there."""
        ...


@runtime_checkable
class InteractiveWeb(Protocol):
    """A web some of whose hosts have a `RequestHandler`; `answer` is not asked about those."""

    def handler_for(self, host: str) -> RequestHandler | None:
        """Return the handler of a host; None: `answer` knows its documents."""
        ...


def handler_of(web: LabWeb, host: str) -> RequestHandler | None:
    """Return the handler of a host, None where the web has only documents there."""
    return web.handler_for(host) if isinstance(web, InteractiveWeb) else None


def html(body: str, status: int = 200) -> Answer:
    """A small page in UTF-8."""
    return Answer(status, (("Content-Type", "text/html; charset=utf-8"),), body.encode())


NOT_FOUND = html("<!DOCTYPE html><title>Not found</title><p>There is nothing here.", 404)
