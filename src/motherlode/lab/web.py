"""What every web of the lab can do, recorded or generated: answer for a URL, and say what is true
of it.
"""

from collections.abc import Iterator
from typing import Protocol

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


def html(body: str, status: int = 200) -> Answer:
    """A small page in UTF-8."""
    return Answer(status, (("Content-Type", "text/html; charset=utf-8"),), body.encode())


NOT_FOUND = html("<!DOCTYPE html><title>Not found</title><p>There is nothing here.", 404)
